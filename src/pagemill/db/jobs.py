"""The rows of jobs: made, moved and looked at."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Integer,
    Select,
    bindparam,
    case,
    func,
    literal_column,
    select,
    update,
)

from pagemill.db import events
from pagemill.db.database import Tx
from pagemill.db.prepared_statements import PreparedStatement, in_list
from pagemill.db.schema import READY, chunks, documents, jobs, workers
from pagemill.model.events import EventType, Facts
from pagemill.model.jobs import DocumentRow, JobRow
from pagemill.model.states import ACTIVE, MOVES, Status

POSITION_CAP = 200
JOB_COLUMNS = [jobs.c[field.name] for field in fields(JobRow)]
DOCUMENT_COLUMNS = [documents.c[field.name].label(f"document_{field.name}") for field in fields(DocumentRow)]
WIDTH = len(JOB_COLUMNS)

JOB = select(*JOB_COLUMNS)
OF_TENANT = jobs.c.tenant == bindparam("tenant")
LOCKED = PreparedStatement(JOB.where(jobs.c.id == bindparam("id"), OF_TENANT).with_for_update(key_share=True))
HOLD = PreparedStatement(
    select(jobs.c.id).where(in_list(jobs.c.id, "ids")).order_by(jobs.c.id).with_for_update(key_share=True)
)
VERSIONS = PreparedStatement(select(jobs.c.id, jobs.c.version).where(in_list(jobs.c.id, "ids")))
JOB_AND_DOCUMENT = select(*JOB_COLUMNS, *DOCUMENT_COLUMNS).join(
    documents, documents.c.id == jobs.c.document_id
)
ONE = JOB_AND_DOCUMENT.where(jobs.c.id == bindparam("id"), OF_TENANT)
FIND = PreparedStatement(ONE)
SEVERAL = PreparedStatement(JOB_AND_DOCUMENT.where(in_list(jobs.c.id, "ids"), OF_TENANT))
ACTIVE_COUNT = select(func.count()).select_from(
    select(jobs.c.id)
    .where(OF_TENANT, jobs.c.status.in_(sorted(status.value for status in ACTIVE)))
    .limit(bindparam("cap"))
    .subquery()
)
# The state is written out, because an index on ready chunks is not used for a parameter; and what is more urgent
# and what is as urgent but older are two ranges of that index, where both at once would look at all that waits.
IN_FRONT = select(chunks.c.id).where(chunks.c.lane == jobs.c.lane, chunks.c.tenant == jobs.c.tenant, READY)
MORE_URGENT = IN_FRONT.where(chunks.c.priority > jobs.c.priority)
OLDER = IN_FRONT.where(chunks.c.priority == jobs.c.priority, chunks.c.job_id < jobs.c.id)


def count_ahead(ahead: "Select[tuple[str]]") -> ColumnElement[int]:
    """How many chunks there are ahead of a job, up to the cap."""
    # In the order of the index, which PostgreSQL else takes a look at every row for if it expects to find enough.
    ordered = ahead.order_by(chunks.c.priority.desc(), chunks.c.job_id, chunks.c.id)
    capped = ordered.limit(POSITION_CAP).correlate(jobs).subquery()
    return select(func.count()).select_from(capped).scalar_subquery()


AHEAD = count_ahead(MORE_URGENT) + count_ahead(OLDER)
SPEED = select(func.coalesce(func.sum(workers.c.pages_per_second), 0.0)).scalar_subquery()
# Everything about a job in one statement, because this is what is asked most.
PLACE_AND_SPEED = (case((jobs.c.status == literal_column("'pending'"), AHEAD)), SPEED)
STANDING = PreparedStatement(ONE.add_columns(*PLACE_AND_SPEED))
STANDINGS = PreparedStatement(
    JOB_AND_DOCUMENT.where(in_list(jobs.c.id, "ids"), in_list(jobs.c.tenant, "tenants")).add_columns(
        *PLACE_AND_SPEED
    )
)


@dataclass(frozen=True, slots=True)
class JobSnapshot:
    """A job, how many chunks wait in front of a pending one, and how many pages are read per second.

    Of what is more urgent, and of what is as urgent but older, two hundred are counted at most.
    """

    job: JobRow
    document: DocumentRow
    position: int | None
    pages_per_second: float


def find_job(conn: Connection, tenant: str, job_id: str) -> tuple[JobRow, DocumentRow] | None:
    """A job with its document, removed ones included; None if the tenant has no such job."""
    row = FIND.one(conn, {"id": job_id, "tenant": tenant})
    return None if row is None else (JobRow(*row[:WIDTH]), DocumentRow(*row[WIDTH:]))


def find_jobs(conn: Connection, tenant: str, ids: Iterable[str]) -> dict[str, tuple[JobRow, DocumentRow]]:
    """Those of the jobs that the tenant has, with their documents, removed ones included."""
    found = SEVERAL.all(conn, {"ids": list(ids), "tenant": tenant})
    return {row[0]: (JobRow(*row[:WIDTH]), DocumentRow(*row[WIDTH:])) for row in found}


def lock_job(tx: Tx, tenant: str, job_id: str) -> JobRow | None:
    """A job whose row is locked until the transaction ends."""
    row = LOCKED.one(tx.conn, {"id": job_id, "tenant": tenant})
    return None if row is None else JobRow(*row)


def lock_jobs(tx: Tx, job_ids: Iterable[str]) -> None:
    """Lock these jobs until the transaction ends.

    A transaction that writes to several jobs, or to a job and its chunks, locks the jobs first and all of them at once, so
    that two transactions never wait for each other.
    """
    if not tx.is_alone and (wanted := sorted(set(job_ids) - tx.held)):
        HOLD.all(tx.conn, {"ids": wanted})
        tx.held.update(wanted)


def warnings_of(conn: Connection, tenant: str, job_id: str) -> list[str]:
    """What the plan found to warn of."""
    query = select(jobs.c.warnings).where(jobs.c.id == job_id, jobs.c.tenant == tenant)
    found: list[str] = conn.execute(query).scalar_one()
    return found


def source_of(conn: Connection, tenant: str, job_id: str) -> tuple[bytes | None, bytes | None]:
    """Where the document of a job is fetched from and the headers for it, both encrypted."""
    query = select(jobs.c.source, jobs.c.source_headers).where(jobs.c.id == job_id, jobs.c.tenant == tenant)
    row = conn.execute(query).one_or_none()
    return (None, None) if row is None else (row.source, row.source_headers)


def job_snapshot(conn: Connection, tenant: str, job_id: str) -> JobSnapshot | None:
    """A job with its document and what is ahead of it; None if the tenant has no such job."""
    row = STANDING.one(conn, {"id": job_id, "tenant": tenant})
    return None if row is None else snapshot_of(row)


def job_snapshots(conn: Connection, keys: Collection[tuple[str, str]]) -> dict[tuple[str, str], JobSnapshot]:
    """Those of the jobs that there are, each asked for by tenant and id, and found under these."""
    tenants, ids = {tenant for tenant, _ in keys}, {job_id for _, job_id in keys}
    rows = STANDINGS.all(conn, {"ids": sorted(ids), "tenants": sorted(tenants)})
    found = [snapshot_of(row) for row in rows]
    return {(one.job.tenant, one.job.id): one for one in found}


def snapshot_of(row: Sequence[Any]) -> JobSnapshot:
    """A job as its row describes it."""
    return JobSnapshot(JobRow(*row[:WIDTH]), DocumentRow(*row[WIDTH:-2]), row[-2], row[-1])


def versions(conn: Connection, job_ids: Sequence[str]) -> dict[str, int]:
    """How often each of these jobs was changed."""
    return dict(VERSIONS.all(conn, {"ids": job_ids}))


def change(
    tx: Tx,
    tenant: str,
    job_id: str,
    allowed: Iterable[Status],
    of_run: int | None,
    changes: Mapping[str, object],
) -> JobRow | None:
    """Change a job that is in an allowed state (and run), raising its version and event counter; None if it isn't."""
    statement = change_statement(frozenset(allowed), frozenset(changes), tuple(JOB_COLUMNS))
    row = statement.one(tx.conn, changed_values(tenant, job_id, of_run, changes))
    return None if row is None else JobRow(*row)


def changed_values(
    tenant: str, job_id: str, of_run: int | None, changes: Mapping[str, object]
) -> dict[str, object]:
    """The values of a statement that changes a job."""
    values = {f"new_{column}": value for column, value in changes.items()}
    return values | {"of_tenant": tenant, "job_id": job_id, "of_run": of_run}


# NULL stays NULL; any other becomes empty, which says that the job was given one.
ERASED_PASSWORD = func.substr(jobs.c.password, literal_column("1"), literal_column("0"))


@cache
def change_statement(
    allowed: frozenset[Status], columns: frozenset[str], returned: tuple[Column[Any], ...]
) -> PreparedStatement:
    """The statement that changes these columns of a job that is in one of these states, and returns others."""
    states: list[ColumnElement[str]] = [literal_column(f"'{status.value}'") for status in sorted(allowed)]
    of_run = bindparam("of_run", type_=Integer)
    return PreparedStatement(
        update(jobs)
        .where(jobs.c.id == bindparam("job_id"), jobs.c.tenant == bindparam("of_tenant"))
        .where(jobs.c.status.in_(states), jobs.c.removed_at.is_(None))
        .where(jobs.c.run == func.coalesce(of_run, jobs.c.run))
        .values({column: bindparam(f"new_{column}", type_=jobs.c[column].type) for column in sorted(columns)})
        .values(
            {} if "password" in columns or "finished_at" not in columns else {"password": ERASED_PASSWORD}
        )
        .values(version=jobs.c.version + literal_column("1"), last_seq=jobs.c.last_seq + literal_column("1"))
        .returning(*returned)
    )


STARTED = PreparedStatement(
    update(jobs)
    .where(in_list(jobs.c.id, "ids"), jobs.c.status == literal_column(f"'{Status.PENDING.value}'"))
    .values(
        status=literal_column(f"'{Status.PROCESSING.value}'"),
        started_at=bindparam("now"),
        version=jobs.c.version + literal_column("1"),
        last_seq=jobs.c.last_seq + literal_column("1"),
    )
    .returning(jobs.c.id, jobs.c.tenant, jobs.c.last_seq, jobs.c.run)
)


def start(tx: Tx, job_ids: Iterable[str]) -> None:
    """Move those of the jobs that are pending to processing, all at once."""
    started = STARTED.all(tx.conn, {"ids": list(job_ids), "now": tx.now})
    lines = [events.NewEvent(tenant, job_id, seq, {"run": run}) for job_id, tenant, seq, run in started]
    events.append_all(tx, EventType.STARTED, lines)


REMOVED = (
    update(jobs)
    .where(jobs.c.id == bindparam("job"), jobs.c.tenant == bindparam("of_tenant"))
    .where(jobs.c.removed_at.is_(None))
    .values(
        removed_at=bindparam("now"),
        password=None,
        source=None,
        source_headers=None,
        version=jobs.c.version + 1,
        last_seq=jobs.c.last_seq + 1,
    )
    .returning(jobs.c.last_seq)
)


def note(
    tx: Tx,
    tenant: str,
    job_id: str,
    of_run: int,
    kind: EventType,
    facts: Facts | None = None,
    **changes: object,
) -> JobRow | None:
    """Change an active job without moving it, and write the event of it."""
    job = change(tx, tenant=tenant, job_id=job_id, allowed=ACTIVE, of_run=of_run, changes=changes)
    if job is not None:
        events.append(tx, tenant=tenant, job_id=job_id, seq=job.last_seq, kind=kind, facts=facts)
    return job


def move(
    tx: Tx,
    tenant: str,
    job_id: str,
    to: Status,
    kind: EventType,
    facts: Facts | None = None,
    of_run: int | None = None,
    **changes: object,
) -> JobRow | None:
    """Move a job and write the event of it; None if the job is in no state that it could move from."""
    changes = with_state(tx.now, to, changes)
    job = change(tx, tenant=tenant, job_id=job_id, allowed=MOVES[to], of_run=of_run, changes=changes)
    if job is not None:
        events.append(tx, tenant=tenant, job_id=job_id, seq=job.last_seq, kind=kind, facts=facts)
    return job


def complete(
    tx: Tx, job: JobRow, of_run: int, kind: EventType, facts: Facts | None = None, **changes: object
) -> None:
    """Complete a job without returning its row, which no caller needs."""
    to = Status.COMPLETED
    changes = with_state(tx.now, to, changes)
    statement = change_statement(MOVES[to], frozenset(changes), (jobs.c.last_seq,))
    row = statement.one(tx.conn, changed_values(job.tenant, job.id, of_run, changes))
    if row is not None:
        events.append(tx, tenant=job.tenant, job_id=job.id, seq=row[0], kind=kind, facts=facts)


def with_state(now: float, to: Status, changes: Mapping[str, object]) -> dict[str, object]:
    """The changes of a job together with those that belong to its new state."""
    ended: dict[str, object] = {} if to in ACTIVE else {"finished_at": now, "source_headers": None}
    return {"status": to.value, **changes, **ended}


def mark_removed(tx: Tx, tenant: str, job_id: str) -> None:
    """Make a job answer 410 from now on, with a last event."""
    values = {"of_tenant": tenant, "job": job_id, "now": tx.now}
    row = tx.conn.execute(REMOVED, values).one_or_none()
    if row is not None:
        events.append(tx, tenant, job_id, row.last_seq, EventType.REMOVED)


def active_count(conn: Connection, tenant: str, cap: int) -> int:
    """How many jobs of the tenant wait or run, counted up to the cap."""
    return conn.execute(ACTIVE_COUNT, {"tenant": tenant, "cap": cap}).scalar_one()
