"""Failure records: writes a set-back down and does what its verdict says, in the transaction of the turn."""

from dataclasses import asdict

from pagemill.db import chunks, jobs
from pagemill.db.chunks import NewChunk
from pagemill.db.database import Tx
from pagemill.model.costs import NO_COST, Cost, cost_facts, cost_view
from pagemill.model.enriching import ENRICHMENT_FAILED
from pagemill.model.events import EventType, Facts
from pagemill.model.messages import Message
from pagemill.model.states import ChunkState, Lane, Step
from pagemill.model.work import Claim, Dropped, JobLost, PageFailure, PagesLost, Retry, SetBack, Split
from pagemill.progress import end_enrichment, end_job, settle_pages


def record_set_back(tx: Tx, finding: SetBack) -> list[Message]:
    """Write down that a visit did not work out, and do what the verdict says."""
    claim = finding.claim
    jobs.lock_jobs(tx, [claim.job_id])
    match finding.verdict:
        case Retry() as retry:
            return try_again(tx, finding, retry)
        case Split(counter):
            return split_chunk(tx, finding, counter)
        case PagesLost(counter, code, message):
            return lose_pages(
                tx, finding, counter, tuple(PageFailure(page, code, message) for page in claim.pages)
            )
        case JobLost() as lost:
            return lose_job(tx, finding, lost)
        case Dropped():
            return []


def try_again(tx: Tx, finding: SetBack, retry: Retry) -> list[Message]:
    """Make the chunk ready again, after a while."""
    claim = finding.claim
    lane = Lane.BULK if retry.alone else claim.lane
    changes: dict[str, object] = {"not_before": tx.now + retry.wait_seconds}
    if retry.single:
        changes["single"] = True
    if retry.lost_by is not None:
        changes["lost_by"] = retry.lost_by
    if retry.alone:
        changes |= {"small": False, "lane": lane.value}
    if not chunks.finish(tx, claim, ChunkState.READY, retry.counter, **changes):
        return []
    if retry.counter is not None:
        note_set_back(tx, finding, retry.counter)
    return [Message(claim.step, lane, claim.job_id)]


def split_chunk(tx: Tx, finding: SetBack, counter: str) -> list[Message]:
    """Replace the chunk by one chunk per page."""
    claim = finding.claim
    if not chunks.finish(tx, claim, ChunkState.SPLIT, counter):
        return []
    note_set_back(tx, finding, counter)
    facts: Facts = {"first_page": claim.first_page, "last_page": claim.last_page}
    job = jobs.lock_job(tx, claim.tenant, claim.job_id)
    if job is None:
        return []
    left = job.chunks_left - 1 + claim.count
    jobs.note(
        tx,
        tenant=job.tenant,
        job_id=job.id,
        of_run=claim.run,
        kind=EventType.SPLIT,
        facts=facts,
        chunks_left=left,
    )
    single = [
        NewChunk(claim.step, claim.lane, page, page, single=True, providers=claim.named, needs=claim.needs)
        for page in claim.pages
    ]
    return chunks.create(tx, job, single)


def lose_pages(
    tx: Tx, finding: SetBack, counter: str | None, failed: tuple[PageFailure, ...]
) -> list[Message]:
    """Give up on the pages of a chunk; the rest of the document goes on."""
    claim = finding.claim
    stored = [asdict(page) for page in failed]
    if not chunks.finish(tx, claim, ChunkState.FAILED, counter, failed_pages=stored):
        return []
    if counter is not None:
        note_set_back(tx, finding, counter)
    rest = finding.cost if counter is None else NO_COST
    return settle_pages(tx, claim, failed, finding.seconds, cost=rest)


def lose_job(tx: Tx, finding: SetBack, lost: JobLost) -> list[Message]:
    """Give up on the job, or on what was to be added to the result that it has."""
    claim = finding.claim
    if chunks.finish(tx, claim, ChunkState.FAILED, lost.counter):
        if lost.counter is not None:
            note_set_back(tx, finding, lost.counter)
        rest = finding.cost if lost.counter is None else NO_COST
        if claim.step is not Step.ENRICH or not lose_enrichment(tx, claim, lost.code, rest):
            end_job(tx, claim, lost, rest)
    return []


def lose_enrichment(tx: Tx, claim: Claim, code: str, cost: Cost) -> bool:
    """Leave a job the result that it has, with a warning; False if it has none."""
    job = jobs.lock_job(tx, claim.tenant, claim.job_id)
    return job is not None and end_enrichment(
        tx, job, {"lost": Step.ENRICH.value, "code": code}, [ENRICHMENT_FAILED], cost
    )


def note_set_back(tx: Tx, finding: SetBack, counter: str) -> None:
    """Count a set-back on the job too, with an event that says what happened."""
    claim = finding.claim
    facts: Facts = {
        "step": claim.step.value,
        "counter": counter,
        "code": finding.code,
        "signal": finding.signal,
        "first_page": claim.first_page,
        "last_page": claim.last_page,
        **cost_facts(finding.cost),
    }
    job = jobs.lock_job(tx, claim.tenant, claim.job_id)
    if job is not None:
        raised: dict[str, object] = {counter: getattr(job, counter) + 1}
        if job.stage == Step.ENRICH.value:
            # It is joined once more before it can be enriched.
            raised["stage"] = claim.step.value
        jobs.note(
            tx,
            tenant=claim.tenant,
            job_id=claim.job_id,
            of_run=claim.run,
            kind=EventType.SET_BACK,
            facts=facts,
            **raised,
            **cost_view(job.cost + finding.cost),
        )
