"""Lines: the words of a sheet that are on one baseline, close enough together to be read on.

A line never goes over the gutter between two columns. The words of a run belong together unless a wide gap parts
them; runs on one height are one line if they are close, or if the lines above and below run on over the gap between
them, as they do in justified text.
"""

from bisect import bisect_left
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby, pairwise
from operator import attrgetter
from statistics import median

from pagemill.model.pages import Block, Box
from pagemill.reading.layout.line_hints import note_headings, note_hints
from pagemill.reading.layout.markers import (
    has_leader,
    is_lone_bullet,
    is_lone_caption,
    is_lone_marker,
    is_lone_number,
)
from pagemill.reading.page.scripts import breadth, is_right_to_left, needs_no_space
from pagemill.reading.page.sheet import Sheet, Stroke, Word

# Gaps in font sizes. Up to the first, words of two runs are one word; up to the second, one line whatever is around
# them; up to the third, if the lines around run on over the gap. Within a run, words are parted by the fourth.
GLUED_GAP, CLOSE_GAP, JUSTIFIED_GAP, RUN_GAP = 0.13, 0.6, 3.0, 1.5
# What the engine takes for running text, and the gap up to which its words are one line.
PROSE_HINTS, HINTED_GAP = ("paragraph", "heading", "list_item"), 1.4
# A gutter parts most of the rows around that print on both sides of it.
GUTTER_ROWS, GUTTER_SHARE, FEWEST_BESIDE = 6, 0.7, 3
# A gap within a run is wide only beside the other gaps of that run.
WIDE_BESIDE_OTHERS = 2.5
# What is around: the rows above and below, no further off than so many sizes.
NEAR_SIZES = 2.2
LONG_LINE_CHARACTERS = 25
# The number of a heading, a note or a list's entry may be further from its words, if they are several.
MARKER_GAP, BULLET_GAP, FEWEST_WORDS = 4.0, 2.5, 3
# How far the middles of runs on one baseline may differ, in sizes; small characters that are raised or lowered are further off.
LEVEL, RAISED_LEVEL, RAISED_SIZE = 0.42, 0.55, 0.85
# A letter so much larger than what is beside it is a drop cap.
LONGEST_CAP, CAP_RATIO = 2, 1.7
# How many dots at the end of a line make it one with dot leaders.
LEADER_DOTS = 8
X_HEIGHT = 0.52


@dataclass(eq=False)
class TextLine:
    """A line or a part of one: its words in reading order, and the engine's hint for where it is.

    `block` is there where it holds the place of a finished block, a table, in the order of the page; it has no words.
    """

    words: list[Word]
    hint: int = -1
    block: Block | None = None

    def __post_init__(self) -> None:
        words = self.words
        self.is_one_run = words[0].run == words[-1].run
        base = words[0] if self.is_one_run else _usual(words)
        self.left, self.right = min([word.left for word in words]), max([word.right for word in words])
        self.top, self.bottom = base.top, base.bottom
        self.size, self.rotation = base.size, base.rotation
        # The middle of the small letters, at which lines are level whatever letters they have.
        self.baseline = base.baseline
        self.centre = base.baseline - X_HEIGHT / 2 * base.size
        # Its words with spaces where they are printed.
        self.text = "" if self.block else spell_line(self)

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

    @property
    def is_recognised(self) -> bool:
        """Whether nothing is known of its type, because its characters were seen in a picture."""
        return self.words[0].bold is None

    @property
    def bold(self) -> float:
        """The share of its characters that is known to be bold."""
        return float(bool(self.words[0].bold)) if self.is_one_run else _share(self.words, "bold")

    @property
    def italic(self) -> float:
        """The share of its characters that is known to be italic."""
        return float(bool(self.words[0].italic)) if self.is_one_run else _share(self.words, "italic")

    @property
    def mono(self) -> float:
        """The share of its characters that is known to be of one width."""
        return float(bool(self.words[0].mono)) if self.is_one_run else _share(self.words, "mono")

    @property
    def smallest(self) -> float:
        """The size of its smallest characters."""
        return self.size if self.is_one_run else min([word.size for word in self.words])

    @property
    def confidence(self) -> float:
        """How sure the source is of its characters."""
        if len(self.words) == 1 or (self.is_one_run and not self.is_recognised):
            return self.words[0].confidence
        weights = [max(len(word.text), 1) for word in self.words]
        sure = [word.confidence * weight for word, weight in zip(self.words, weights, strict=True)]
        return sum(sure) / sum(weights)


# Whether two neighbours in a row are parts of one line.
Together = Callable[[TextLine, TextLine], bool]
# Where upright strokes are: how far to the right, from where to where.
Walls = list[tuple[float, float, float]]


def lines_of(sheet: Sheet) -> list[TextLine]:
    """The lines of a sheet from the top down; turned ones come last. Each knows the engine's hint for it."""
    runs = [list(run) for _, run in groupby(sheet.words, key=attrgetter("run"))]
    upright = [piece for run in runs if not run[0].rotation for piece in _pieces(run)]
    note_hints(upright, sheet.hints)
    prose = {at for at, hint in enumerate(sheet.hints) if hint.kind in PROSE_HINTS}
    turned = [TextLine(run) for run in runs if run[0].rotation]
    walls = _walls(sheet.strokes)
    rows = [_join_row(row, _are_close, walls) if len(row) > 1 else row for row in _rows(upright)]
    rows = [_join_hinted(rows, at, prose, walls) if len(row) > 1 else row for at, row in enumerate(rows)]
    lines: list[TextLine] = []
    for at, row in enumerate(rows):
        near = [*rows[max(at - 1, 0) : at], *rows[at + 1 : at + 2]]
        lines += _join_row(row, partial(_are_justified, near), walls) if len(row) > 1 else row
    note_headings(lines, sheet.hints)
    return lines + turned


def spell_line(line: TextLine) -> str:
    """The words of a line with spaces where they are printed."""
    if line.is_one_run and (plain := " ".join([word.text for word in line.words])).isascii():
        return plain
    whole = line.words[0].text
    for before, word in pairwise(line.words):
        whole += word.text if is_glued(before, word) else f" {word.text}"
    return whole


def is_glued(before: Word, word: Word) -> bool:
    """Whether a word follows another without a space."""
    if before.run == word.run:
        return needs_no_space(before.text, word.text)
    gap = max(word.left - before.right, before.left - word.right)
    return gap < GLUED_GAP * min(before.size, word.size) or needs_no_space(before.text, word.text)


def standing_for(block: Block, box: Box, size: float) -> TextLine:
    """A line that holds the place of a finished block in the order of the page."""
    held = Word("", box.x, box.y, box.right, box.bottom, size, 0.0, confidence=block.confidence or 1.0)
    line = TextLine([held], block=block)
    line.centre = box.y + box.height / 2
    return line


def together(pieces: Sequence[TextLine]) -> TextLine:
    """Pieces of one line, in reading order, as one."""
    if len(pieces) == 1:
        return pieces[0]
    return TextLine([word for piece in pieces for word in piece.words], pieces[0].hint)


def _usual(words: Sequence[Word]) -> Word:
    """The first word in the size that most characters have."""
    characters: dict[float, int] = {}
    for word in words:
        characters[word.size] = characters.get(word.size, 0) + len(word.text)
    size = max(characters, key=lambda size: (characters[size], size))
    return next(word for word in words if word.size == size)


def _share(words: Sequence[Word], style: str) -> float:
    characters = sum([len(word.text) for word in words])
    return sum([len(word.text) for word in words if getattr(word, style)]) / max(characters, 1)


def _pieces(run: list[Word]) -> list[TextLine]:
    """A run, parted where the gap between two of its words is far wider than others."""
    if len(run) == 1:
        return [TextLine(run)]
    gaps = [max(after.left - before.right, before.left - after.right) for before, after in pairwise(run)]
    size = run[0].size
    if max(gaps) < RUN_GAP * size:
        return [TextLine(run)]
    limit = max(RUN_GAP * size, WIDE_BESIDE_OTHERS * median(gaps) if len(gaps) > 2 else 0.0)
    pieces = [[run[0]]]
    for gap, word in zip(gaps, run[1:], strict=True):
        if gap > limit:
            pieces.append([word])
        else:
            pieces[-1].append(word)
    return [TextLine(piece) for piece in pieces]


def _rows(pieces: Iterable[TextLine]) -> list[list[TextLine]]:
    """The pieces that are at one height together, from top to bottom, each row in reading order."""
    rows: list[list[TextLine]] = []
    anchor: TextLine | None = None
    for piece in sorted(pieces, key=attrgetter("centre", "left")):
        if anchor is not None and _is_level(rows[-1], anchor, piece):
            rows[-1].append(piece)
            anchor = max(anchor, piece, key=lambda one: (one.size, one.width))
        else:
            rows.append([piece])
            anchor = piece
    return [in_reading_order(row) if len(row) > 1 else row for row in rows]


def _is_level(row: Sequence[TextLine], anchor: TextLine, piece: TextLine) -> bool:
    """Whether a piece is at the height of a row, and neither over nor under one of its pieces."""
    distance = abs(piece.centre - anchor.centre)
    small, large = min(anchor.size, piece.size), max(anchor.size, piece.size)
    if distance > (LEVEL * small if small > RAISED_SIZE * large else RAISED_LEVEL * large):
        return False
    left, right = piece.left + 0.5 * piece.size, piece.right - 0.5 * piece.size
    return not any((one.left < right and one.right > left) or _are_two_lines(one, piece) for one in row)


def _are_two_lines(one: TextLine, other: TextLine) -> bool:
    """Whether two pieces are a line's height apart, as those of a column beside larger text may be."""
    return abs(one.centre - other.centre) >= min(one.size, other.size)


def in_reading_order(row: list[TextLine]) -> list[TextLine]:
    """The pieces of a row from left to right, or from right to left in scripts that run so."""
    backwards = is_right_to_left(" ".join([piece.text for piece in row]))
    return sorted(row, key=lambda piece: -piece.right if backwards else piece.left)


def _join_row(row: list[TextLine], belong: Together, walls: Walls) -> list[TextLine]:
    """The pieces of a row, with neighbours that belong together as one line."""
    groups = [[row[0]]]
    for at, piece in enumerate(row[1:], 1):
        last = groups[-1][-1]
        marked = _is_bullet_of(last, piece) or (at == 1 and _is_number_of(row))
        if marked or (belong(last, piece) and not _is_walled(last, piece, walls)):
            groups[-1].append(piece)
        else:
            groups.append([piece])
    return [together(group) for group in groups]


def _are_close(one: TextLine, other: TextLine) -> bool:
    """Whether two pieces are near each other, or dots lead from one to the other; a drop cap is no part of a line."""
    start, end = gap_between(one, other)
    if len(one.text) <= LONGEST_CAP and one.size > CAP_RATIO * other.size:
        return False
    if has_leader(one.text[-LEADER_DOTS:]) and is_lone_number(other.text):
        return True
    return end - start < CLOSE_GAP * max(min(one.size, other.size), max(one.size, other.size) / 2)


def _join_hinted(
    rows: Sequence[list[TextLine]], at: int, prose: Container[int], walls: Walls
) -> list[TextLine]:
    """A row, with pieces that the engine takes for parts of one text as one line."""
    row = rows[at]
    near = rows[max(at - GUTTER_ROWS, 0) : at + GUTTER_ROWS + 1]
    return _join_row(row, partial(_are_one_text, near, prose), walls)


def _are_one_text(
    near: Sequence[Sequence[TextLine]], prose: Container[int], one: TextLine, other: TextLine
) -> bool:
    """Whether two pieces are near, both parts of one text for the engine, and not on two sides of a gutter."""
    start, end = gap_between(one, other)
    if one.hint != other.hint or one.hint not in prose:
        return False
    if end - start > HINTED_GAP * max(one.size, other.size):
        return False
    middle = (start + end) / 2
    alike = [[line for line in row if _is_alike(line, one.size)] for row in near]
    beside = [row for row in alike if row and row[0].left < start and row[-1].right > end]
    parted = [row for row in beside if not any(line.left < middle < line.right for line in row)]
    return len(parted) < GUTTER_SHARE * max(len(beside), FEWEST_BESIDE)


def _are_justified(near: Sequence[Sequence[TextLine]], one: TextLine, other: TextLine) -> bool:
    """Whether the lines around run on over a gap, and none of them has a gap at the same place."""
    small, large = sorted((one.size, other.size))
    start, end = gap_between(one, other)
    if small < RAISED_SIZE * large:
        return False
    if end - start > JUSTIFIED_GAP * small:
        return False
    touching = [
        line
        for row in near
        for line in row
        if abs(line.centre - one.centre) < NEAR_SIZES * large
        and line.right > start - large
        and line.left < end + large
    ]
    return bool(touching) and all(_bridges(line, start, end, large) for line in touching)


def _is_number_of(row: Sequence[TextLine]) -> bool:
    """Whether a row starts with the marker or the number of the words beside it, and is no row of a table."""
    number, other = row[0], row[1]
    start, end = gap_between(number, other)
    if len(number.words) > 1 or end - start > MARKER_GAP * other.size:
        return False
    if len(row) > 2:
        return False
    marker = is_lone_marker(number.text) or is_lone_caption(number.text)
    return marker or (len(other.words) >= FEWEST_WORDS and is_lone_number(number.text))


def _is_bullet_of(bullet: TextLine, other: TextLine) -> bool:
    """Whether a piece is nothing but the bullet of the words beside it; a dash may be an empty cell."""
    start, end = gap_between(bullet, other)
    near = is_lone_bullet(bullet.text) and end - start < BULLET_GAP * other.size
    return near and len(other.text) > 1 and not is_lone_number(other.text)


def gap_between(one: TextLine, other: TextLine) -> tuple[float, float]:
    """Where the gap between two pieces of a row starts and ends, whichever comes first."""
    left, right = (one, other) if one.left <= other.left else (other, one)
    return left.right, right.left


def _is_alike(line: TextLine, size: float) -> bool:
    """Whether the text of a line has about that size: a larger title says nothing of the columns below it."""
    return 0.8 < line.size / size < 1.25


def _bridges(line: TextLine, start: float, end: float, size: float) -> bool:
    """Whether a long line of about that font size runs on over a gap."""
    if line.left > start or line.right < end or not _is_alike(line, size):
        return False
    return breadth(line.text) >= LONG_LINE_CHARACTERS


def _walls(strokes: Sequence[Stroke]) -> Walls:
    """The upright strokes from left to right."""
    return sorted(
        [
            ((x1 + x2) / 2, min(y1, y2), max(y1, y2))
            for x1, y1, x2, y2 in strokes
            if abs(x1 - x2) < abs(y1 - y2)
        ]
    )


def _is_walled(one: TextLine, other: TextLine, walls: Walls) -> bool:
    """Whether a drawn line is between two pieces."""
    if not walls:
        return False
    start, end = gap_between(one, other)
    for x, top, bottom in walls[bisect_left(walls, (start - 2, 0.0, 0.0)) :]:
        if x > end + 2:
            break
        if top <= one.centre <= bottom:
            return True
    return False
