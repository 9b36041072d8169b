"""Corrections: what people change of a result becomes its next revision, and flows into everything that is made of it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import orjson
from sqlalchemy import Connection
from typing_extensions import TypedDict

from pagemill.db import events, jobs, results, revisions, search_index
from pagemill.db.database import Tx
from pagemill.desk.contents import drawing_error
from pagemill.desk.enrichments import enrich_in
from pagemill.desk.on_demand import FinishedJob, finished_job
from pagemill.desk.queries import show_job
from pagemill.desk.runs import ended_job, same_run
from pagemill.errors import ArtifactNotMade, RequestError, RevisionConflict, TooManyCorrections
from pagemill.faultpoints import faultpoint
from pagemill.mill import Mill
from pagemill.model.artifacts import MakeAnswer
from pagemill.model.corrections import CORRECTED, CORRECTIONS_FILE, MOST_LISTED_BYTES, CorrectionRequest
from pagemill.model.enriching import wanted_enrichments
from pagemill.model.events import EventType, Facts
from pagemill.model.formats import ARTIFACT_NAMES, ON_DEMAND
from pagemill.model.ids import new_id
from pagemill.model.index_feed import IndexFeed, feed_from
from pagemill.model.jobs import JobRow, Result, StoredArtifact
from pagemill.model.messages import Message
from pagemill.model.options import ReadingOptions
from pagemill.model.paths import results_folder
from pagemill.model.states import Status
from pagemill.model.views import JobView, iso
from pagemill.model.visits import INDEX_FILE
from pagemill.press import Done, Press

CHUNKS = "chunks"
Rows = Sequence[dict[str, Any]]


class CorrectionView(TypedDict):
    """What somebody changed, and when; `key_id` is the key that it was sent with."""

    revision: int
    based_on: int
    created_at: str
    author: str
    key_id: str
    note: str
    blocks: list[dict[str, Any]]
    facts: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Correction:
    """What somebody asks to be changed, looking at a revision."""

    based_on: int
    blocks: Rows
    facts: Rows
    author: str
    key_id: str
    note: str = ""

    def view(self, at: float) -> CorrectionView:
        """The correction as it is stored and shown."""
        return {
            "revision": self.based_on + 1,
            "based_on": self.based_on,
            "created_at": iso(at),
            "author": self.author,
            "key_id": self.key_id,
            "note": self.note,
            "blocks": list(self.blocks),
            "facts": list(self.facts),
        }


@dataclass(frozen=True, slots=True)
class Corrected:
    """The files of a corrected document, and what the search index gets of it."""

    prefix: str
    artifacts: dict[str, StoredArtifact]
    feed: IndexFeed | None


def correct(mill: Mill, tenant: str, job_id: str, correction: Correction, press: Press) -> JobView:
    """Write a document again with corrections, and make that the next revision; RevisionConflict if there is a newer one.

    Files of a refused correction are removed again. After any other error it is unknown whether it was stored, so they are
    left to the sweeper.
    """
    done = finished_job(mill, tenant, job_id)
    check_revision(done.job, correction)
    most = mill.settings.max_corrections
    mill.db.read(lambda conn: check_count(conn, done.job, most))
    if ARTIFACT_NAMES["json"] not in done.result.artifacts:
        raise ArtifactNotMade("Corrections are made in the JSON, which the job was not asked for.")
    made = write_again(mill, done, correction, press)
    faultpoint("correct.before_commit")
    try:
        messages = mill.db.write(lambda tx: correct_in(tx, done.job, correction, made, most))
    except RequestError:
        mill.discard(made.prefix)
        raise
    mill.queue.send(messages)
    return show_job(mill, tenant, job_id)


def correct_in(tx: Tx, job: JobRow, correction: Correction, made: Corrected, most: int) -> list[Message]:
    """Publish a corrected result, and have what the job asks for beside the reading made of it again."""
    check_count(tx.conn, job, most)
    revision = publish_in(tx, job.tenant, job.id, correction, made)
    if not wanted_enrichments(ReadingOptions.from_dict(job.options)):
        return []
    return enrich_in(tx, job.tenant, job.id, same_run(job), corrected=revision)


def check_count(conn: Connection, job: JobRow, most: int) -> None:
    """TooManyCorrections if a job has as many corrected results as it may."""
    if revisions.count_corrected(conn, job.tenant, job.id, job.result_id) >= most:
        raise TooManyCorrections(max_corrections=most)


def check_revision(job: JobRow, correction: Correction) -> None:
    """RevisionConflict unless the newest revision was corrected."""
    if job.revision != correction.based_on:
        raise RevisionConflict(
            f"The document has revision {job.revision} by now, not {correction.based_on}. Look at it, and correct that."
        )


def write_again(mill: Mill, done: FinishedJob, correction: Correction, press: Press) -> Corrected:
    """Have the press write all formats of a document with the corrections."""
    result, blobs = done.result, mill.blobs
    job_id = done.job.id
    prefix = f"{results_folder(job_id)}/{new_id()}{CORRECTED}"
    has_index = INDEX_FILE in result.artifacts
    wanted = [
        f"{result.prefix}/{ARTIFACT_NAMES['json']}",
        *([f"{result.prefix}/{INDEX_FILE}"] if has_index else []),
    ]
    earlier = list_corrections_of(mill, result)
    now = mill.db.read(mill.db.now)
    listed = orjson.dumps([*earlier, correction.view(now)])
    if len(listed) > MOST_LISTED_BYTES:
        raise TooManyCorrections
    with blobs.local_all([(key, None) for key in wanted]) as paths, blobs.folders([prefix]) as [scratch]:
        request = CorrectionRequest(
            document_json=str(paths[0]),
            index=str(paths[1]) if has_index else None,
            scratch=str(scratch),
            formats=formats_of(result),
            blocks=tuple(correction.blocks),
            facts=tuple(correction.facts),
            failed=tuple(dict(page) for page in result.failed_pages),
            warnings=tuple(result.warnings),
        )
        visit = mill.visit(
            f"correct.{prefix}", "correct_document", request, mill.settings.join_timeout_seconds
        )
        [outcome] = press.run([visit])
        if not isinstance(outcome, Done):
            raise drawing_error(outcome)
        (scratch / CORRECTIONS_FILE).write_bytes(listed)
        files = MakeAnswer.from_bytes(outcome.answer).files
    artifacts: dict[str, StoredArtifact] = {
        file.name: {"size_bytes": file.size_bytes, "sha256": file.sha256} for file in files
    }
    artifacts[CORRECTIONS_FILE] = {"size_bytes": len(listed), "sha256": sha256(listed).hexdigest()}
    return Corrected(prefix, artifacts, feed_of(mill, prefix, artifacts))


def formats_of(result: Result) -> tuple[str, ...]:
    """The formats that a result was written in."""
    joined = [name for name, file in ARTIFACT_NAMES.items() if file in result.artifacts]
    return (*joined, CHUNKS) if ON_DEMAND[CHUNKS].file in result.artifacts else tuple(joined)


def feed_of(mill: Mill, prefix: str, artifacts: dict[str, StoredArtifact]) -> IndexFeed | None:
    """What the search index gets of a corrected document."""
    file = ON_DEMAND[CHUNKS].file
    if not mill.settings.search or file not in artifacts:
        return None
    with mill.blobs.open(f"{prefix}/{file}") as lines:
        return feed_from(lines)


def publish_in(tx: Tx, tenant: str, job_id: str, correction: Correction, made: Corrected) -> int:
    """Put the corrected result in the place of the present one, which is kept; the number of the revision.

    It is never reused for other jobs.
    """
    job, present = ended_job(tx, tenant, job_id)
    check_revision(job, correction)
    assert present is not None, "a job of that revision has a result"
    revisions.keep_revision(tx, revisions.revision_of(tx.conn, job, present))
    result = replace(
        present,
        id=new_id(),
        prefix=made.prefix,
        artifacts=made.artifacts,
        complete=False,
        created_at=tx.now,
    )
    results.add(tx, result)
    if made.feed is not None:
        search_index.begin_result(tx, tenant, result.id)
        search_index.add_passages(tx, tenant, result.id, made.feed.passages, complete=made.feed.complete)
    changed = jobs.change(
        tx,
        tenant=tenant,
        job_id=job_id,
        allowed={Status.COMPLETED},
        of_run=None,
        changes={"result_id": result.id, "revision": job.revision + 1},
    )
    if changed is None:
        raise RevisionConflict(
            "The last run of the job did not complete. Restore a revision, and correct that."
        )
    search_index.remove_unused(tx, tenant, present.id)
    facts: Facts = {
        "revision": changed.revision,
        "changes": len(correction.blocks) + len(correction.facts),
        "by": correction.key_id,
    }
    events.append(
        tx, tenant=tenant, job_id=job_id, seq=changed.last_seq, kind=EventType.CORRECTED, facts=facts
    )
    return changed.revision


def list_corrections(mill: Mill, tenant: str, job_id: str) -> list[CorrectionView]:
    """What was corrected in the present result of a job, oldest first."""
    return list_corrections_of(mill, finished_job(mill, tenant, job_id).result)


def list_corrections_of(mill: Mill, result: Result) -> list[CorrectionView]:
    """The corrections that are in a result."""
    if CORRECTIONS_FILE not in result.artifacts:
        return []
    with mill.blobs.open(f"{result.prefix}/{CORRECTIONS_FILE}") as file:
        found: list[CorrectionView] = orjson.loads(file.read())
    return found
