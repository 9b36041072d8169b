"""Job lists: filtered, sorted and counted, as the list of jobs shows them."""

import json
from typing import Any, Literal

from pagemill.db import job_lists
from pagemill.db.job_lists import JobFilter
from pagemill.desk.queries import JobList, decode_cursor, encode_cursor
from pagemill.errors import InvalidCursor
from pagemill.mill import Mill
from pagemill.model.ids import is_id
from pagemill.model.views import job_view

SortOrder = Literal[
    "-created",
    "created",
    "filename",
    "-filename",
    "size",
    "-size",
    "pages",
    "-pages",
    "duration",
    "-duration",
]


def list_sorted_jobs(
    mill: Mill, wanted: JobFilter, *, sort: SortOrder, cursor: str | None, limit: int
) -> JobList:
    """The jobs that match a filter, in the order of a column; a minus sign in front of it turns the order round."""
    after = place_after(cursor, sort)
    rows = mill.db.read(
        lambda conn: job_lists.sorted_page(
            conn,
            wanted,
            sort.removeprefix("-"),
            descending=sort.startswith("-"),
            after=after,
            limit=limit + 1,
        )
    )
    shown = rows[:limit]
    last = shown[-1] if len(rows) > limit else None
    next_cursor = encode_cursor(json.dumps([sort, last.sort_value, last.job.id])) if last else None
    return JobList([job_view(row.job, row.document) for row in shown], next_cursor)


def place_after(cursor: str | None, sort: SortOrder) -> tuple[Any, str] | None:
    """The value and the job id in a cursor; InvalidCursor if it belongs to another order."""
    text = decode_cursor(cursor)
    if text is None:
        return None
    try:
        cursor_sort, value, job_id = json.loads(text)
    except ValueError as error:
        raise InvalidCursor() from error
    if cursor_sort != sort or not isinstance(value, str | int | float) or not is_id(str(job_id)):
        raise InvalidCursor()
    if isinstance(value, str) is not sort.endswith("filename"):
        raise InvalidCursor()
    return value, job_id


def count_jobs(mill: Mill, wanted: JobFilter) -> dict[str, int]:
    """How many jobs match a filter, by status."""
    return mill.db.read(lambda conn: job_lists.counts_by_status(conn, wanted))
