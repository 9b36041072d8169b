"""Runs whose engines are gone: no worker has the versions that a document was opened with, so it is read again."""

import logging
from collections.abc import Collection

from pagemill.db import chunks, jobs, run_engines
from pagemill.db.chunks import NewChunk
from pagemill.db.database import Tx
from pagemill.desk.queries import existing_job
from pagemill.desk.runs import keep_seconds
from pagemill.errors import Gone, NotFound
from pagemill.mill import Mill
from pagemill.model.abilities import chain_needs
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
    waiting = mill.db.read(lambda conn: run_engines.waiting_for(conn, needs, lanes, JOBS_AT_ONCE))
    if len(waiting) < JOBS_AT_ONCE:
        mill.abilities.forget(needs)

    def restart(tx: Tx) -> list[Message]:
        jobs.lock_jobs(tx, [job_id for _, job_id in waiting])
        return [message for who in waiting for message in restart_run(tx, *who, needs)]

    messages = mill.db.write(restart) if waiting else []
    mill.queue.send(messages)
    return len(messages)


def restart_run(tx: Tx, tenant: str, job_id: str, needs: str) -> list[Message]:
    """Have a document opened and read again as the next run, unless its run goes on or has ended meanwhile."""
    try:
        job, _ = existing_job(tx.conn, tenant, job_id)
    except (Gone, NotFound):
        return []
    if job.is_over or not run_engines.is_waiting_for(tx.conn, tenant, job_id, needs):
        return []
    log.warning("its engines are gone, so it is read again", extra={"job": job_id, "tenant": tenant})
    chunks.void(tx, tenant, job_id)
    jobs.note(
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
    chain = chain_needs(ReadingOptions.from_dict(job.options).providers)
    first = NewChunk(Step.PLAN, Lane(job.lane), needs=chain)
    chunks.create(tx, tenant=tenant, job_id=job_id, run=job.run + 1, priority=job.priority, new=[first])
    return [Message(Step.PLAN, first.lane, job_id)]
