"""What the start of a line says: a list's marker, a caption, a footnote, the number of a heading, one that counts on."""

import re
from collections.abc import Sequence
from typing import NamedTuple

LONGEST_NUMBER = 30
# Bullets of Symbol and Wingdings, whose characters have no code of their own.
PRIVATE_BULLETS = "\uf0b7\uf0a7\uf0d8\uf076\uf0fc\uf06e\uf0a8"
# Signs that begin a list item wherever they begin a line; dashes and asterisks may also go on with a sentence.
SURE_BULLETS = f"•∙●○◦▪■□◆◇►▶➢➤✓✔❖‣⁃{PRIVATE_BULLETS}"
BULLETS = f"{SURE_BULLETS}·▫➔›❯–—*-"
_BULLET = re.compile(
    rf"([{re.escape(BULLETS)}])\s+(?=\S)|([{SURE_BULLETS}])(?=\S)|([·])(?=[^\W\d_])|([o])\s+(?=[A-Z])"
)
# Other fonts of symbols have bullets at other codes, and characters of their own at all of them: such a bullet stands apart.
_SYMBOL = re.compile(r"([\ue000-\uf8ff])\s+(?=\S)")
_NUMBERED = re.compile(
    r"(\(?(?:\d{1,3}|[a-zA-Z]|[ivxl]{2,5}|[IVX]{2,5})[.)]|\((?:\d{1,3}|[a-zA-Z]|[ivx]{1,5})\)|[①-⑳])(?:\s+(?=\S)|(?<=\))(?=[^\W\d_]{2})|(?<=\d\.)(?=[^\W\d_]{2})|(?<=[①-⑳]))"
)
_CAPTION = re.compile(
    r"(?:(?:figure|fig|table|tab|tabelle|abbildung|abb|tableau|tabla|figura|tabella|chart|graph|plate|scheme|exhibit|map|"
    r"diagram|рис|рисунок|таблица|табл)\b\.?\s*(?:[A-Z]{0,2}[.-]?\d|[IVX]+\b)|(?:图|表|圖|図|그림|표)\s*\d)",
    re.IGNORECASE,
)
_ABOUT_TABLE = re.compile(
    r"(?:table|figure|fig\.|tab\.|source|note|quelle|anmerkung|fuente|nota|fonte|bron|źródło|uwaga|источник|примечание)s?\b",
    re.IGNORECASE,
)
# The first characters of what is looked for, so that most lines are known to have none of it without a search.
_BULLET_STARTS = frozenset(f"{BULLETS}o")
_SURE_STARTS = frozenset(SURE_BULLETS)
_CIRCLED = frozenset("①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳")
# The longest number of an item, with its brackets.
_NUMBER_CHARACTERS = 7
_CAPTION_STARTS = frozenset("ftacgpsemdFTACGPSEMDртРТ图表圖図그표")
_NOTE_STARTS = frozenset("(*†‡§¶[")
_FOOTNOTE = re.compile(r"(?:\(?\d{1,3}[.)]?\s*(?=[^\W\d]|[\"“'‘(])|[*†‡§¶]{1,2}\s*(?=\w)|\[\d{1,3}\]\s*)")
_SECTION = re.compile(r"(?:\d{1,2}|[A-Z]|[IVX]{1,5})[.)]?\s+(?=[A-ZÀ-ÞΑ-ΩА-Я])")
_SUBSECTION = re.compile(
    r"(?:\d{1,2}|[A-Z])(?:\.\d{1,2})+[.)]?\s+(?=[^\W\d_])|"
    r"(?i:chapter|section|part|appendix|annex|article|kapitel|abschnitt|anhang|chapitre|capítulo|глава)\s+"
    r"(?:\d+|[IVXLC]+|[A-Z])\b|第[一二三四五六七八九十\d]+[章节節条條部编編]"
)
_LEADER = re.compile(r"(?:\.\s?){3,}|…|(?:·\s?){3,}|_{4,}")
_LED_TO = re.compile(r"(?:[.…·_]\s*){3}(?:\d{1,4}|[ivxlc]{1,7})$")
_ENTRY = re.compile(r"[^\W\d].*(?:[\s.…·])\d{1,4}$")
_SIGNS = r"[\s.,:%+\-−–—()\[\]$€£¥*/≤≥<>=±~#×†‡]*"
_UNIT = r"(?:[^\W\d_]{1,4}\b|°[CF])?"
_NUMERIC = re.compile(rf"{_SIGNS}(?:[A-Z]{{1,3}}\$?)?(?:\d+{_SIGNS}{_UNIT}{_SIGNS}){{1,6}}")
_LONE_NUMBER = re.compile(r"\d{1,4}|[ivxlc]{1,7}|[IVX]{1,5}|\d{1,2}(?:\.\d{1,2}){1,3}\.?|[*†‡§]{1,2}")


_BULLET_SIGN = re.compile(rf"[{SURE_BULLETS}]\s*\w")
# How many blocks further up or down the number before or after may be.
NEAR = 6
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50}
_ROMAN = re.compile(r"[ivxl]+", re.IGNORECASE)


class Marked(NamedTuple):
    """A list's marker and the text after it."""

    marker: str
    ordered: bool
    text: str


def find_marker(text: str) -> Marked | None:
    """The marker at the start of a text, or None if it has none."""
    if found := _match_bullet(text):
        return Marked(found[0].strip(), False, text[found.end() :])
    start = text[:_NUMBER_CHARACTERS]
    if (")" in start or "." in start or text[:1] in _CIRCLED) and (found := _NUMBERED.match(text)):
        return Marked(found[1], True, text[found.end() :])
    return None


def _match_bullet(text: str) -> re.Match[str] | None:
    if text[:1] in _BULLET_STARTS and (found := _BULLET.match(text)):
        return found
    return _SYMBOL.match(text) if "\ue000" <= text[:1] <= "\uf8ff" else None


def starts_with_bullet(text: str) -> bool:
    """Whether a line starts with a sign that nothing but a list item starts with."""
    if text[:1] in _SURE_STARTS:
        return _BULLET_SIGN.match(text) is not None
    return _SYMBOL.match(text) is not None


def is_lone_marker(text: str) -> bool:
    """Whether a text is nothing but a list's marker."""
    return len(text) <= 6 and find_marker(f"{text} X") is not None


def is_lone_bullet(text: str) -> bool:
    """Whether a text is a bullet and nothing else; other signs may be cells of a table."""
    return len(text) == 1 and (text in "•∙●◦▪►▶➢➤❖‣⁃" or "\ue000" <= text <= "\uf8ff")


def is_lone_number(text: str) -> bool:
    """Whether a text is a list's marker or the bare number of a section or a note."""
    return is_lone_marker(text) or _LONE_NUMBER.fullmatch(text) is not None


def is_lone_caption(text: str) -> bool:
    """Whether a text is only the word and the number that a caption starts with."""
    return len(text) < 16 and is_caption(text)


def is_caption(text: str) -> bool:
    """Whether a text starts as captions do: a word for a figure or table, and its number."""
    return text[:1] in _CAPTION_STARTS and _CAPTION.match(text) is not None


def is_about_table(text: str) -> bool:
    """Whether a text starts as what is above or below a table: its caption, its source, a note."""
    return is_caption(text) or _ABOUT_TABLE.match(text) is not None


def is_footnote(text: str) -> bool:
    """Whether a text starts with the sign of a note."""
    first = text[:1]
    return (first in _NOTE_STARTS or first.isdecimal()) and _FOOTNOTE.match(text) is not None


def is_section(text: str) -> bool:
    """Whether a text starts with the number of a section."""
    return _SECTION.match(text) is not None


def has_leader(text: str) -> bool:
    """Whether dots lead on from a text, as they do in a table of contents."""
    # Without any of these there is none, which a search takes longer to find.
    dots = ".." in text or ". ." in text or "…" in text or "·" in text or "____" in text
    return dots and _LEADER.search(text) is not None


def is_leader(text: str) -> bool:
    """Whether a text is nothing but dots that lead from a title to its number."""
    return text[:1] in ".…·_" and _LEADER.match(text) is not None and not text.strip(".…·_ ")


def is_led_entry(text: str) -> bool:
    """Whether dots lead to a number at the end of a text, which ends an entry of contents."""
    return has_leader(text) and _LED_TO.search(text) is not None


def is_entry(text: str) -> bool:
    """Whether a text ends with the number of a page, as the lines of contents and indexes do."""
    return _ENTRY.search(text) is not None


def is_subsection(text: str) -> bool:
    """Whether a text starts with a number that only headings have: `2.1`, `Chapter 3`."""
    return _SUBSECTION.match(text) is not None


def is_numeric(text: str) -> bool:
    """Whether a text is a number or a few, with their signs and units."""
    return len(text) <= LONGEST_NUMBER and _NUMERIC.fullmatch(text) is not None


def are_counted(texts: Sequence[str]) -> list[bool]:
    """Whether each text begins with a number that a text near it counts on from or to."""
    found = [find_marker(text) for text in texts]
    return [_is_counted(found, at) for at in range(len(found))]


def are_counted_on(texts: Sequence[str]) -> list[bool]:
    """Whether each text begins with a number that the very next or last text counts on from or to."""
    found = [find_marker(text) for text in texts]
    return [_is_counted(found[max(at - 1, 0) : at + 2], min(at, 1)) for at in range(len(found))]


def _is_counted(found: Sequence[Marked | None], at: int) -> bool:
    own = found[at]
    if own is None or not own.ordered or not own.text:
        return False
    near = [other for other in found[max(at - NEAR, 0) : at + NEAR + 1] if other and other is not own]
    around = set().union(*(_ordinals(other.marker) for other in near))
    return any(
        (style, count + 1) in around or (style, count - 1) in around for style, count in _ordinals(own.marker)
    )


def _ordinals(marker: str) -> set[tuple[str, int]]:
    """The styles and counts that a marker may have: `(b)` is the second of `(a)`, `i.` the ninth of `a.` or a Roman one."""
    core = marker.strip("().")
    if core.isdecimal():
        return {(marker.replace(core, "1"), int(core))}
    found: set[tuple[str, int]] = set()
    letter = "A" if core.isupper() else "a"
    if len(core) == 1 and core.isalpha() and core.isascii():
        found.add((marker.replace(core, letter), ord(core.lower()) - ord("a") + 1))
    if _ROMAN.fullmatch(core):
        found.add((marker.replace(core, "I" if core.isupper() else "i"), _roman(core.lower())))
    return found


def _roman(text: str) -> int:
    values = [_ROMAN_VALUES[letter] for letter in text]
    return sum(-one if one < after else one for one, after in zip(values, [*values[1:], 0], strict=True))
