"""The earlier results of jobs: kept when a new run begins, so that they can be compared and restored."""

from dataclasses import asdict, dataclass

from sqlalchemy import Connection, delete, func, or_, select

from pagemill.db import chunks, events, jobs
from pagemill.db.database import Tx
from pagemill.db.schema import results, revisions
from pagemill.model.corrections import CORRECTED
from pagemill.model.events import EventType
from pagemill.model.jobs import JobRow, Result
from pagemill.model.options import StoredOptions
from pagemill.model.states import TERMINAL, Status

COLUMNS = (
    revisions.c.job_id,
    revisions.c.revision,
    revisions.c.tenant,
    revisions.c.result_id,
    revisions.c.run,
    revisions.c.options,
)


@dataclass(frozen=True, slots=True)
class RevisionRow:
    """A result that a job had, and the options that it was read with."""

    job_id: str
    revision: int
    tenant: str
    result_id: str
    run: int
    options: StoredOptions


def revision_of(conn: Connection, job: JobRow, result: Result) -> RevisionRow:
    """The present result of a job as a revision."""
    run = chunks.run_of_result(conn, job.tenant, job.id, result.prefix)
    return RevisionRow(
        job_id=job.id,
        revision=job.revision,
        tenant=job.tenant,
        result_id=result.id,
        run=run or 1,
        options=job.options,
    )


def keep_revision(tx: Tx, revision: RevisionRow) -> None:
    """Keep a revision; one that is kept already stays as it is."""
    if one(tx.conn, revision.tenant, revision.job_id, revision.revision) is None:
        tx.conn.execute(revisions.insert().values(asdict(revision) | {"kept_at": tx.now}))


def one(conn: Connection, tenant: str, job_id: str, revision: int) -> RevisionRow | None:
    """An earlier revision of a job by its number."""
    own = (revisions.c.tenant == tenant, revisions.c.job_id == job_id, revisions.c.revision == revision)
    row = conn.execute(select(*COLUMNS).where(*own)).one_or_none()
    return None if row is None else RevisionRow(*row)


def drop_result(tx: Tx, tenant: str, result_id: str) -> None:
    """Have no job keep a result as an earlier revision."""
    tx.conn.execute(delete(revisions).where(revisions.c.tenant == tenant, revisions.c.result_id == result_id))


def of_job(conn: Connection, tenant: str, job_id: str) -> list[RevisionRow]:
    """The earlier revisions of a job, newest first."""
    own = (revisions.c.tenant == tenant, revisions.c.job_id == job_id)
    rows = conn.execute(select(*COLUMNS).where(*own).order_by(revisions.c.revision.desc()))
    return [RevisionRow(*row) for row in rows]


def count_corrected(conn: Connection, tenant: str, job_id: str, present: str | None) -> int:
    """How many corrected results of a job are stored: its earlier ones, and the present one if it is named."""
    kept = select(revisions.c.result_id).where(revisions.c.tenant == tenant, revisions.c.job_id == job_id)
    own = (results.c.tenant == tenant, results.c.prefix.endswith(CORRECTED))
    found = or_(results.c.id.in_(kept), results.c.id == present)
    return conn.scalar(select(func.count()).select_from(results).where(*own, found)) or 0


def columns_of(revision: RevisionRow, result: Result) -> dict[str, object]:
    """What a job says of a result that it had before."""
    return {
        "error": None,
        "options": revision.options,
        "fingerprint": result.fingerprint,
        "document_pages": result.document_pages,
        "total_pages": result.pages,
        "processed_pages": result.pages,
        "failed_pages": result.failed_pages,
        "to_check": result.to_check,
    }


def restore_revision(tx: Tx, job: JobRow, revision: RevisionRow, result: Result) -> None:
    """Make an earlier result the result of a job that has ended, as its next revision."""
    restored = jobs.change(
        tx,
        tenant=job.tenant,
        job_id=job.id,
        allowed=TERMINAL,
        of_run=None,
        changes={
            "status": Status.COMPLETED.value,
            "result_id": result.id,
            "revision": job.revision + 1,
            "warnings": result.warnings,
            "finished_at": tx.now,
            **columns_of(revision, result),
        },
    )
    assert restored is not None, "the job has ended and is locked by this transaction"
    facts = {"revision": restored.revision, "restored": revision.revision}
    events.append(
        tx, tenant=job.tenant, job_id=job.id, seq=restored.last_seq, kind=EventType.RESTORED, facts={**facts}
    )
