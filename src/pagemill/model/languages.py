"""The OCR languages that a caller may name."""

# ISO 639-1 codes; the engines say which of them they have.
TWO_LETTERS = frozenset(
    """af am ar as az be bg bn bo br bs ca co cs cy da de dv el en eo es et eu fa fi fo fr fy ga gd gl gu he hi hr ht hu
    hy id is it iu ja jv ka kk km kn ko ku ky la lb lo lt lv mi mk ml mn mr ms mt my nb ne nl nn no oc or pa pl ps pt qu
    ro ru sa sd si sk sl sq sr su sv sw ta te tg th ti tl to tr tt ug uk ur uz vi yi yo zh""".split()
)
# Tesseract's own codes, for languages and kinds of print that ISO 639-1 does not have.
TESSERACT = frozenset(
    """afr amh ara asm aze bel ben bod bos bre bul cat ceb ces chi chr cos cym dan deu div dzo ell eng enm epo est eus fao
    fas fil fin fra frk frm fry gla gle glg grc guj hat heb hin hrv hun hye iku ind isl ita jav jpn kan kat kaz khm kir
    kmr kor lao lat lav lit ltz mal mar mkd mlt mon mri msa mya nep nld nor oci ori pan pol por pus que ron rus san sin
    slk slv snd spa sqi srp sun swa swe syr tam tat tel tgk tgl tha tir ton tur uig ukr urd uzb vie yid yor""".split()
)
KNOWN = TWO_LETTERS | TESSERACT
KNOWN_CODES = f"known are {', '.join(sorted(TWO_LETTERS))}, and Tesseract's own codes"


def check_language(code: str) -> None:
    """Raises ValueError with the list of known languages if a code such as `de` or `zh-hant` is not among them."""
    if code.split("-", maxsplit=1)[0] not in KNOWN:
        raise ValueError(f"{code!r} is not a known language; {KNOWN_CODES}")
