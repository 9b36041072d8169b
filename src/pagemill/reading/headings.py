"""Heading levels from the sizes of all headings in a document, so that they mean the same on every page."""

from collections import Counter

from pagemill.model.pages import Block

LEVELS = 6
# Sizes that differ by less than this are one class: the eye does not tell them apart.
SAME_CLASS = 1.06


def heading_levels(sizes: Counter[float]) -> dict[float, int]:
    """The level of each size of heading: the largest are level 1, and there are at most six levels."""
    classes: list[list[float]] = []
    for size in sorted(sizes, reverse=True):
        if classes and classes[-1][0] / size < SAME_CLASS:
            classes[-1].append(size)
        else:
            classes.append([size])
    while len(classes) > LEVELS:
        _merge_nearest(classes, sizes)
    return {size: level for level, members in enumerate(classes, 1) for size in members}


def _merge_nearest(classes: list[list[float]], sizes: Counter[float]) -> None:
    """Make one class of the two neighbours that are closest; a rare class gives way more easily."""

    def distance(at: int) -> float:
        upper, lower = classes[at], classes[at + 1]
        rarest = min(sum(sizes[size] for size in upper), sum(sizes[size] for size in lower))
        return (upper[-1] / lower[0] - 1) * (1 + min(rarest, 10))

    at = min(range(len(classes) - 1), key=distance)
    classes[at : at + 2] = [classes[at] + classes[at + 1]]


def level_of(block: Block, levels: dict[float, int]) -> int:
    """The level of a heading; one without a size keeps what its provider said."""
    if block.font_size in levels:
        return levels[block.font_size]
    return min(max(block.level or 1, 1), LEVELS)
