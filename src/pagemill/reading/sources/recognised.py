"""The sheet of lines that were recognised in a picture."""

from collections.abc import Iterable, Sequence

from pagemill.model.pages import Box, Line
from pagemill.reading.layout.pieces import Piece, evened, piece_of
from pagemill.reading.page.sheet import Precision, Sheet, Stroke, Word


def recognised_sheet(
    lines: Iterable[Line],
    width: float,
    height: float,
    strokes: Sequence[Stroke] = (),
    pictures: Sequence[Box] = (),
) -> Sheet:
    """The sheet of an upright page; words are placed as if all letters of a line were equally wide."""
    pieces = evened([piece_of(line) for line in lines if line.text.strip()])
    words = [word for run, piece in enumerate(pieces) for word in _words(piece, run)]
    return Sheet(width, height, Precision.RECOGNISED, words, strokes, pictures)


def _words(piece: Piece, run: int) -> list[Word]:
    letter = piece.width / max(len(piece.text), 1)
    # A recogniser's box is looser than its letters: the line is as high as its size says, about its middle.
    top, bottom = piece.centre - 0.65 * piece.size, piece.centre + 0.55 * piece.size
    words: list[Word] = []
    at = 0
    for text in piece.text.split(" "):
        left = piece.left + at * letter
        words.append(
            Word(
                text, left, top, left + len(text) * letter, bottom, round(piece.size, 2), run,
                confidence=piece.confidence,
            )
        )  # fmt: skip
        at += len(text) + 1
    return words
