"""The sheet of lines that were recognised in a picture.

A recogniser says where a line is, not how large its characters are: their size follows from the height of the box, which
depends on what characters there are, and from how wide they are.
"""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median

from pagemill.model.pages import Box, Line
from pagemill.reading.page.scripts import breadth
from pagemill.reading.page.sheet import Precision, Sheet, Stroke, Word

# Parts of a character's size that are above and below the baseline, and that a recogniser's box is wider by.
TALL, LOW, DEEP, MARGIN = 0.72, 0.52, 0.21, 0.3
# Over a longer line the box is about as deep without deep characters as with them.
USUAL_DEPTH, LONG_CHARACTERS = 0.15, 12
# From so many characters on, their size follows from their width; capitals and wide fonts are not trusted beyond this.
EVEN_CHARACTERS, MOST_EVENED = 20, 1.3
_DEEP_CHARACTERS = re.compile(r"[gjpqyQ,;()\[\]{}|/@§çşţµруцщфд]|[^\x00-\u052f]")
_TALL_CHARACTERS = re.compile(r"[^acemnorsuvwxzgpqyавгежзиклмнопрстухцчшщъыьэюя\s.,:;_·•~-]")


@dataclass(frozen=True, slots=True)
class Measured:
    """A recognised line, with the size of its characters and their baseline."""

    text: str
    box: Box
    size: float
    baseline: float
    confidence: float
    words: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Extent:
    """The characters of a line, how wide they are together, and their size as far as its height tells it."""

    text: str
    width: float
    size: float


def recognised_sheet(
    lines: Iterable[Line],
    width: float,
    height: float,
    strokes: Sequence[Stroke] = (),
    pictures: Sequence[Box] = (),
) -> Sheet:
    """The sheet of an upright page."""
    measured = _even_sizes([_measure(line) for line in lines if line.text.strip()])
    words = [word for run, line in enumerate(measured) for word in _words(line, run)]
    return Sheet(width, height, Precision.RECOGNISED, words, strokes, pictures)


def _measure(line: Line) -> Measured:
    box, text = line.box, " ".join(line.text.split())
    upper, lower = ink_of(text)
    size = max(box.height, 1.0) / (upper + lower + MARGIN)
    baseline = box.bottom - (lower + MARGIN / 2) * size
    return Measured(text, box, size, baseline, line.confidence, line.words)


def ink_of(text: str) -> tuple[float, float]:
    """How far the characters of a text reach above and below the baseline, in sizes."""
    upper = TALL if _TALL_CHARACTERS.search(text) else LOW
    return upper, DEEP if _DEEP_CHARACTERS.search(text) else _depth_without(text)


def _depth_without(text: str) -> float:
    return USUAL_DEPTH if len(text) > LONG_CHARACTERS and not text.isupper() else 0.0


def _even_sizes(lines: Sequence[Measured]) -> list[Measured]:
    """The lines with sizes that also heed how wide the characters of long ones are, as heights of boxes waver."""
    sizes = even_sizes([Extent(line.text, line.box.width, line.size) for line in lines])
    return [replace(line, size=size) for line, size in zip(lines, sizes, strict=True)]


def even_sizes(lines: Sequence[Extent]) -> list[float]:
    """The sizes of lines by their heights and, where they are long, by the width of their characters."""
    long_ones = [line for line in lines if _is_long(line)]
    if not long_ones:
        return [line.size for line in lines]
    usual = median(line.size * breadth(line.text) / line.width for line in long_ones)
    return [_even(line, usual) if _is_long(line) else line.size for line in lines]


def _is_long(line: Extent) -> bool:
    return len(line.text) >= EVEN_CHARACTERS and line.width > 0


def _even(line: Extent, usual: float) -> float:
    by_width = usual * line.width / breadth(line.text)
    by_width = min(max(by_width, line.size / MOST_EVENED), line.size * MOST_EVENED)
    return math.sqrt(line.size * by_width)


def _words(line: Measured, run: int) -> list[Word]:
    texts, box = line.text.split(" "), line.box
    shares = line.words if len(line.words) == len(texts) else _even_shares(texts)
    return [
        Word(
            text,
            box.x + left * box.width,
            box.y,
            box.x + right * box.width,
            box.bottom,
            line.size,
            line.baseline,
            run,
            confidence=line.confidence,
        )
        for text, (left, right) in zip(texts, shares, strict=True)
    ]


def _even_shares(texts: Sequence[str]) -> Iterator[tuple[float, float]]:
    """Where words would begin and end if all characters of a line were equally wide."""
    characters, at = sum(map(len, texts)) + len(texts) - 1, 0
    for text in texts:
        yield at / characters, (at + len(text)) / characters
        at += len(text) + 1
