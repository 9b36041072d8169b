"""Batches beside the flow: looked at, cancelled, read again and removed as a whole; and found to be over."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from pagemill.batch_end import finish_batch
from pagemill.db import batches, erasure
from pagemill.db.cleanup import removal_time
from pagemill.db.database import Tx
from pagemill.desk.commands import cancel_in, drop_lost_claims, remove_in
from pagemill.desk.queries import decode_cursor, encode_cursor
from pagemill.desk.runs import retry_in
from pagemill.errors import (
    Gone,
    InvalidCursor,
    JobActive,
    JobTerminal,
    NotFound,
    NothingToRetry,
    PasswordRequired,
)
from pagemill.mill import Mill
from pagemill.model.batches import (
    BatchEntryRow,
    BatchRow,
    BatchView,
    batch_view,
)
from pagemill.model.ids import is_id
from pagemill.model.messages import Message
from pagemill.model.states import ACTIVE, Status

# Jobs that are changed in one transaction: a batch is long, and others write too.
JOBS_AT_ONCE = 100
FINISHED_AT_ONCE = 50


@dataclass(frozen=True, slots=True)
class BatchList:
    """A page of batches, and where the next one starts."""

    batches: list[BatchView]
    next_cursor: str | None


def existing_batch(conn: Connection, tenant: str, batch_id: str) -> BatchRow:
    """A batch that is neither unknown nor removed."""
    found = batches.find(conn, tenant, batch_id) if is_id(batch_id) else None
    if found is None:
        raise NotFound()
    if found.removed_at is not None:
        raise Gone()
    return found


def show_batch(mill: Mill, tenant: str, batch_id: str) -> BatchView:
    """A batch with its counts."""

    def query(conn: Connection) -> BatchView:
        batch = existing_batch(conn, tenant, batch_id)
        return batch_view(batch, batches.counts(conn, batch), mill.db.now(conn))

    return mill.db.read(query)


def look_at_batch(mill: Mill, tenant: str, batch_id: str) -> BatchView:
    """A batch with its counts; that it is over is written down unless it was before."""
    view = show_batch(mill, tenant, batch_id)
    if not is_unfinished(view):
        return view
    batch = mill.db.read(lambda conn: existing_batch(conn, tenant, batch_id))
    mill.db.write(lambda tx: finish_batch(tx, batch))
    return show_batch(mill, tenant, batch_id)


def last_active_job(mill: Mill, tenant: str, batch_id: str) -> str | None:
    """The job of a batch that will probably be the last to end; None if all have ended."""
    return mill.db.read(lambda conn: batches.last_active_job(conn, tenant, batch_id))


def is_unfinished(view: BatchView) -> bool:
    """Whether all items of a batch have ended and it is not known to be over."""
    return view["finished_at"] is None and Status(view["status"]) not in ACTIVE


def list_batches(mill: Mill, tenant: str, *, cursor: str | None, limit: int) -> BatchList:
    """The batches of a tenant, newest first."""
    before = decode_cursor(cursor)
    if before is not None and not is_id(before):
        raise InvalidCursor()

    def query(conn: Connection) -> BatchList:
        found, now = batches.page_of_batches(conn, tenant, before, limit + 1), mill.db.now(conn)
        shown = [batch_view(one, batches.counts(conn, one), now) for one in found[:limit]]
        return BatchList(shown, encode_cursor(shown[-1]["id"]) if len(found) > limit else None)

    page = mill.db.read(query)
    views = [look_at_batch(mill, tenant, one["id"]) if is_unfinished(one) else one for one in page.batches]
    return replace(page, batches=views)


def list_items(mill: Mill, tenant: str, batch_id: str, *, after: int, limit: int) -> list[BatchEntryRow]:
    """The items of a batch after a number."""

    def query(conn: Connection) -> list[BatchEntryRow]:
        existing_batch(conn, tenant, batch_id)
        return batches.items(conn, tenant, batch_id, after, limit)

    return mill.db.read(query)


def cancel_batch(mill: Mill, tenant: str, batch_id: str) -> BatchView:
    """Stop all jobs of a batch that have not ended; once more is fine, but one that is over can't be cancelled."""
    batch = mill.db.read(lambda conn: existing_batch(conn, tenant, batch_id))
    found = mill.db.read(lambda conn: batches.job_ids(conn, tenant, batch_id, active=True))
    if not found and batch.cancelled_at is None:
        raise JobTerminal("All items of the batch have ended.")
    mill.db.write(lambda tx: batches.change(tx, tenant, batch_id, cancelled_at=tx.now))
    change_jobs(mill, found, lambda tx, job_id: cancel_in(tx, tenant, job_id))
    drop_lost_claims(mill)
    return look_at_batch(mill, tenant, batch_id)


def retry_batch(mill: Mill, tenant: str, batch_id: str, *, every: bool) -> BatchView:
    """Read again what failed, was cancelled or lacks pages, or every item."""
    mill.db.read(lambda conn: existing_batch(conn, tenant, batch_id))
    found = mill.db.read(
        lambda conn: (
            batches.job_ids(conn, tenant, batch_id, active=False)
            if every
            else batches.failed_job_ids(conn, tenant, batch_id)
        )
    )
    if not found:
        raise NothingToRetry(
            "No item of the batch failed. Retry all of them, or hand in what was refused again."
        )
    messages: list[Message] = []

    def again(tx: Tx, job_id: str) -> None:
        # A password is not kept, so such a job is left as it is.
        with suppress(PasswordRequired, JobActive):
            messages.extend(retry_in(tx, tenant, job_id, "all", None))

    def reopen(tx: Tx) -> None:
        batch = existing_batch(tx.conn, tenant, batch_id)
        changes = {"cancelled_at": None, "finished_at": None, "started_at": tx.now, "run": batch.run + 1}
        batches.change(tx, tenant, batch_id, **changes)

    change_jobs(mill, found, again, before=reopen)
    mill.queue.send(messages)
    return show_batch(mill, tenant, batch_id)


def remove_batch(mill: Mill, tenant: str, batch_id: str) -> None:
    """Delete a batch with the jobs, documents and results of all items."""
    mill.db.read(lambda conn: existing_batch(conn, tenant, batch_id))
    found = mill.db.read(lambda conn: batches.job_ids(conn, tenant, batch_id, active=None))
    change_jobs(mill, found, lambda tx, job_id: remove_in(tx, tenant, job_id))
    mill.db.write(lambda tx: remove_batch_row(tx, tenant, batch_id))
    drop_lost_claims(mill)


def remove_batch_row(tx: Tx, tenant: str, batch_id: str) -> None:
    """Have a batch answer 410, and wipe what was given with it."""
    batches.change(tx, tenant, batch_id, removed_at=tx.now)
    erasure.erase_batch(tx, tenant, batch_id)


def change_jobs(
    mill: Mill,
    job_ids: Sequence[str],
    change: Callable[[Tx, str], object],
    before: Callable[[Tx], object] | None = None,
) -> None:
    """Change jobs a few at a time; those that have moved on since they were listed are left as they are.

    `before` is done together with the first of them, so that one is never seen without the other.
    """

    def write(tx: Tx, some: Sequence[str]) -> None:
        if before is not None and some[0] == job_ids[0]:
            before(tx)
        for job_id in some:
            with suppress(JobTerminal, Gone, NotFound):
                change(tx, job_id)

    for start in range(0, len(job_ids), JOBS_AT_ONCE):
        some = job_ids[start : start + JOBS_AT_ONCE]
        mill.db.write(lambda tx, some=some: write(tx, some))  # type: ignore[misc]


def finish_batches(mill: Mill) -> None:
    """Find batches of which every job has ended, and write the event of it; others may look at the same time."""
    for batch in mill.db.read(lambda conn: batches.unfinished_batches(conn, FINISHED_AT_ONCE)):
        mill.db.write(lambda tx, batch=batch: finish_batch(tx, batch))  # type: ignore[misc]


def expire_batches(mill: Mill) -> None:
    """Have batches answer 410 whose time is over; their jobs expire by themselves."""
    now = removal_time(mill.db.read(mill.db.now))
    for tenant, batch_id in mill.db.read(lambda conn: batches.expired_batches(conn, now)):
        mill.db.write(lambda tx, t=tenant, b=batch_id: remove_batch_row(tx, t, b))  # type: ignore[misc]
