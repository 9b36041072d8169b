"""Parts of pages: a few blocks of a page alone on it, as on the last page of a document or in a form that is hardly filled in."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from pagemill.model.pages import Box
from pagemill.reading.page.sheet import Sheet, Stroke, Word
from train.truth import Piece, TruePage

# They are where they are on the page, whatever else is on it.
FIXED = ("header", "footer", "page_number", "footnote")
# A part has at most so many blocks. Half of all parts have the fixed lines of the page, and half are at its top.
MOST_BLOCKS = 8
WITH_FIXED, AT_TOP = 0.5, 0.5
# What is drawn so near to a fixed line, in points, belongs to it.
NEAR_POINTS = 12.0


def part_of(sheet: Sheet, page: TruePage, random: Random) -> tuple[Sheet, tuple[Piece, ...]] | None:
    """A band of a page as a page of its own, and the pieces in it; None of a page with hardly anything on it."""
    body = [piece for piece in page.pieces if piece.role not in FIXED]
    if len({piece.block for piece in body}) < 2:
        return None
    top, bottom = _band(body, random)
    fixed = [piece for piece in page.pieces if piece.role in FIXED]
    kept = fixed if random.random() < WITH_FIXED else []
    highest = min(piece.top for piece in body)
    rise = max(top - highest, 0.0) if random.random() < AT_TOP else 0.0
    part = _cut(_without(sheet, fixed), top, bottom, rise)
    pieces = [_raised_piece(piece, rise) for piece in body if top <= (piece.top + piece.bottom) / 2 <= bottom]
    words = [word for word in sheet.words if any(_is_in(word, piece) for piece in kept)]
    strokes = [stroke for stroke in sheet.strokes if any(_is_near(stroke, piece) for piece in kept)]
    whole = replace(part, words=[*part.words, *words], strokes=[*part.strokes, *strokes])
    return whole, (*pieces, *kept)


def _without(sheet: Sheet, fixed: Sequence[Piece]) -> Sheet:
    """The sheet without the words of fixed lines and what is drawn beside them."""
    return replace(
        sheet,
        words=[word for word in sheet.words if not any(_is_in(word, piece) for piece in fixed)],
        strokes=[stroke for stroke in sheet.strokes if not any(_is_near(stroke, piece) for piece in fixed)],
    )


def _band(body: Sequence[Piece], random: Random) -> tuple[float, float]:
    """Where a few blocks begin and end, of which the first is chosen by chance."""
    blocks: dict[int, list[Piece]] = {}
    for piece in body:
        blocks.setdefault(piece.block, []).append(piece)
    extents = sorted((min(p.top for p in some), max(p.bottom for p in some)) for some in blocks.values())
    first = random.randrange(len(extents))
    last = min(first + random.randrange(MOST_BLOCKS), len(extents) - 1)
    return extents[first][0], max(bottom for _, bottom in extents[first : last + 1])


def _cut(sheet: Sheet, top: float, bottom: float, rise: float) -> Sheet:
    """What is between two heights of a sheet, that much higher."""
    hints = [replace(hint, box=_clipped(hint.box, top, bottom)) for hint in sheet.hints]
    return replace(
        sheet,
        words=[
            _raised_word(word, rise) for word in sheet.words if top <= (word.top + word.bottom) / 2 <= bottom
        ],
        strokes=[
            Stroke(stroke.x1, stroke.y1 - rise, stroke.x2, stroke.y2 - rise)
            for stroke in sheet.strokes
            if top <= (stroke.y1 + stroke.y2) / 2 <= bottom
        ],
        pictures=[
            _raised_box(box, rise) for box in sheet.pictures if top <= box.y + box.height / 2 <= bottom
        ],
        hints=[replace(hint, box=_raised_box(hint.box, rise)) for hint in hints if hint.box.height > 0],
        tags=(),
    )


def _clipped(box: Box, top: float, bottom: float) -> Box:
    upper, lower = max(box.y, top), min(box.bottom, bottom)
    return replace(box, y=upper, height=lower - upper)


def _raised_word(word: Word, rise: float) -> Word:
    return replace(word, top=word.top - rise, bottom=word.bottom - rise, baseline=word.baseline - rise)


def _raised_box(box: Box, rise: float) -> Box:
    return replace(box, y=box.y - rise)


def _raised_piece(piece: Piece, rise: float) -> Piece:
    return replace(piece, top=piece.top - rise, bottom=piece.bottom - rise)


def _is_in(word: Word, piece: Piece) -> bool:
    across, down = (word.left + word.right) / 2, (word.top + word.bottom) / 2
    return piece.left <= across <= piece.right and piece.top <= down <= piece.bottom


def _is_near(stroke: Stroke, piece: Piece) -> bool:
    beside = min(stroke.x1, stroke.x2) > piece.right or max(stroke.x1, stroke.x2) < piece.left
    return not beside and piece.top - NEAR_POINTS <= (stroke.y1 + stroke.y2) / 2 <= piece.bottom + NEAR_POINTS
