"""Runs whose engines are gone: no worker has the versions that a document was opened with, so it is read again."""

import logging
from collections.abc import Collection

from pagemill.db import chunks, jobs, run_engines
from pagemill.db.chunks import NewChunk
from pagemill.db.database import Tx
from pagemill.db.run_engines import WaitingRun
from pagemill.desk.queries import existing_job
from pagemill.desk.runs import keep_seconds
from pagemill.errors import Gone, NotFound
from pagemill.mill import Mill
from pagemill.model.abilities import OPENING_LANES, chain_needs
from pagemill.model.events import EventType
from pagemill.model.messages import Message
from pagemill.model.options import ReadingOptions
from pagemill.model.states import Lane, Step

log = logging.getLogger("pagemill.engines")
JOBS_AT_ONCE = 50


def restart_abandoned_runs(mill: Mill) -> int:
    """Begin runs again that wait for engines which no worker has had for two leases; how many that were."""
    abandoned = mill.abilities.find_abandoned(2 * mill.settings.lease_seconds)
    return sum(restart_runs_waiting_for(mill, needs, lanes) for needs, lanes in abandoned.items())


def restart_runs_waiting_for(mill: Mill, needs: str, lanes: Collection[str]) -> int:
    """Begin some of the runs again that wait in these lanes for these engines; the others follow the next time."""
    jobs_found = mill.db.read(lambda conn: run_engines.waiting_for(conn, needs, lanes, JOBS_AT_ONCE))
    if len(jobs_found) < JOBS_AT_ONCE:
        mill.abilities.forget(needs)

    def restart(tx: Tx) -> list[Message]:
        jobs.lock_jobs(tx, [run.job_id for run in jobs_found])
        return [message for run in jobs_found for message in restart_run(tx, run, needs)]

    messages = mill.db.write(restart) if jobs_found else []
    mill.queue.send(messages)
    return len(messages)


def restart_run(tx: Tx, run: WaitingRun, needs: str) -> list[Message]:
    """Have a document opened and read again as the next run, unless its run goes on or has ended meanwhile.

    It is opened by a worker of the lane in which it has waited: one of another lane may have opened it with engines that
    no worker of this lane has, and would do so again.
    """
    tenant, job_id = run.tenant, run.job_id
    try:
        job, _ = existing_job(tx.conn, tenant, job_id)
    except (Gone, NotFound):
        return []
    if job.is_over or not run_engines.is_waiting_for(tx.conn, tenant, job_id, needs):
        return []
    log.warning("its engines are gone, so it is read again", extra={"job": job_id, "tenant": tenant})
    chunks.void(tx, tenant, job_id)
    again = jobs.note(
        tx,
        tenant=tenant,
        job_id=job_id,
        of_run=job.run,
        kind=EventType.RETRIED,
        facts={"only": "all", "run": job.run + 1, "reason": "engines_gone"},
        run=job.run + 1,
        stage=Step.PLAN.value,
        processed_pages=0,
        failed_pages=[],
        chunks_left=0,
        warnings=[],
        expires_at=max(job.expires_at, tx.now + keep_seconds(tx, job)),
    )
    assert again is not None, "the job is not over and is locked by this transaction"
    opening = run_engines.opening_needs(tx.conn, tenant, job_id)
    chain = opening or chain_needs(ReadingOptions.from_dict(job.options).providers)
    first = NewChunk(Step.PLAN, Lane(run.lane) if run.lane in OPENING_LANES else Lane.BULK, needs=chain)
    return chunks.create(tx, again, [first])
