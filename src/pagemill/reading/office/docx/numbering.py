"""Lists of a Word document: the markers in front of their entries."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from pagemill.reading.office.xml_parts import Element, attribute, child, children, number, value_of

_PLACE = re.compile(r"%([1-9])")
_ROMAN = (
    (1000, "m"),
    (900, "cm"),
    (500, "d"),
    (400, "cd"),
    (100, "c"),
    (90, "xc"),
    (50, "l"),
    (40, "xl"),
    (10, "x"),
    (9, "ix"),
    (5, "v"),
    (4, "iv"),
    (1, "i"),
)
LARGEST_ROMAN = 4_000


@dataclass(frozen=True, slots=True)
class Level:
    """One level of a list: how its numbers look and where they start."""

    start: int = 1
    number_format: str = "bullet"
    text: str = ""


@dataclass(slots=True)
class Numbering:
    """The lists of a document, and how far each has been counted."""

    lists: dict[str, str] = field(default_factory=dict)
    levels: dict[str, dict[int, Level]] = field(default_factory=dict)
    overrides: dict[str, dict[int, int]] = field(default_factory=dict)
    counts: dict[str, dict[int, int]] = field(default_factory=dict)
    started: set[tuple[str, int]] = field(default_factory=set)

    def marker(self, list_id: str, depth: int) -> str | None:
        """Count one entry; its marker, or None if it has a bullet or nothing in front."""
        abstract = self.lists.get(list_id, list_id)
        levels = self.levels.get(abstract, {})
        counts = self.counts.setdefault(abstract, {})
        self._count(list_id, depth, levels, counts)
        level = levels.get(depth)
        if level is None or level.number_format in ("bullet", "none"):
            return None
        shown = _PLACE.sub(lambda match: _show(int(match[1]) - 1, levels, counts), level.text)
        return shown.strip() or None

    def _count(self, list_id: str, depth: int, levels: dict[int, Level], counts: dict[int, int]) -> None:
        for deeper in [at for at in counts if at > depth]:
            del counts[deeper]
        start = self.overrides.get(list_id, {}).get(depth)
        if start is not None and (list_id, depth) not in self.started:
            counts[depth] = start
        elif depth in counts:
            counts[depth] += 1
        else:
            counts[depth] = levels.get(depth, Level()).start
        self.started.add((list_id, depth))


def _show(depth: int, levels: dict[int, Level], counts: dict[int, int]) -> str:
    level = levels.get(depth, Level(number_format="decimal"))
    return format_number(counts.get(depth, level.start), level.number_format)


def format_number(count: int, number_format: str) -> str:
    """A number as a list shows it."""
    make: Callable[[int], str] = _FORMATS.get(number_format, str)
    return make(count)


def letters(count: int) -> str:
    """a to z, then aa, bb and so on, as Word counts."""
    place = (count - 1) % 26
    return chr(ord("a") + place) * ((count - 1) // 26 + 1) if 0 < count <= 26 * 10 else str(count)


def roman(count: int) -> str:
    """A Roman numeral in small letters."""
    if not 0 < count < LARGEST_ROMAN:
        return str(count)
    out = ""
    for value, numeral in _ROMAN:
        while count >= value:
            out, count = out + numeral, count - value
    return out


_FORMATS: dict[str, Callable[[int], str]] = {
    "lowerLetter": letters,
    "upperLetter": lambda count: letters(count).upper(),
    "lowerRoman": roman,
    "upperRoman": lambda count: roman(count).upper(),
    "decimalZero": lambda count: f"{count:02d}",
}


def read_numbering(root: Element | None) -> Numbering:
    """The lists of a document; none if it has no part for them."""
    found = Numbering()
    for row in children(root, "abstractNum") if root is not None else ():
        levels = {number(attribute(level, "ilvl")): _read_level(level) for level in children(row, "lvl")}
        found.levels[attribute(row, "abstractNumId") or ""] = levels
    for row in children(root, "num") if root is not None else ():
        list_id = attribute(row, "numId") or ""
        found.lists[list_id] = value_of(row, "abstractNumId") or ""
        found.overrides[list_id] = _read_overrides(row)
    return found


def _read_level(row: Element) -> Level:
    return Level(
        start=number(value_of(row, "start"), 1),
        number_format=value_of(row, "numFmt") or "decimal",
        text=value_of(row, "lvlText") or "",
    )


def _read_overrides(row: Element) -> dict[int, int]:
    found = {}
    for override in children(row, "lvlOverride"):
        start = child(override, "startOverride")
        if start is not None:
            found[number(attribute(override, "ilvl"))] = number(attribute(start, "val"), 1)
    return found
