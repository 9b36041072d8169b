"""Rules: the drawn lines of a page that may be the lines of a table, put together from their pieces."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pagemill.model.pages import Box
from pagemill.reading.page.sheet import Stroke

# Both edges of a thin rectangle, or a double line, are one rule.
SAME_LINE_POINTS = 3.0
# Dashes and the pieces that cells draw of a common border leave gaps of up to this.
SAME_RULE_POINTS = 2.0
SHORTEST_RULE_POINTS = 6.0
SLANT_POINTS = 0.8
# A drawn grid has at least so many level and so many upright lines in it, each this share of its width or height long.
LEAST_LEVEL, LEAST_UPRIGHT, LONG_SHARE = 3, 2, 0.3


class Rule(NamedTuple):
    """A straight line: `at` its distance from the top or the left, and where it starts and ends."""

    at: float
    start: float
    end: float

    @property
    def length(self) -> float:
        """How long it is."""
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a page, those across from the top down, those down from left to right."""

    across: tuple[Rule, ...] = ()
    down: tuple[Rule, ...] = ()


def rules_of(strokes: Iterable[Stroke], width: float, height: float) -> Rules:
    """The rules that the strokes make; the edges of the page itself are none."""
    across: list[Rule] = []
    down: list[Rule] = []
    for x1, y1, x2, y2 in strokes:
        rise, run = abs(y2 - y1), abs(x2 - x1)
        if rise <= SLANT_POINTS < run and 1 < y1 < height - 1:
            across.append(Rule(y1, x1, x2) if x1 < x2 else Rule(y1, x2, x1))
        elif run <= SLANT_POINTS < rise and 1 < x1 < width - 1:
            down.append(Rule(x1, y1, y2) if y1 < y2 else Rule(x1, y2, y1))
    return Rules(tuple(merge_rules(across)), tuple(merge_rules(down)))


def rules_in(rules: Rules, box: Box) -> Rules:
    """The rules that go through a box or along its edges."""
    reach = 2 * SAME_LINE_POINTS
    left, top, right, bottom = box.x - reach, box.y - reach, box.right + reach, box.bottom + reach
    return Rules(
        tuple(r for r in rules.across if top <= r.at <= bottom and r.start < right and r.end > left),
        tuple(r for r in rules.down if left <= r.at <= right and r.start < bottom and r.end > top),
    )


def merge_rules(rules: list[Rule]) -> list[Rule]:
    """The rules with pieces on one line put together, without the shortest."""
    whole: list[Rule] = []
    for group in level_groups(sorted(rules, key=lambda rule: rule.at)):
        at = sum(rule.at for rule in group) / len(group)
        whole += [Rule(at, start, end) for start, end in spans((rule.start, rule.end) for rule in group)]
    return [rule for rule in whole if rule.length >= SHORTEST_RULE_POINTS]


def level_groups(ordered: Sequence[Rule]) -> list[list[Rule]]:
    """Rules, given in order, that are on one line."""
    groups: list[list[Rule]] = []
    for rule in ordered:
        if groups and rule.at - groups[-1][0].at <= SAME_LINE_POINTS:
            groups[-1].append(rule)
        else:
            groups.append([rule])
    return groups


def spans(pieces: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Stretches with those joined that touch."""
    whole: list[tuple[float, float]] = []
    for start, end in sorted(pieces):
        if whole and start <= whole[-1][1] + SAME_RULE_POINTS:
            whole[-1] = (whole[-1][0], max(whole[-1][1], end))
        else:
            whole.append((start, end))
    return whole


def covered_share(rules: Iterable[Rule], start: float, end: float) -> float:
    """The share of a stretch that the rules cover."""
    inside = spans(
        (max(rule.start, start), min(rule.end, end))
        for rule in rules
        if rule.end > start and rule.start < end
    )
    return sum(right - left for left, right in inside) / max(end - start, 0.01)


def has_grid(box: Box, strokes: Sequence[Stroke], long_share: float = LONG_SHARE) -> bool:
    """Whether the cells of a table are drawn."""
    level, upright = set[int](), set[int]()
    left, right, top, bottom = box.x - 12, box.right + 12, box.y - 12, box.bottom + 12
    wide, high = long_share * box.width, long_share * box.height
    for x1, y1, x2, y2 in strokes:
        x, y = (x1 + x2) / 2, (y1 + y2) / 2
        if not (left <= x <= right and top <= y <= bottom):
            continue
        across, down = abs(x1 - x2), abs(y1 - y2)
        if across > down and across > wide:
            level.add(round(y / 3))
        elif down > high:
            upright.add(round(x / 3))
    return len(level) >= LEAST_LEVEL and len(upright) >= LEAST_UPRIGHT
