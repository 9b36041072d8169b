"""Sheets as a recogniser would give them: boxes around lines that waver, and nothing of fonts, weights, colours and hints."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from random import Random
from statistics import median

from pagemill.model.pages import Box, Line
from pagemill.reading.layout.lines import lines_of
from pagemill.reading.page.scripts import is_right_to_left
from pagemill.reading.page.sheet import Sheet, Word
from pagemill.reading.sources.recognised import MARGIN, ink_of, recognised_sheet

# Words that are further apart than this, in sizes, are found as two lines.
PARTED = 0.9
# How far the edges of boxes waver, in sizes, and the least that a recogniser is sure of clean print.
WAVERING, LEAST_SURE = 0.05, 0.9


def as_recognised(sheet: Sheet, random: Random) -> Sheet:
    """The sheet that a recogniser would make of the picture of a page."""
    lines = [
        _line_of(words, random)
        for line in lines_of(sheet)
        if not line.rotation and not is_right_to_left(line.text)
        for words in _pieces(line.words)
    ]
    return recognised_sheet(lines, sheet.width, sheet.height, sheet.strokes, sheet.pictures)


def _pieces(words: Sequence[Word]) -> Iterator[list[Word]]:
    """The words of a line, cut where they are far apart."""
    piece = [words[0]]
    for one, other in pairwise(words):
        if other.left - one.right > PARTED * one.size:
            yield piece
            piece = []
        piece.append(other)
    yield piece


def _line_of(words: Sequence[Word], random: Random) -> Line:
    text = " ".join(word.text for word in words)
    size, baseline = median(word.size for word in words), words[0].baseline
    upper, lower = ink_of(text)
    left, right = min(word.left for word in words), max(word.right for word in words)
    top, bottom = baseline - (upper + MARGIN / 2) * size, baseline + (lower + MARGIN / 2) * size
    left, top, right, bottom = _wavering((left, top, right, bottom), size, random)
    width, height = max(right - left, 1.0), max(bottom - top, 1.0)
    shares = [((word.left - left) / width, (word.right - left) / width) for word in words]
    return Line(text, Box(left, top, width, height), random.uniform(LEAST_SURE, 1.0), tuple(shares))


def _wavering(edges: Iterable[float], size: float, random: Random) -> list[float]:
    return [edge + random.gauss(0.0, WAVERING * size) for edge in edges]
