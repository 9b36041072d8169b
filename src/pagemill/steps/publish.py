"""Publish: the artifacts become the result of the job, and the job is over."""

from collections.abc import Sequence

from pagemill.db import chunks, jobs, results, run_engines, search_index
from pagemill.db.database import Tx
from pagemill.faultpoints import faultpoint
from pagemill.model.costs import cost_facts, cost_view
from pagemill.model.enriching import ENRICHMENT_FAILED
from pagemill.model.events import EventType, Facts
from pagemill.model.ids import new_id
from pagemill.model.index_feed import IndexFeed
from pagemill.model.jobs import Chunk, JobRow, Result, StoredArtifact
from pagemill.model.messages import Message
from pagemill.model.pages import lacks_text
from pagemill.model.states import ChunkState, Step
from pagemill.model.work import DocumentJoined
from pagemill.progress import with_failed, with_seconds, with_warnings


def publish(tx: Tx, joined: DocumentJoined, read: Sequence[Chunk] = ()) -> list[Message]:
    """Complete the job with its new result; `read` has the chunks that are not written yet."""
    claim = joined.claim
    job = jobs.lock_job(tx, claim.tenant, claim.job_id)
    if job is None or not chunks.finish(tx, claim, ChunkState.DONE, output=joined.prefix):
        return []
    chunks.add_settled(tx, job, read)
    complete(tx, job, joined)
    search_index.remove_unused(tx, job.tenant, job.result_id)
    faultpoint("publish.before_commit")
    return []


def complete(tx: Tx, job: JobRow, joined: DocumentJoined) -> None:
    """Make the artifacts the job's result; the former revision goes with the job."""
    result = result_of(tx, joined)
    results.add(tx, result)
    feed_index(tx, result, joined.feed)
    facts: Facts = {
        "pages": joined.pages,
        "failed_pages": [page.page for page in joined.failed],
        "run": joined.claim.run,
        **cost_facts(joined.cost),
    }
    if joined.claim.options.enrich:
        facts["enriched"] = ",".join(joined.claim.options.enrich)
    note_enriched(tx, joined)
    if joined.claim.step is Step.PLAN:
        facts["pages_read"] = joined.pages - len(joined.failed)
    jobs.complete(
        tx,
        job,
        joined.claim.run,
        EventType.COMPLETED,
        facts,
        stage=Step.PUBLISH.value,
        result_id=result.id,
        revision=job.revision + 1,
        document_pages=joined.document_pages,
        total_pages=joined.pages,
        processed_pages=joined.pages,
        failed_pages=result.failed_pages,
        warnings=with_warnings(job.warnings, joined.warnings),
        to_check=result.to_check,
        document_facts=joined.facts or job.document_facts,
        seconds=with_seconds(job.seconds, joined.seconds),
        **cost_view(job.cost + joined.cost),
        error=None,
    )


def note_enriched(tx: Tx, joined: DocumentJoined) -> None:
    """Write down what was added to the document beside the reading, and what could not be made."""
    if not (joined.enriched or joined.not_enriched):
        return
    claim = joined.claim
    facts: Facts = {
        "enriched": ",".join(joined.enriched),
        "seconds": round(joined.seconds[Step.ENRICH.value], 4),
        "run": claim.run,
    }
    if joined.not_enriched:
        facts["failed"] = ",".join(joined.not_enriched)
        facts["codes"] = ",".join(joined.not_enriched.values())
    jobs.note(tx, claim.tenant, claim.job_id, claim.run, EventType.ENRICHED, facts)


def feed_index(tx: Tx, result: Result, feed: IndexFeed | None) -> None:
    """Make a result searchable, or note that it is to be once it is published, if it is long."""
    if feed is None:
        return
    search_index.add_result(tx, result.tenant, result.id, feed.passages, complete=feed.complete)


def result_of(tx: Tx, joined: DocumentJoined) -> Result:
    """The row of the result, under the fingerprint of the engines that read it.

    One with failed pages, with pages that no engine could recognise or that were read in a way of their own, or behind a
    password is never used again, nor one that was enriched later, for it may have been made of such a one.
    """
    claim = joined.claim
    own_way = claim.run > 1 and was_read_differently(tx, joined)
    artifacts: dict[str, StoredArtifact] = {
        name: {"size_bytes": one.size_bytes, "sha256": one.sha256} for name, one in joined.artifacts.items()
    }
    return Result(
        id=new_id(),
        tenant=claim.tenant,
        fingerprint=joined.fingerprint,
        prefix=joined.prefix,
        artifacts=artifacts,
        document_pages=joined.document_pages,
        pages=joined.pages,
        failed_pages=with_failed([], joined.failed),
        warnings=sorted(joined.warnings),
        complete=not (
            claim.step is Step.ENRICH
            or joined.failed
            or claim.password
            or own_way
            or lacks_text(joined.warnings, claim.options.ocr)
            or lacks_more(joined)
        ),
        created_at=tx.now,
        to_check=list(joined.to_check),
        document_facts=joined.facts,
    )


def lacks_more(joined: DocumentJoined) -> bool:
    """Whether an enricher failed that was asked for."""
    return ENRICHMENT_FAILED in joined.warnings


def was_read_differently(tx: Tx, joined: DocumentJoined) -> bool:
    """Whether pages of a later run were read by providers that someone named, or taken over from other engines."""
    run = (joined.claim.tenant, joined.claim.job_id, joined.claim.run)
    former = run_engines.engines_of_run(tx.conn, *run) - {joined.engines}
    return bool(former) or run_engines.has_named_provider(tx.conn, *run)
