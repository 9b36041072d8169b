"""Cells that span rows and columns, and the places that they cover."""

from pagemill.model.pages import Rows


def covered_places(rows: Rows) -> list[set[int]]:
    """For each row, the places that a cell further left or further up covers."""
    hidden: list[set[int]] = [set() for _ in rows]
    for at, row in enumerate(rows):
        for place, cell in enumerate(row):
            if place not in hidden[at] and (cell.row_span > 1 or cell.column_span > 1):
                for below in hidden[at : at + cell.row_span]:
                    below.update(range(place, place + cell.column_span))
                hidden[at].discard(place)
    return hidden
