"""The words of a line: parted where the picture shows a space that the reader has left out, and where each begins and ends."""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy
from numpy.typing import NDArray

from pagemill.reading.ocr.decode import DecodedLine
from pagemill.reading.ocr.recogniser import Pixels

# Of a crop's height: gaps inside words stay below an eighth of it, spaces are a fifth and more.
LEAST_SPACE_SHARE = 0.19
# In print with wide gaps between all characters, a space is still this much wider than those.
LEAST_SPACE_BY_GAP = 2.5
# The rest of the crop may show the feet and heads of the lines above and below.
MIDDLE = slice(6, -6)
# How far from paper to ink a pixel must be to count as ink.
INK_SHARE = 0.35
PAPER_PERCENT, DARK_PERCENT = 80, 2
NARROW = frozenset("ijlrtfIJ|!'")
# Where the picture shows no gap, a character reaches so far towards the next one, as a share of their distance.
WITHOUT_GAP = 0.3

Gaps = NDArray[numpy.intp]
Shares = NDArray[numpy.float64]
PlacedCharacter = tuple[str, float]


@dataclass(frozen=True, slots=True)
class PartedLine:
    """The words of a line, and where each begins and ends, as shares of the line's length."""

    text: str
    words: tuple[tuple[float, float], ...]


def part_words(reading: DecodedLine, crop: Pixels) -> PartedLine:
    """The words of a line, with spaces where the picture shows them."""
    height, width = crop.shape[:2]
    columns = _ink_columns(crop)
    ends = numpy.flatnonzero(numpy.diff(columns) > 1)
    gaps = numpy.stack([columns[ends] + 1, columns[ends + 1]], axis=1)
    words = list(_words(reading, _spaces_shown(reading, gaps, height, width)))
    text = " ".join(["".join([character for character, _ in word]) for word in words])
    ink = (int(columns[0]) / width, (int(columns[-1]) + 1) / width) if len(columns) else (0.0, 1.0)
    return PartedLine(text, tuple(_edges(words, gaps / width, ink)))


def _spaces_shown(reading: DecodedLine, gaps: Gaps, height: int, width: int) -> set[int]:
    """The characters before which the picture shows a space that was left out."""
    if not len(gaps):
        return set()
    text, widths = reading.text, gaps[:, 1] - gaps[:, 0]
    least = max(LEAST_SPACE_SHARE * height, LEAST_SPACE_BY_GAP * float(numpy.median(widths)))
    middles = gaps[widths >= least].mean(axis=1) / width
    places = numpy.searchsorted(reading.places, middles).tolist()
    return {at for at in places if 0 < at < len(text) and _may_part(text[at - 1], text[at])}


def _words(reading: DecodedLine, parted: set[int]) -> Iterator[list[PlacedCharacter]]:
    """The characters of each word with their places."""
    word: list[PlacedCharacter] = []
    for at, character in enumerate(reading.text):
        if word and (at in parted or character.isspace()):
            yield word
            word = []
        if not character.isspace():
            word.append((character, reading.places[at]))
    if word:
        yield word


def _edges(
    words: Sequence[Sequence[PlacedCharacter]], gaps: Shares, ink: tuple[float, float]
) -> Iterator[tuple[float, float]]:
    """Where words begin and end: at the widest gap between the last character of one and the first of the next."""
    if not words:
        return
    # Ink at the very top and bottom was not looked at: that of dots and quotes may be there.
    left, end = min(ink[0], words[0][0][1]), max(ink[1], words[-1][-1][1])
    for one, other in pairwise(words):
        right, following = _gap_between(one[-1][1], other[0][1], gaps)
        yield left, max(left, right)
        left = following
    yield left, max(left, end)


def _gap_between(last: float, first: float, gaps: Shares) -> tuple[float, float]:
    middles = gaps.mean(axis=1)
    between = gaps[(middles > last) & (middles < first)]
    if not len(between):
        part = (first - last) * WITHOUT_GAP
        return last + part, first - part
    start, end = between[(between[:, 1] - between[:, 0]).argmax()].tolist()
    return start, end


def _may_part(before: str, after: str) -> bool:
    """Whether a missing space may be set: before a character, in scripts that set spaces.

    Not after digits, nor between narrow characters: these are far apart in many fonts.
    """
    if before in NARROW and after in NARROW:
        return False
    unspaced = any(unicodedata.east_asian_width(character) in "WF" for character in (before, after))
    return after.isalpha() and not (before.isdigit() or before.isspace() or unspaced)


def _ink_columns(crop: Pixels) -> NDArray[numpy.intp]:
    """The columns of a crop that have ink."""
    red, green, blue = (crop[MIDDLE, :, channel] for channel in range(3))
    grey = numpy.minimum(numpy.minimum(red, green), blue)
    paper, dark = numpy.percentile(grey, [PAPER_PERCENT, DARK_PERCENT])
    return numpy.flatnonzero((grey < paper - (paper - dark) * INK_SHARE).any(axis=0))
