"""Tables without rules: lines, one below the other, whose pieces are in columns."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from pagemill.model.pages import Block, Box, Kind
from pagemill.reading.layout.markers import is_about_table
from pagemill.reading.layout.tables.columns import columns_under, gaps_of, split_at
from pagemill.reading.layout.tables.frame import Draft
from pagemill.reading.layout.tables.lines import LinePiece, TokenLine, character_height, lines_of, strips_of
from pagemill.reading.layout.tables.plain import plain_draft
from pagemill.reading.layout.tables.rows import INTO_SHARE
from pagemill.reading.layout.tables.rules import Rule
from pagemill.reading.layout.tables.word_index import WordIndex
from pagemill.reading.page.tokens import Token

# Rows are no further apart than this many character heights.
FARTHEST_ROWS = 2.2
FEWEST_LINES = 3
# A paragraph is running text if it is this long and most of its lines have no gap.
FEWEST_CHARACTERS = 80
SOLID_SHARE = 0.7
UNUSUAL_STEP = 1.8
# A piece with this many words is a line of running text rather than a cell.
PROSE_WORDS = 7
# In a column, at least this share of the pieces starts, ends or is centred at one place.
ALIGNED_SHARE = 0.6
ALIGNED_POINTS = 2.5
# Most rows of a table have words in most of its columns.
SUPPORT_SHARE = 0.5
# Lines that go on in one cell have one piece, at most so many.
SEVERAL_SHARE = 0.4
# A single gap may come about by chance between words; then it is narrow.
NARROWEST_SINGLE = 1.2
_MARKER = re.compile(r"[•●▪■◦‣·–—*o-]|\(?(\d{1,3}|[ivx]{1,4}|[a-zA-Z])[.)]|\[\d+\]")
_LEADERS = re.compile(r"(\.\s?){4,}")


def is_marker(text: str) -> bool:
    """Whether a word is what is before the entries of a list."""
    return bool(_MARKER.fullmatch(text))


def free_tokens(blocks: Sequence[Block], prose: Sequence[Box], word_index: WordIndex) -> list[Token]:
    """The words that are neither in prose nor in a block of running text or list."""
    solid = {id(token) for block in blocks if block.box for token in _solid(block, block.box, word_index)}
    solid |= {id(token) for box in prose for token in word_index.under(box, 0.0)}
    return [token for token in word_index.tokens if id(token) not in solid]


def _solid(block: Block, box: Box, word_index: WordIndex) -> list[Token]:
    """The words of a block whose lines go on from edge to edge; none of another."""
    if block.kind in (Kind.LIST_ITEM, Kind.CODE, Kind.FOOTNOTE):
        return word_index.under(box, 1.0)
    if block.kind is not Kind.PARAGRAPH or len(block.text) < FEWEST_CHARACTERS:
        return []
    tokens = word_index.under(box, 1.0)
    lines = strips_of(lines_of(tokens), INTO_SHARE)
    return tokens if sum(len(line.pieces) == 1 for line in lines) >= SOLID_SHARE * len(lines) else []


def loose_drafts(tokens: Sequence[Token], across: Sequence[Rule]) -> Iterator[Draft]:
    """The tables that the words make by their positions alone."""
    height = character_height(tokens)
    for part in (
        part for run in _runs(strips_of(lines_of(tokens), INTO_SHARE), height) for part in _even(run)
    ):
        inside = _trim(part, height)
        if is_tabular(inside, height) and (draft := draft_of(inside, across)):
            yield draft


def draft_of(lines: Sequence[TokenLine], across: Sequence[Rule]) -> Draft | None:
    """The table that lines make, with the rules that go through them."""
    left, right = min(line.pieces[0].left for line in lines), max(line.pieces[-1].right for line in lines)
    top, bottom = lines[0].top, lines[-1].bottom
    rules = [rule for rule in across if top < rule.at < bottom and rule.end > left and rule.start < right]
    return plain_draft([token for line in lines for token in line.tokens], rules)


def _runs(lines: Sequence[TokenLine], height: float) -> Iterator[list[TokenLine]]:
    """Lines that may be rows, up to where the distance grows or running text begins."""
    run: list[TokenLine] = []
    for line in lines:
        if run and (line.top - run[-1].bottom > FARTHEST_ROWS * height or is_running(line)):
            yield run
            run = []
        if not is_running(line):
            run.append(line)
    if run:
        yield run


def _even(run: Sequence[TokenLine]) -> Iterator[list[TokenLine]]:
    """The lines, parted where one is much further down than is usual in the run."""
    steps = [below.middle - line.middle for line, below in pairwise(run)]
    usual = median(steps) if len(steps) > 2 else max(steps, default=0.0)
    part = [run[0]]
    for line, step in zip(run[1:], steps, strict=True):
        if step > UNUSUAL_STEP * usual:
            yield part
            part = []
        part.append(line)
    yield part


def is_running(line: TokenLine) -> bool:
    """Whether a line is of running text, a caption, or a line of contents."""
    text = line.pieces[0].text
    if len(line.pieces) == 1:
        return len(line.tokens) > PROSE_WORDS or is_about_table(text)
    longest = max(len(piece.tokens) for piece in line.pieces)
    mean = sum(len(piece.tokens) for piece in line.pieces) / len(line.pieces)
    return mean > PROSE_WORDS or longest > 2.5 * PROSE_WORDS or bool(_LEADERS.search(line.pieces[-1].text))


def _trim(run: Sequence[TokenLine], height: float) -> list[TokenLine]:
    """The lines from the first to the last that has several pieces, with a narrow head above them."""
    several = [at for at, line in enumerate(run) if len(line.pieces) > 1]
    if not several:
        return []
    first, last = several[0], several[-1]
    gaps = gaps_of(run[first : last + 1], height)
    while first and len(split_at(run[first - 1].pieces[0], gaps, height)) > 1:
        first -= 1
    return list(run[first : last + 1])


def is_tabular(lines: Sequence[TokenLine], height: float) -> bool:
    """Whether the lines have columns that are kept from line to line."""
    several = [line for line in lines if len(line.pieces) > 1]
    if len(several) < FEWEST_LINES or len(several) < SEVERAL_SHARE * len(lines):
        return False
    gaps = gaps_of(lines, height)
    if not gaps or (len(gaps) == 1 and gaps[0][1] - gaps[0][0] < NARROWEST_SINGLE * height):
        return False
    columns: list[list[LinePiece]] = [[] for _ in range(len(gaps) + 1)]
    for line in several:
        for piece in line.pieces:
            first, last = columns_under(piece, gaps)
            if first == last:
                columns[first].append(piece)
    return _are_columns(columns, len(several))


def _are_columns(columns: Sequence[Sequence[LinePiece]], rows: int) -> bool:
    held = sum(len(column) for column in columns)
    if held < SUPPORT_SHARE * rows * len(columns) or any(len(column) < 2 for column in columns[:1]):
        return False
    if len(columns) == 2 and all(is_marker(piece.text) for piece in columns[0]):
        return False
    return sum(_is_aligned(column) for column in columns) >= 0.75 * len(columns)


def _is_aligned(pieces: Sequence[LinePiece]) -> bool:
    """Whether most pieces share their left edge, right edge or middle."""
    places = (
        [piece.left for piece in pieces],
        [piece.right for piece in pieces],
        [(piece.left + piece.right) / 2 for piece in pieces],
    )
    return any(_count_shared(place) >= ALIGNED_SHARE * len(pieces) for place in places)


def _count_shared(places: Sequence[float]) -> int:
    return max((sum(abs(other - place) <= ALIGNED_POINTS for other in places) for place in places), default=0)
