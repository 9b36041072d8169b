"""A stored document becomes a job in one transaction, within quotas and once per idempotency key."""

import hashlib
import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TypedDict

import orjson
from sqlalchemy import Connection

from pagemill.db import chunks, idempotency, jobs, new_jobs, results, search_index, webhooks
from pagemill.db.chunks import NewChunk
from pagemill.db.database import Tx
from pagemill.db.idempotency import Remembered
from pagemill.db.new_jobs import NewJob
from pagemill.errors import Gone, IdempotencyKeyReused, OutageError
from pagemill.faultpoints import faultpoint
from pagemill.mill import Mill
from pagemill.model.events import EventType, Facts
from pagemill.model.ids import new_id
from pagemill.model.jobs import DocumentRow, JobRow, Result
from pagemill.model.messages import Message
from pagemill.model.options import PROCESS, ReadingOptions
from pagemill.model.paths import rendered_key
from pagemill.model.sources import Source
from pagemill.model.states import Lane, Status, Step
from pagemill.model.views import job_view
from pagemill.model.webhooks import WantedEndpoint, new_endpoint
from pagemill.press.libreoffice import can_be_rendered
from pagemill.steps.accept.renderings import copy_rendering, needs_rendering
from pagemill.steps.accept.routing import may_be_reused, note_routing, route_submission
from pagemill.steps.accept.sniffing import document_key
from pagemill.steps.accept.submission_quotas import refuse_past_limits, refuse_past_quotas

log = logging.getLogger("pagemill.accept")


class EncryptedSource(TypedDict, total=False):
    """The columns of a job that say where its document is fetched from."""

    source: bytes | None
    source_headers: bytes | None


@dataclass(frozen=True, slots=True)
class StoredUpload:
    """The bytes that arrived and where they are."""

    document_id: str
    blob_key: str
    sha256: str
    size_bytes: int
    media_type: str
    filename: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Submission:
    """What somebody asked for."""

    tenant: str
    upload: StoredUpload
    options: ReadingOptions
    metadata: Mapping[str, str]
    priority: int = 0
    password: str | None = None
    expires_in_seconds: float | None = None
    idempotency_key: str | None = None
    reuse: bool = True
    traceparent: str | None = None
    receivers: "tuple[Callback, ...]" = ()
    source: Source | None = None
    # The queue that a rule has chosen.
    lane: Lane | None = None
    # The result whose PDF was copied to the document, see `prepare_reuse`.
    rendered_result_id: str | None = None

    def documents(self) -> "Sequence[Submission]":
        """The one document."""
        return (self,)

    def prepare(self, mill: Mill) -> "Submission":
        """As `prepare_reuse`."""
        return prepare_reuse(mill, self)

    def accept(self, tx: Tx, mill: Mill) -> "Acceptance":
        """As `accept`."""
        return accept(tx, mill, self)


@dataclass(frozen=True, slots=True)
class Callback:
    """An address that is notified of one job or batch, or that a result is pushed to; the secret is encrypted."""

    url: str
    events: tuple[str, ...]
    secret: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Acceptance:
    """The answer to a submission; a replayed one made no new job."""

    job_id: str
    answer: bytes
    replayed: bool
    messages: tuple[Message, ...] = ()


def unfetched_upload(filename: str) -> StoredUpload:
    """The document of a URL before its bytes are here; nothing is stored under its key."""
    document_id = new_id()
    return StoredUpload(
        document_id=document_id,
        blob_key=document_key(document_id),
        sha256="",
        size_bytes=0,
        media_type="",
        filename=filename,
        seconds=0.0,
    )


def may_need_rendering(submission: Submission) -> bool:
    """Whether `prepare_reuse` may have something to do, which may block."""
    return submission.source is None and can_be_rendered(submission.upload.blob_key)


def prepare_reuse(mill: Mill, submission: Submission) -> Submission:
    """Copy what a result needs that may be used again, before the transaction that makes the job.

    If another result is the newest by then, the copy is still a rendering of the same bytes: a worker finds it.
    """
    if not may_need_rendering(submission):
        return submission
    routed, _ = route_submission(mill, submission)
    tenant, key = submission.tenant, submission.upload.blob_key
    if not mill.wants_rendering(routed.options) or not is_reusable(mill, routed):
        return submission
    fingerprint = mill.result_fingerprint(submission.upload.sha256, routed.options)
    try:
        found = mill.db.read(lambda conn: results.reusable(conn, tenant, fingerprint))
        if found and needs_rendering(mill, found, key, routed.options) and copy_rendering(mill, found, key):
            return replace(submission, rendered_result_id=found.id)
    except OutageError as error:
        log.warning(
            "the PDF of an equal document can't be copied, so the document is read: %s", error.message
        )
    return submission


def remove_bytes(mill: Mill, submission: Submission) -> None:
    """Remove bytes that nothing needs; a store that is away changes no answer, and the sweeper finds them later."""
    if submission.source is not None:
        return
    with suppress(OutageError):
        mill.blobs.remove(submission.upload.blob_key)
        remove_copy(mill, submission)


def remove_copy(mill: Mill, submission: Submission) -> None:
    """Remove the PDF that `prepare_reuse` has copied, if it did."""
    if submission.rendered_result_id is not None:
        mill.blobs.remove(rendered_key(submission.upload.blob_key))


def accept(tx: Tx, mill: Mill, submission: Submission) -> Acceptance:
    """Make the job of a submission, or give the answer that its idempotency key got before."""
    faultpoint("accept.before_commit")
    fingerprint = request_fingerprint(submission)
    if submission.idempotency_key is not None:
        known = idempotency.find(tx.conn, submission.tenant, submission.idempotency_key)
        if known is not None:
            return replay(tx.conn, submission.tenant, known, fingerprint)
    refuse_past_limits(tx.conn, mill, submission.tenant)
    refuse_past_quotas(tx, mill, submission.tenant, submission.upload.size_bytes)
    routed, matched = route_submission(mill, submission)
    [(job, messages)] = make_jobs(tx, mill, [routed])
    add_receivers(tx, submission.tenant, submission.receivers, job.id)
    job = note_routing(tx, mill, job, matched)
    answer = orjson.dumps(job_view(job, document_of(tx, submission)))
    if submission.idempotency_key is not None:
        idempotency.remember(
            tx, submission.tenant, submission.idempotency_key, Remembered(fingerprint, job.id, answer)
        )
    return Acceptance(job.id, answer, replayed=False, messages=messages)


def add_receivers(tx: Tx, tenant: str, receivers: "Sequence[Callback]", owner_id: str) -> None:
    """Note who is notified of a job or a batch, and where a result is pushed to."""
    for receiver in receivers:
        wanted = WantedEndpoint(receiver.url, receiver.events)
        webhooks.add(tx, new_endpoint(tenant, wanted, receiver.secret, tx.now, owner_id=owner_id))


def replay(conn: Connection, tenant: str, known: Remembered, fingerprint: str) -> Acceptance:
    """The answer that was given before to the same request; Gone if its job was removed since."""
    if known.fingerprint != fingerprint:
        raise IdempotencyKeyReused(job_id=known.job_id)
    found = jobs.find_job(conn, tenant, known.job_id)
    if found is None or found[0].removed_at is not None:
        raise Gone(job_id=known.job_id)
    return Acceptance(known.job_id, known.answer, replayed=True)


def make_jobs(
    tx: Tx, mill: Mill, submissions: Sequence[Submission]
) -> list[tuple[JobRow, tuple[Message, ...]]]:
    """Write the rows of documents and their jobs; a job that needs no work sends no message."""
    results.add_documents(tx, [document_of(tx, one) for one in submissions])
    first = [first_chunk(mill, one) for one in submissions]
    fingerprints = [mill.result_fingerprint(one.upload.sha256, one.options) for one in submissions]
    reused = find_results(tx, mill, submissions, fingerprints)
    new = [new_job(tx, mill, *one) for one in zip(submissions, first, fingerprints, strict=True)]
    pending = new_jobs.create_all(tx, list(zip(new, reused, strict=True)))
    made = [
        job if result is None else complete_from(tx, job, result)
        for job, result in zip(pending, reused, strict=True)
    ]
    started = [(job, chunk) for job, chunk, result in zip(made, first, reused, strict=True) if result is None]
    messages = {message.job_id: (message,) for message in chunks.create_all(tx, started)}
    return [(job, messages.get(job.id, ())) for job in made]


def complete_from(tx: Tx, job: JobRow, result: Result, **changes: object) -> JobRow:
    """Complete a job with a result that was there before it."""
    search_index.use_again(tx, result)
    facts: Facts = {"reused": True, "run": job.run}
    done = jobs.move(
        tx,
        tenant=job.tenant,
        job_id=job.id,
        to=Status.COMPLETED,
        kind=EventType.COMPLETED,
        facts=facts,
        of_run=job.run,
        **changes,
    )
    assert done is not None, "the job is pending or in work, and was made or locked in this transaction"
    return done


def new_job(tx: Tx, mill: Mill, submission: Submission, first: NewChunk, fingerprint: str) -> NewJob:
    """The job of a submission."""
    keep_seconds = mill.limits.of(submission.tenant).keep_seconds(submission.expires_in_seconds)
    return NewJob(
        id=new_id(),
        tenant=submission.tenant,
        document_id=submission.upload.document_id,
        lane=first.lane,
        step=first.step,
        priority=submission.priority,
        options=submission.options,
        metadata=submission.metadata,
        fingerprint=fingerprint,
        password=mill.passwords.encrypt(submission.password),
        expires_at=tx.now + keep_seconds,
        accept_seconds=submission.upload.seconds,
        traceparent=submission.traceparent,
        **encrypted_source(mill, submission.source),
    )


def find_results(
    tx: Tx, mill: Mill, submissions: Sequence[Submission], fingerprints: Sequence[str]
) -> list[Result | None]:
    """The result that each submission of a tenant can be answered from, if there is one."""
    known = set(fingerprints)
    if len(known) > 1:
        # Most documents of a batch are new, which one look shows.
        known = results.reusable_among(tx.conn, submissions[0].tenant, known)
    return [
        find_result(tx, mill, one, fingerprint) if fingerprint in known and is_reusable(mill, one) else None
        for one, fingerprint in zip(submissions, fingerprints, strict=True)
    ]


def find_result(tx: Tx, mill: Mill, submission: Submission, fingerprint: str) -> Result | None:
    """A result of the same document, unless it needs a PDF that was not copied from it."""
    found = find_reusable(tx, mill, submission.tenant, fingerprint)
    if found is None or not needs_rendering(mill, found, submission.upload.blob_key, submission.options):
        return found
    return found if found.id == submission.rendered_result_id else None


def is_reusable(mill: Mill, submission: Submission) -> bool:
    """Whether a routed submission may be answered from an earlier result."""
    # A result behind a password is never given to somebody who may not know it.
    reusable = submission.reuse and submission.password is None and submission.source is None
    # Files inside of a document become jobs when it is opened.
    reusable = reusable and submission.options.embedded_files != PROCESS
    return reusable and may_be_reused(mill, submission.tenant, submission.options)


def first_chunk(mill: Mill, submission: Submission) -> NewChunk:
    """What is done first: the document is fetched, or opened if its bytes are here."""
    if submission.source is not None:
        return NewChunk(Step.FETCH, Lane.FETCH)
    return plan_chunk(mill, submission.upload, submission.options, submission.lane)


def plan_chunk(
    mill: Mill, upload: StoredUpload, options: ReadingOptions, wanted: Lane | None = None
) -> NewChunk:
    """The chunk that opens a document; one that is rendered first takes seconds, which small ones don't wait for."""
    small = upload.size_bytes <= mill.settings.small_file_bytes
    small = small and not mill.will_render(upload.blob_key, options)
    small = small and wanted is not Lane.BULK
    lane = wanted or (Lane.FAST if small else Lane.BULK)
    return NewChunk(Step.PLAN, lane, small=small, needs=mill.opening_needs(upload.blob_key, options))


def encrypted_source(mill: Mill, source: Source | None) -> EncryptedSource:
    """Where a document is fetched from, encrypted as passwords are."""
    if source is None:
        return {}
    encrypt = mill.passwords.encrypt
    return {"source": encrypt(source.address_json()), "source_headers": encrypt(source.headers_json())}


def find_reusable(tx: Tx, mill: Mill, tenant: str, fingerprint: str) -> Result | None:
    """A complete result of the same document whose files are still stored; one without files is withdrawn."""
    found = results.reusable(tx.conn, tenant, fingerprint)
    if found is None or all(
        mill.blobs.size(f"{found.prefix}/{file}") is not None for file in found.artifacts
    ):
        return found
    log.warning("the files of result %s are missing, so the document is read again", found.id)
    results.withdraw(tx, found)
    return None


def document_of(tx: Tx, submission: Submission) -> DocumentRow:
    """The row of the document that was handed in."""
    upload = submission.upload
    return DocumentRow(
        id=upload.document_id,
        tenant=submission.tenant,
        sha256=upload.sha256,
        size_bytes=upload.size_bytes,
        media_type=upload.media_type,
        filename=upload.filename,
        blob_key=upload.blob_key,
        created_at=tx.now,
        source_url=submission.source.shown_url if submission.source else None,
    )


def request_fingerprint(submission: Submission) -> str:
    """What makes two requests the same: the document's bytes and everything that was asked."""
    upload = submission.upload
    parts = [
        upload.sha256,
        upload.filename,
        submission.options.as_dict(),
        dict(submission.metadata),
        submission.priority,
        submission.expires_in_seconds,
        submission.reuse,
    ]
    if submission.source is not None:
        parts += [submission.source.url, sorted(submission.source.headers)]
    for receiver in submission.receivers:
        parts += [receiver.url, list(receiver.events)]
    return hashlib.sha256(orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)).hexdigest()
