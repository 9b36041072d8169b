"""Pieces of lines: rows of them, their sizes, the box around them."""

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from statistics import median

from pagemill.model.pages import Box
from pagemill.reading.layout.lines import LEVEL, TextLine, in_reading_order

Row = list[TextLine]


def confidence_of(pieces: Iterable[TextLine]) -> float:
    """How sure the recogniser is of all characters: the mean over characters, not over pieces."""
    total = characters = 0.0
    for piece in pieces:
        weight = max(len(piece.text), 1)
        total, characters = total + piece.confidence * weight, characters + weight
    return round(total / characters, 4) if characters else 1.0


def rows_of(pieces: Iterable[TextLine]) -> list[Row]:
    """The pieces that are at one height together, from top to bottom, each row in reading order."""
    rows: list[Row] = []
    for piece in sorted(pieces, key=attrgetter("centre", "left")):
        if rows and _is_level(rows[-1], piece):
            rows[-1].append(piece)
        else:
            rows.append([piece])
    return [in_reading_order(row) if len(row) > 1 else row for row in rows]


def _is_level(row: Row, piece: TextLine) -> bool:
    """Whether a piece is at the height of a row, and not over or under one of its pieces."""
    if piece.block or row[0].block:
        return False
    first = row[0]
    height = (first.centre + row[-1].centre) / 2
    if abs(piece.centre - height) > LEVEL * min(piece.size, first.size):
        return False
    left, right = piece.left + 0.5 * piece.size, piece.right - 0.5 * piece.size
    return not any(one.left < right and one.right > left for one in row)


def body_size(pieces: Iterable[TextLine]) -> float:
    """The size of most characters."""
    sizes = sorted([(piece.size, len(piece.text)) for piece in pieces if not piece.block])
    half, seen = sum([characters for _, characters in sizes]) / 2, 0
    for size, characters in sizes:
        seen += characters
        if seen >= half:
            return size
    return 10.0


def median_size(pieces: Sequence[TextLine]) -> float:
    """The font size of a block, safe against a box or two that are too high."""
    long_ones = [piece.size for piece in pieces if len(piece.text) > 3]
    return median(long_ones or [piece.size for piece in pieces])


def runs_of(lines: Sequence[TextLine]) -> Iterator[list[TextLine]]:
    """The lines in runs without tables; each table is a run of its own."""
    run: list[TextLine] = []
    for line in lines:
        if line.block:
            if run:
                yield run
            yield [line]
            run = []
        else:
            run.append(line)
    if run:
        yield run


def lines_in(lines: Sequence[TextLine], box: Box) -> list[TextLine]:
    """The lines whose middle is in a box."""
    return [line for line in lines if not line.block and is_in_box(line, box)]


def is_in_box(line: TextLine, box: Box) -> bool:
    """Whether the middle of a line is in a box, or nearly so."""
    middle = (line.left + line.right) / 2
    return box.x - 2 <= middle <= box.right + 2 and box.y - 2 <= line.centre <= box.bottom + 2
