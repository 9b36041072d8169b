"""Pieces: recognised letters on one baseline, with the size of the letters told from box and text."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median

from pagemill.model.pages import Block, Box, Line
from pagemill.reading.page.scripts import breadth, is_right_to_left, needs_no_space

# Parts of a letter's size that stand above and below the baseline, and that a recogniser's box is wider by.
TALL, LOW, DEEP, MARGIN = 0.72, 0.52, 0.21, 0.3
# Over a longer line the box is about as deep without deep letters as with them.
USUAL_DEPTH, LONG_LETTERS = 0.15, 12
# From so many letters on, their width tells their size; capitals and wide fonts are not trusted beyond this.
EVEN_LETTERS, MOST_EVENED = 20, 1.3
_DEEP_LETTERS = re.compile(r"[gjpqyQ,;()\[\]{}|/@§çşţµруцщфд]|[^\x00-\u052f]")
_TALL_LETTERS = re.compile(r"[^acemnorsuvwxzgpqyавгежзиклмнопрстухцчшщъыьэюя\s.,:;_·•~-]")

# Pieces whose middles differ by less than this, in parts of the letters' size, stand at one height.
LEVEL = 0.42


@dataclass(frozen=True, slots=True)
class Piece:
    """Letters on one baseline: a part of a line, or all of it; `block` is there where it stands for a table."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    size: float
    centre: float
    confidence: float
    block: Block | None = None

    @property
    def width(self) -> float:
        """How long it is."""
        return self.right - self.left

    @property
    def box(self) -> Box:
        """Its box on the page."""
        return Box(
            round(self.left, 2),
            round(self.top, 2),
            round(self.right - self.left, 2),
            round(self.bottom - self.top, 2),
        )


Row = list[Piece]


def piece_of(line: Line) -> Piece:
    """A recognised line, with the size of its letters and the height at which the small ones have their middle."""
    box, text = line.box, " ".join(line.text.split())
    upper = TALL if _TALL_LETTERS.search(text) else LOW
    lower = DEEP if _DEEP_LETTERS.search(text) else _depth_without(text)
    size = max(box.height, 1.0) / (upper + lower + MARGIN)
    centre = box.bottom - (lower + MARGIN / 2 + LOW / 2) * size
    return Piece(text, box.x, box.y, box.right, box.bottom, size, centre, line.confidence)


def evened(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces with sizes that also heed how wide the letters of long ones are, as heights of boxes waver."""
    long_ones = [piece for piece in pieces if _is_long(piece)]
    if not long_ones:
        return list(pieces)
    usual = median(piece.size * breadth(piece.text) / piece.width for piece in long_ones)
    return [_evened(piece, usual) if _is_long(piece) else piece for piece in pieces]


def _is_long(piece: Piece) -> bool:
    return len(piece.text) >= EVEN_LETTERS and piece.width > 0


def _evened(piece: Piece, usual: float) -> Piece:
    by_width = usual * piece.width / breadth(piece.text)
    by_width = min(max(by_width, piece.size / MOST_EVENED), piece.size * MOST_EVENED)
    return replace(piece, size=math.sqrt(piece.size * by_width))


def _depth_without(text: str) -> float:
    return USUAL_DEPTH if len(text) > LONG_LETTERS and not text.isupper() else 0.0


def standing_for(block: Block, box: Box, size: float) -> Piece:
    """A piece that holds the place of a finished block in the order of the page."""
    middle = box.y + box.height / 2
    return Piece("", box.x, box.y, box.right, box.bottom, size, middle, block.confidence or 1.0, block)


def together(pieces: Sequence[Piece]) -> Piece:
    """Pieces of one line, in reading order, as one."""
    if len(pieces) == 1:
        return pieces[0]
    largest = max(pieces, key=lambda piece: len(piece.text))
    return replace(
        largest,
        text=spaced([piece.text for piece in pieces]),
        left=min(piece.left for piece in pieces),
        top=min(piece.top for piece in pieces),
        right=max(piece.right for piece in pieces),
        bottom=max(piece.bottom for piece in pieces),
        confidence=confidence_of(pieces),
    )


def spaced(texts: Sequence[str]) -> str:
    """Texts of one line put together, with spaces where the script has them."""
    whole = texts[0]
    for text in texts[1:]:
        whole += text if needs_no_space(whole, text) else " " + text
    return whole


def confidence_of(pieces: Iterable[Piece]) -> float:
    """How sure the recogniser is of all letters: the mean over letters, not over pieces."""
    total = letters = 0.0
    for piece in pieces:
        weight = max(len(piece.text), 1)
        total, letters = total + piece.confidence * weight, letters + weight
    return round(total / letters, 4) if letters else 1.0


def hull(pieces: Sequence[Piece]) -> Box:
    """The smallest box around all pieces."""
    left, top = min(piece.left for piece in pieces), min(piece.top for piece in pieces)
    right, bottom = max(piece.right for piece in pieces), max(piece.bottom for piece in pieces)
    return Box(round(left, 2), round(top, 2), round(right - left, 2), round(bottom - top, 2))


def rows_of(pieces: Iterable[Piece]) -> list[Row]:
    """The pieces that stand at one height together, from top to bottom, each row in reading order."""
    rows: list[Row] = []
    for piece in sorted(pieces, key=lambda piece: (piece.centre, piece.left)):
        if rows and _is_level(rows[-1], piece):
            rows[-1].append(piece)
        else:
            rows.append([piece])
    return [in_reading_order(row) for row in rows]


def _is_level(row: Row, piece: Piece) -> bool:
    """Whether a piece stands at the height of a row, and not over or under one of its pieces."""
    if piece.block or row[0].block:
        return False
    first = row[0]
    height = (first.centre + row[-1].centre) / 2
    if abs(piece.centre - height) > LEVEL * min(piece.size, first.size):
        return False
    left, right = piece.left + 0.5 * piece.size, piece.right - 0.5 * piece.size
    return not any(one.left < right and one.right > left for one in row)


def in_reading_order(row: Row) -> Row:
    """The pieces of a row from left to right, or from right to left in scripts that run so."""
    if len(row) == 1:
        return row
    backwards = is_right_to_left(" ".join(piece.text for piece in row))
    return sorted(row, key=lambda piece: -piece.right if backwards else piece.left)


def body_size(pieces: Iterable[Piece]) -> float:
    """The size of most letters."""
    sizes = sorted((piece.size, len(piece.text)) for piece in pieces if not piece.block)
    half, seen = sum(letters for _, letters in sizes) / 2, 0
    for size, letters in sizes:
        seen += letters
        if seen >= half:
            return size
    return 10.0


def median_size(pieces: Sequence[Piece]) -> float:
    """The size of the letters of a block, safe against a box or two that are too high."""
    long_ones = [piece.size for piece in pieces if len(piece.text) > 3]
    return median(long_ones or [piece.size for piece in pieces])
