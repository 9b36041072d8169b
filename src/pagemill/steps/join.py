"""Join: make the artifacts of a document from the pages of its chunks."""

from collections.abc import Sequence
from dataclasses import replace

from pagemill import failures
from pagemill.db import chunks, jobs
from pagemill.errors import InternalError
from pagemill.faultpoints import faultpoint
from pagemill.mill import Mill
from pagemill.model.index_feed import IndexFeed
from pagemill.model.jobs import Chunk
from pagemill.model.paths import describes_itself, readable, result_prefix
from pagemill.model.states import ChunkState
from pagemill.model.visits import PAGES_FILE, JoinAnswer, JoinRequest
from pagemill.model.work import Claim, DocumentJoined, Finding, PageFailure
from pagemill.press import Done, Outcome
from pagemill.steps.index_feed import formats_with_chunks, read_feed


def join(mill: Mill, claims: Sequence[Claim]) -> list[Finding]:
    """Join the pages of each claim."""
    return [join_one(mill, claim) for claim in claims]


def join_one(mill: Mill, claim: Claim) -> Finding:
    """Write the artifacts of one document."""
    read = mill.db.read(lambda conn: chunks.of_run(conn, claim.tenant, claim.job_id, claim.run))
    check_whole(claim, read)
    faultpoint("join.before_files")
    outcome, feed = visit(mill, claim, read)
    if not isinstance(outcome, Done):
        mill.discard(result_prefix(claim))
        return failures.set_back(claim, mill.caps, mill.budgets, outcome)
    answer = JoinAnswer.from_bytes(outcome.answer)
    return DocumentJoined(
        claim,
        prefix=result_prefix(claim),
        artifacts=answer.artifacts,
        document_pages=claim.document_pages or 0,
        pages=answer.pages,
        failed=answer.failed,
        warnings=answer.warnings,
        seconds={"join": outcome.seconds},
        to_check=answer.to_check,
        facts=answer.facts,
        fingerprint=mill.result_fingerprint(claim.sha256, claim.options),
        engines=mill.engines_of(claim),
        feed=feed,
    )


def check_whole(claim: Claim, read: Sequence[Chunk]) -> None:
    """Never publish a document that lacks pages without saying so."""
    settled = sum(
        claim.count_between(chunk.first_page or 1, chunk.last_page or 0) - len(chunk.handed_pages)
        for chunk in read
    )
    if settled != claim.count_between(1, claim.document_pages or 0):
        raise InternalError("Some pages of the document were neither read nor given up. Retry the job.")


def visit(mill: Mill, claim: Claim, read: Sequence[Chunk]) -> tuple[Outcome, IndexFeed | None]:
    """Have the press write the artifacts from the files of the chunks, and read what the search index gets."""
    kept = [chunk.output for chunk in read if chunk.state == ChunkState.DONE and chunk.output]
    pages = [(f"{output}/{PAGES_FILE}", None) for output in kept]
    own = [readable(claim)] if describes_itself(claim) else []
    with (
        mill.blobs.local_all([*pages, *own]) as paths,
        mill.blobs.folders([result_prefix(claim)]) as [scratch],
    ):
        files = tuple(str(path) for path in paths[: len(pages)])
        warnings = mill.db.read(lambda conn: jobs.warnings_of(conn, claim.tenant, claim.job_id))
        request = join_request(claim, read, files, str(scratch), warnings)
        request = replace(request, formats=formats_with_chunks(mill, claim))
        # A document that is gone by now can be joined all the same.
        for path in (path for path in paths[len(pages) :] if path.exists()):
            request = replace(request, path=str(path), password=mill.passwords.decrypt(claim.password))
        seconds = mill.settings.join_timeout_seconds
        [outcome] = mill.run_visits([mill.visit(claim.key, "join_pages", request, seconds)])
        return outcome, read_feed(mill, scratch, outcome)


def join_request(
    claim: Claim, read: Sequence[Chunk], files: tuple[str, ...], scratch: str, warnings: list[str]
) -> JoinRequest:
    """What the press is asked; pages that no file has are named as failed."""
    given_up = [page for chunk in read if chunk.state == ChunkState.FAILED for page in chunk.failed_pages]
    return JoinRequest(
        files=files,
        scratch=scratch,
        formats=claim.options.formats,
        total_pages=claim.document_pages or 0,
        failed=tuple(PageFailure(**page) for page in given_up),
        warnings=tuple(warnings),
        keep_running_headers=claim.options.keep_running_headers,
        sha256=claim.sha256,
        typography=claim.options.typography,
    )
