"""The usual document: short, and so opened, read and joined in one visit to the press, in three commits.

The visit is `reading.visits.open_document`, asked for by `plan`; it goes on in `reading.short_document`. What this path
leaves in the database is the same as after the long path: the chunk that holds the pages, and the result. So a retry
need not know which path was taken.
"""

from pagemill.mill import Mill
from pagemill.model.jobs import Chunk
from pagemill.model.paths import result_prefix
from pagemill.model.states import ChunkState, Step
from pagemill.model.visits import JoinAnswer, OpenAnswer
from pagemill.model.work import Claim, DocumentJoined
from pagemill.progress import with_failed


def finding(mill: Mill, claim: Claim, opened: OpenAnswer, joined: JoinAnswer) -> DocumentJoined:
    """What a visit that went all the way brought: the finished document, with the seconds of each step."""
    return DocumentJoined(
        claim,
        prefix=result_prefix(claim),
        artifacts=joined.artifacts,
        document_pages=opened.total_pages,
        pages=joined.pages,
        failed=joined.failed,
        warnings=joined.warnings,
        seconds=step_seconds(mill, claim, opened),
        to_check=joined.to_check,
        facts=joined.facts,
        fingerprint=mill.result_fingerprint(claim.sha256, claim.options),
        engines=mill.engines_of(claim),
    )


def step_seconds(mill: Mill, claim: Claim, opened: OpenAnswer) -> dict[str, float]:
    """The seconds of the visit, step by step; those of the providers are counted."""
    reading = {name: opened.seconds[name] for name in claim.options.providers if name in opened.seconds}
    mill.metrics.count_providers(reading)
    return {
        Step.PLAN.value: opened.seconds.get("open", 0.0),
        Step.EXTRACT.value: sum(reading.values()),
        Step.JOIN.value: opened.seconds.get("join", 0.0),
    }


def chunks_read(joined: DocumentJoined) -> list[Chunk]:
    """The chunks that were read in the visit that joined them, to be written beside the result; none after a join."""
    return [pages_chunk(joined)] if joined.claim.step is Step.PLAN else []


def pages_chunk(joined: DocumentJoined) -> Chunk:
    """The chunk that holds the pages; they are in a file beside the artifacts."""
    claim = joined.claim
    return Chunk(
        id="",
        job_id=claim.job_id,
        tenant=claim.tenant,
        run=claim.run,
        step=Step.EXTRACT.value,
        lane=claim.lane.value,
        first_page=1,
        last_page=joined.document_pages,
        single=False,
        state=ChunkState.DONE.value,
        fence=0,
        worker_id=None,
        crashes=0,
        errors=0,
        lost=0,
        output=joined.prefix,
        failed_pages=with_failed([], joined.failed),
        handed_pages=[],
        providers=None,
        needs=joined.engines,
    )
