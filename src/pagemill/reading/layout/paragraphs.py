"""Paragraphs: the lines of a column grouped by spacing, indents, sizes and short last lines.

Headings of several centred lines look like paragraphs of one line each, and are put together after that.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from pagemill.reading.layout.judging import Judged
from pagemill.reading.layout.lines import TextLine
from pagemill.reading.layout.markers import find_marker, has_leader, is_caption, is_entry, is_subsection
from pagemill.reading.page.scripts import breadth, is_right_to_left

# Font sizes that differ by less are the same: boxes are loose.
SAME_SIZE, DOUBTFUL_SIZE = 1.18, 1.4
# Lines further apart than this, compared with the others around, belong to two paragraphs.
WIDE_SPACING = 1.3
# The distance of two baselines in parts of the font size, where nothing else is known.
USUAL_SPACING, WIDEST_SPACING = 1.25, 2.3
ENTRY_CHARACTERS = 70
# The room that a short line leaves, in parts of the column's width, after a sentence and anywhere.
SPARE_ROOM, AMPLE_ROOM = 0.12, 0.33
# Scripts without spaces may break a line nearly anywhere, so that what seems a long word needs little room.
LONGEST_WORD = 14
INDENT, DEEP_INDENT = 0.8, 6.0
ENDS = (".", "!", "?", ":", "…", "。", "！", "？", "”", '"', ";")
# Lines have one middle if it differs by less than the first, and are close if their middles are nearer than the second,
# in font sizes.
SAME_MIDDLE, CLOSE = 0.6, 1.8


@dataclass(frozen=True, slots=True)
class Column:
    """What the lines of a column have in common: edges and spacing."""

    left: float
    right: float
    spacing: float

    @property
    def width(self) -> float:
        """The distance of its edges."""
        return self.right - self.left


def column_of(lines: Sequence[TextLine]) -> Column:
    """The edges and the usual spacing of lines, in parts of the font size."""
    left, right = min(line.left for line in lines), max(line.right for line in lines)
    return Column(left, right, usual_spacing(lines))


def usual_spacing(lines: Sequence[TextLine]) -> float:
    """The distance of the baselines of lines that are near each other, in parts of their size."""
    steps = [
        (lower.centre - upper.centre) / upper.size
        for upper, lower in pairwise(lines)
        if _same_size(upper, lower) and 0.7 < (lower.centre - upper.centre) / upper.size < WIDEST_SPACING
    ]
    if len(steps) < 3:
        return min([*steps, USUAL_SPACING * WIDE_SPACING]) if steps else USUAL_SPACING
    # The lower third: where every paragraph is one line, most steps are those between paragraphs.
    return sorted(steps)[len(steps) // 3]


def paragraphs_of(lines: Sequence[TextLine]) -> list[list[TextLine]]:
    """The lines of a column in paragraphs."""
    column = column_of(lines)
    groups = [[lines[0]]]
    for at in range(1, len(lines)):
        after = lines[at + 1] if at + 1 < len(lines) else None
        if _begins(groups[-1], lines[at], after, column):
            groups.append([lines[at]])
        else:
            groups[-1].append(lines[at])
    return groups


def _same_size(one: TextLine, other: TextLine) -> bool:
    return max(one.size, other.size) <= SAME_SIZE * min(one.size, other.size)


def _begins(group: list[TextLine], line: TextLine, after: TextLine | None, column: Column) -> bool:
    """Whether a line begins a paragraph."""
    last = group[-1]
    if _is_apart(group, line, column) or is_caption(line.text) or _has_marker(group, line):
        return True
    if is_entry(last.text) and is_entry(line.text) and _may_be_entry(last):
        return True
    return _is_indented(group, line, after, column) or _is_after_short_line(last, line, column)


def _is_apart(group: list[TextLine], line: TextLine, column: Column) -> bool:
    """Whether a line differs in size from the ones before, or is not close under them."""
    size = median(one.size for one in group)
    step = (line.centre - group[-1].centre) / min(size, line.size)
    own = column.spacing
    if len(group) > 1:
        own = median(lower.centre - upper.centre for upper, lower in pairwise(group)) / size
    if step > WIDE_SPACING * max(own, 1.0) or step < 0:
        return True
    if line.left > group[-1].right or line.right < min(one.left for one in group):
        return True
    return max(size, line.size) > _size_limit(group[-1], line, column) * min(size, line.size)


def _size_limit(last: TextLine, line: TextLine, column: Column) -> float:
    """How much sizes may differ: more where the text plainly runs on, or few characters make the box unsure."""
    runs_on = not last.text.endswith(ENDS) and line.text[0].islower()
    fills = last.width > 0.85 * column.width and not last.text.endswith(ENDS)
    short = min(len(line.text), len(last.text)) < 4
    return DOUBTFUL_SIZE if runs_on or fills or short else SAME_SIZE


def _has_marker(group: list[TextLine], line: TextLine) -> bool:
    """Whether a line starts with a list's marker; inside a sentence a number at the line's start is no marker."""
    found = find_marker(line.text)
    if not found:
        return False
    first = find_marker(group[0].text)
    if first and first.ordered == found.ordered:
        return True
    last = group[-1]
    return not found.ordered or last.text.endswith(ENDS) or line.left > group[0].left + INDENT * line.size


def _is_indented(group: list[TextLine], line: TextLine, after: TextLine | None, column: Column) -> bool:
    """Whether a line is set in as first lines are: from the one before, and from the one after it."""
    if is_right_to_left(line.text):
        inset, following = group[-1].right - line.right, after.right - line.right if after else 0.0
        following = following if after else inset
    else:
        inset = line.left - group[-1].left
        following = line.left - after.left if after else inset
    if find_marker(group[0].text) or not INDENT * line.size < inset < DEEP_INDENT * line.size:
        return False
    return following > INDENT * line.size and line.right > column.left + 0.5 * column.width


def _may_be_entry(last: TextLine) -> bool:
    """Whether a line of contents is one: it has leading dots, or is no full line of text."""
    return has_leader(last.text) or len(last.text) < ENTRY_CHARACTERS


def _is_after_short_line(last: TextLine, line: TextLine, column: Column) -> bool:
    """Whether the line before leaves room for the first word of this one, and ends a sentence or is far too short."""
    word = line.text.split(" ", 1)[0]
    if word[:1].islower():
        return False
    character_width = line.width / max(breadth(line.text), 1)
    needed = min(breadth(word), LONGEST_WORD) + 1
    room = last.left - column.left if is_right_to_left(last.text) else column.right - last.right
    spare = (room - needed * character_width) / max(column.width, 1.0)
    ended = last.text.endswith(ENDS) or is_subsection(last.text)
    return spare > (SPARE_ROOM if ended else AMPLE_ROOM)


def with_whole_headings(groups: Sequence[Sequence[TextLine]], judged: Judged) -> list[Sequence[TextLine]]:
    """The groups, those that are likely to be centred lines of one heading put together."""
    whole: list[Sequence[TextLine]] = []
    for group in groups:
        if whole and _are_one(whole[-1][-1], group[0]) and _are_headings(whole[-1], group, judged):
            whole[-1] = [*whole[-1], *group]
        else:
            whole.append(group)
    return whole


def _are_one(upper: TextLine, lower: TextLine) -> bool:
    """Whether two lines are close, centred and alike; capitals without a descender have smaller boxes."""
    if upper.block or lower.block:
        return False
    size = min(upper.size, lower.size)
    middle = abs(upper.left + upper.right - lower.left - lower.right) / 2
    return (
        middle < SAME_MIDDLE * size
        and 0 < lower.centre - upper.centre < CLOSE * size
        and max(upper.size, lower.size) <= DOUBTFUL_SIZE * size
    )


def _are_headings(one: Sequence[TextLine], other: Sequence[TextLine], judged: Judged) -> bool:
    return judged.role(one) == judged.role(other) == "heading"
