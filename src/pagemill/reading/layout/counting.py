"""Numbers that count on: paragraphs are a list if the number of one follows that of another near it."""

import re
from collections.abc import Sequence

from pagemill.reading.layout.lines import TextLine
from pagemill.reading.layout.markers import Marked, find_marker

# How many blocks further up or down the number before or after may be.
NEAR = 6
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50}
_ROMAN = re.compile(r"[ivxl]+", re.IGNORECASE)


def are_counted(groups: Sequence[Sequence[TextLine]]) -> list[bool]:
    """Whether each block begins with a number that a block near it counts on from or to."""
    found = [find_marker(group[0].text) for group in groups]
    return [_is_counted(found, at) for at in range(len(found))]


def are_counted_on(groups: Sequence[Sequence[TextLine]]) -> list[bool]:
    """Whether each block begins with a number that the very next or last block counts on from or to."""
    found = [find_marker(group[0].text) for group in groups]
    return [_is_counted(found[max(at - 1, 0) : at + 2], min(at, 1)) for at in range(len(found))]


def _is_counted(found: Sequence[Marked | None], at: int) -> bool:
    own = found[at]
    if own is None or not own.ordered or not own.text:
        return False
    near = [other for other in found[max(at - NEAR, 0) : at + NEAR + 1] if other and other is not own]
    around = set().union(*(ordinals(other.marker) for other in near))
    return any(
        (style, count + 1) in around or (style, count - 1) in around for style, count in ordinals(own.marker)
    )


def ordinals(marker: str) -> set[tuple[str, int]]:
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
