"""Plan: open the document, count its pages and cut it into chunks.

The usual document is short: one chunk, which is read and joined in the same visit; `short_document` has that path.
After a crash it takes the long one, chunk by chunk.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from pagemill import failures
from pagemill.db import chunks, jobs
from pagemill.db.chunks import NewChunk
from pagemill.db.database import Tx
from pagemill.mill import Mill
from pagemill.model.costs import cost_facts, cost_view
from pagemill.model.events import EventType
from pagemill.model.index_feed import IndexFeed
from pagemill.model.messages import Message
from pagemill.model.options import within
from pagemill.model.paths import describes_itself, readable, result_prefix
from pagemill.model.states import ChunkState, Lane, Step
from pagemill.model.visits import OpenAnswer, OpenRequest
from pagemill.model.work import Claim, Finding, Planned
from pagemill.press import Done, Outcome, Visit
from pagemill.progress import with_seconds, with_warnings
from pagemill.steps import short_document
from pagemill.steps.index_feed import formats_with_chunks, read_feed
from pagemill.steps.scan import scan_documents

# Of the time of its pages a document has so much while it is opened and read in one go; the rest is for other providers.
OPENING_SHARE = 0.5


def plan(mill: Mill, claims: Sequence[Claim]) -> list[Finding]:
    """Open the documents of these claims once they were scanned; a PDF is made of images first."""
    unfit = scan_documents(mill, claims)
    scanned = [claim for claim in claims if claim.key not in unfit]
    unfit |= {claim.key: setback for claim in scanned if (setback := mill.set_back_without_copy(claim))}
    ready = [claim for claim in scanned if claim.key not in unfit]
    return [*unfit.values(), *(open_documents(mill, ready) if ready else ())]


def open_documents(mill: Mill, claims: Sequence[Claim]) -> list[Finding]:
    """Open documents in one call to the press."""
    prefixes = [result_prefix(claim) for claim in claims]
    documents = [readable(claim) for claim in claims]
    for claim in claims:
        mill.render_document(claim)
    with (
        mill.blobs.new_folders(prefixes) as folders,
        mill.blobs.local_all(documents) as paths,
        ExitStack() as stack,
    ):
        seconds = seconds_for(mill, claims)
        rendered = [stack.enter_context(mill.local_rendering(claim)) for claim in claims]
        visits = [visit_of(mill, *one, seconds) for one in zip(claims, paths, rendered, folders, strict=True)]
        outcomes = mill.run_visits(visits, small=all(claim.small for claim in claims))
        feeds = [read_feed(mill, folder, outcome) for folder, outcome in zip(folders, outcomes, strict=True)]
    alone = len(claims) == 1
    return [
        finding_of(mill, claim, outcome, feed, alone=alone)
        for claim, outcome, feed in zip(claims, outcomes, feeds, strict=True)
    ]


def seconds_for(mill: Mill, claims: Sequence[Claim]) -> float:
    """How long one visit may take; among others it is shorter, because they wait for it."""
    return mill.settings.chunk_timeout_seconds if len(claims) == 1 else mill.settings.batch_timeout_seconds


def visit_of(
    mill: Mill, claim: Claim, path: Path, rendered: str | None, scratch: Path, seconds: float
) -> Visit:
    """The visit that opens a document; after a crash it does nothing more."""
    request = OpenRequest(
        path=str(path),
        scratch=str(scratch),
        max_pages=mill.settings.max_pages,
        providers=mill.engines.text(claim.chain),
        password=mill.passwords.decrypt(claim.password),
        pages=claim.options.pages,
        formats=formats_with_chunks(mill, claim),
        keep_running_headers=claim.options.keep_running_headers,
        sha256=claim.sha256,
        join_at_once=claim.crashes == 0,
        ocr=claim.options.ocr,
        mode=claim.options.mode,
        able=mill.engines.reads_pictures(claim.chain),
        tracked_changes=claim.options.tracked_changes,
        typography=claim.options.typography,
        describe=describes_itself(claim),
        page_seconds=mill.settings.page_timeout_seconds * OPENING_SHARE,
        rendered=rendered,
        render=mill.will_render(claim.blob_key, claim.options),
    )
    return mill.visit(claim.key, "open_document", request, seconds)


def finding_of(mill: Mill, claim: Claim, outcome: Outcome, feed: IndexFeed | None, *, alone: bool) -> Finding:
    """What the visit found out about one document."""
    if not isinstance(outcome, Done):
        mill.discard(result_prefix(claim))
        decide = failures.set_back if alone else failures.set_back_in_batch
        return decide(claim, mill.caps, mill.budgets, outcome)
    answer = OpenAnswer.from_bytes(outcome.answer)
    if answer.result is not None:
        return replace(short_document.finding(mill, claim, answer, answer.result), feed=feed)
    mill.discard(result_prefix(claim))
    return Planned(
        claim,
        document_pages=answer.total_pages,
        pages=answer.pages,
        cuts=answer.cuts,
        warnings=answer.warnings,
        seconds=outcome.seconds,
        needs=mill.engines_of(claim),
    )


def record(tx: Tx, planned: Planned) -> list[Message]:
    """Write the chunks of a document that was cut."""
    claim = planned.claim
    if not chunks.finish(tx, claim, ChunkState.DONE):
        return []
    job = jobs.lock_job(tx, claim.tenant, claim.job_id)
    if job is None:
        return []
    lane = claim.lane if len(planned.cuts) == 1 else Lane.BULK
    cut = [chunk for first, last in planned.cuts for chunk in chunks_of(planned, lane, first, last)]
    pages = sum(last - first + 1 for first, last in planned.pages)
    jobs.note(
        tx,
        tenant=claim.tenant,
        job_id=claim.job_id,
        of_run=claim.run,
        kind=EventType.PLANNED,
        facts={"pages": pages, "chunks": len(cut), **cost_facts(planned.cost)},
        stage=Step.EXTRACT.value,
        lane=lane.value,
        document_pages=planned.document_pages,
        total_pages=pages,
        chunks_left=len(cut),
        warnings=with_warnings(job.warnings, planned.warnings),
        seconds=with_seconds(job.seconds, {"plan": planned.seconds}),
        **cost_view(job.cost + planned.cost),
    )
    return chunks.create(tx, job, cut)


def chunks_of(planned: Planned, lane: Lane, first: int, last: int) -> list[NewChunk]:
    """The chunk of a cut, or one per page when the document is to be read page by page."""
    if not planned.claim.single:
        return [NewChunk(Step.EXTRACT, lane, first, last, needs=planned.needs)]
    runs = within(planned.pages, first, last)
    pages = [page for start, end in runs for page in range(start, end + 1)]
    return [NewChunk(Step.EXTRACT, lane, page, page, single=True, needs=planned.needs) for page in pages]
