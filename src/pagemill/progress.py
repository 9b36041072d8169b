"""Progress: counts the pages of a job, and moves its rows on. Whether a job has failed is for `failures` to say."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from pagemill import failures
from pagemill.db import chunks, jobs, results, revisions
from pagemill.db.chunks import NewChunk
from pagemill.db.database import Tx
from pagemill.model.costs import NO_COST, Cost, cost_facts, cost_view
from pagemill.model.events import EventType, Facts
from pagemill.model.jobs import JobRow, StoredError, StoredFailedPage
from pagemill.model.messages import Message
from pagemill.model.states import ChunkState, Lane, Status, Step
from pagemill.model.work import Claim, JobLost, PageFailure, PagesRead


def settle_pages(
    tx: Tx,
    claim: Claim,
    failed: tuple[PageFailure, ...],
    seconds: float,
    handed: Sequence[NewChunk] = (),
    cost: Cost = NO_COST,
) -> list[Message]:
    """Count the pages of a finished chunk; after the last one the job is joined, or ends if none could be read.

    Pages that are handed on become chunks of their own.
    """
    job = count_pages(tx, claim, failed, seconds, handed, cost)
    if job is None:
        return []
    if handed:
        return chunks.create(tx, job, handed)
    if lost := failures.job_lost_with_pages(job, claim, failed):
        end_job(tx, claim, lost)
        return []
    return [] if job.chunks_left > 0 else request_join(tx, job, claim.needs)


def count_pages(
    tx: Tx,
    claim: Claim,
    failed: tuple[PageFailure, ...],
    seconds: float,
    handed: Sequence[NewChunk],
    cost: Cost,
) -> JobRow | None:
    """Add the pages of a finished chunk to the counts of its job; None if the job has ended or is in another run."""
    job = jobs.lock_job(tx, claim.tenant, claim.job_id)
    if job is None:
        return None
    handed_pages = sum(claim.count_between(new.first_page or 1, new.last_page or 0) for new in handed)
    settled = claim.count - handed_pages
    facts = read_facts(job, claim, failed, handed) | {"seconds": round(seconds, 4), "pages": settled}
    facts |= cost_facts(cost)
    facts["processed_pages"] = job.processed_pages + settled
    return jobs.note(
        tx,
        tenant=claim.tenant,
        job_id=claim.job_id,
        of_run=claim.run,
        kind=EventType.READ,
        facts=facts,
        processed_pages=job.processed_pages + settled,
        chunks_left=job.chunks_left - 1 + len(handed),
        failed_pages=with_failed(job.failed_pages, () if claim.named else failed),
        seconds=with_seconds(job.seconds, {claim.step.value: seconds}),
        **cost_view(job.cost + cost),
    )


def read_facts(job: JobRow, claim: Claim, failed: Sequence[PageFailure], handed: Sequence[NewChunk]) -> Facts:
    """What the event of a chunk says of its pages."""
    facts: Facts = {
        "first_page": claim.first_page,
        "last_page": claim.last_page,
        "total_pages": job.total_pages,
        "run": claim.run,
    }
    if failed:
        facts["failed_pages"] = [page.page for page in failed]
    if handed_on := [page for new in handed for page in pages_between(claim, new)]:
        facts |= {"handed_pages": len(handed_on), "handed": handed_on}
    return facts


def pages_between(claim: Claim, new: NewChunk) -> list[int]:
    """The pages of a claim that a new chunk takes over."""
    first, last = new.first_page or 1, new.last_page or 0
    return [page for page in claim.pages if first <= page <= last]


def finish_reading(tx: Tx, read: PagesRead, handed: Sequence[NewChunk] = ()) -> list[Message]:
    """Finish the chunk whose pages were read, if its claim still holds, and settle them."""
    failed = [asdict(page) for page in read.failed]
    handed_pages = [page for first, last in read.handed for page in range(first, last + 1)]
    found: dict[str, Any] = {"output": read.output, "failed_pages": failed, "handed_pages": handed_pages}
    if not chunks.finish(tx, read.claim, ChunkState.DONE, **found):
        return []
    return settle_pages(tx, read.claim, read.failed, read.seconds, handed, read.cost)


def request_join(tx: Tx, job: JobRow, needs: str | None) -> list[Message]:
    """Make the chunk that joins the pages of a job, by a worker with the engines that have read them."""
    facts: Facts = {"pages": job.total_pages}
    jobs.note(
        tx,
        tenant=job.tenant,
        job_id=job.id,
        of_run=job.run,
        kind=EventType.JOINING,
        facts=facts,
        stage=Step.JOIN.value,
    )
    return chunks.create(tx, job, [NewChunk(Step.JOIN, Lane(job.lane), needs=needs)])


def end_job(tx: Tx, claim: Claim, lost: JobLost, cost: Cost = NO_COST) -> None:
    """End a job as failed, and void what is left of its chunks."""
    error: StoredError = {
        "code": lost.code,
        "message": lost.message,
        "stage": claim.step.value,
        "retryable": lost.retryable,
        "page": lost.page,
    }
    facts: Facts = {"code": lost.code, "stage": claim.step.value, "run": claim.run, **cost_facts(cost)}
    job = jobs.lock_job(tx, claim.tenant, claim.job_id) if cost != NO_COST else None
    spent: dict[str, Any] = {} if job is None else {**cost_view(job.cost + cost)}
    if jobs.move(
        tx,
        tenant=claim.tenant,
        job_id=claim.job_id,
        to=Status.FAILED,
        kind=EventType.FAILED,
        facts=facts,
        of_run=claim.run,
        error=error,
        **spent,
    ):
        chunks.void(tx, claim.tenant, claim.job_id)


def end_enrichment(
    tx: Tx, job: JobRow, why: Facts, warnings: Sequence[str] = (), cost: Cost = NO_COST
) -> bool:
    """Complete a job with the result that it has, to which nothing is added; False if it has none."""
    result = results.one(tx.conn, job.tenant, job.result_id) if job.result_id else None
    revision = revisions.one(tx.conn, job.tenant, job.id, job.revision)
    if result is None or revision is None:
        return False
    failed = [page["page"] for page in result.failed_pages]
    facts: Facts = {"pages": result.pages, "failed_pages": failed, "run": job.run, **why, **cost_facts(cost)}
    ended = jobs.move(
        tx,
        tenant=job.tenant,
        job_id=job.id,
        to=Status.COMPLETED,
        kind=EventType.COMPLETED,
        facts=facts,
        of_run=job.run,
        stage=Step.PUBLISH.value,
        warnings=with_warnings(job.warnings, (*result.warnings, *warnings)),
        **revisions.columns_of(revision, result),
        **cost_view(job.cost + cost),
    )
    return ended is not None


def with_failed(known: list[StoredFailedPage], more: Iterable[PageFailure]) -> list[StoredFailedPage]:
    """Failed pages in page order."""
    added: list[StoredFailedPage] = [{"page": p.page, "code": p.code, "message": p.message} for p in more]
    return sorted([*known, *added], key=lambda page: page["page"])


def with_warnings(known: list[str], more: Iterable[str]) -> list[str]:
    """Warnings without doubles, in a fixed order."""
    return sorted({*known, *more})


def with_seconds(known: Mapping[str, float], more: Mapping[str, float]) -> dict[str, float]:
    """Seconds per step, added up."""
    return {**known, **{step: round(known.get(step, 0.0) + spent, 4) for step, spent in more.items()}}
