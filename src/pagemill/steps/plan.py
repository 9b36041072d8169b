"""Plan: open the document, count its pages and cut it into chunks.

A document of one chunk is read and joined in the same visit to the press, so that its whole journey takes three
commits: accepted, claimed, published. After a crash it takes the long way, chunk by chunk.
"""

from collections.abc import Sequence
from pathlib import Path

from pagemill.db import chunks, jobs
from pagemill.db.chunks import NewChunk
from pagemill.db.database import Tx
from pagemill.db.progress import with_seconds, with_warnings
from pagemill.errors import Timeout
from pagemill.mill import Mill
from pagemill.model.events import EventType
from pagemill.model.messages import Message
from pagemill.model.options import within
from pagemill.model.paths import readable, result_prefix
from pagemill.model.states import ChunkState, Lane, Step
from pagemill.model.visits import OpenAnswer, OpenRequest
from pagemill.model.work import Claim, DocumentJoined, Finding, Planned, Retry, SetBack
from pagemill.press import Done, Outcome, TimedOut, Visit


def plan(mill: Mill, claims: Sequence[Claim]) -> list[Finding]:
    """Open the documents of these claims; a PDF is made of images first."""
    without_copy = {claim.key: setback for claim in claims if (setback := mill.set_back_without_copy(claim))}
    ready = [claim for claim in claims if claim.key not in without_copy]
    return [*without_copy.values(), *(open_documents(mill, ready) if ready else ())]


def open_documents(mill: Mill, claims: Sequence[Claim]) -> list[Finding]:
    """Open documents in one call to the press."""
    prefixes = [result_prefix(claim) for claim in claims]
    documents = [readable(claim) for claim in claims]
    with mill.blobs.folders(prefixes) as folders, mill.blobs.local_all(documents) as paths:
        seconds = seconds_for(mill, claims)
        visits = [visit_of(mill, *one, seconds) for one in zip(claims, paths, folders, strict=True)]
        outcomes = mill.press.run(visits, small=all(claim.small for claim in claims))
    alone = len(claims) == 1
    return [
        finding_of(mill, claim, outcome, alone=alone) for claim, outcome in zip(claims, outcomes, strict=True)
    ]


def seconds_for(mill: Mill, claims: Sequence[Claim]) -> float:
    """How long one visit may take; among others it is shorter, because they wait for it."""
    return mill.settings.chunk_timeout_seconds if len(claims) == 1 else mill.settings.batch_timeout_seconds


def visit_of(mill: Mill, claim: Claim, path: Path, scratch: Path, seconds: float) -> Visit:
    """The visit that opens a document; after a crash it does nothing more."""
    request = OpenRequest(
        path=str(path),
        scratch=str(scratch),
        max_pages=mill.settings.max_pages,
        providers=mill.engines.text(claim.chain),
        password=mill.passwords.decrypt(claim.password),
        pages=claim.options.pages,
        formats=claim.options.formats,
        keep_running_headers=claim.options.keep_running_headers,
        sha256=claim.sha256,
        go_on=claim.crashes == 0,
        ocr=claim.options.ocr,
        mode=claim.options.mode,
        able=mill.engines.reads_pictures(claim.chain),
        tracked_changes=claim.options.tracked_changes,
    )
    return mill.visit(claim.key, "open_document", request, seconds)


def finding_of(mill: Mill, claim: Claim, outcome: Outcome, *, alone: bool) -> Finding:
    """What the visit found out about one document; one that held up others is read alone next time."""
    if isinstance(outcome, TimedOut) and not alone:
        mill.discard(result_prefix(claim))
        return SetBack(
            claim,
            Retry(None, 0.0, alone=True),
            Timeout.code,
            "It is read alone from now on.",
            outcome.seconds,
        )
    if not isinstance(outcome, Done):
        mill.discard(result_prefix(claim))
        return mill.set_back(claim, outcome)
    answer = OpenAnswer.from_bytes(outcome.answer)
    if answer.result is None:
        mill.discard(result_prefix(claim))
        return Planned(claim, answer.total_pages, answer.pages, answer.cuts, answer.warnings, outcome.seconds)
    result = answer.result
    return DocumentJoined(
        claim, result_prefix(claim), result.artifacts, answer.total_pages, result.pages, result.failed,
        result.warnings, seconds_of(mill, claim, answer),
    )  # fmt: skip


def seconds_of(mill: Mill, claim: Claim, answer: OpenAnswer) -> dict[str, float]:
    """The seconds of a visit that went all the way, step by step."""
    reading = {name: answer.seconds[name] for name in claim.options.providers if name in answer.seconds}
    mill.metrics.count_providers(reading)
    return {
        Step.PLAN.value: answer.seconds.get("open", 0.0),
        Step.EXTRACT.value: sum(reading.values()),
        Step.JOIN.value: answer.seconds.get("join", 0.0),
    }


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
        tx, claim.tenant, claim.job_id, claim.run, EventType.PLANNED, {"pages": pages, "chunks": len(cut)},
        stage=Step.EXTRACT.value, lane=lane.value, document_pages=planned.document_pages, total_pages=pages, chunks_left=len(cut),
        warnings=with_warnings(job.warnings, planned.warnings),
        seconds=with_seconds(job.seconds, {"plan": planned.seconds}),
    )  # fmt: skip
    chunks.create(tx, claim.tenant, claim.job_id, claim.run, job.priority, cut)
    return [Message(Step.EXTRACT, lane, claim.job_id) for _ in cut]


def chunks_of(planned: Planned, lane: Lane, first: int, last: int) -> list[NewChunk]:
    """The chunk of a cut, or one per page when the document is to be read page by page."""
    if not planned.claim.single:
        return [NewChunk(Step.EXTRACT, lane, first, last)]
    runs = within(planned.pages, first, last)
    pages = [page for start, end in runs for page in range(start, end + 1)]
    return [NewChunk(Step.EXTRACT, lane, page, page, single=True) for page in pages]
