"""Lattices: drawn lines that meet and part a piece of the page into cells."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from pagemill.model.pages import Box
from pagemill.reading.layout.lines import TextLine
from pagemill.reading.page.sheet import Stroke

Floats = NDArray[np.float64]
# Lines that come this near meet; drawn lines have a width, and scanned ones waver.
MEET_POINTS = 4.0
SHORTEST_POINTS = 8.0
# A page with more lines than this is a drawing.
MOST_STROKES = 800
# A level line further than this from the rim of a box is in its letters; an upright one is if it is no higher.
LETTERS_RIM, LETTERS_HEIGHT = 0.2, 2.5
# A row whose cells are not drawn may be between drawn ones, as every second one is in shaded tables.
WIDEST_ROW_POINTS = 30.0


@dataclass(frozen=True, slots=True)
class Bar:
    """A level or an upright line: where it is, and from where to where it runs."""

    at: float
    start: float
    end: float

    def covers(self, place: float) -> bool:
        """Whether the line runs past a place."""
        return self.start - MEET_POINTS <= place <= self.end + MEET_POINTS


# Level lines and the upright ones that meet them.
Bars = tuple[list[Bar], list[Bar]]


@dataclass(frozen=True, slots=True)
class Lattice:
    """The lines of one table, with the edges of its columns and rows."""

    level: list[Bar]
    upright: list[Bar]
    xs: list[float]
    ys: list[float]

    @property
    def box(self) -> Box:
        """The box around it."""
        return Box(self.xs[0], self.ys[0], self.xs[-1] - self.xs[0], self.ys[-1] - self.ys[0])

    def is_walled(self, row: int, column: int) -> bool:
        """Whether a line is between a cell and the one to its right; a row without any is as the others are."""
        middle = (self.ys[row] + self.ys[row + 1]) / 2
        own = [bar for bar in self.upright if bar.start <= middle <= bar.end]
        return not own or any(abs(bar.at - self.xs[column + 1]) <= MEET_POINTS for bar in own)

    def is_floored(self, row: int, column: int) -> bool:
        """Whether a line is between a cell and the one below."""
        middle = (self.xs[column] + self.xs[column + 1]) / 2
        return _has_bar(self.level, self.ys[row + 1], middle)


def _has_bar(bars: Iterable[Bar], at: float, place: float) -> bool:
    return any(abs(bar.at - at) <= MEET_POINTS and bar.start <= place <= bar.end for bar in bars)


def straight(strokes: Sequence[Stroke], pieces: Sequence[TextLine]) -> list[Stroke]:
    """The strokes that may part cells: level or upright, longer than letters, not through them; or none if too many."""
    if not strokes:
        return []
    x1, y1, x2, y2 = np.fromiter(chain.from_iterable(strokes), np.float64, 4 * len(strokes)).reshape(-1, 4).T
    left, right, top, bottom = np.minimum(x1, x2), np.maximum(x1, x2), np.minimum(y1, y2), np.maximum(y1, y2)
    across, down = right - left, bottom - top
    fit = np.flatnonzero((np.minimum(across, down) < 2) & (np.maximum(across, down) >= SHORTEST_POINTS))
    if len(fit) > MOST_STROKES:
        return []
    letters = _are_letters(np.stack([left, right, top, bottom])[:, fit], pieces)
    return [strokes[at] for at, is_one in zip(fit.tolist(), letters.tolist(), strict=True) if not is_one]


def _are_letters(strokes: Floats, pieces: Sequence[TextLine]) -> NDArray[np.bool_]:
    """Which of what was taken for drawn lines is part of a piece's letters, or of the ground between them."""
    left, right, top, bottom = strokes[:, :, None]
    edges = np.array([(p.left, p.right, p.top, p.bottom, p.size) for p in pieces]).T
    start, end, upper, lower, size = edges
    high = lower - upper
    touching = (bottom >= upper) & (top <= lower)
    inside = np.minimum(right, end) - np.maximum(left, start)
    rim = LETTERS_RIM * high
    level = (inside > 0.5 * (right - left)) & (upper + rim < top) & (top < lower - rim)
    within = (start + 0.5 * size < left) & (right < end - 0.5 * size)
    upright = within & (bottom - top < LETTERS_HEIGHT * high)
    found = touching & np.where(right - left > bottom - top, level, upright)
    return np.asarray(found.any(1))


def lattices(strokes: Sequence[Stroke]) -> Iterator[Lattice]:
    """The lattices with at least two columns and two rows."""
    level = join_lines(
        [Bar((s.y1 + s.y2) / 2, *sorted((s.x1, s.x2))) for s in strokes if abs(s.y1 - s.y2) < 2]
    )
    upright = join_lines(
        [Bar((s.x1 + s.x2) / 2, *sorted((s.y1, s.y2))) for s in strokes if abs(s.x1 - s.x2) < 2]
    )
    for flat, steep in _merge_stacked(_group_connected(level, upright)):
        xs = _edges(steep, [end for bar in flat for end in (bar.start, bar.end)])
        ys = _edges(flat, [end for bar in steep for end in (bar.start, bar.end)])
        if len(xs) > 2 and len(ys) > 2:
            yield Lattice(flat, steep, xs, ys)


def join_lines(bars: Iterable[Bar]) -> list[Bar]:
    """The lines, with pieces of one line put together and specks left out."""
    result: list[Bar] = []
    for bar in sorted(bars, key=lambda bar: (round(bar.at / 2), bar.start)):
        last = result[-1] if result else None
        if last and abs(last.at - bar.at) <= 2 and bar.start <= last.end + MEET_POINTS:
            result[-1] = Bar(last.at, last.start, max(last.end, bar.end))
        else:
            result.append(bar)
    return [bar for bar in result if bar.end - bar.start >= SHORTEST_POINTS]


def _group_connected(level: list[Bar], upright: list[Bar]) -> Iterator[Bars]:
    """The lines in groups that hang together."""
    flat_left, steep_left = list(level), list(upright)
    while flat_left and steep_left:
        flat, steep = [flat_left.pop()], list[Bar]()
        more = flat
        while more:
            crossing = [bar for bar in steep_left if any(_meet(one, bar) for one in more)]
            steep_left = _without(steep_left, crossing)
            more = [bar for bar in flat_left if any(_meet(bar, one) for one in crossing)]
            flat_left = _without(flat_left, more)
            steep, flat = steep + crossing, flat + more
        yield flat, steep


def _without(bars: Sequence[Bar], taken: Sequence[Bar]) -> list[Bar]:
    gone = set(map(id, taken))
    return [bar for bar in bars if id(bar) not in gone]


def _merge_stacked(groups: Iterable[Bars]) -> Iterator[Bars]:
    """The groups, with those that are close under each other between the same edges as one."""
    held: Bars | None = None
    for flat, steep in sorted(groups, key=lambda group: min(bar.at for bar in group[0])):
        if held and _is_next(held, (flat, steep)):
            held = (held[0] + flat, held[1] + steep)
        else:
            if held:
                yield held
            held = (flat, steep)
    if held:
        yield held


def _is_next(upper: Bars, lower: Bars) -> bool:
    if not upper[1] or not lower[1]:
        return False
    (left, right), (start, end) = _extent(upper[0]), _extent(lower[0])
    space = min(bar.at for bar in lower[0]) - max(bar.at for bar in upper[0])
    return abs(left - start) < MEET_POINTS and abs(right - end) < MEET_POINTS and space < WIDEST_ROW_POINTS


def _extent(bars: Sequence[Bar]) -> tuple[float, float]:
    return min(bar.start for bar in bars), max(bar.end for bar in bars)


def _meet(flat: Bar, steep: Bar) -> bool:
    return flat.covers(steep.at) and steep.covers(flat.at)


def _edges(bars: Iterable[Bar], ends: Sequence[float]) -> list[float]:
    """Where the lines are, and the outermost ends of those that cross them where no line is drawn."""
    places = sorted([*(bar.at for bar in bars), *((min(ends), max(ends)) if ends else ())])
    edges: list[float] = []
    for place in places:
        if not edges or place - edges[-1] > MEET_POINTS:
            edges.append(place)
    return edges
