"""The languages that Tesseract can read here."""

import importlib.util
import os
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

VARIABLE = "TESSDATA_PREFIX"
SUFFIX = ".traineddata"
# Wheels that bring languages, and where they put them.
WHEELS = (("tesseract_pack", "tessdata"),)
SYSTEM_FOLDERS = (
    "/usr/share/tesseract-ocr/5/tessdata",
    "/usr/share/tesseract-ocr/4.00/tessdata",
    "/usr/share/tessdata",
    "/usr/local/share/tessdata",
    "/opt/homebrew/share/tessdata",
)
USUAL_LANGUAGE = "eng"
SCRIPT_DETECTION = "osd"

# ISO 639-1 by Tesseract's own codes, where these are not simply the ISO 639-2 code of the same language.
CODES = dict(
    pair.split("=")
    for pair in (
        "af=afr ar=ara az=aze be=bel bg=bul bn=ben bs=bos ca=cat cs=ces cy=cym da=dan de=deu el=ell en=eng "
        "eo=epo es=spa et=est eu=eus fa=fas fi=fin fr=fra ga=gle gl=glg gu=guj he=heb hi=hin hr=hrv hu=hun "
        "hy=hye id=ind is=isl it=ita ja=jpn ka=kat kk=kaz km=khm kn=kan ko=kor la=lat lo=lao lt=lit lv=lav "
        "mk=mkd ml=mal mn=mon mr=mar ms=msa mt=mlt my=mya nb=nor ne=nep nl=nld no=nor pa=pan pl=pol pt=por "
        "ro=ron ru=rus sk=slk sl=slv sq=sqi sr=srp sv=swe sw=swa ta=tam te=tel th=tha tr=tur uk=ukr ur=urd "
        "uz=uzb vi=vie yi=yid zh=chi_sim zh-hans=chi_sim zh-hant=chi_tra zh-cn=chi_sim zh-tw=chi_tra"
    ).split()
)

# The languages of a script, those of most readers first, by the names that script detection gives.
SCRIPT_CODES = {
    "Latin": ("eng", "deu", "fra", "spa", "ita", "por", "nld", "pol", "ces", "tur", "vie"),
    "Cyrillic": ("rus", "ukr", "bul", "srp", "bel"),
    "Greek": ("ell",),
    "Han": ("chi_sim", "chi_tra"),
    "Japanese": ("jpn",),
    "Katakana": ("jpn",),
    "Hiragana": ("jpn",),
    "Korean": ("kor",),
    "Hangul": ("kor",),
    "Arabic": ("ara", "fas", "urd"),
    "Hebrew": ("heb",),
    "Thai": ("tha",),
    "Devanagari": ("hin", "mar", "nep"),
    "Bengali": ("ben",),
    "Tamil": ("tam",),
    "Telugu": ("tel",),
    "Georgian": ("kat",),
    "Armenian": ("hye",),
}
# More at once make reading slow and no better.
MOST_AT_ONCE = 2


@cache
def folders() -> tuple[Path, ...]:
    """The folders here that have languages: the one that is asked for first, then those of wheels and the system."""
    configured = os.environ.get(VARIABLE)
    wheels = [_in_wheel(package, folder) for package, folder in WHEELS]
    places = [Path(configured) if configured else None, *wheels, Path(sys.prefix) / "share" / "tessdata"]
    found = [place for place in (*places, *map(Path, SYSTEM_FOLDERS)) if place]
    return tuple(dict.fromkeys(place for place in found if any(place.glob(f"*{SUFFIX}"))))


def installed_languages(folder: Path) -> frozenset[str]:
    """Tesseract's codes of the languages in a folder, without script detection."""
    return frozenset(file.stem for file in folder.glob(f"*{SUFFIX}")) - {SCRIPT_DETECTION}


def holding(codes: Iterable[str]) -> tuple[Path, list[str]] | None:
    """The folder that has most of the languages, and those that it has, in the order asked for."""
    wanted = list(dict.fromkeys(codes))
    having = [
        (folder, [code for code in wanted if code in installed_languages(folder)]) for folder in folders()
    ]
    best = max(having, key=lambda pair: len(pair[1]), default=None)
    return best if best and best[1] else None


def tesseract_codes(languages: Sequence[str]) -> list[str]:
    """Tesseract's codes for ISO 639-1 codes; one that is unknown is taken as Tesseract's own."""
    named = [language.strip().replace("_", "-").lower() for language in languages]
    return [CODES.get(name) or CODES.get(name.split("-")[0], name.replace("-", "_")) for name in named]


def _in_wheel(package: str, folder: str) -> Path | None:
    spec = importlib.util.find_spec(package)
    return (
        Path(spec.submodule_search_locations[0]) / folder
        if spec and spec.submodule_search_locations
        else None
    )


def environment() -> dict[str, str]:
    """Where Tesseract's own languages are, if the environment says so."""
    folder = os.environ.get(VARIABLE)
    return {VARIABLE: folder} if folder else {}
