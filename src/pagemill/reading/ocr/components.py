"""Connected components: the parts of a mask whose pixels touch each other, at an edge or a corner."""

from dataclasses import dataclass

import numpy
from numpy.typing import NDArray

from pagemill.reading.ocr.raster import Mask

Integers = NDArray[numpy.int64]


@dataclass(frozen=True, slots=True)
class PixelRuns:
    """Level runs of set pixels, from the top down and from left to right; `stops` are the columns after them."""

    rows: Integers
    starts: Integers
    stops: Integers

    def __len__(self) -> int:
        return len(self.rows)

    def longer_than(self, least: int) -> "PixelRuns":
        """The runs of at least so many pixels."""
        kept = self.stops - self.starts >= least
        return PixelRuns(self.rows[kept], self.starts[kept], self.stops[kept])


@dataclass(frozen=True, slots=True)
class Components:
    """The components of a mask: which one each run belongs to, and the box and the area of each."""

    labels: Integers
    left: Integers
    top: Integers
    width: Integers
    height: Integers
    area: Integers

    def __len__(self) -> int:
        return len(self.left)


def level_runs(mask: Mask) -> PixelRuns:
    """The runs of a mask."""
    height, width = mask.shape
    # A pixel that is not set at the end of each row parts it from the next.
    framed = numpy.zeros(height * (width + 1) + 1, numpy.bool_)
    framed[1:].reshape(height, width + 1)[:, :width] = mask
    edges = numpy.flatnonzero(framed[1:] != framed[:-1])
    rows, starts = numpy.divmod(edges[0::2], width + 1)
    return PixelRuns(rows, starts, edges[1::2] - rows * (width + 1))


def components(runs: PixelRuns) -> Components:
    """The components that the runs form."""
    roots = _roots(len(runs), *_touching(runs))
    first, labels = numpy.unique(roots, return_inverse=True)
    count = len(first)
    left, right = numpy.full(count, numpy.iinfo(numpy.int64).max), numpy.zeros(count, numpy.int64)
    bottom = numpy.zeros(count, numpy.int64)
    numpy.minimum.at(left, labels, runs.starts)
    numpy.maximum.at(right, labels, runs.stops)
    numpy.maximum.at(bottom, labels, runs.rows + 1)
    top = runs.rows[first]
    area = numpy.bincount(labels, runs.stops - runs.starts, count).astype(numpy.int64)
    return Components(labels=labels, left=left, top=top, width=right - left, height=bottom - top, area=area)


def _touching(runs: PixelRuns) -> tuple[Integers, Integers]:
    """Pairs of runs that touch: one, and one in the row below it."""
    if not len(runs):
        return runs.rows, runs.rows
    stride = int(runs.stops.max()) + 2
    starts, stops = runs.rows * stride + runs.starts, runs.rows * stride + runs.stops
    first = numpy.searchsorted(stops, starts + stride, "left")
    last = numpy.searchsorted(starts, stops + stride, "right")
    counts = numpy.maximum(last - first, 0)
    upper = numpy.repeat(numpy.arange(len(runs)), counts)
    within = numpy.arange(len(upper)) - numpy.repeat(numpy.cumsum(counts) - counts, counts)
    return upper, first[upper] + within


def _roots(count: int, upper: Integers, lower: Integers) -> Integers:
    """The first run of the component of each run, found by joining pairs until no pair is apart."""
    roots = numpy.arange(count)
    while len(upper):
        one, other = roots[upper], roots[lower]
        least = numpy.minimum(one, other)
        numpy.minimum.at(roots, one, least)
        numpy.minimum.at(roots, other, least)
        while not numpy.array_equal(roots, further := roots[roots]):
            roots = further
        apart = roots[upper] != roots[lower]
        upper, lower = upper[apart], lower[apart]
    return roots
