"""Heading levels from the sizes and numbers of all headings in a document, so that they mean the same on every page."""

import re
from collections import Counter

from pagemill.model.pages import Block
from pagemill.reading.layout.roles import LEVELS

# Sizes that differ by less than this are one class: the eye does not tell them apart.
SAME_CLASS = 1.06

_NUMBERING = re.compile(r"(?:[A-Z]|\d{1,3})(?:\.\d{1,3}){1,5}(?=[.\s:)]|$)")

# The size of a heading in points, and how many numbers it is numbered with, `2.1` with two.
Rank = tuple[float, int]


def rank_of(block: Block) -> Rank | None:
    """What the level of a heading depends on; None if its size is not known."""
    if block.font_size is None:
        return None
    numbering = _NUMBERING.match(block.text)
    return block.font_size, numbering[0].count(".") + 1 if numbering else 1


def heading_levels(ranks: Counter[Rank]) -> dict[Rank, int]:
    """The level of each rank: the largest are level 1, and there are at most six levels.

    Among headings of one size, those with more numbers are below.
    """
    classes: list[list[Rank]] = []
    for group in _same_sizes(ranks):
        for depth in sorted({depth for _, depth in group}):
            classes.append([rank for rank in group if rank[1] == depth])
    while len(classes) > LEVELS:
        _merge_nearest(classes, ranks)
    return {rank: level for level, members in enumerate(classes, 1) for rank in members}


def _same_sizes(ranks: Counter[Rank]) -> list[list[Rank]]:
    """The ranks in classes of one size, the largest first."""
    classes: list[list[Rank]] = []
    for rank in sorted(ranks, key=lambda one: (-one[0], one[1])):
        if classes and classes[-1][0][0] / rank[0] < SAME_CLASS:
            classes[-1].append(rank)
        else:
            classes.append([rank])
    return classes


def _merge_nearest(classes: list[list[Rank]], ranks: Counter[Rank]) -> None:
    """Make one class of the two neighbours that are closest; a rare class gives way more easily."""

    def distance(at: int) -> float:
        upper, lower = classes[at], classes[at + 1]
        rarest = min(sum(ranks[rank] for rank in upper), sum(ranks[rank] for rank in lower))
        return (upper[-1][0] / lower[0][0] - 1) * (1 + min(rarest, 10))

    at = min(range(len(classes) - 1), key=distance)
    classes[at : at + 2] = [classes[at] + classes[at + 1]]


def level_of(block: Block, levels: dict[Rank, int]) -> int:
    """The level of a heading; one without a size keeps what its provider said."""
    rank = rank_of(block)
    if rank in levels:
        return levels[rank]
    return min(max(block.level or 1, 1), LEVELS)
