"""Rows of words: which lines are one row because their cells go on."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pagemill.reading.layout.tables.columns import Gap, columns_under, split_at
from pagemill.reading.layout.tables.lines import LinePiece, TokenLine
from pagemill.reading.layout.tables.rules import Rule, covered_share, level_groups

_NUMBER = re.compile(r"[-–−+±<>~(]*\s?[A-Z]{0,3}[$€£¥]?\s?\d[\d.,:/\s]*\s?[%‰)*†]*|[-–—.]|n/?a|N/?A")
# A rule that divides rows goes across most of the table.
DIVIDING_SHARE = 0.85
# White between rows is wider than between the lines of a cell by this share of the character height.
WIDER_WHITE = 0.2
# Lines side by side reach into each other's height; lines of a tight paragraph do so a little.
INTO_SHARE = 0.25


@dataclass(slots=True)
class PlacedPiece:
    """A piece of a line and the first and last column that it is in."""

    piece: LinePiece
    first: int
    last: int

    @property
    def is_number(self) -> bool:
        """Whether it is a figure or stands for one that is missing."""
        return is_figure(self.piece.text)


@dataclass(slots=True)
class PlacedLine:
    """A line with its pieces put into columns."""

    line: TokenLine
    pieces: list[PlacedPiece]

    @property
    def columns(self) -> set[int]:
        """The columns that have words."""
        return {column for placed in self.pieces for column in range(placed.first, placed.last + 1)}


def is_figure(text: str) -> bool:
    """Whether a text is a number with its signs and unit, or stands for one."""
    return bool(_NUMBER.fullmatch(text))


def placed_lines(lines: Sequence[TokenLine], gaps: Sequence[Gap], height: float) -> list[PlacedLine]:
    """The lines with their pieces in the columns between the gaps."""
    return [PlacedLine(line, _place_pieces(line, gaps, height)) for line in lines]


def _place_pieces(line: TokenLine, gaps: Sequence[Gap], height: float) -> list[PlacedPiece]:
    placed: list[PlacedPiece] = []
    for whole in line.pieces:
        for piece in split_at(whole, gaps, height):
            first, last = columns_under(piece, gaps)
            if placed and placed[-1].last >= first:
                last = max(last, placed[-1].last)
                placed[-1] = PlacedPiece(
                    LinePiece(placed[-1].piece.tokens + piece.tokens), placed[-1].first, last
                )
            else:
                placed.append(PlacedPiece(piece, first, last))
    return placed


def dividers(rules: Sequence[Rule], left: float, right: float) -> list[float]:
    """The heights of the rules that go across most of the way from left to right."""
    return [
        group[0].at for group in level_groups(rules) if covered_share(group, left, right) >= DIVIDING_SHARE
    ]


def band_lines(lines: Sequence[PlacedLine], heights: Sequence[float]) -> list[list[PlacedLine]]:
    """The lines between each two dividing rules."""
    bands: dict[int, list[PlacedLine]] = {}
    for line in lines:
        bands.setdefault(sum(height < line.line.middle for height in heights), []).append(line)
    return [bands[at] for at in sorted(bands)]


def rows_of(bands: Sequence[Sequence[PlacedLine]]) -> list[list[PlacedLine]]:
    """The rows of a table's body; where rules are between rows, they say it all."""
    strips = [strips_of(band) for band in bands]
    if len(bands) > 2 and not _is_crowded(strips):
        return [row for band in strips for row in _part_figures(band)]
    return [row for band in strips for row in _rows(band)]


def strips_of(lines: Sequence[PlacedLine]) -> list[list[PlacedLine]]:
    """Lines that reach into each other's height, as cells do that are centred beside longer ones."""
    strips: list[list[PlacedLine]] = []
    bottom = 0.0
    for line in lines:
        height = line.line.bottom - line.line.top
        into = bottom - line.line.top > INTO_SHARE * height
        if strips and into and not _are_figures([strips[-1], [line]]):
            strips[-1].append(line)
            bottom = max(bottom, line.line.bottom)
        else:
            strips.append([line])
            bottom = line.line.bottom
    return strips


def _columns(lines: Iterable[PlacedLine]) -> set[int]:
    return {column for line in lines for column in line.columns}


def _is_crowded(groups: Sequence[Sequence[Sequence[PlacedLine]]]) -> bool:
    """Whether groups of strips hold several rows each."""
    several = [group for group in groups if len(group) > 1]
    return sum(_holds_rows(group) for group in several) * 2 > len(several) if several else False


def _holds_rows(strips: Sequence[Sequence[PlacedLine]]) -> bool:
    """Whether most strips have all the cells that any of them has."""
    columns = [_columns(strip) for strip in strips]
    every = set().union(*columns)
    full = sum(found == every for found in columns)
    return len(every) > 1 and full > 1 and full * 2 > len(strips)


def _rows(strips: Sequence[Sequence[PlacedLine]]) -> list[list[PlacedLine]]:
    groups = _by_white(strips)
    if 1 < len(groups) < len(strips) and not _is_crowded(groups):
        return [row for group in groups for row in _part_figures(group)]
    rows: list[list[PlacedLine]] = []
    for strip in strips:
        if rows and _goes_on(rows[-1], strip):
            rows[-1] += strip
        else:
            rows.append(list(strip))
    return rows


def _part_figures(strips: Sequence[Sequence[PlacedLine]]) -> list[list[PlacedLine]]:
    """The rows of strips that white or rules keep together: one, if they are not of figures, whatever is above these."""
    if _are_figures(strips) or (len(strips) > 2 and _are_figures(strips[1:])):
        return [list(strip) for strip in strips]
    return [[line for strip in strips for line in strip]]


def _are_figures(strips: Sequence[Sequence[PlacedLine]]) -> bool:
    """Whether each strip has a figure in the same column: lines of one cell have not."""
    figures = [{p.first for line in strip for p in line.pieces if p.is_number} for strip in strips]
    return bool(set.intersection(*figures))


def _by_white(strips: Sequence[Sequence[PlacedLine]]) -> list[list[Sequence[PlacedLine]]]:
    """The strips, parted where the white between them is wider than between the lines of a cell."""
    whites = [_top(lower) - _bottom(upper) for upper, lower in pairwise(strips)]
    if not whites:
        return [list(strips)]
    line = strips[0][0].line
    least = min(whites) + WIDER_WHITE * (line.bottom - line.top)
    groups: list[list[Sequence[PlacedLine]]] = [[strips[0]]]
    for strip, white in zip(strips[1:], whites, strict=True):
        if white > least:
            groups.append([strip])
        else:
            groups[-1].append(strip)
    return groups


def _top(strip: Sequence[PlacedLine]) -> float:
    return min(line.line.top for line in strip)


def _bottom(strip: Sequence[PlacedLine]) -> float:
    return max(line.line.bottom for line in strip)


def _goes_on(row: Sequence[PlacedLine], strip: Sequence[PlacedLine]) -> bool:
    """Whether the cells of a row go on in a strip."""
    columns, above = _columns(strip), _columns(row)
    height = row[-1].line.bottom - row[-1].line.top
    if len(strip) > 1 or _top(strip) - _bottom(row) > 0.8 * height:
        return False
    pieces = strip[0].pieces
    if 0 in columns:
        return pieces[0].piece.text[:1].islower() and (columns == {0} or above == {0})
    return columns <= above and len(columns) < max(2, len(above)) and not any(p.is_number for p in pieces)
