"""Queries: what people may ask about their jobs. All are cheap enough to be answered at once."""

import base64
import binascii
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from pagemill.db import chunks, events, installation_counts, job_lists, jobs, results
from pagemill.db.database import Database
from pagemill.db.events import LogPosition
from pagemill.db.jobs import JobSnapshot
from pagemill.errors import Gone, InvalidCursor, NotFound, PagemillError
from pagemill.mill import Mill
from pagemill.model.events import EventRow
from pagemill.model.ids import is_id
from pagemill.model.jobs import DocumentRow, JobRow, Result
from pagemill.model.states import ChunkState
from pagemill.model.views import JobView, job_view

# A tenant, and the id of one of its jobs.
Asked = tuple[str, str]
PLACE = re.compile(r"([0-9]{1,18}\.)?[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class JobList:
    """A page of jobs, and where the next one starts."""

    jobs: list[JobView]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class EventList:
    """A page of the log, and where the next one starts."""

    events: list[EventRow]
    next_cursor: str


@dataclass(frozen=True, slots=True)
class Backlog:
    """What waits and runs in a lane."""

    lane: str
    ready: int
    running: int
    oldest_seconds: float


def existing_job(conn: Connection, tenant: str, job_id: str) -> tuple[JobRow, DocumentRow]:
    """A job that is neither unknown nor removed."""
    found = jobs.find_job(conn, tenant, job_id) if is_id(job_id) else None
    if found is None:
        raise NotFound()
    if found[0].removed_at is not None:
        raise Gone()
    return found


def job_with_result(conn: Connection, tenant: str, job_id: str) -> tuple[JobRow, DocumentRow, Result | None]:
    """A job with its newest result."""
    job, document = existing_job(conn, tenant, job_id)
    return job, document, results.one(conn, tenant, job.result_id) if job.result_id else None


def jobs_with_results(
    conn: Connection, tenant: str, job_ids: Iterable[str]
) -> dict[str, tuple[JobRow, DocumentRow, Result | None]]:
    """Those of the jobs that are neither unknown nor removed, each with its newest result."""
    found = [one for one in jobs.find_jobs(conn, tenant, job_ids).values() if one[0].removed_at is None]
    made = results.several(conn, tenant, [job.result_id for job, _ in found if job.result_id])
    return {job.id: (job, document, made.get(job.result_id or "")) for job, document in found}


def show_job(mill: Mill, tenant: str, job_id: str) -> JobView:
    """One job, with its place in the queue and the time that it may still take."""
    return view_of(
        mill.db.read(lambda conn: jobs.job_snapshot(conn, tenant, job_id)) if is_id(job_id) else None
    )


def show_jobs(mill: Mill, keys: Collection[Asked]) -> dict[Asked, JobView | PagemillError]:
    """Several jobs, of whatever tenants, in one query: each as `show_job` would answer."""
    known = [(tenant, job_id) for tenant, job_id in keys if is_id(job_id)]
    found = mill.db.read(lambda conn: jobs.job_snapshots(conn, known))
    return {one: view_or_error(found.get(one)) for one in keys}


def view_or_error(standing: JobSnapshot | None) -> JobView | PagemillError:
    """What people see of a job, or why they see nothing."""
    try:
        return view_of(standing)
    except PagemillError as error:
        return error


def view_of(standing: JobSnapshot | None) -> JobView:
    """What people see of a job."""
    if standing is None:
        raise NotFound()
    job, document = standing.job, standing.document
    if job.removed_at is not None:
        raise Gone()
    if job.is_over:
        return job_view(job, document)
    return job_view(job, document, position=standing.position, eta_seconds=eta_seconds(standing))


def eta_seconds(standing: JobSnapshot) -> float | None:
    """How long the job may still take at the present speed; None while that is unknown."""
    job, speed = standing.job, standing.pages_per_second
    if speed <= 0:
        return None
    left = (job.total_pages or 1) - job.processed_pages
    return round((left + (standing.position or 0)) / speed, 1)


def list_jobs(
    mill: Mill, tenant: str, *, status: str | None, filename: str | None, cursor: str | None, limit: int
) -> JobList:
    """The jobs of a tenant, newest first."""
    before = decode_cursor(cursor)
    if before is not None and not is_id(before):
        raise InvalidCursor()
    rows = mill.db.read(
        lambda conn: job_lists.page_of_jobs(
            conn, tenant, status=status, filename=filename, before=before, limit=limit + 1
        )
    )
    more = len(rows) > limit
    shown_rows = rows[:limit]
    next_cursor = encode_cursor(shown_rows[-1][0].id) if more else None
    return JobList([job_view(job, document) for job, document in shown_rows], next_cursor)


def job_events(mill: Mill, tenant: str, job_id: str, after: int, limit: int = 1_000) -> list[EventRow]:
    """The log of one job after the given line; the log of a removed job can be read to its end."""

    def query(conn: Connection) -> list[EventRow]:
        if not is_id(job_id) or jobs.find_job(conn, tenant, job_id) is None:
            raise NotFound()
        return events.of_job(conn, tenant, job_id, after, limit)

    return mill.db.read(query)


def end_of_job_log(mill: Mill, tenant: str, job_id: str) -> tuple[int, bool]:
    """The number of the last event of a job, and whether it has ended or was removed."""

    def query(conn: Connection) -> tuple[int, bool]:
        found = jobs.find_job(conn, tenant, job_id) if is_id(job_id) else None
        if found is None:
            raise NotFound()
        return found[0].last_seq, found[0].is_over or found[0].removed_at is not None

    return mill.db.read(query)


def end_of_tenant_log(mill: Mill, tenant: str) -> LogPosition:
    """The place of the last line of a tenant's log."""
    return mill.db.read(lambda conn: events.end_of_tenant(conn, tenant))


def tenant_events(
    mill: Mill, tenant: str, *, cursor: str | None, limit: int, kinds: Sequence[str]
) -> EventList:
    """The log of a tenant, oldest first; the cursor of the last page waits for what comes next."""
    after = log_position(decode_cursor(cursor) or "0")
    found = mill.db.read(lambda conn: events.of_tenant(conn, tenant, after, limit, kinds))
    last = LogPosition(found[-1].xid, found[-1].id) if found else after
    return EventList(found, cursor_at(last))


def event_page(mill: Mill, tenant: str, *, cursor: str | None, limit: int, kinds: Sequence[str]) -> EventList:
    """As `tenant_events`, and from the first line for a cursor that the log never came to: it is one of another log."""
    place = log_position(decode_cursor(cursor) or "0")
    is_known = place <= end_of_tenant_log(mill, tenant)
    return tenant_events(mill, tenant, cursor=cursor if is_known else None, limit=limit, kinds=kinds)


def cursor_at(place: LogPosition) -> str:
    """The cursor of a place in the log."""
    return encode_cursor(f"{place.xid}.{place.id}" if place.xid else str(place.id))


def log_position(text: str) -> LogPosition:
    """A place in the log: a line, or a transaction and a line of it."""
    if PLACE.fullmatch(text) is None:
        raise InvalidCursor()
    xid, _, line = text.rpartition(".")
    return LogPosition(int(xid or 0), int(line))


def backlog(mill: Mill) -> list[Backlog]:
    """What waits and runs in each lane."""
    return backlog_of(mill.db)


def backlog_of(db: Database) -> list[Backlog]:
    """What waits and runs in each lane, by the rows of a database."""
    now = db.read(db.now)
    lanes: dict[str, Backlog] = {}
    for lane, state, count, oldest in db.read(chunks.backlog):
        known = lanes.get(lane, Backlog(lane, 0, 0, 0.0))
        if state == ChunkState.READY:
            lanes[lane] = Backlog(lane, count, known.running, max(now - oldest, 0.0))
        else:
            lanes[lane] = Backlog(lane, known.ready, count, known.oldest_seconds)
    return list(lanes.values())


def readiness(mill: Mill) -> list[str]:
    """The reasons why the service can't take or do work right now; none means ready."""
    reasons = []
    # Only to see whether it answers: counting a long backlog would take too long for probes every few seconds.
    mill.db.read(installation_counts.has_work)
    free = mill.blobs.free_bytes()
    if free is not None and free < mill.settings.min_free_bytes:
        reasons.append("storage_full")
    if not mill.blobs.is_reachable():
        reasons.append("storage_unavailable")
    if all(slot.phase == "backing_off" for slot in mill.press.state()) and mill.press.state():
        reasons.append("press_not_starting")
    return reasons


def encode_cursor(text: str) -> str:
    """A cursor from a place in a list."""
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def decode_cursor(cursor: str | None) -> str | None:
    """The place in a list from a cursor."""
    if cursor is None:
        return None
    try:
        return base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
    except (binascii.Error, ValueError) as error:
        raise InvalidCursor() from error
