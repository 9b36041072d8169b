"""Stacks: rules across, one above the other, as print sets them above, in and below a table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pagemill.reading.layout.markers import is_about_table, is_caption
from pagemill.reading.layout.tables.lines import TokenLine
from pagemill.reading.layout.tables.rules import Rule, Rules, level_groups

# Rules of one table start and end together.
EDGE_POINTS = 8.0
SHORTEST_POINTS = 60.0
# White of this many lines' height between two rules parts two tables.
TALL_WHITE = 2.5
# This share of a table's lines may be titles that go across most of it.
MOST_LONG = 0.2


@dataclass(frozen=True, slots=True)
class Stack:
    """The rules of what may be a table and the box that they reach over."""

    rules: tuple[Rule, ...]
    left: float
    top: float
    right: float
    bottom: float


def stacks_of(rules: Rules, lines: Sequence[TokenLine]) -> list[Stack]:
    """Rules of the same width with all that are between them, parted where other text is between."""
    stacks: list[Stack] = []
    for group in _groups(rules.across):
        stacks += [_stack(run, rules.across) for run in _runs(group, lines) if len(run) > 1]
    return sorted(stacks, key=lambda stack: stack.top)


def _groups(across: Sequence[Rule]) -> list[list[Rule]]:
    groups: list[list[Rule]] = []
    for rule in map(_as_one, level_groups(across)):
        if rule.length < SHORTEST_POINTS:
            continue
        for group in groups:
            if abs(group[0].start - rule.start) < EDGE_POINTS and abs(group[0].end - rule.end) < EDGE_POINTS:
                group.append(rule)
                break
        else:
            groups.append([rule])
    return groups


def _as_one(level: Sequence[Rule]) -> Rule:
    """Rules side by side, one for each group of columns, taken together."""
    return Rule(level[0].at, min(rule.start for rule in level), max(rule.end for rule in level))


def _runs(group: Sequence[Rule], lines: Sequence[TokenLine]) -> Iterator[list[Rule]]:
    run: list[Rule] = []
    for rule in group:
        if run and _is_parted(run[-1], rule, lines):
            yield run
            run = []
        run.append(rule)
    yield run


def _is_parted(upper: Rule, lower: Rule, lines: Sequence[TokenLine]) -> bool:
    """Whether what is between two rules is not of a table: nothing for long, text that goes on outside, a caption."""
    between = [line for line in lines if upper.at < line.middle < lower.at]
    inside = [
        line for line in between if line.pieces[0].left < upper.end and line.pieces[-1].right > upper.start
    ]
    if not inside:
        height = lines[0].bottom - lines[0].top if lines else 10.0
        return lower.at - upper.at > TALL_WHITE * height
    if any(_sticks_out(line, upper) for line in inside):
        return True
    alone = [line.pieces[0] for line in inside if len(line.pieces) == 1]
    long = sum(piece.right - piece.left > upper.length / 2 for piece in alone)
    if len(alone) < len(inside):
        return long > max(1, MOST_LONG * len(inside)) or any(is_caption(piece.text) for piece in alone)
    return long > 1 or any(is_about_table(piece.text) for piece in alone)


def _sticks_out(line: TokenLine, rule: Rule) -> bool:
    """Whether a piece of the line goes over an end of the rule."""
    return any(
        piece.left < end - EDGE_POINTS and piece.right > end + EDGE_POINTS
        for piece in line.pieces
        for end in (rule.start, rule.end)
    )


def _stack(group: Sequence[Rule], across: Sequence[Rule]) -> Stack:
    left, right = min(rule.start for rule in group), max(rule.end for rule in group)
    top, bottom = group[0].at, group[-1].at
    inside = [
        rule for rule in across if top - 1 <= rule.at <= bottom + 1 and rule.end > left and rule.start < right
    ]
    return Stack(tuple(inside), left - EDGE_POINTS, top, right + EDGE_POINTS, bottom)
