"""Grids: rules that cross or meet and so draw the cells of a table."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise

from pagemill.reading.layout.tables.frame import Frame
from pagemill.reading.layout.tables.rules import Rule, Rules, covered_share

TOUCH_POINTS = 3.0
# A column or row needs room for a character.
NARROWEST_POINTS = 4.5
# A border must be along most of a cell's edge: rows of bands leave hairs of white between them.
BORDER_SHARE = 0.6
# Maps and plots have thousands of crossings; no table has.
MOST_RULES = 600


def grids_of(rules: Rules) -> list[Frame]:
    """The frames that the rules draw, from the top of the page down."""
    if not rules.down or not rules.across or len(rules.across) + len(rules.down) > MOST_RULES:
        return []
    frames = [_frame(group) for group in _groups(rules)]
    return sorted(
        (frame for frame in frames if frame.rows * frame.columns > 1), key=lambda frame: frame.ys[0]
    )


def _groups(rules: Rules) -> list[Rules]:
    """Rules that hang together."""
    heights = [rule.at for rule in rules.across]
    home = list(range(len(rules.across) + len(rules.down)))

    def root(at: int) -> int:
        while home[at] != at:
            home[at] = at = home[home[at]]
        return at

    for count, down in enumerate(rules.down, len(rules.across)):
        first = bisect_left(heights, down.start - TOUCH_POINTS)
        for at in range(first, bisect_right(heights, down.end + TOUCH_POINTS)):
            across = rules.across[at]
            if across.start - TOUCH_POINTS <= down.at <= across.end + TOUCH_POINTS:
                home[root(count)] = root(at)
    return _collect_rules(rules, [root(at) for at in range(len(home))])


def _collect_rules(rules: Rules, roots: Sequence[int]) -> list[Rules]:
    split = len(rules.across)
    return [
        Rules(
            tuple(rule for rule, at in zip(rules.across, roots[:split], strict=True) if at == root),
            tuple(rule for rule, at in zip(rules.down, roots[split:], strict=True) if at == root),
        )
        for root in sorted(set(roots[split:]) & set(roots[:split]))
    ]


def _frame(rules: Rules) -> Frame:
    left, right = _reach(rules.across, rules.down)
    top, bottom = _reach(rules.down, rules.across)
    xs = _edges([rule.at for rule in rules.down], left, right)
    ys = _edges([rule.at for rule in rules.across], top, bottom)
    return Frame(
        xs,
        ys,
        open_right={(row, column) for column, row in _open(rules.down, xs, ys)},
        open_below=_open(rules.across, ys, xs),
    )


def _open(rules: Sequence[Rule], edges: Sequence[float], along: Sequence[float]) -> set[tuple[int, int]]:
    """The places, by the number of an edge and along it, that have no border at that edge."""
    found: set[tuple[int, int]] = set()
    for edge, at in enumerate(edges[1:]):
        near = [rule for rule in rules if abs(rule.at - at) < NARROWEST_POINTS]
        for place, (start, end) in enumerate(pairwise(along)):
            if covered_share(near, start, end) < BORDER_SHARE:
                found.add((edge, place))
    return found


def _reach(along: Sequence[Rule], at: Sequence[Rule]) -> tuple[float, float]:
    starts = [rule.start for rule in along] + [rule.at for rule in at]
    ends = [rule.end for rule in along] + [rule.at for rule in at]
    return min(starts), max(ends)


def _edges(found: Sequence[float], first: float, last: float) -> list[float]:
    edges = [first]
    for edge in sorted([*found, last]):
        if edge - edges[-1] >= NARROWEST_POINTS:
            edges.append(edge)
    if len(edges) == 1:
        edges.append(max(last, first + NARROWEST_POINTS))
    return edges
