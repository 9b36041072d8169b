"""Commands: what people may do to a job."""

import logging
from collections.abc import Callable

from pagemill.db import batches, chunks, erasure, events, held_claims, jobs, results, search_index
from pagemill.db.database import Tx
from pagemill.desk.queries import existing_job, show_job
from pagemill.errors import JobTerminal, OutageError
from pagemill.mill import Mill
from pagemill.model.events import EventType, Facts
from pagemill.model.states import Status, Step
from pagemill.model.views import JobView
from pagemill.progress import end_enrichment

log = logging.getLogger("pagemill.desk")
# What the keys of visits begin with that belong to no claim.
WITHOUT_CLAIM = ("image.", "make.", "embed.", "correct.")


def cancel(mill: Mill, tenant: str, job_id: str) -> JobView:
    """Stop a job: its fences go up at once, and its press children are killed as soon as the watch sees it."""
    mill.db.write(lambda tx: cancel_in(tx, tenant, job_id))
    drop_lost_claims(mill)
    return show_job(mill, tenant, job_id)


def cancel_in(tx: Tx, tenant: str, job_id: str) -> None:
    """Move a job to cancelled; once more is fine, but a job that ended otherwise can't be cancelled.

    One whose result is being added to is completed with that result, as it was before.
    """
    jobs.lock_jobs(tx, [job_id])
    job, _ = existing_job(tx.conn, tenant, job_id)
    if job.status == Status.CANCELLED:
        return
    adds = not job.is_over and held_claims.is_enriching(tx.conn, tenant, job_id, job.run)
    if adds and end_enrichment(tx, job, {"cancelled": Step.ENRICH.value}):
        chunks.void(tx, tenant, job_id)
        return
    if (
        jobs.move(
            tx,
            tenant=tenant,
            job_id=job_id,
            to=Status.CANCELLED,
            kind=EventType.CANCELLED,
            facts={"run": job.run},
        )
        is None
    ):
        raise JobTerminal(status=job.status)
    chunks.void(tx, tenant, job_id)
    change_children(tx, tenant, job_id, cancel_in, active=True)


def change_children(
    tx: Tx, tenant: str, job_id: str, change: Callable[[Tx, str, str], None], *, active: bool | None
) -> None:
    """Do the same to the jobs of the files inside of a document: to all of them, or to those that have not ended."""
    below = batches.children_of(tx.conn, tenant, job_id)
    if below is not None:
        for child in batches.job_ids(tx.conn, tenant, below.id, active=active):
            change(tx, tenant, child)


def drop_lost_claims(mill: Mill) -> int:
    """Kill what the press does for claims that are no longer ours, and wait no longer for answers to them."""
    working, stoppable = mill.press.keys(), set(mill.engines.stops)
    if not working and not stoppable:
        return 0
    held = mill.db.read(lambda conn: chunks.running_claim_keys(conn, mill.worker_id))
    mill.engines.give_up(stoppable - held)
    return mill.press.cancel(working - held - keys_without_claim(working))


def give_back_unknown_claims(mill: Mill) -> int:
    """Make ready again what the rows say is ours and no one here works on; how many chunks that were.

    After a failover to a replica that lacked the last commits, the rows have claims again that were recorded here.
    """
    held = mill.db.read(lambda conn: chunks.running_claim_keys(conn, mill.worker_id))
    unknown = mill.under_way.find_unknown(held, mill.settings.lease_seconds)
    if not unknown:
        return 0
    count = mill.db.write(lambda tx: chunks.give_back_claims(tx, mill.worker_id, unknown))
    log.warning("%d claims that this process does not know were given back", count)
    return count


def keys_without_claim(keys: frozenset[str]) -> frozenset[str]:
    """The visits that draw page images, make artifacts or vectors, or correct documents; they belong to no claim."""
    return frozenset(key for key in keys if key.startswith(WITHOUT_CLAIM))


def remove(mill: Mill, tenant: str, job_id: str) -> None:
    """Delete a job: it answers 410 from now on, and the sweeper removes its files."""
    mill.db.write(lambda tx: remove_in(tx, tenant, job_id))
    drop_lost_claims(mill)


def remove_in(tx: Tx, tenant: str, job_id: str) -> None:
    """Mark a job as removed with its children, after stopping it if it runs, and wipe what was given with it."""
    jobs.lock_jobs(tx, [job_id])
    job, _ = existing_job(tx.conn, tenant, job_id)
    if not job.is_over:
        cancel_in(tx, tenant, job_id)
    change_children(tx, tenant, job_id, remove_in, active=None)
    batches.remove_children(tx, tenant, job_id)
    jobs.mark_removed(tx, tenant, job_id)
    erasure.erase_job(tx, tenant, job_id)
    search_index.remove_unused(tx, tenant, job.result_id)
    results.withdraw_unused(tx, tenant, job.result_id)


def refuse(mill: Mill, tenant: str, facts: Facts) -> None:
    """Log a rejected request. Does not fail if the database is unavailable."""
    mill.metrics.refusals.labels(str(facts.get("code"))).inc()
    try:
        mill.db.write(lambda tx: events.append_refusal(tx, tenant, facts))
    except OutageError as error:
        log.warning("a refusal could not be logged: %s", error.message)
