"""Enrich: what was asked for beside the reading is added to a joined document, before it is published.

Enrichers work in the press, in visits of their own, so that one that fails or dies costs a warning and never the
document; those that need a network work here, in the worker. A document that is already published is enriched again by a
chunk of this step, which takes the former artifacts over and publishes the next revision.
"""

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson
from sqlalchemy import Connection

from pagemill import failures
from pagemill.db import class_examples, held_claims, jobs, results
from pagemill.db.database import Tx
from pagemill.errors import NothingToRetry, PagemillError
from pagemill.faultpoints import faultpoint
from pagemill.mill import Mill
from pagemill.model.artifacts import MadeFile, MakeAnswer
from pagemill.model.document_types import DocumentType
from pagemill.model.enriching import (
    BUILT_IN,
    CLASS,
    ENRICHMENT_FAILED,
    ENTITIES_FILE,
    EXTRACTION,
    OWN,
    EnrichRequest,
    enrichment_file,
    wanted_enrichments,
)
from pagemill.model.events import EventType, Facts
from pagemill.model.formats import ARTIFACT_NAMES, ON_DEMAND
from pagemill.model.index_feed import IndexFeed, feed_from
from pagemill.model.jobs import Result
from pagemill.model.labelled_classes import StoredClass, decide_class
from pagemill.model.paths import readable, result_prefix
from pagemill.model.routing_rules import ENTITIES, entity_pairs
from pagemill.model.states import Step
from pagemill.model.visits import INDEX_FILE
from pagemill.model.work import (
    NO_SIGNS,
    Claim,
    DocumentJoined,
    Finding,
    PageFailure,
    ResultSigns,
    SetBack,
    WrittenArtifact,
)
from pagemill.press import Done, Outcome
from pagemill.reading.enricher import needs_network, run_enricher
from pagemill.reading.stored_document import StoredDocument
from pagemill.remote_pages import Interrupted
from pagemill.steps.own_enrichers import made_from, run_own_enricher

log = logging.getLogger("pagemill.enrich")
CHUNKS_FILE = ON_DEMAND["chunks"].file


@dataclass(frozen=True, slots=True)
class Enriched:
    """The files that enrichers made, and the codes of those that failed, by name."""

    files: tuple[MadeFile, ...] = ()
    failed: Mapping[str, str] = field(default_factory=dict)


def enrich(mill: Mill, claims: Sequence[Claim]) -> list[Finding]:
    """Take the published artifacts of each claim's job over; the enrichers follow in `enrich_findings`."""
    return [take_over(mill, claim) for claim in claims]


def to_enrich(findings: Sequence[Finding]) -> list[DocumentJoined]:
    """The joined documents that something beside the reading was asked for."""
    joined = [one for one in findings if isinstance(one, DocumentJoined)]
    return [one for one in joined if wanted_enrichments(one.claim.options)]


def record_start(tx: Tx, joined: Sequence[DocumentJoined]) -> None:
    """Note which jobs are being enriched from now on, as far as their claims still hold."""
    jobs.lock_jobs(tx, [one.claim.job_id for one in joined])
    for claim in (one.claim for one in joined):
        if not held_claims.is_held(tx.conn, claim):
            continue
        facts: Facts = {"enrich": ",".join(wanted_enrichments(claim.options)), "run": claim.run}
        who = (claim.tenant, claim.job_id, claim.run)
        jobs.note(tx, *who, EventType.ENRICHING, facts, stage=Step.ENRICH.value)


def enrich_findings(mill: Mill, findings: Sequence[Finding]) -> list[Finding]:
    """The findings, where joined documents have what was asked for beside the reading."""
    wanted = {one.claim.key for one in to_enrich(findings)}
    return [
        enrich_one(mill, finding)
        if isinstance(finding, DocumentJoined) and finding.claim.key in wanted
        else finding
        for finding in findings
    ]


def enrich_one(mill: Mill, joined: DocumentJoined) -> DocumentJoined | SetBack:
    """One document with its enrichments, or with a warning instead of those that failed."""
    faultpoint("enrich.before_files")
    started = time.monotonic()
    try:
        made = run_enrichers(mill, joined)
        signs = NO_SIGNS if isinstance(made, SetBack) else signs_of(mill, with_files(joined, made))
    except Exception as error:
        # Whatever it was, it must not take the turn and the other documents of it along.
        made, signs = without_enrichments(mill, joined, error), NO_SIGNS
    if isinstance(made, SetBack):
        mill.discard(joined.prefix)
        return made
    return replace(
        with_files(joined, made),
        signs=signs,
        enriched=tuple(name for name in wanted_enrichments(joined.claim.options) if name not in made.failed),
        not_enriched=made.failed,
        warnings=(*joined.warnings, *((ENRICHMENT_FAILED,) if made.failed else ())),
        seconds={**joined.seconds, Step.ENRICH.value: time.monotonic() - started},
    )


def without_enrichments(mill: Mill, joined: DocumentJoined, error: Exception) -> Enriched | SetBack:
    """What an error makes of the enrichments of a document: none of them, or the document is set back."""
    if setback := failures.set_back_enriching(joined.claim, mill.caps, error):
        return setback
    if isinstance(error, PagemillError):
        log.warning("a document can't be enriched: %s", error.message, extra={"job": joined.claim.job_id})
        code = error.code
    else:
        log.error("a document can't be enriched", exc_info=error, extra={"job": joined.claim.job_id})
        code = ENRICHMENT_FAILED
    return Enriched(failed=dict.fromkeys(wanted_enrichments(joined.claim.options), code))


def with_files(joined: DocumentJoined, made: Enriched) -> DocumentJoined:
    """A document with the files that enrichers made."""
    new = {file.name: WrittenArtifact(file.size_bytes, file.sha256) for file in made.files}
    return replace(joined, artifacts={**joined.artifacts, **new})


def run_enrichers(mill: Mill, joined: DocumentJoined) -> Enriched | SetBack:
    """Have every enricher that was asked for look at the document, one after the other."""
    done, names = Enriched(), wanted_enrichments(joined.claim.options)
    needed = [one for name in names if name in (*OWN, EXTRACTION) for one in made_from(mill, name)]
    # What others are made from comes first.
    for name in dict.fromkeys((*needed, *names)):
        # Chunks may have been written for the search index already, and an extraction with the run before.
        if name in (*BUILT_IN, EXTRACTION) and enrichment_file(name) in joined.artifacts:
            continue
        files = run_one(mill, joined, name)
        if isinstance(files, SetBack):
            return files
        if isinstance(files, str):
            log.warning("the enricher %s failed", name, extra={"job": joined.claim.job_id})
            done = replace(done, failed={**done.failed, name: files})
        else:
            done = replace(done, files=(*done.files, *files))
    return done


def run_one(mill: Mill, joined: DocumentJoined, name: str) -> tuple[MadeFile, ...] | SetBack | str:
    """Have one enricher look at the document; a code if it fails."""
    claim = joined.claim
    with request_for(mill, joined, name) as request:
        if name in (*OWN, EXTRACTION):
            return make_here(mill, joined, request)
        if needs_network(name):
            return ask_here(request)
        outcome = visit(mill, claim, request)
    if isinstance(outcome, Done):
        return MakeAnswer.from_bytes(outcome.answer).files
    return failures.set_back_beside(claim, mill.caps, mill.budgets, outcome) or ENRICHMENT_FAILED


def make_here(
    mill: Mill, joined: DocumentJoined, request: EnrichRequest
) -> tuple[MadeFile, ...] | SetBack | str:
    """Make an enrichment of our own; a code if it fails, as it does without the language model that it needs."""
    try:
        held = {
            name: read_json(mill, joined, enrichment_file(name)) for name in made_from(mill, request.name)
        }
        document = StoredDocument(request.document_json, request.index)
        made = run_own_enricher(mill, joined.claim, request.name, document, held)
    except Interrupted:
        return failures.set_back_for_return(joined.claim)
    except PagemillError as error:
        # A model that is away or answers nonsense costs a warning, like any other enricher.
        log.warning("%s can't be made: %s", request.name, error.message, extra={"job": joined.claim.job_id})
        return error.code
    except Exception:
        log.exception("%s can't be made", request.name, extra={"job": joined.claim.job_id})
        return ENRICHMENT_FAILED
    return tuple(write_json(Path(request.scratch), name, value) for name, value in made.items())


def write_json(folder: Path, name: str, value: object) -> MadeFile:
    """Write a file of a result."""
    raw = orjson.dumps(value)
    (folder / name).write_bytes(raw)
    return MadeFile(name, len(raw), sha256(raw).hexdigest())


def read_json(mill: Mill, joined: DocumentJoined, file: str) -> dict[str, Any]:
    """A file of the result that is JSON."""
    with mill.blobs.open(f"{joined.prefix}/{file}") as opened:
        found: dict[str, Any] = orjson.loads(opened.read())
    return found


def signs_of(mill: Mill, joined: DocumentJoined) -> ResultSigns:
    """What the class and the rules are decided by, as far as it was made."""
    signs, file = NO_SIGNS, enrichment_file(CLASS)
    needs = mill.rules.needs(joined.claim.tenant)
    if CLASS in joined.claim.options.enrich and file in joined.artifacts:
        held = read_json(mill, joined, file)
        signs = replace(signs, classification=classify(mill, joined.claim, held))
    if ENTITIES in needs and ENTITIES_FILE in joined.artifacts:
        signs = replace(signs, entities=entity_pairs(read_json(mill, joined, ENTITIES_FILE)["entities"]))
    return signs


def classify(mill: Mill, claim: Claim, held: dict[str, Any]) -> StoredClass:
    """The class of a document, decided before the transaction that publishes it: hundreds of examples take a while."""
    kind = DocumentType(held["type"]["name"], held["type"]["score"], tuple(held["type"]["reasons"]))
    examples = mill.db.read(lambda conn: class_examples.all_examples(conn, claim.tenant))
    # A document that is an example itself is compared with the others.
    others = [one for one in examples if one.job_id != claim.job_id]
    return decide_class(kind, held["features"], others)


@contextmanager
def request_for(mill: Mill, joined: DocumentJoined, name: str) -> Iterator[EnrichRequest]:
    """What an enricher is asked, with the files on this machine."""
    claim, prefix, draws = joined.claim, joined.prefix, name in ON_DEMAND and ON_DEMAND[name].drawn
    with ExitStack() as stack:
        path = stack.enter_context(mill.blobs.local(f"{prefix}/{ARTIFACT_NAMES['json']}"))
        has_index = INDEX_FILE in joined.artifacts
        index = stack.enter_context(mill.blobs.local(f"{prefix}/{INDEX_FILE}")) if has_index else None
        original = stack.enter_context(mill.blobs.local(*readable(claim))) if draws else Path("")
        [scratch] = stack.enter_context(mill.blobs.folders([prefix]))
        yield EnrichRequest(
            name=name,
            document_json=str(path),
            index=str(index) if index else None,
            scratch=str(scratch),
            path=str(original) if draws else "",
            password=mill.passwords.decrypt(claim.password) if draws else None,
        )


def visit(mill: Mill, claim: Claim, request: EnrichRequest) -> Outcome:
    """Have the press run an enricher."""
    seconds = mill.settings.join_timeout_seconds
    [outcome] = mill.run_visits([mill.visit(claim.key, "enrich_document", request, seconds)])
    return outcome


def ask_here(request: EnrichRequest) -> tuple[MadeFile, ...] | str:
    """Run an enricher in this process, because it needs a network; a code if it fails."""
    try:
        document = StoredDocument(request.document_json, request.index)
        return run_enricher(request.name, document, Path(request.scratch))
    except PagemillError:
        raise
    except Exception:
        # Code of others, which may raise anything.
        log.exception("an enricher failed")
        return ENRICHMENT_FAILED


def take_over(mill: Mill, claim: Claim) -> Finding:
    """The published artifacts of a job as those of a new result, without the enrichments that are made again."""
    former = mill.db.read(lambda conn: present_result(conn, claim))
    if former is None:
        raise NothingToRetry("The job has no result that could be enriched. Retry it as a whole.")
    again = {enrichment_file(name) for name in claim.options.enrich}
    kept = {name: file for name, file in former.artifacts.items() if name not in again or name == CHUNKS_FILE}
    prefix = result_prefix(claim)
    for name in kept:
        mill.blobs.copy(f"{former.prefix}/{name}", f"{prefix}/{name}")
    return DocumentJoined(
        claim,
        prefix=prefix,
        artifacts={name: WrittenArtifact(**file) for name, file in kept.items()},
        document_pages=former.document_pages,
        pages=former.pages,
        failed=tuple(PageFailure(**page) for page in former.failed_pages),
        warnings=tuple(code for code in former.warnings if code != ENRICHMENT_FAILED),
        seconds={},
        to_check=tuple(former.to_check or ()),
        facts=former.document_facts,
        fingerprint=mill.result_fingerprint(claim.sha256, claim.options),
        feed=feed_of(mill, f"{prefix}/{CHUNKS_FILE}") if CHUNKS_FILE in kept else None,
    )


def present_result(conn: Connection, claim: Claim) -> Result | None:
    """The published result of a claim's job."""
    found = jobs.find_job(conn, claim.tenant, claim.job_id)
    result_id = found[0].result_id if found else None
    return results.one(conn, claim.tenant, result_id) if result_id else None


def feed_of(mill: Mill, key: str) -> IndexFeed | None:
    """What the search index gets, from chunks that were taken over."""
    if not mill.settings.search:
        return None
    with mill.blobs.open(key) as lines:
        return feed_from(lines)
