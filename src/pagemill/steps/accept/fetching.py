"""Fetch: the bytes of a document that was named by its URL come in, once, by a worker and never in a request."""

import threading
import time
from collections.abc import Sequence
from dataclasses import replace

from pagemill import failures
from pagemill.adapters.outbound.client import Fetched, FetchLimits
from pagemill.adapters.outbound.network import RequestInterrupted
from pagemill.db import chunks, jobs, new_jobs, results
from pagemill.db.database import Tx
from pagemill.errors import FetchFailed, PagemillError, StorageFull
from pagemill.faultpoints import faultpoint
from pagemill.mill import Mill
from pagemill.model.events import EventType, Facts
from pagemill.model.file_types import ARCHIVE_TYPES
from pagemill.model.filenames import disposition_filename
from pagemill.model.jobs import JobRow, Result
from pagemill.model.messages import Message
from pagemill.model.options import PROCESS, ReadingOptions
from pagemill.model.references import check_reference, is_reference
from pagemill.model.sources import Source, filename_of_url, source_from
from pagemill.model.states import ChunkState, Step
from pagemill.model.work import Claim, DocumentFetched, Finding
from pagemill.progress import with_seconds
from pagemill.remote_pages import interruptible
from pagemill.steps.accept.incoming import UNNAMED, IncomingDocument
from pagemill.steps.accept.renderings import copy_rendering, needs_rendering
from pagemill.steps.accept.routing import may_be_reused
from pagemill.steps.accept.submission import StoredUpload, complete_from, find_reusable, plan_chunk
from pagemill.steps.accept.submission_quotas import refuse_past_space


def fetch(mill: Mill, claims: Sequence[Claim]) -> list[Finding]:
    """Fetch the documents of these claims, one after the other."""
    return [fetch_one(mill, claim) for claim in claims]


def fetch_one(mill: Mill, claim: Claim) -> Finding:
    """Fetch one document into the store; nothing is left of one that can't be had."""
    intake, started = IncomingDocument(mill.blobs, mill.settings.max_file_bytes), time.monotonic()
    done = False
    try:
        source = source_of(mill, claim)
        take_archives(intake, source)
        fetched = fetch_into(mill, claim, source, intake)
        finding = fetched_document(mill, claim, source, fetched, intake)
        done = True
        return finding
    except RequestInterrupted:
        return failures.set_back_for_return(claim)
    except PagemillError as error:
        return failures.set_back_unfetched(claim, mill.caps, error, time.monotonic() - started)
    finally:
        if not done:
            intake.abort()


def take_archives(intake: IncomingDocument, source: Source) -> None:
    """Take archives of documents, too, unless the URL ends like a document of another type."""
    named = filename_of_url(source.url)
    intake.takes_archives, intake.filename = True, "" if named == UNNAMED else named


def source_of(mill: Mill, claim: Claim) -> Source:
    """Where the document of a claim is to be fetched from."""
    address, headers = mill.db.read(lambda conn: jobs.source_of(conn, claim.tenant, claim.job_id))
    decrypted = mill.passwords.decrypt(address)
    if decrypted is None:
        raise FetchFailed("The URL of the document is no longer known. Hand it in again.", status=0)
    return source_from(decrypted, mill.passwords.decrypt(headers))


def fetch_into(mill: Mill, claim: Claim, source: Source, intake: IncomingDocument) -> Fetched:
    """Have the bytes come in and make them durable."""
    settings = mill.settings
    free = mill.blobs.free_bytes()
    if free is not None and free < settings.min_free_bytes:
        raise StorageFull()
    limits = FetchLimits(settings.max_file_bytes, settings.fetch_timeout_seconds, settings.fetch_redirects)
    with interruptible(mill, claim) as stop:
        if is_reference(source.url):
            fetched = fetch_from_bucket(mill, claim, source, intake, stop)
        else:
            fetched = mill.outbound.fetch(source.url, source.headers, limits, intake.write, stop)
    intake.finish()
    refuse_past_space(mill, claim.tenant, intake.size_bytes)
    intake.commit()
    faultpoint("fetch.after_blob")
    return fetched


def fetch_from_bucket(
    mill: Mill, claim: Claim, source: Source, intake: IncomingDocument, stop: threading.Event
) -> Fetched:
    """Have an object come in; what may be read is looked at again, for the settings may have changed."""
    from pagemill.adapters.blobs.references import fetch_object

    settings = mill.settings
    size_bytes = fetch_object(
        check_reference(source.url, settings.source_prefixes, claim.tenant),
        silence_seconds=settings.blobs_timeout_seconds,
        timeout_seconds=settings.fetch_timeout_seconds,
        max_bytes=settings.max_file_bytes,
        write=intake.write,
        stop=stop,
    )
    if size_bytes is None:
        raise RequestInterrupted
    return Fetched(source.url, {}, size_bytes)


def fetched_document(
    mill: Mill, claim: Claim, source: Source, fetched: Fetched, intake: IncomingDocument
) -> DocumentFetched:
    """What is known of a document now that it is here."""
    upload = intake.stored_upload()
    options = claim.options
    if upload.media_type in ARCHIVE_TYPES:
        options = replace(options, embedded_files=PROCESS)
    fingerprint = mill.result_fingerprint(upload.sha256, options)
    reusable = source.reuse and claim.password is None and claim.run == 1
    reusable = reusable and options.embedded_files != PROCESS
    reusable = reusable and may_be_reused(mill, claim.tenant, options)
    found = reusable_result(mill, claim.tenant, upload, options, fingerprint) if reusable else None
    first = plan_chunk(mill, upload, options)
    return DocumentFetched(
        claim,
        blob_key=upload.blob_key,
        sha256=upload.sha256,
        size_bytes=upload.size_bytes,
        media_type=upload.media_type,
        filename=None if source.is_named else fetched_name(source, fetched),
        lane=first.lane,
        is_small=first.small,
        needs=first.needs,
        fingerprint=fingerprint,
        seconds=upload.seconds,
        reusable_id=found.id if found else None,
        options=options,
    )


def reusable_result(
    mill: Mill, tenant: str, upload: StoredUpload, options: ReadingOptions, fingerprint: str
) -> Result | None:
    """The result of an equal document, if there is one; what it needs is copied outside of a transaction."""
    found = mill.db.write(lambda tx: find_reusable(tx, mill, tenant, fingerprint))
    if found is None or not needs_rendering(mill, found, upload.blob_key, options):
        return found
    return found if copy_rendering(mill, found, upload.blob_key) else None


def fetched_name(source: Source, fetched: Fetched) -> str:
    """The name of a document: as its server says, or else by the URL where it was found in the end."""
    given = disposition_filename(fetched.headers.get("content-disposition", ""))
    names = (given, filename_of_url(fetched.url), filename_of_url(source.url))
    return next((name for name in names if name and name != UNNAMED), UNNAMED)


def record_fetched(tx: Tx, fetched: DocumentFetched) -> list[Message]:
    """Write down that a document is here, and have it opened, or answer with the result that is there."""
    claim = fetched.claim
    if not chunks.finish(tx, claim, ChunkState.DONE):
        return []
    job = jobs.lock_job(tx, claim.tenant, claim.job_id)
    if job is None:
        return []
    results.settle_document(tx, claim, fetched)
    faultpoint("fetch.before_commit")
    changes = {
        "lane": fetched.lane.value,
        "fingerprint": fetched.fingerprint,
        "seconds": with_seconds(job.seconds, {"fetch": fetched.seconds}),
        "stage": Step.PLAN.value,
        "source": None,
        "source_headers": None,
        "options": (fetched.options or claim.options).as_dict(),
    }
    facts: Facts = {"size_bytes": fetched.size_bytes, "sha256": fetched.sha256, "seconds": fetched.seconds}
    jobs.note(tx, job.tenant, job.id, claim.run, EventType.FETCHED, facts, **changes)
    reused = results.reusable(tx.conn, job.tenant, fetched.fingerprint) if fetched.reusable_id else None
    if reused is not None and reused.id == fetched.reusable_id:
        taken = new_jobs.columns_from_result(tx, reused) | {"started_at": job.started_at}
        complete_from(tx, job, reused, **taken)
        return []
    return open_next(tx, job, fetched)


def open_next(tx: Tx, job: JobRow, fetched: DocumentFetched) -> list[Message]:
    """Have the document opened."""
    new = [chunks.NewChunk(Step.PLAN, fetched.lane, small=fetched.is_small, needs=fetched.needs)]
    return chunks.create(tx, job, new)
