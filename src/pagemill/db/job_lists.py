"""Lists of jobs: filtered, sorted, counted by status, and read page by page."""

from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, func, select, tuple_

from pagemill.db.filter_conditions import filter_conditions
from pagemill.db.jobs import JOB_AND_DOCUMENT, WIDTH
from pagemill.db.schema import documents, jobs
from pagemill.model.document_filters import DocumentFilter
from pagemill.model.jobs import DocumentRow, JobRow

# Jobs whose pages or duration are not known yet sort below all others.
UNKNOWN = -1
SORT_COLUMNS: dict[str, ColumnElement[Any]] = {
    "filename": func.lower(documents.c.filename),
    "size": documents.c.size_bytes,
    "pages": func.coalesce(jobs.c.total_pages, UNKNOWN),
    "duration": func.coalesce(jobs.c.finished_at - jobs.c.started_at, UNKNOWN),
    "created": jobs.c.created_at,
}


@dataclass(frozen=True, slots=True)
class JobFilter:
    """Which jobs of a tenant are listed: those of its documents that are meant, perhaps of one status or with part of a name."""

    documents: DocumentFilter
    status: str | None = None
    filename: str | None = None


@dataclass(frozen=True, slots=True)
class ListedJob:
    """A job of a sorted list, with the value that it is sorted by."""

    job: JobRow
    document: DocumentRow
    sort_value: Any


def sorted_page(
    conn: Connection,
    wanted: JobFilter,
    column: str,
    *,
    descending: bool,
    after: tuple[Any, str] | None,
    limit: int,
) -> list[ListedJob]:
    """The next jobs in the order of a column, after the given value and job id."""
    value = SORT_COLUMNS[column]
    query = apply_filter(JOB_AND_DOCUMENT.add_columns(value.label("sort_value")), wanted)
    if after is not None:
        place = tuple_(value, jobs.c.id)
        query = query.where(place < after if descending else place > after)
    order = (value.desc(), jobs.c.id.desc()) if descending else (value, jobs.c.id)
    rows = conn.execute(query.order_by(*order).limit(limit))
    return [ListedJob(JobRow(*row[:WIDTH]), DocumentRow(*row[WIDTH:-1]), row[-1]) for row in rows]


def counts_by_status(conn: Connection, wanted: JobFilter) -> dict[str, int]:
    """How many jobs there are of each status, whichever status the filter names."""
    query = select(jobs.c.status, func.count()).group_by(jobs.c.status)
    if wanted.filename or wanted.documents.media_type is not None:
        query = query.join(documents, documents.c.id == jobs.c.document_id)
    every_status = replace(wanted, status=None)
    return {row[0]: row[1] for row in conn.execute(apply_filter(query, every_status))}


def apply_filter(query: "Select[Any]", wanted: JobFilter) -> "Select[Any]":
    """A query of jobs, and of documents if a name or a media type is wanted, with the conditions of a filter."""
    query = query.where(*filter_conditions(wanted.documents))
    if wanted.status:
        query = query.where(jobs.c.status == wanted.status)
    if wanted.filename:
        query = query.where(documents.c.filename.icontains(wanted.filename, autoescape=True))
    return query


def page_of_jobs(
    conn: Connection,
    tenant: str,
    *,
    status: str | None,
    before: str | None,
    limit: int,
    filename: str | None = None,
) -> list[tuple[JobRow, DocumentRow]]:
    """The jobs of a tenant, newest first, before the given id."""
    query = JOB_AND_DOCUMENT.where(jobs.c.tenant == tenant, jobs.c.removed_at.is_(None))
    if status:
        query = query.where(jobs.c.status == status)
    if before:
        query = query.where(jobs.c.id < before)
    if filename:
        query = query.where(documents.c.filename.icontains(filename, autoescape=True))
    rows = conn.execute(query.order_by(jobs.c.id.desc()).limit(limit))
    return [(JobRow(*row[:WIDTH]), DocumentRow(*row[WIDTH:])) for row in rows]
