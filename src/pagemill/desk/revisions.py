"""Revisions: the results that a job has and had, shown side by side, and the way back to an earlier one."""

from typing import TypedDict

from sqlalchemy import Connection

from pagemill.db import results, revisions, search_index
from pagemill.db.database import Tx
from pagemill.db.revisions import RevisionRow
from pagemill.desk.contents import PageAnswer, final_page
from pagemill.desk.queries import job_with_result, show_job
from pagemill.desk.runs import ended_job
from pagemill.errors import NotFound
from pagemill.mill import Mill
from pagemill.model.jobs import Result, StoredFailedPage
from pagemill.model.options import StoredOptions
from pagemill.model.states import Status
from pagemill.model.views import JobView, iso


class RevisionView(TypedDict):
    """A revision, as people see it."""

    revision: int
    current: bool
    run: int
    created_at: str
    options: StoredOptions
    pages: int
    failed_pages: list[StoredFailedPage]


def list_revisions(mill: Mill, tenant: str, job_id: str) -> list[RevisionView]:
    """The present result of a job and those before it, newest first; none while it has no result."""

    def query(conn: Connection) -> list[RevisionView]:
        job, _, result = job_with_result(conn, tenant, job_id)
        if result is None:
            return []
        shown = [revision_view(revisions.revision_of(conn, job, result), result, current=True)]
        for earlier in revisions.of_job(conn, tenant, job_id):
            kept = results.one(conn, tenant, earlier.result_id)
            if kept is not None and earlier.revision < job.revision:
                shown.append(revision_view(earlier, kept, current=False))
        return shown

    return mill.db.read(query)


def revision_view(revision: RevisionRow, result: Result, *, current: bool) -> RevisionView:
    """A revision in the shape that people see."""
    return {
        "revision": revision.revision,
        "current": current,
        "run": revision.run,
        "created_at": iso(result.created_at),
        "options": revision.options,
        "pages": result.pages,
        "failed_pages": result.failed_pages,
    }


def page_of_revision(mill: Mill, tenant: str, job_id: str, number: int, revision: int) -> PageAnswer:
    """One page as it is in a revision."""
    result = mill.db.read(lambda conn: result_of_revision(conn, tenant, job_id, revision))
    return PageAnswer(final_page(mill, result, number), False, revision)


def result_of_revision(conn: Connection, tenant: str, job_id: str, revision: int) -> Result:
    """The result of a revision; NotFound if the job has no such revision, or has it no more."""
    job, _, result = job_with_result(conn, tenant, job_id)
    if result is not None and job.revision == revision:
        return result
    earlier = revisions.one(conn, tenant, job_id, revision)
    kept = results.one(conn, tenant, earlier.result_id) if earlier else None
    if kept is None:
        raise NotFound(f"The job has no revision {revision}.")
    return kept


def restore_job(mill: Mill, tenant: str, job_id: str, revision: int) -> JobView:
    """Make an earlier revision the result of a job; restoring the present one changes nothing if the last run completed."""
    mill.db.write(lambda tx: restore_in(tx, tenant, job_id, revision))
    return show_job(mill, tenant, job_id)


def restore_in(tx: Tx, tenant: str, job_id: str, revision: int) -> None:
    """Put an earlier result in the place of the present one, which is kept."""
    job, present = ended_job(tx, tenant, job_id)
    if present is not None and job.revision == revision and job.status == Status.COMPLETED:
        return
    result = result_of_revision(tx.conn, tenant, job_id, revision)
    earlier = revisions.one(tx.conn, tenant, job_id, revision)
    if present is not None:
        revisions.keep_revision(tx, revisions.revision_of(tx.conn, job, present))
        earlier = earlier or revisions.revision_of(tx.conn, job, present)
    assert earlier is not None, "a revision that has a result is kept or present"
    revisions.restore_revision(tx, job, earlier, result)
    search_index.remove_unused(tx, tenant, job.result_id)
    search_index.use_again(tx, result)
