"""Font sizes of blocks, from the pieces of text that are at their top."""

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from pagemill.reading.sources.liteparse_native import NativeText

# A page's coordinates and its font sizes are on one scale if a line is about as high as its font;
# otherwise the size is hidden in a matrix, and the height of the line is what can be seen.
NORMAL_HEIGHT = (0.6, 1.7)
LINE_TO_FONT = 1.2
TOP_TOLERANCE = 6.0


def font_size(named: float | None, height: float) -> float:
    """The size of a piece of text in points, as far as it is known."""
    if named and NORMAL_HEIGHT[0] <= height / named <= NORMAL_HEIGHT[1]:
        return round(named, 1)
    return round(height / LINE_TO_FONT, 1)


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sizes on a page, by place; rows are (top, left, size, width), sorted."""

    rows: list[tuple[float, float, float, float]]

    @classmethod
    def of(cls, texts: Iterable[NativeText]) -> Self:
        """The sizes of the runs of text that are not turned."""
        rows = [
            (text.y, text.x, font_size(text.font_size, text.height), text.width)
            for text in texts
            if not text.rotation
        ]
        rows.sort()
        return cls(rows)

    def at(self, left: float, top: float, width: float) -> float | None:
        """The size of the widest piece of text at the top of a box, or None if there is none."""
        size, widest = None, 0.0
        for row in range(bisect_left(self.rows, (top - 0.5,)), len(self.rows)):
            y, x, candidate, extent = self.rows[row]
            if y > top + TOP_TOLERANCE:
                break
            if extent > widest and left - 1 <= x <= left + width:
                size, widest = candidate, extent
        return size
