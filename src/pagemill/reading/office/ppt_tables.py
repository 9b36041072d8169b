"""Tables of a PPT file: groups of shapes whose boxes are the cells."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from pagemill.model.pages import Block, Box, Cell, box_around
from pagemill.reading.office.ppt_records import PptSlide
from pagemill.reading.office.writing import table, tidy

# Edges that are closer together than this, in points, are one.
SAME_EDGE = 2.0
# A grid with more places than this for each text is not one that people made.
MOST_PLACES_EACH = 50


def tables_of_slide(slide: PptSlide) -> dict[int, Block]:
    """The tables of a slide by their numbers; a group in which a text has no place is not one."""
    cells: dict[int, list[tuple[str, Box | None]]] = defaultdict(list)
    for text in slide.texts:
        if text.table is not None:
            cells[text.table].append((text.text, text.box))
    placed = {number: [(text, box) for text, box in found if box] for number, found in cells.items()}
    whole = {number: found for number, found in placed.items() if len(found) == len(cells[number])}
    made = {number: _table_block(found) for number, found in whole.items()}
    return {number: block for number, block in made.items() if block is not None}


def _table_block(cells: Sequence[tuple[str, Box]]) -> Block | None:
    columns = _edges(box.x for _, box in cells)
    rows = _edges(box.y for _, box in cells)
    if len(columns) * len(rows) > MOST_PLACES_EACH * len(cells):
        return None
    grid = [[Cell("") for _ in columns] for _ in rows]
    for text, box in cells:
        row, column = _index(rows, box.y), _index(columns, box.x)
        former = grid[row][column].text
        grid[row][column] = Cell(
            tidy("\n".join(filter(None, (former, text.replace("\r", "\n").replace("\x0b", "\n"))))),
            box,
            row_span=max(_index(rows, box.bottom) - row, 1),
            column_span=max(_index(columns, box.right) - column, 1),
        )
    made = table(grid, header_rows=1)
    return made and replace(made, box=box_around([box for _, box in cells]))


def _edges(places: Iterable[float]) -> list[float]:
    found: list[float] = []
    for place in sorted(places):
        if not found or place - found[-1] > SAME_EDGE:
            found.append(place)
    return found


def _index(edges: list[float], place: float) -> int:
    return bisect_left(edges, place - SAME_EDGE)
