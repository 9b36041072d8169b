"""Paragraphs that the engine ran together, cut where a wide gap, an indent or a line of its own style says so."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median_low

from pagemill.model.pages import Block, Box, Kind
from pagemill.reading.structure.lines import Line, Runs, box_around, cuts, styled_as, traced
from pagemill.reading.structure.pieces import HYPHENS, part_of, with_marker

# A gap is wide if it is this much more than the usual step from line to line.
WIDE_STEP = 1.3
# Lines without space between them are about as high as their type; anything higher has at least two.
LEAST_LINES = 1.7
MOST_LINES = 8
# Letters are wider than this on average, so that a text that would not fit its box has more lines.
NARROW_EMS = 0.4
OTHER_SIZE = 1.1
# From line to line of one heading, in its size.
HEADING_STEP = 1.7
ENDS = (".", "!", "?", ":", "…", "。", "！", "？", "”", '"', "»", ")", "]")
INDENT_EMS = (0.8, 4.0)
# A heading leaves the end of its line free.
SHORT_SHARE = 0.75
FILLED_SHARE = 0.5

# Nothing else is set between dashes on a line of its own.
_PAGE_NUMBER = re.compile(r"[-–—] ?\d{1,4} ?[-–—]")

# Which of the lines of a block, whose size is given too, begin a block of their own.
FirstLines = Callable[[Sequence[Line], float], list[int]]


def broken_up(blocks: Sequence[Block], runs: Runs) -> list[Block]:
    """The blocks, with paragraphs that are several made several, and text taken out of headings."""
    result: list[Block] = []
    for block in blocks:
        box, size = block.box, block.font_size
        if box is None or not size:
            result.append(block)
        elif block.kind is Kind.PARAGRAPH and box.height > LEAST_LINES * size:
            lines = runs.lines_in(box)
            starts = cuts(block, lines) if _first_lines(lines, size) else None
            result += _pieces(block, lines[: len(starts)], starts, _first_lines) if starts else [block]
        elif block.kind is Kind.LIST_ITEM and block.ordered and box.height > LEAST_LINES * size:
            result += _from_list(block, runs.lines_in(box), size)
        elif block.kind is Kind.HEADING and _has_more_lines(block.text, box, size):
            # The engine's box of a heading is that of its first line.
            found = traced(block.text, runs.fragments_in(Box(0.0, box.y, box.right * 2, MOST_LINES * size)))
            whole = replace(block, box=box_around([line for _, line in found])) if found else block
            result += _pieces(whole, [line for _, line in found], [at for at, _ in found], _after_heading)
        else:
            result.append(block)
    return result


def _from_list(block: Block, lines: list[Line], size: float) -> list[Block]:
    """A numbered heading and its text, which the engine took for an entry of a list; or the entry.

    The text of an entry is set in, the text below a heading is not.
    """
    if len(lines) < 2 or lines[1].left > lines[0].left + size / 4 or 1 not in _first_lines(lines, size):
        return [block]
    whole = with_marker(block)
    starts = cuts(whole, lines)
    if not starts:
        return [block]
    first, *rest = _pieces(whole, lines[: len(starts)], starts, _first_lines)
    return [part_of(block, 0, len(first.text) - len(whole.text) + len(block.text), first.box), *rest]


def _has_more_lines(text: str, box: Box, size: float) -> bool:
    return box.height > LEAST_LINES * size or len(text) * NARROW_EMS * size > box.width


def _pieces(block: Block, lines: list[Line], starts: list[int], first_lines: FirstLines) -> list[Block]:
    """The blocks that a block is made of; the block itself if it is but one."""
    places = first_lines(lines, block.font_size or 0.0)
    if not places:
        return [block]
    edges = [0, *places, len(lines)]
    ends = [*starts, len(block.text)]
    return [
        _piece(
            part_of(block, ends[first], ends[last], box_around(lines[first:last])),
            lines[first:last],
            lines[0],
        )
        for first, last in pairwise(edges)
    ]


def _piece(block: Block, lines: Sequence[Line], top: Line) -> Block:
    """One of several pieces, in the style of its lines; what follows a heading in another type is a paragraph."""
    if block.kind is Kind.HEADING:
        if not _is_other_type(top, lines[0]):
            return block
        block = replace(block, kind=Kind.PARAGRAPH, level=None)
    return styled_as(block, lines)


def _after_heading(lines: Sequence[Line], size: float) -> list[int]:
    """Which lines are set apart from the heading above them, by another type or by a gap."""
    return [
        place
        for place, (before, line) in enumerate(pairwise(lines), 1)
        if not line.text[:1].islower()
        and line.top - before.top > size / 2
        and (_is_other_type(before, line) or line.top - before.top > HEADING_STEP * size)
    ]


def _is_other_type(before: Line, line: Line) -> bool:
    resized = max(before.size, line.size) > OTHER_SIZE * min(before.size, line.size)
    return resized or before.bold != line.bold or before.family != line.family


def _first_lines(lines: Sequence[Line], size: float) -> list[int]:
    """Which lines, other than the first, begin a paragraph."""
    if len(lines) < 2:
        return []
    steps = [lower.top - upper.top for upper, lower in pairwise(lines)]
    usual = median_low(steps)
    left, right = min(line.left for line in lines), max(line.right for line in lines)
    short = left + SHORT_SHARE * (right - left)
    filled = sum(line.right > short for line in lines) >= FILLED_SHARE * len(lines)
    found: list[int] = [1] if _PAGE_NUMBER.fullmatch(lines[0].text.strip()) else []
    for place in range(1 + len(found), len(lines)):
        if not _may_begin(lines[place - 1], lines[place]):
            continue
        begun = place - 1 == (found[-1] if found else 0)
        wide = steps[place - 1] > max(WIDE_STEP * usual, usual + size / 4)
        heading = begun and filled and _is_short_title(lines[place - 1], short)
        if wide or heading or _is_indented(lines, place, left, size) or _changes_style(lines, place, short):
            found.append(place)
    return found


def _is_short_title(line: Line, short: float) -> bool:
    """Whether the first line of a paragraph can't be one, because it ends early and not as a sentence does."""
    return line.right < short and not line.text.rstrip().endswith((".", ",", ";"))


def _may_begin(before: Line, line: Line) -> bool:
    first = line.text[:1]
    return not first.islower() and not before.text.rstrip().endswith(HYPHENS)


def _is_indented(lines: Sequence[Line], place: int, left: float, size: float) -> bool:
    """Whether a line is set in, as the first one of a paragraph is, between lines that are not."""
    indent = lines[place].left - left
    if not INDENT_EMS[0] * size <= indent <= INDENT_EMS[1] * size:
        return False
    flush = sum(line.left - left < size / 2 for line in lines)
    after = lines[place + 1].left - left if place + 1 < len(lines) else 0.0
    return flush > len(lines) / 2 and after < size / 2 and lines[place - 1].text.rstrip().endswith(ENDS)


def _changes_style(lines: Sequence[Line], place: int, short: float) -> bool:
    """Whether a short line in italics or bold stands before, or ends before, a line without."""
    before, line = lines[place - 1], lines[place]
    if _style(before) == _style(line):
        return False
    if any(_style(line)):
        closed = before.text.rstrip().endswith(ENDS)
        return closed and line.right < short and place + 1 < len(lines) and not any(_style(lines[place + 1]))
    alone = place < 2 or _style(lines[place - 2]) != _style(before)
    return any(_style(before)) and before.right < short and alone


def _style(line: Line) -> tuple[bool, bool]:
    return line.bold, line.italic
