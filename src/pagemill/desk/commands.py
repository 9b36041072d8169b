"""Commands: what people may do to a job."""

import logging
from typing import Literal

from pagemill.db import chunks, events, jobs
from pagemill.db.chunks import NewChunk
from pagemill.db.database import Tx
from pagemill.desk.queries import living, show_job
from pagemill.errors import JobActive, JobTerminal, NothingToRetry, OutageError
from pagemill.mill import Mill
from pagemill.model.events import EventType, Facts
from pagemill.model.jobs import Chunk, Job
from pagemill.model.messages import Message
from pagemill.model.options import Options, selected, within
from pagemill.model.states import Lane, Status, Step
from pagemill.model.views import JobView

log = logging.getLogger("pagemill.desk")
Which = Literal["all", "failed"]


def cancel(mill: Mill, tenant: str, job_id: str) -> JobView:
    """Stop a job: its fences go up at once, and its press children are killed as soon as the watch sees it."""
    mill.db.write(lambda tx: cancel_in(tx, tenant, job_id))
    drop_lost_claims(mill)
    return show_job(mill, tenant, job_id)


def cancel_in(tx: Tx, tenant: str, job_id: str) -> None:
    """Move a job to cancelled; once more is fine, but a job that ended otherwise can't be cancelled."""
    job, _ = living(tx.conn, tenant, job_id)
    if job.status == Status.CANCELLED:
        return
    if jobs.move(tx, tenant, job_id, Status.CANCELLED, EventType.CANCELLED, {"run": job.run}) is None:
        raise JobTerminal(status=job.status)
    chunks.void(tx, tenant, job_id)


def drop_lost_claims(mill: Mill) -> int:
    """Kill what the press does for claims that are no longer ours."""
    working = mill.press.keys()
    if not working:
        return 0
    held = mill.db.read(lambda conn: chunks.running_of(conn, mill.worker_id))
    return mill.press.cancel(working - held - image_keys(working))


def image_keys(keys: frozenset[str]) -> frozenset[str]:
    """The visits that draw page images; they belong to no claim."""
    return frozenset(key for key in keys if key.startswith("image."))


def retry(mill: Mill, tenant: str, job_id: str, *, only: Which, password: str | None) -> JobView:
    """Start a new run of a job that has ended; the former result stays readable until the new one is published."""
    sealed = mill.seal.close(password)
    messages = mill.db.write(lambda tx: retry_in(tx, tenant, job_id, only, sealed))
    mill.queue.send(messages)
    return show_job(mill, tenant, job_id)


def retry_in(tx: Tx, tenant: str, job_id: str, only: Which, password: bytes | None) -> list[Message]:
    """Make a job pending again with the chunks of its new run."""
    job, _ = living(tx.conn, tenant, job_id)
    if not job.is_over:
        raise JobActive(status=job.status)
    if only == "failed" and not job.failed_pages:
        raise NothingToRetry()
    former = chunks.of_run(tx.conn, tenant, job_id, job.run) if only == "failed" else []
    read = former if is_whole(job, former) else []
    again = renewed(tx, job, only, password, read)
    if read:
        read_again(tx, again, read)
        return [Message(Step.EXTRACT, Lane(job.lane), job_id)]
    chunks.create(tx, tenant, job_id, again.run, job.priority, [NewChunk(Step.PLAN, Lane(job.lane))])
    return [Message(Step.PLAN, Lane(job.lane), job_id)]


def is_whole(job: Job, read: list[Chunk]) -> bool:
    """Whether every page of a run was settled, so that only what failed needs to be read again."""
    settled = all(chunk.output or chunk.failed_pages for chunk in read)
    return settled and sum(pages_in(job, chunk) for chunk in read) == job.total_pages


def renewed(tx: Tx, job: Job, only: Which, password: bytes | None, read: list[Chunk]) -> Job:
    """The job, pending again; pages that are not read again stay counted."""
    left = [chunk for chunk in read if chunk.failed_pages]
    settled = sum(pages_in(job, chunk) for chunk in read if not chunk.failed_pages)
    again = jobs.move(
        tx, job.tenant, job.id, Status.PENDING, EventType.RETRIED, {"only": only, "run": job.run + 1},
        stage=Step.EXTRACT.value if read else Step.PLAN.value, password=password, error=None,
        processed_pages=settled, failed_pages=[], finished_at=None,
        chunks_left=len(left), run=job.run + 1, reused=False, started_at=None,
        warnings=job.warnings if read else [], seconds={"accept": job.seconds.get("accept", 0.0)},
        expires_at=max(job.expires_at, tx.now + job.expires_at - job.created_at),
    )  # fmt: skip
    assert again is not None, "the job has ended and is locked by this transaction"
    return again


def pages_in(job: Job, chunk: Chunk) -> int:
    """How many pages of a job lie in a chunk."""
    runs = selected(Options.from_dict(job.options).pages, job.document_pages or 0)
    return sum(last - first + 1 for first, last in within(runs, chunk.first_page or 1, chunk.last_page or 0))


def read_again(tx: Tx, job: Job, read: list[Chunk]) -> None:
    """Chunks with failed pages are read again; the others are taken over as they are."""
    for chunk in read:
        new = NewChunk(Step.EXTRACT, Lane(chunk.lane), chunk.first_page, chunk.last_page, single=chunk.single)
        if chunk.failed_pages:
            chunks.create(tx, job.tenant, job.id, job.run, job.priority, [new])
        else:
            chunks.take_over(tx, job, new, chunk)


def remove(mill: Mill, tenant: str, job_id: str) -> None:
    """Delete a job: it answers 410 from now on, and the sweeper removes its files."""
    mill.db.write(lambda tx: remove_in(tx, tenant, job_id))
    drop_lost_claims(mill)


def remove_in(tx: Tx, tenant: str, job_id: str) -> None:
    """Mark a job as removed, after stopping it if it runs."""
    job, _ = living(tx.conn, tenant, job_id)
    if not job.is_over:
        cancel_in(tx, tenant, job_id)
    jobs.mark_removed(tx, tenant, job_id)


def refuse(mill: Mill, tenant: str, facts: Facts) -> None:
    """Write a refusal at the door into the log; a log that can't be written to refuses nobody."""
    mill.meters.refusals.labels(str(facts.get("code"))).inc()
    try:
        mill.db.write(lambda tx: events.append_refusal(tx, tenant, facts))
    except OutageError as error:
        log.warning("a refusal could not be logged: %s", error.message)
