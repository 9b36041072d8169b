"""The lines of a page, from the runs of its text layer, and which of them make up a block."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate
from typing import Self

from pagemill.model.pages import Block, Box
from pagemill.reading.clean import clean
from pagemill.reading.liteparse_native import NativeText
from pagemill.reading.sheet import box_of
from pagemill.reading.sizes import font_size
from pagemill.reading.structure.pieces import HYPHENS

_BOLD = re.compile(r"bold|black|heavy|demi|-medi$|cmbx|sfbx|ecbx", re.IGNORECASE)
_ITALIC = re.compile(r"ital|obli|slant|cmti|cmsl|-it$", re.IGNORECASE)
_SPACE = re.compile(r"\s")
TOLERANCE_POINTS = 1.5


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text: its edges, its words, their font and size, and whether all of them are bold or italic."""

    top: float
    bottom: float
    left: float
    right: float
    text: str
    family: str
    size: float
    bold: bool
    italic: bool


@dataclass(frozen=True, slots=True)
class Large:
    """A run of large type."""

    text: str
    box: Box
    size: float


@dataclass(frozen=True, slots=True)
class Runs:
    """The upright runs of a page, sorted by their tops."""

    tops: list[float]
    runs: list[NativeText]

    @classmethod
    def of(cls, texts: Sequence[NativeText]) -> Self:
        """The runs that are not turned."""
        placed = sorted([(text.y, place) for place, text in enumerate(texts) if not text.rotation])
        return cls([top for top, _ in placed], [texts[place] for _, place in placed])

    def lines_in(self, box: Box) -> list[Line]:
        """The lines inside a box, from top to bottom."""
        return [_line(group) for group in _grouped(self._inside(box))]

    def larger_than(self, least_size: float) -> list[Large]:
        """The runs of at least that size."""
        high = [run for run in self.runs if run.height >= least_size]
        sized = [
            Large(clean(run.text).strip(), box_of(run), font_size(run.font_size, run.height)) for run in high
        ]
        return [large for large in sized if large.size >= least_size]

    def fragments_in(self, box: Box) -> list[Line]:
        """The runs inside a box one by one, as lines of their own."""
        return [_line([run]) for run in self._inside(box)]

    def _inside(self, box: Box) -> Iterator[NativeText]:
        left, right = box.x - TOLERANCE_POINTS, box.right + TOLERANCE_POINTS
        last = box.bottom + TOLERANCE_POINTS
        for place in range(bisect_left(self.tops, box.y - TOLERANCE_POINTS), len(self.runs)):
            if self.tops[place] >= last:
                break
            run = self.runs[place]
            x = run.x
            if left <= x and x + run.width <= right and self.tops[place] + run.height <= last:
                yield run


def cuts(block: Block, lines: Sequence[Line]) -> list[int] | None:
    """Where in the text of a block each of its lines begins; None if lines and text don't agree.

    Lines of another block that reaches into this one may follow; they have no beginning.
    """
    squeezed, place_of = squeeze(block.text)
    found, at = [], 0
    for line in lines:
        if at == len(squeezed):
            break
        found.append(place_of(at))
        letters = fit(squeezed, "".join(clean(line.text).split()), at)
        if not letters:
            return None
        at += letters
    return found if at == len(squeezed) else None


def traced(text: str, lines: Sequence[Line]) -> list[tuple[int, Line]]:
    """The lines in the order in which a text has them, and where each begins; empty if it is not made of them."""
    squeezed, place_of = squeeze(text)
    left = {place: "".join(clean(line.text).split()) for place, line in enumerate(lines)}
    found: list[tuple[int, Line]] = []
    at = 0
    while at < len(squeezed):
        fits = [place for place, words in left.items() if fit(squeezed, words, at)]
        if not fits:
            return []
        place = max(fits, key=lambda one: len(left[one]))
        found.append((place_of(at), lines[place]))
        at += fit(squeezed, left.pop(place), at)
    return found


def squeeze(text: str) -> tuple[str, Callable[[int], int]]:
    """A text without its spaces, and a function that tells where in the text a letter of it stands."""
    words = text.split()
    squeezed = "".join(words)
    if len(squeezed) + len(words) - 1 == len(text):
        spaces = list(accumulate(map(len, words)))
    else:
        spaces = [match.start() - count for count, match in enumerate(_SPACE.finditer(text))]
    return squeezed, lambda place: place + bisect_right(spaces, place)


def fit(text: str, words: str, at: int) -> int:
    """How many letters of a text the words make up, 0 if they are not there; a mended hyphen counts nothing."""
    if text.startswith(words, at):
        return len(words)
    return len(words) - 1 if words.endswith(HYPHENS) and text.startswith(words[:-1], at) else 0


def box_around(lines: Sequence[Line]) -> Box:
    """The box around lines."""
    left, top = min(line.left for line in lines), min(line.top for line in lines)
    right, bottom = max(line.right for line in lines), max(line.bottom for line in lines)
    return Box(round(left, 2), round(top, 2), round(right - left, 2), round(bottom - top, 2))


def styled_as(block: Block, lines: Sequence[Line]) -> Block:
    """The block in the size of its first line, and bold or italic if all its lines are."""
    bold, italic = all(line.bold for line in lines), all(line.italic for line in lines)
    plain = not (bold or italic)
    spans = block.spans if plain else tuple(span for span in block.spans if span.href)
    return replace(block, bold=bold, italic=italic, spans=spans, font_size=lines[0].size)


def _grouped(runs: Iterator[NativeText]) -> Iterator[list[NativeText]]:
    """Runs that stand on one line."""
    group: list[NativeText] = []
    middle = reach = 0.0
    for run in runs:
        height = run.height
        centre = run.y + height / 2
        if group and centre - middle > max(reach, height / 2) * 0.9:
            yield group
            group, reach = [], 0.0
        if not group or (run.width > group[0].width and height >= reach):
            middle, reach = centre, height / 2
            group.insert(0, run)
        else:
            group.append(run)
    if group:
        yield group


def _line(group: list[NativeText]) -> Line:
    """The line of runs of which the widest comes first."""
    base = group[0]
    top, height = base.y, base.height
    family, bold, italic = _style(base.font_name or "")
    size = font_size(base.font_size, height)
    if len(group) == 1:
        left = base.x
        return Line(top, top + height, left, left + base.width, base.text, family, size, bold, italic)
    group = sorted(group, key=lambda run: run.x)
    styles = [_style(run.font_name or "") for run in group]
    return Line(
        top,
        top + height,
        group[0].x,
        max(run.x + run.width for run in group),
        " ".join(run.text for run in group),
        family,
        size,
        all(style[1] for style in styles),
        all(style[2] for style in styles),
    )


@lru_cache(maxsize=1024)
def _style(font: str) -> tuple[str, bool, bool]:
    """The family of a font, and whether it is bold or italic; its name says so more truly than its weight."""
    return _family(font), _BOLD.search(font) is not None, _ITALIC.search(font) is not None


def _family(font: str) -> str:
    """The name of a font without the prefix of a subset and without its style."""
    return font.rpartition("+")[2].partition("-")[0].partition(",")[0]
