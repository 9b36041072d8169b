"""Tables whose source says how many rows name their columns."""

from pagemill.model.pages import Block, Kind, Rows


def headed_table(rows: Rows, heads: int) -> Block:
    """A table of rows, of which so many at the top name the columns, with those that a cell of the first reaches down to.

    Some row is left; where the source has nothing but heads, it is the first alone.
    """
    if not heads or len(rows) < 2:
        return Block("", Kind.TABLE, rows=rows)
    named = heads if heads < len(rows) else 1
    reach = max(named, *(cell.row_span for cell in rows[0]))
    return Block("", Kind.TABLE, header=rows[0], rows=rows[1:], header_rows=min(reach, len(rows) - 1))
