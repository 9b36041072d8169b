"""Runs: a job's document read again, as a whole or in part; the former result stays until the new one is published."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from pagemill.db import chunks, events, jobs, results, revisions, run_engines
from pagemill.db.chunks import NewChunk
from pagemill.db.database import Tx
from pagemill.desk.queries import existing_job, job_with_result, show_job
from pagemill.errors import JobActive, NotFound, NothingToRetry, PasswordRequired
from pagemill.failures import LOCKED
from pagemill.mill import Mill
from pagemill.model.abilities import chain_needs
from pagemill.model.events import EventType, Facts
from pagemill.model.jobs import Chunk, JobRow, Result
from pagemill.model.messages import Message
from pagemill.model.options import OptionChanges, ReadingOptions, StoredOptions, runs, select_pages, within
from pagemill.model.pages import DOCUMENT_WARNINGS
from pagemill.model.states import Lane, Status, Step
from pagemill.model.views import JobView
from pagemill.reading.providers.installed import ProviderKind, kind_of
from pagemill.reading.windows import cuts

Which = Literal["all", "failed"]
UNCHANGED = OptionChanges()


@dataclass(frozen=True, slots=True)
class NewRun:
    """How a new run reads: with which options, under which fingerprint, and with which encrypted password.

    `needs` is what a worker must have to open the document, `lane` where it waits; None if that is as before.
    """

    options: StoredOptions
    fingerprint: str
    password: bytes | None
    needs: str | None = None
    lane: str | None = None


def retry(
    mill: Mill,
    tenant: str,
    job_id: str,
    *,
    only: Which,
    password: str | None,
    changes: OptionChanges = UNCHANGED,
) -> JobView:
    """Start a new run of a job that has ended, with its options or with others."""
    how = new_run(mill, tenant, job_id, password, changes)
    messages = mill.db.write(lambda tx: retry_in(tx, tenant, job_id, only, how))
    mill.queue.send(messages)
    return show_job(mill, tenant, job_id)


def read_page(
    mill: Mill,
    tenant: str,
    job_id: str,
    page: int,
    *,
    provider: str | None,
    password: str | None,
    changes: OptionChanges = UNCHANGED,
) -> JobView:
    """Start a run of a finished job that reads one page again, with one provider or with other options."""
    how = new_run(mill, tenant, job_id, password, changes)
    new = page_chunk(mill, page, provider, how)
    messages = mill.db.write(lambda tx: read_page_in(tx, tenant, job_id, new, how))
    mill.queue.send(messages)
    return show_job(mill, tenant, job_id)


def new_run(mill: Mill, tenant: str, job_id: str, password: str | None, changes: OptionChanges) -> NewRun:
    """How the next run of a job reads."""
    job, document = mill.db.read(lambda conn: existing_job(conn, tenant, job_id))
    encrypted = mill.passwords.encrypt(password)
    if changes == UNCHANGED:
        return same_run(job, encrypted)
    options = changes.apply(ReadingOptions.from_dict(job.options))
    fingerprint, needs = (
        mill.result_fingerprint(document.sha256, options),
        mill.opening_needs(document.blob_key, options),
    )
    return NewRun(options.as_dict(), fingerprint, encrypted, needs)


def same_run(job: JobRow, password: bytes | None = None) -> NewRun:
    """A run that reads as the one before did."""
    return NewRun(job.options, job.fingerprint, password)


def page_chunk(mill: Mill, page: int, provider: str | None, how: NewRun) -> NewChunk:
    """The chunk that reads one page with one provider, or with those of the options.

    Those are named too, so that the result is not reused for documents that were read as a whole.
    """
    if provider is None:
        chain = tuple(how.options["providers"])
        return NewChunk(Step.EXTRACT, Lane.FAST, page, page, single=True, providers=chain)
    if kind_of(provider) is ProviderKind.TEXT:
        return NewChunk(Step.EXTRACT, Lane.FAST, page, page, single=True, providers=(provider,))
    lane = mill.engines.lane((provider,))
    return NewChunk(Step.RECOGNISE, lane, page, page, single=True, providers=(provider,))


def retry_in(tx: Tx, tenant: str, job_id: str, only: Which, how: NewRun | None) -> list[Message]:
    """Make a job pending again with the chunks of its new run, which reads as before if `how` is None."""
    job, result = ended_job(tx, tenant, job_id)
    how = how or same_run(job)
    require_password(job, how)
    if only == "failed" and not (result or job).failed_pages:
        raise NothingToRetry()
    facts: Facts = {"only": only}
    former = chunks_with_failures(tx, job, result) if only == "failed" else []
    if former:
        return run_again(tx, job=job, result=result, how=how, parts=failed_parts(former), facts=facts)
    step = first_step(tx, tenant, job_id)
    needs = how.needs or run_engines.opening_needs(tx.conn, tenant, job_id)
    needs = needs or chain_needs(how.options["providers"])
    first = NewChunk(step, Lane(how.lane or job.lane), needs=needs if step is Step.PLAN else None)
    again = make_pending(tx, job, how, Parts([], []), facts, stage=first.step)
    return chunks.create(tx, again, [first])


def first_step(tx: Tx, tenant: str, job_id: str) -> Step:
    """Where a run of a whole document begins: with fetching it, if that has not worked out so far."""
    _, document = existing_job(tx.conn, tenant, job_id)
    return Step.PLAN if document.is_here else Step.FETCH


def read_page_in(tx: Tx, tenant: str, job_id: str, new: NewChunk, how: NewRun) -> list[Message]:
    """Make a job pending again with one chunk; all other pages are taken over."""
    job, result = ended_job(tx, tenant, job_id)
    require_password(job, how)
    page = new.first_page or 0
    if not within(
        select_pages(ReadingOptions.from_dict(job.options).pages, job.document_pages or 0), page, page
    ):
        raise NotFound(f"The document has no page {page} that was asked for.")
    if result is None:
        raise NothingToRetry("The job has no result that a page could be put into. Retry it as a whole.")
    facts: Facts = {"page": page, "provider": (new.providers or ("",))[0]}
    parts = parts_around(tx, job, result, new)
    if not parts.kept and how.options != job.options:
        raise NothingToRetry(
            "The result was made for another job, whose pages can't be kept. Read the whole document again."
        )
    return run_again(tx, job=job, result=result, how=how, parts=parts, facts=facts)


def ended_job(tx: Tx, tenant: str, job_id: str) -> tuple[JobRow, Result | None]:
    """A job that has ended, and its result; JobActive if it has not."""
    jobs.lock_jobs(tx, [job_id])
    job, _, result = job_with_result(tx.conn, tenant, job_id)
    if not job.is_over:
        raise JobActive(status=job.status)
    return job, result


def require_password(job: JobRow, how: NewRun) -> None:
    """Raises PasswordRequired if the job needed a password before and the new run has none."""
    locked = job.had_password or (job.error is not None and job.error["code"] in LOCKED)
    if locked and how.password is None:
        raise PasswordRequired()


@dataclass(frozen=True, slots=True)
class Parts:
    """What a new run takes over from the former one, and what it makes again."""

    kept: list[Chunk]
    new: list[NewChunk]


def parts_around(tx: Tx, job: JobRow, result: Result, new: NewChunk) -> Parts:
    """What a run that reads one page again does about the other pages."""
    former = chunks_of_result(tx, job, result)
    # The files that another job's result was made of go when that job does.
    return parts_without(former, new) if former else Parts([], [*all_but(job, new.first_page or 0), new])


def chunks_of_result(tx: Tx, job: JobRow, result: Result) -> list[Chunk]:
    """The chunks that a result was made of; none if it was made for another job."""
    # Not always the latest run, which may have been cancelled.
    run = chunks.run_of_result(tx.conn, job.tenant, job.id, result.prefix)
    return [] if run is None else chunks.of_run(tx.conn, job.tenant, job.id, run)


def chunks_with_failures(tx: Tx, job: JobRow, result: Result | None) -> list[Chunk]:
    """The chunks of the result or, without one, of the latest run; none if that has not settled every page."""
    if result is not None:
        return chunks_of_result(tx, job, result)
    latest = chunks.of_run(tx.conn, job.tenant, job.id, job.run)
    return latest if is_whole(job, latest) else []


def is_whole(job: JobRow, read: list[Chunk]) -> bool:
    """Whether every page of a run was settled, so that only what failed needs to be read again."""
    settled = all(chunk.output or chunk.failed_pages for chunk in read)
    return settled and pages_in(job, read) == job.total_pages


def failed_parts(former: list[Chunk]) -> Parts:
    """Pages that failed are read again as they were; all others are taken over, whichever provider read them."""
    failed = [(chunk, [page["page"] for page in chunk.failed_pages]) for chunk in former]
    again = [same_chunk(chunk, *run) for chunk, pages in failed for run in runs(pages, len(pages))]
    rest = [
        chunk_without(chunk, pages) for chunk, pages in failed if chunk.output and not is_all_of(chunk, pages)
    ]
    return Parts(rest, again)


def is_all_of(chunk: Chunk, pages: Collection[int]) -> bool:
    """Whether nothing of a chunk is left without these pages."""
    return len(pages) + len(chunk.handed_pages) > (chunk.last_page or 0) - (chunk.first_page or 1)


def all_but(job: JobRow, page: int) -> list[NewChunk]:
    """The chunks that read all pages but one."""
    total = job.document_pages or 0
    selected = select_pages(ReadingOptions.from_dict(job.options).pages, total)
    around = (within(selected, 1, page - 1), within(selected, page + 1, total))
    parts = [part for side in around for part in cuts(total, side)]
    return [NewChunk(Step.EXTRACT, Lane(job.lane), first, last) for first, last in parts]


def parts_without(former: list[Chunk], new: NewChunk) -> Parts:
    """Everything but one page is taken over."""
    page = new.first_page or 0
    others = [chunk for chunk in former if (chunk.first_page, chunk.last_page) != (page, page)]
    return Parts([chunk_without(chunk, [page]) for chunk in others], [new])


def chunk_without(chunk: Chunk, pages: Collection[int]) -> Chunk:
    """A chunk that leaves those of the pages that are its own to others."""
    own = range(chunk.first_page or 1, (chunk.last_page or 0) + 1)
    left = [page for page in pages if page in own and page not in chunk.handed_pages]
    failed = [one for one in chunk.failed_pages if one["page"] not in left]
    return replace(chunk, handed_pages=[*chunk.handed_pages, *left], failed_pages=failed)


def same_chunk(chunk: Chunk, first: int, last: int) -> NewChunk:
    """A chunk that reads some pages as they were read in a chunk of the former run."""
    return NewChunk(
        Step(chunk.step),
        Lane(chunk.lane),
        first,
        last,
        chunk.single,
        providers=tuple(chunk.providers) if chunk.providers else None,
    )


def run_again(
    tx: Tx, job: JobRow, result: Result | None, how: NewRun, parts: Parts, facts: Facts
) -> list[Message]:
    """Start a run that takes over what is good and makes the rest again."""
    # Those of pages are gathered by the join; what was true of a page may not be so when it was read again.
    warnings = {*job.warnings, *(result.warnings if result else ())} & DOCUMENT_WARNINGS
    again = make_pending(tx, job=job, how=how, parts=parts, facts=facts, warnings=sorted(warnings))
    chunks.add_settled(tx, again, parts.kept)
    return chunks.create(tx, again, parts.new)


def pages_left_alone(job: JobRow, parts: Parts, stage: Step) -> dict[str, Any]:
    """What a job counts of the pages that its next run does not read, which for an enrichment are all."""
    if stage is Step.ENRICH:
        return {"processed_pages": job.processed_pages, "failed_pages": job.failed_pages}
    failed = [page for chunk in parts.kept for page in chunk.failed_pages]
    return {"processed_pages": pages_in(job, parts.kept), "failed_pages": failed}


def make_pending(
    tx: Tx,
    job: JobRow,
    how: NewRun,
    parts: Parts,
    facts: Facts,
    warnings: Sequence[str] = (),
    stage: Step = Step.EXTRACT,
) -> JobRow:
    """The job, pending again; pages that are not read again stay counted."""
    new = parts.new
    keep_result(tx, job)
    again = jobs.move(
        tx,
        tenant=job.tenant,
        job_id=job.id,
        to=Status.PENDING,
        kind=EventType.RETRIED,
        facts={**facts, "run": job.run + 1},
        stage=stage.value,
        password=how.password,
        error=None,
        options=how.options,
        lane=how.lane or job.lane,
        fingerprint=how.fingerprint,
        finished_at=None,
        chunks_left=len(new),
        run=job.run + 1,
        reused=False,
        started_at=None,
        warnings=list(warnings),
        to_check=None,
        seconds={"accept": job.seconds.get("accept", 0.0)},
        expires_at=max(job.expires_at, tx.now + keep_seconds(tx, job)),
        **pages_left_alone(job, parts, stage),
    )
    assert again is not None, "the job has ended and is locked by this transaction"
    return again


def keep_result(tx: Tx, job: JobRow) -> None:
    """Keep the present result of a job as a revision that can be restored."""
    result = results.one(tx.conn, job.tenant, job.result_id) if job.result_id else None
    if result is not None:
        revisions.keep_revision(tx, revisions.revision_of(tx.conn, job, result))


def keep_seconds(tx: Tx, job: JobRow) -> float:
    """How long a job is to be kept from its beginning on, or from that of its latest run."""
    retried_at = events.latest_at(tx.conn, job.tenant, job.id, EventType.RETRIED)
    return job.expires_at - (retried_at or job.created_at)


def pages_in(job: JobRow, settled: list[Chunk]) -> int:
    """How many pages of a job these chunks settle."""
    selected = select_pages(ReadingOptions.from_dict(job.options).pages, job.document_pages or 0)
    own = (run for chunk in settled for run in within(selected, chunk.first_page or 1, chunk.last_page or 0))
    handed = sum(len(chunk.handed_pages) for chunk in settled)
    return sum(last - first + 1 for first, last in own) - handed
