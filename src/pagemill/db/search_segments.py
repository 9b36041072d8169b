"""The newest matches in PostgreSQL: looked for in the newest segments first, because a common word has matches without end.

Its index finds all matches of a word at once, in no order, and most of the time goes into the rows. Passages are therefore
counted off in segments by their ids, and the index knows the segment of each beside its words.
"""

from collections.abc import Sequence
from math import ceil
from typing import Any

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Connection,
    Select,
    Text,
    bindparam,
    cast,
    func,
    select,
    text,
)
from sqlalchemy.dialects.postgresql import TSQUERY

from pagemill.db.search_tables import FIRST_WORDS, passages

# As in the index; another size needs another index.
SEGMENT_PASSAGES = 2_048
SEGMENTS = text(f"ARRAY[passages.id / {SEGMENT_PASSAGES}] && :segments").bindparams(
    bindparam("segments", type_=ARRAY(BigInteger))
)
ASKED = passages.c.lexemes.op("@@")(cast(bindparam("asked", type_=Text), TSQUERY))
OWN: tuple[ColumnElement[bool], ...] = (ASKED, passages.c.tenant == bindparam("tenant", type_=Text))
LAST_ID = select(func.max(passages.c.id))
NEWEST_FIRST = select(passages.c.id, FIRST_WORDS).order_by(passages.c.id.desc())
IN_SEGMENTS = NEWEST_FIRST.where(*OWN, SEGMENTS).limit(bindparam("most"))
# Found by the index first, and put in order then.
FOUND = select(passages.c.id).where(*OWN).cte("found").prefix_with("MATERIALIZED", dialect="postgresql")
NEWEST_FOUND = select(FOUND.c.id).order_by(FOUND.c.id.desc()).limit(bindparam("most")).subquery("newest")
IN_ALL = NEWEST_FIRST.join(NEWEST_FOUND, NEWEST_FOUND.c.id == passages.c.id)
# The queries are cast once, and not again for every row that is looked at. They name the tenant by the word for it.
COUNT_EACH = (
    "SELECT (SELECT count(*) FROM (SELECT 1 FROM passages WHERE lexemes @@ one.asked{} LIMIT :most) AS found)"
    " FROM unnest(CAST(:asked AS tsquery[])) WITH ORDINALITY AS one(asked, place) ORDER BY one.place"
)
COUNT_IN_ALL = text(COUNT_EACH.format("")).bindparams(bindparam("asked", type_=ARRAY(Text)))
COUNT_IN_SEGMENTS = text(
    COUNT_EACH.format(f" AND ARRAY[passages.id / {SEGMENT_PASSAGES}] && :segments")
).bindparams(bindparam("asked", type_=ARRAY(Text)), bindparam("segments", type_=ARRAY(BigInteger)))
# The first look is at so many segments, and the second at no more than these; otherwise all are looked at.
FIRST, MOST = 2, 16
# Matches are not spread evenly, so somewhat more is looked at than should be enough.
MARGIN = 1.3
Match = tuple[int, str]


def newest_matches(conn: Connection, tenant: str, asked: str, most: int) -> Sequence[Match]:
    """The newest passages of a tenant that match, with their words."""
    given = {"tenant": tenant, "asked": asked, "most": most}
    last = conn.scalar(LAST_ID) or 0
    top = last // SEGMENT_PASSAGES
    lowest = top - FIRST + 1
    found = matches_in(conn, given, lowest, top)
    missing, looked_at = most - len(found), last - lowest * SEGMENT_PASSAGES + 1
    more = ceil(MARGIN * missing * looked_at / max(len(found), 1) / SEGMENT_PASSAGES)
    if missing > 0 and lowest > 0 and more <= MOST:
        found = [*found, *matches_in(conn, given, lowest - more, lowest - 1)]
        lowest -= more
    is_enough = len(found) >= most or lowest <= 0
    return found[:most] if is_enough else rows_of(conn, IN_ALL, given)


def matches_in(conn: Connection, given: dict[str, Any], first: int, last: int) -> Sequence[Match]:
    """The matches in some segments."""
    return rows_of(conn, IN_SEGMENTS, given | {"segments": list(range(max(first, 0), last + 1))})


def rows_of(conn: Connection, statement: "Select[Any]", given: dict[str, Any]) -> Sequence[Match]:
    """The rows that a statement finds: ids and words."""
    return [(row.id, row.words) for row in conn.execute(statement, given)]


def count_each(conn: Connection, asked: Sequence[str], most: int) -> list[int]:
    """How many passages match each query, counted up to a limit: common ones in as few of the newest segments as will do."""
    top = (conn.scalar(LAST_ID) or 0) // SEGMENT_PASSAGES
    counts = dict.fromkeys(asked, 0)
    reached = 0
    for segments in (FIRST, MOST):
        # A query that found little so far is not likely to reach the limit here.
        some = [one for one in asked if counts[one] * segments >= most * reached and counts[one] < most]
        lowest = max(top - segments + 1, 0)
        given = {"asked": some, "most": most, "segments": list(range(lowest, top + 1))}
        counts |= zip(some, conn.scalars(COUNT_IN_SEGMENTS, given) if some else (), strict=True)
        reached = segments
        if top < FIRST:
            return [counts[one] for one in asked]
    rare = [one for one in asked if counts[one] < most]
    counts |= zip(
        rare, conn.scalars(COUNT_IN_ALL, {"asked": rare, "most": most}) if rare else (), strict=True
    )
    return [counts[one] for one in asked]
