"""A batch becomes jobs in one transaction: all of them are there, or none is."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import orjson
from sqlalchemy import Connection

from pagemill.batch_end import finish_batch
from pagemill.db import batches, events, idempotency
from pagemill.db.batches import NewEntry
from pagemill.db.database import Tx
from pagemill.db.idempotency import Remembered
from pagemill.errors import Gone, IdempotencyKeyReused
from pagemill.faultpoints import faultpoint
from pagemill.mill import Mill
from pagemill.model.batches import BatchRow, EntryError, batch_view
from pagemill.model.events import EventType, Facts
from pagemill.model.ids import new_id
from pagemill.model.messages import Message
from pagemill.steps.accept.routing import note_routing, route_submission
from pagemill.steps.accept.submission import (
    Callback,
    Submission,
    add_receivers,
    make_jobs,
    prepare_reuse,
    request_fingerprint,
)
from pagemill.steps.accept.submission_quotas import refuse_past_limits, refuse_past_quotas

# Single documents of the same tenant come first, however long a batch is.
BATCH_PRIORITY = -1


@dataclass(frozen=True, slots=True)
class NewBatchEntry:
    """A document of a batch, or why one can't be taken."""

    name: str
    submission: Submission | None
    error: EntryError | None = None


@dataclass(frozen=True, slots=True)
class ChildPlace:
    """Where the files of a document are in the tree of documents, and how many files each of them may have in turn."""

    parent_job_id: str
    depth: int
    budget: int


@dataclass(frozen=True, slots=True)
class BatchSubmission:
    """What somebody asked for with many documents at once."""

    tenant: str
    items: Sequence[NewBatchEntry]
    name: str
    metadata: Mapping[str, str]
    keep_seconds: float
    idempotency_key: str | None = None
    child_of: ChildPlace | None = None
    receivers: tuple[Callback, ...] = ()

    def documents(self) -> list[Submission]:
        """Those that were not refused one by one."""
        return [entry.submission for entry in self.items if entry.submission is not None]

    def prepare(self, mill: Mill) -> "BatchSubmission":
        """As `prepare_reuse`, for every document."""
        items = [
            replace(entry, submission=prepare_reuse(mill, entry.submission)) if entry.submission else entry
            for entry in self.items
        ]
        return replace(self, items=items)

    def accept(self, tx: Tx, mill: Mill) -> "BatchAcceptance":
        """As `accept_batch`."""
        return accept_batch(tx, mill, self)


@dataclass(frozen=True, slots=True)
class BatchAcceptance:
    """The answer to a batch; a replayed one made no new jobs."""

    batch_id: str
    answer: bytes
    replayed: bool
    messages: tuple[Message, ...] = ()


def accept_batch(tx: Tx, mill: Mill, batch: BatchSubmission) -> BatchAcceptance:
    """Make the jobs of a batch, or give the answer that its idempotency key got before."""
    faultpoint("accept.before_commit")
    fingerprint = batch_fingerprint(batch) if batch.idempotency_key is not None else ""
    if batch.idempotency_key is not None:
        known = idempotency.find(tx.conn, batch.tenant, batch.idempotency_key)
        if known is not None:
            return replay_batch(tx.conn, batch.tenant, known, fingerprint)
    if batch.child_of is None:
        # The files of a document that was accepted are not refused: how many there are is limited beforehand.
        refuse_entries_past_limits(tx, mill, batch)
    entries, messages = make_entries(tx, mill, batch)
    row = batch_row(tx, batch)
    batches.add(tx, row, entries)
    add_receivers(tx, row.tenant, batch.receivers, row.id)
    facts: Facts = {"batch_id": row.id, "run": 1, "total": row.total, "refused": row.refused}
    events.append_loose(tx, row.tenant, EventType.BATCH_ACCEPTED, facts)
    counts = batches.counts(tx.conn, row)
    if not counts.active_jobs:
        # All documents are known, or refused.
        finish_batch(tx, row)
        row = replace(row, finished_at=tx.now)
    answer = orjson.dumps(batch_view(row, counts, tx.now))
    if batch.idempotency_key is not None:
        remembered = Remembered(fingerprint, row.id, answer)
        idempotency.remember(tx, batch.tenant, batch.idempotency_key, remembered)
    return BatchAcceptance(row.id, answer, replayed=False, messages=messages)


def refuse_entries_past_limits(tx: Tx, mill: Mill, batch: BatchSubmission) -> None:
    """Take no batch for which there is no room."""
    for one in batch.documents():
        refuse_past_limits(tx.conn, mill, batch.tenant)
        refuse_past_quotas(tx, mill, one.tenant, one.upload.size_bytes)


def make_entries(tx: Tx, mill: Mill, batch: BatchSubmission) -> tuple[list[NewEntry], tuple[Message, ...]]:
    """The rows of the items, with the jobs of those that are documents, and what wakes workers for them."""
    routed = [route_submission(mill, submission) for submission in batch.documents()]
    made = make_jobs(tx, mill, [submission for submission, _ in routed])
    for submission, (job, _), (_, matched) in zip(batch.documents(), made, routed, strict=True):
        add_receivers(tx, submission.tenant, submission.receivers, job.id)
        note_routing(tx, mill, job, matched)
    job_ids = iter([job.id for job, _ in made])
    rows = [
        NewEntry(entry.name, next(job_ids) if entry.submission else None, entry.error)
        for entry in batch.items
    ]
    return rows, tuple(message for _, messages in made for message in messages)


def batch_row(tx: Tx, batch: BatchSubmission) -> BatchRow:
    """The row of a new batch."""
    refused = sum(entry.submission is None for entry in batch.items)
    return BatchRow(
        id=new_id(),
        tenant=batch.tenant,
        name=batch.name,
        metadata=dict(batch.metadata),
        total=len(batch.items),
        refused=refused,
        run=1,
        created_at=tx.now,
        started_at=tx.now,
        cancelled_at=None,
        finished_at=None,
        expires_at=tx.now + batch.keep_seconds,
        removed_at=None,
        parent_job_id=batch.child_of.parent_job_id if batch.child_of else None,
        depth=batch.child_of.depth if batch.child_of else 0,
        budget=batch.child_of.budget if batch.child_of else 0,
    )


def replay_batch(conn: Connection, tenant: str, known: Remembered, fingerprint: str) -> BatchAcceptance:
    """The answer that was given before to the same request; Gone if the batch was removed since."""
    if known.fingerprint != fingerprint:
        raise IdempotencyKeyReused()
    found = batches.find(conn, tenant, known.job_id)
    if found is None or found.removed_at is not None:
        raise Gone(batch_id=known.job_id)
    return BatchAcceptance(known.job_id, known.answer, replayed=True)


def batch_fingerprint(batch: BatchSubmission) -> str:
    """What makes two requests the same: their documents in order, and everything that was asked."""
    parts = [
        [
            entry.name,
            request_fingerprint(entry.submission)
            if entry.submission
            else entry.error and entry.error["code"],
        ]
        for entry in batch.items
    ]
    receivers = [[receiver.url, list(receiver.events)] for receiver in batch.receivers]
    # Without receivers it is what it was before batches could have any, so that known keys stay known.
    whole = [parts, batch.name, dict(batch.metadata), *([receivers] if receivers else [])]
    return hashlib.sha256(orjson.dumps(whole)).hexdigest()


def in_batch(submission: Submission) -> Submission:
    """A submission with the priority of a batch, unless it has one of its own."""
    return submission if submission.priority else replace(submission, priority=BATCH_PRIORITY)
