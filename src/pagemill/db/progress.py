"""How findings change the rows: pages counted off, the join called for, set-backs written down."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict

from pagemill.db import chunks, jobs
from pagemill.db.chunks import NewChunk
from pagemill.db.database import Tx
from pagemill.errors import PageTimeout, Timeout
from pagemill.model.events import EventType, Facts
from pagemill.model.jobs import JobRow, StoredError, StoredFailedPage
from pagemill.model.messages import Message
from pagemill.model.states import ChunkState, Lane, Status, Step
from pagemill.model.work import Claim, Dropped, JobLost, PageFailure, PagesLost, Retry, SetBack, Split


def settle_pages(
    tx: Tx,
    claim: Claim,
    failed: tuple[PageFailure, ...],
    seconds: float,
    handed: Sequence[NewChunk] = (),
) -> list[Message]:
    """Note that the pages of a finished chunk are settled, and call for the join after the last one.

    Pages that are handed on become chunks of their own.
    """
    job = jobs.lock_job(tx, claim.tenant, claim.job_id)
    if job is None:
        return []
    left = job.chunks_left - 1 + len(handed)
    handed_pages = sum(claim.count_between(new.first_page or 1, new.last_page or 0) for new in handed)
    settled = claim.count - handed_pages
    facts = read_facts(job, claim, failed, handed) | {"seconds": round(seconds, 4), "pages": settled}
    facts["processed_pages"] = job.processed_pages + settled
    changed = jobs.note(
        tx, claim.tenant, claim.job_id, claim.run, EventType.READ, facts,
        processed_pages=job.processed_pages + settled, chunks_left=left,
        failed_pages=with_failed(job.failed_pages, () if claim.named else failed),
        seconds=with_seconds(job.seconds, {claim.step.value: seconds}),
    )  # fmt: skip
    if changed is not None and handed:
        chunks.create(tx, claim.tenant, claim.job_id, claim.run, job.priority, handed)
        return [Message(new.step, new.lane, claim.job_id) for new in handed]
    if changed is not None and failed and claim.named:
        # Whoever had the page read so keeps what the former result has of it, where it has not failed.
        fail_job(tx, claim, with_failed([], failed)[0])
        return []
    if changed is None or left > 0:
        return []
    if len(changed.failed_pages) == changed.total_pages:
        fail_job(tx, claim, changed.failed_pages[0])
        return []
    return request_join(tx, changed)


def read_facts(job: JobRow, claim: Claim, failed: Sequence[PageFailure], handed: Sequence[NewChunk]) -> Facts:
    """What the event of a chunk says of its pages."""
    facts: Facts = {
        "first_page": claim.first_page,
        "last_page": claim.last_page,
        "total_pages": job.total_pages,
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


def request_join(tx: Tx, job: JobRow) -> list[Message]:
    """Make the chunk that joins the pages of a job."""
    facts: Facts = {"pages": job.total_pages}
    jobs.note(tx, job.tenant, job.id, job.run, EventType.JOINING, facts, stage=Step.JOIN.value)
    chunks.create(tx, job.tenant, job.id, job.run, job.priority, [NewChunk(Step.JOIN, Lane(job.lane))])
    return [Message(Step.JOIN, Lane(job.lane), job.id)]


def set_back(tx: Tx, finding: SetBack) -> list[Message]:
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
    jobs.note(tx, job.tenant, job.id, claim.run, EventType.SPLIT, facts, chunks_left=left)
    single = [
        NewChunk(claim.step, claim.lane, page, page, single=True, providers=claim.named)
        for page in claim.pages
    ]
    chunks.create(tx, claim.tenant, claim.job_id, claim.run, job.priority, single)
    return [Message(claim.step, claim.lane, claim.job_id) for _ in single]


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
    return settle_pages(tx, claim, failed, finding.seconds)


def lose_job(tx: Tx, finding: SetBack, lost: JobLost) -> list[Message]:
    """Give up on the job."""
    claim = finding.claim
    if chunks.finish(tx, claim, ChunkState.FAILED, lost.counter):
        if lost.counter is not None:
            note_set_back(tx, finding, lost.counter)
        end_job(tx, claim, lost.code, lost.message, retryable=lost.retryable)
    return []


def fail_job(tx: Tx, claim: Claim, first: StoredFailedPage) -> None:
    """End a job that gets no result from this run, with the error of a page."""
    code = Timeout.code if first["code"] == PageTimeout.code else first["code"]
    end_job(tx, claim, code, first["message"], retryable=False, page=first["page"])


def end_job(
    tx: Tx, claim: Claim, code: str, message: str, *, retryable: bool, page: int | None = None
) -> None:
    """End a job as failed, and void what is left of its chunks."""
    error: StoredError = {
        "code": code, "message": message, "stage": claim.step.value, "retryable": retryable, "page": page,
    }  # fmt: skip
    facts: Facts = {"code": code, "stage": claim.step.value, "run": claim.run}
    who = (claim.tenant, claim.job_id)
    if jobs.move(tx, *who, Status.FAILED, EventType.FAILED, facts, claim.run, error=error):
        chunks.void(tx, *who)


def note_set_back(tx: Tx, finding: SetBack, counter: str) -> None:
    """Count a set-back on the job too, with an event that says what happened."""
    claim = finding.claim
    facts: Facts = {
        "step": claim.step.value, "counter": counter, "code": finding.code, "signal": finding.signal,
        "first_page": claim.first_page, "last_page": claim.last_page,
    }  # fmt: skip
    job = jobs.lock_job(tx, claim.tenant, claim.job_id)
    if job is not None:
        raised = {counter: getattr(job, counter) + 1}
        jobs.note(tx, claim.tenant, claim.job_id, claim.run, EventType.SET_BACK, facts, **raised)


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
