"""Files inside of documents, processed as documents of their own.

The jobs of the children are made in the transaction that records the opening of their parent, as a batch that names
it: all of them are there, or none is. What goes wrong with a child never touches its parent.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import orjson
from sqlalchemy import Connection

from pagemill import failures
from pagemill.db import batches, chunks, jobs
from pagemill.db.database import Tx
from pagemill.errors import FileEmpty, FileTooLarge, StorageFull, UnsupportedFileType
from pagemill.mill import Mill
from pagemill.model.file_types import is_office
from pagemill.model.filenames import sanitise_filename
from pagemill.model.formats import ON_DEMAND
from pagemill.model.jobs import JobRow
from pagemill.model.messages import Message
from pagemill.model.options import PROCESS, SPLIT_CHOICES
from pagemill.model.paths import pages_prefix, readable, result_prefix
from pagemill.model.states import Step
from pagemill.model.visits import SplitRequest, UnpackAnswer, UnpackedFile, UnpackRequest
from pagemill.model.work import Claim, DocumentJoined, Finding, Planned, SetBack
from pagemill.press import Done
from pagemill.steps.accept import (
    BatchSubmission,
    ChildPlace,
    IncomingDocument,
    NewBatchEntry,
    Submission,
    accept_batch,
    in_batch,
)

log = logging.getLogger("pagemill.children")

# What is said of a document whose files can't be taken out, or not all of them.
UNREAD, TOO_MANY = "embedded_files_unread", "embedded_files_limit"
LONGEST_NAME = 200
PARTS_FILE, AUTO, LEAST_PARTS = ON_DEMAND["parts"].file, SPLIT_CHOICES[-1], 2
OWN_FAULTS = (UnsupportedFileType, FileEmpty, FileTooLarge)


@dataclass(frozen=True, slots=True)
class Children:
    """The files of one document, stored and ready to become jobs, or refused; and where they are in the tree."""

    claim: Claim
    entries: tuple[NewBatchEntry, ...]
    place: ChildPlace
    warnings: tuple[str, ...] = ()


TakeOut = Callable[[Mill, Finding], Children | SetBack | None]


def unpack_children(mill: Mill, findings: list[Finding]) -> tuple[list[Finding], list[Children]]:
    """Take the files out of the documents that were opened and whose callers asked for it.

    The findings come back with what there is to warn about.
    """
    noted: list[Finding] = []
    children: list[Children] = []
    for finding in findings:
        take_out = unpack if wants_children(finding) else split_stack if wants_parts(finding) else None
        found = try_unpack(mill, finding, take_out) if take_out else None
        if isinstance(found, Children):
            children.append(found)
            noted.append(with_warnings_of(found, finding))
        else:
            noted.append(found or finding)
    return noted, children


def try_unpack(mill: Mill, finding: Finding, take_out: TakeOut) -> Children | SetBack | None:
    """As `unpack`; what is away sets the opening back, and nothing else that goes wrong keeps the parent from its result."""
    claim = finding.claim
    try:
        return take_out(mill, finding)
    except Exception as error:
        if setback := failures.set_back_unpacking(claim, mill.caps, error):
            mill.discard(result_prefix(claim))
            return setback
        log.exception("the files in a document can't be taken out", extra={"job": claim.job_id})
        return Children(claim, (), ChildPlace(claim.job_id, 1, 0), (UNREAD,))


def wants_children(finding: Finding) -> bool:
    """Whether a document was opened whose files are to become documents."""
    opened = isinstance(finding, Planned | DocumentJoined) and finding.claim.step is Step.PLAN
    return opened and finding.claim.options.embedded_files == PROCESS


def wants_parts(finding: Finding) -> bool:
    """Whether a document was read that is to be split into the documents in it."""
    if not isinstance(finding, DocumentJoined) or finding.claim.step is Step.ENRICH:
        return False
    return finding.claim.options.split == AUTO and PARTS_FILE in finding.artifacts


def with_warnings_of(children: Children, finding: Finding) -> Finding:
    """A finding with what there is to warn about its files."""
    if isinstance(finding, Planned | DocumentJoined):
        return replace(finding, warnings=(*finding.warnings, *children.warnings))
    return finding


def unpack(mill: Mill, finding: Finding) -> Children | SetBack | None:
    """Take the files out of one document; None if it has children already, or is too deep to have any.

    A press that is stopped meanwhile sets the whole opening back: the children belong to it.
    """
    claim = finding.claim
    place = mill.db.read(lambda conn: place_below(conn, mill, claim))
    if place is None:
        return None
    require_space(mill)
    prefix = f"{pages_prefix(claim)}.files"
    with mill.blobs.local(*readable(claim)) as path, mill.blobs.folders([prefix]) as [scratch]:
        request = UnpackRequest(
            path=str(path),
            scratch=str(scratch),
            password=mill.passwords.decrypt(claim.password),
            most_files=place.budget,
            most_bytes=most_bytes(mill, place),
        )
        return children_of_visit(mill, claim, place, "unpack_files", request)


def split_stack(mill: Mill, finding: Finding) -> Children | SetBack | None:
    """Split one stack of scans into the documents in it; None if it is one document, or has children already."""
    claim = finding.claim
    place = mill.db.read(lambda conn: place_below(conn, mill, claim))
    with mill.blobs.open(f"{result_prefix(claim)}/{PARTS_FILE}") as file:
        parts = orjson.loads(file.read())["parts"]
    if place is None or len(parts) < LEAST_PARTS or is_office(claim.blob_key):
        return None
    require_space(mill)
    found = mill.db.read(lambda conn: jobs.find_job(conn, claim.tenant, claim.job_id))
    prefix = f"{pages_prefix(claim)}.files"
    with mill.blobs.local(*readable(claim)) as path, mill.blobs.folders([prefix]) as [scratch]:
        request = SplitRequest(
            path=str(path),
            scratch=str(scratch),
            parts=tuple((part["first_page"], part["last_page"]) for part in parts),
            stem=Path(found[1].filename).stem if found else "",
            most_files=place.budget,
            most_bytes=most_bytes(mill, place),
            password=mill.passwords.decrypt(claim.password),
        )
        return children_of_visit(mill, claim, place, "split_document", request)


def require_space(mill: Mill) -> None:
    """Raises StorageFull if there is no room for more files."""
    free = mill.blobs.free_bytes()
    if free is not None and free < mill.settings.min_free_bytes:
        raise StorageFull()


def children_of_visit(
    mill: Mill, claim: Claim, place: ChildPlace, function: str, request: UnpackRequest | SplitRequest
) -> Children | SetBack:
    """Have the press write files into the scratch folder, and store each as a document."""
    seconds = mill.settings.join_timeout_seconds
    [outcome] = mill.run_visits([mill.visit(claim.key, function, request, seconds)])
    if not isinstance(outcome, Done):
        if setback := failures.set_back_beside(claim, mill.caps, mill.budgets, outcome):
            mill.discard(result_prefix(claim))
            return setback
        log.warning("the files in a document can't be taken out: %s", outcome, extra={"job": claim.job_id})
        return Children(claim, (), place, (UNREAD,))
    answer = UnpackAnswer.from_bytes(outcome.answer)
    entries = tuple(store_files(mill, claim, answer.files, Path(request.scratch)))
    warnings = ((TOO_MANY,) if answer.more else ()) + ((UNREAD,) if answer.damaged else ())
    return Children(claim, entries, shared_place(place, len(entries)), warnings)


def place_below(conn: Connection, mill: Mill, claim: Claim) -> ChildPlace | None:
    """Where the children of a job would be in the tree, and how many there may be; None if there may be none."""
    if batches.children_of(conn, claim.tenant, claim.job_id) is not None:
        return None
    above = batches.batch_of(conn, claim.tenant, claim.job_id)
    settings = mill.settings
    if above is None or above.parent_job_id is None:
        return ChildPlace(claim.job_id, 1, settings.max_embedded_files)
    if above.depth >= settings.max_embedded_depth or above.budget < 1:
        return None
    return ChildPlace(claim.job_id, above.depth + 1, above.budget)


def most_bytes(mill: Mill, place: ChildPlace) -> int:
    """How many bytes may be unpacked: as large a share as that of the files, so that a tree has its limit, too."""
    settings = mill.settings
    return settings.max_embedded_bytes * place.budget // settings.max_embedded_files


def shared_place(place: ChildPlace, count: int) -> ChildPlace:
    """The place with what is left for each child, so that a tree never has more files than its root may have."""
    return replace(place, budget=(place.budget - count) // max(count, 1))


def store_files(
    mill: Mill, claim: Claim, files: Sequence[UnpackedFile], scratch: Path
) -> Iterator[NewBatchEntry]:
    """Store each file as a document, or note why it is none; nothing of it is left in the scratch folder."""
    for one in files:
        name = sanitise_filename(one.name)
        intake = IncomingDocument(mill.blobs, mill.settings.max_file_bytes, takes_archives=True)
        intake.filename = name
        try:
            with (scratch / one.file).open("rb") as opened:
                intake.write_all(iter(lambda opened=opened: opened.read(1 << 18), b""))  # type: ignore[misc]
            intake.commit()
        except OWN_FAULTS as error:
            intake.abort()
            yield NewBatchEntry(name, None, {"code": error.code, "message": error.message})
        except BaseException:
            intake.abort()
            raise
        else:
            yield NewBatchEntry(name, in_batch(submission_of(claim, intake)))
        finally:
            (scratch / one.file).unlink(missing_ok=True)


def submission_of(claim: Claim, intake: IncomingDocument) -> Submission:
    """What is asked for a child: what was asked for its parent, but for what is about the parent alone."""
    options = replace(claim.options, pages=None, split=SPLIT_CHOICES[0])
    return Submission(
        claim.tenant, intake.stored_upload(), options, metadata={}, traceparent=claim.traceparent
    )


def record_children(tx: Tx, mill: Mill, children: Children) -> list[Message]:
    """Make the jobs of the children, if their parent's opening was recorded just now and had none before."""
    claim = children.claim
    if not children.entries or not chunks.is_finished(tx.conn, claim):
        return []
    if batches.children_of(tx.conn, claim.tenant, claim.job_id) is not None:
        return []
    found = jobs.find_job(tx.conn, claim.tenant, claim.job_id)
    if found is None:
        return []
    job, document = found
    keep_seconds = max(job.expires_at - tx.now, 1.0)
    batch = BatchSubmission(
        tenant=claim.tenant,
        items=[like_parent(entry, job, keep_seconds) for entry in children.entries],
        name=f"Files in {document.filename}"[:LONGEST_NAME],
        metadata=job.metadata,
        keep_seconds=keep_seconds,
        child_of=children.place,
    )
    return list(accept_batch(tx, mill, batch).messages)


def like_parent(entry: NewBatchEntry, parent: JobRow, keep_seconds: float) -> NewBatchEntry:
    """A child with the labels of its parent, and kept as long."""
    if entry.submission is None:
        return entry
    own = replace(entry.submission, metadata=parent.metadata, expires_in_seconds=keep_seconds)
    return replace(entry, submission=own)
