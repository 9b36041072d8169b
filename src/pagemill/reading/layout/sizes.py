"""Sizes of letters made even: boxes are loose, so that sizes which differ a little are the same."""

import math

# One step up or down; smaller differences can't be told from the looseness of the boxes.
STEP = 1.14


def even_size(size: float, body: float) -> float:
    """The size in whole steps from the size of the text, so that headings of one kind get one size."""
    steps = round(math.log(max(size, 1.0) / body) / math.log(STEP))
    return round(_even_body(body) * STEP**steps, 1)


def _even_body(body: float) -> float:
    """The size of the text in half points, so that it agrees from page to page."""
    return max(round(body * 2) / 2, 1.0)
