"""Recognised headings of several centred lines, which look like paragraphs of one line each."""

from collections.abc import Sequence

from pagemill.reading.layout.judging import Judged
from pagemill.reading.layout.lines import TextLine
from pagemill.reading.layout.paragraphs import DOUBTFUL_SIZE

# Lines have one middle if it differs by less than the first, and are close if their middles are nearer than the second,
# in sizes of their letters.
SAME_MIDDLE, CLOSE = 0.6, 1.8


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
