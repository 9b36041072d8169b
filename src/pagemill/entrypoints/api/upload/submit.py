"""POST /v1/jobs: a document comes in and is acknowledged at once."""

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from urllib.parse import parse_qsl

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from pagemill import tracing
from pagemill.desk import webhooks
from pagemill.desk.direct_uploads import AdoptedWriter, find_upload, pieces_of
from pagemill.desk.resumable_uploads import find_complete, stored_pieces
from pagemill.entrypoints.access.caller import holder_of, tenant_of
from pagemill.entrypoints.api import openapi
from pagemill.entrypoints.api.jobs.expand import expand_job, expansions
from pagemill.entrypoints.api.jobs.watch import is_over
from pagemill.entrypoints.api.state import ApiState, api_state
from pagemill.entrypoints.api.upload.accepting import record_jobs
from pagemill.entrypoints.api.upload.by_url import receive_url
from pagemill.entrypoints.api.upload.multipart import MAX_AROUND_BYTES, MultipartForm, boundary_of
from pagemill.entrypoints.api.upload.options import FORM_NAMES, RequestedWebhook, UploadOptions, parse_options
from pagemill.entrypoints.api.upload.piece_storing import DIRECT_BYTES, PieceStorer
from pagemill.entrypoints.thread_pools import run_in_thread, run_to_end
from pagemill.entrypoints.wire.bodies import length_of, media_type_of, read_body
from pagemill.entrypoints.wire.digests import declared_digest
from pagemill.entrypoints.wire.negotiation import choose_media_type, preferred_wait
from pagemill.entrypoints.wire.problems import invalid
from pagemill.entrypoints.wire.responses import JSON, json_response
from pagemill.errors import (
    DigestMismatch,
    FileMissing,
    FileTooLarge,
    IdempotencyKeyInvalid,
    PagemillError,
    StorageFull,
    UnsupportedFileType,
    UnsupportedMediaType,
)
from pagemill.mill import Mill
from pagemill.model.file_types import ARCHIVE_TYPES, SUFFIXES
from pagemill.model.filenames import sanitise_filename
from pagemill.model.options import PROCESS
from pagemill.model.push_targets import PUSH_EVENTS, check_push_target
from pagemill.model.references import TENANT
from pagemill.model.sources import Source
from pagemill.model.webhooks import DEFAULT_EVENTS
from pagemill.rule_actions import tenant_secret
from pagemill.steps.accept import (
    Acceptance,
    Callback,
    Hash,
    IncomingDocument,
    StoredUpload,
    Submission,
    refuse_while_full,
)
from pagemill.steps.scan import refuse_malware

router = APIRouter(prefix="/v1", generate_unique_id_function=openapi.operation_id)

MULTIPART = "multipart/form-data"
JSON_TYPE = "application/json"
# A JSON body is a request, and a related one is a form that went wrong; such files are sent as a part of a form.
RAW = (
    *(known for known in SUFFIXES if known not in ("application/json", "multipart/related")),
    "application/octet-stream",
    "",
)
Fields = Sequence[tuple[str, str]]
KEY = re.compile(r"[\x20-\x7e]{1,255}")
MAX_QUERY_FIELDS = 64
RETRY_AFTER = "1"


@router.post(
    "/jobs",
    summary="Hand in a document",
    status_code=202,
    response_model=None,
    responses=openapi.SUBMIT_RESPONSES,
    openapi_extra=openapi.SUBMIT_REQUEST,
)
async def submit_job(request: Request) -> Response:
    """Store a document, make a job of it and answer at once; its pages are read in the background.

    Send `multipart/form-data` with the document in `file` and options in further fields, or the document itself as
    the body with options in the query, or JSON with the `url` that the document is to be fetched from. What the document
    is, its bytes decide; its name and declared type are hints for texts that show no sign of their type.
    With an `Idempotency-Key`, a repeated request finds the job of the first. With `Prefer: wait=N`, the answer waits
    up to N seconds for the job's end and is 200 if it was reached.
    """
    choose_media_type(request)
    with tracing.request_span("POST /v1/jobs", request.headers.get("traceparent")):
        return await submit_document(request, api_state(request))


async def submit_document(request: Request, state: ApiState) -> Response:
    """Take a document in and acknowledge it."""
    given = query_fields(request)
    wanted = expansions(dict(given))
    fields = [field for field in given if field[0] != "expand"]
    acceptance = await take_document(request, state, fields)
    return await acknowledge(request, state, acceptance, wanted)


async def take_document(request: Request, state: ApiState, fields: Fields) -> Acceptance:
    """Take a document in with the options in the query and the body; a refusal is written down."""
    intake = IncomingDocument(state.mill.blobs, state.mill.settings.max_file_bytes)
    intake.takes_archives = True
    # A body without a name may be an archive only if it is declared to be one.
    if media_type_of(request) in ARCHIVE_TYPES:
        intake.filename = f"archive{SUFFIXES[media_type_of(request)]}"
    try:
        acceptance = await accept_document(request, state, intake, fields)
    except PagemillError as error:
        state.refusals.record(
            error,
            tenant_of(request),
            path=request.url.path,
            filename=intake.filename,
            size_bytes=intake.size_bytes,
        )
        raise
    tracing.add_facts(job=acceptance.job_id, tenant=tenant_of(request), replayed=acceptance.replayed)
    return acceptance


async def accept_document(
    request: Request, state: ApiState, intake: IncomingDocument, fields: Fields
) -> Acceptance:
    """Take the document in and make its job; nothing is left of what is refused."""
    key = idempotency_key(request)
    if key is None:
        # A repeated request must find its job even when there is no room for another.
        refuse_while_full(state.mill, tenant_of(request))
    refuse_early(request, state)
    if media_type_of(request) == JSON_TYPE and not names_upload(fields):
        wanted, upload, source = await receive_url(request, state, fields)
        intake.filename = upload.filename
        await check_receivers(request, state, wanted)
        return await record_jobs(state.mill, submission_of(request, state, wanted, upload, key, source))
    wanted = await store_body(request, state, intake, fields)
    return await record_jobs(state.mill, submission_of(request, state, wanted, intake.stored_upload(), key))


def submission_of(
    request: Request,
    state: ApiState,
    wanted: UploadOptions,
    upload: StoredUpload,
    key: str | None,
    source: Source | None = None,
) -> Submission:
    """What a request asks for."""
    options = wanted.options
    if upload.media_type in ARCHIVE_TYPES:
        options = replace(options, embedded_files=PROCESS)
    return Submission(
        tenant=tenant_of(request),
        upload=upload,
        options=options,
        metadata=wanted.metadata,
        priority=wanted.priority,
        password=wanted.password,
        expires_in_seconds=wanted.expires_in_seconds,
        idempotency_key=key,
        reuse=wanted.reuse,
        traceparent=tracing.present(),
        receivers=receivers_of(state.mill, tenant_of(request), wanted),
        source=source,
    )


async def store_body(
    request: Request, state: ApiState, intake: IncomingDocument, fields: Fields
) -> UploadOptions:
    """Take the bytes in and make them durable, or leave nothing behind."""
    done = False
    try:
        wanted = await receive_body(request, state, intake, fields)
        with tracing.child_span("store", size_bytes=intake.size_bytes):
            await commit_document(state, intake)
        done = True
        return wanted
    except UnsupportedFileType:
        await run_in_thread(refuse_malware, state.mill, intake.head)
        raise
    finally:
        if not done:
            await run_to_end(intake.abort)


async def commit_document(state: ApiState, intake: IncomingDocument) -> None:
    """Wait until the document is on the disk; only a few large ones are synced at a time."""
    if intake.size_bytes > DIRECT_BYTES:
        await state.storing.run(intake.commit)
    else:
        await run_to_end(intake.commit)


async def receive_body(
    request: Request, state: ApiState, intake: IncomingDocument, fields: Fields
) -> UploadOptions:
    """Take all bytes of the body, in whichever form they come, and the options with them."""
    media_type = media_type_of(request)
    is_uploaded = names_upload(fields)
    if media_type == MULTIPART and not is_uploaded:
        fields = [*fields, *await receive_form(request, state, intake)]
    wanted = parse_options(fields, state.default_providers, state.providers)
    intake.filename = sanitise_filename(wanted.filename or intake.filename)
    if is_uploaded:
        await receive_direct_upload(request, state, intake, wanted)
    elif media_type in RAW:
        await receive_raw(request, state, intake)
    elif media_type != MULTIPART:
        raise UnsupportedMediaType(accepted=[MULTIPART, JSON_TYPE, *RAW[:-1]])
    await check_receivers(request, state, wanted)
    return wanted


def names_upload(fields: Fields) -> bool:
    """Whether the document was uploaded before."""
    return any(name == "upload_id" and value for name, value in fields)


async def check_receivers(request: Request, state: ApiState, wanted: UploadOptions) -> None:
    """Raises WebhookUrlInvalid, UrlForbiddenAddress or PushNotAllowed for an address that may not be used."""
    if wanted.push_to:
        check_push_target(wanted.push_to, state.mill.settings.push_prefixes, tenant_of(request))
    if wanted.webhook is not None:
        await run_in_thread(webhooks.check_url, state.mill, wanted.webhook.url)


def receivers_of(mill: Mill, tenant: str, wanted: UploadOptions) -> tuple[Callback, ...]:
    """Who is notified of a job, and where its result is pushed to; PushNotAllowed if that may not be."""
    found = (
        [] if wanted.webhook is None else [encrypted_webhook(mill, tenant, wanted.webhook, DEFAULT_EVENTS)]
    )
    if url := wanted.push_to or mill.settings.push_to.replace(TENANT, tenant):
        check_push_target(url, mill.settings.push_prefixes, tenant)
        found.append(Callback(url, PUSH_EVENTS, mill.passwords.encrypt(tenant_secret(mill, tenant)) or b""))
    return tuple(found)


def encrypted_webhook(
    mill: Mill, tenant: str, wanted: RequestedWebhook, usual_events: tuple[str, ...]
) -> Callback:
    """The address that came with a document or a batch, with its secret encrypted."""
    secret = wanted.secret or tenant_secret(mill, tenant)
    return Callback(wanted.url, wanted.events or usual_events, mill.passwords.encrypt(secret) or b"")


async def receive_direct_upload(
    request: Request, state: ApiState, intake: IncomingDocument, wanted: UploadOptions
) -> None:
    """Take a document that was uploaded by a link, or in parts; it is looked at like any other."""
    mill = state.mill

    def take_piece(piece: bytes) -> None:
        if piece:
            raise invalid(("/upload_id", "with upload_id, the body is empty and options are in the query"))

    await read_body(request.receive, take_piece, mill.settings)
    resumed = await run_in_thread(find_complete, mill, tenant_of(request), wanted.upload_id or "")
    if resumed is not None:
        intake.filename = sanitise_filename(wanted.filename or resumed.filename)
        await run_in_thread(intake.write_all, stored_pieces(mill.blobs, resumed))
        return
    upload = await run_in_thread(find_upload, mill, tenant_of(request), wanted.upload_id or "")
    intake.filename = sanitise_filename(wanted.filename or upload.filename)
    copy = partial(AdoptedWriter, mill.blobs, upload.blob_key)
    await run_in_thread(intake.write_all, pieces_of(mill.blobs, upload), copy)


async def receive_form(request: Request, state: ApiState, intake: IncomingDocument) -> list[tuple[str, str]]:
    """Take a multipart body; the fields beside the file are returned."""
    form = MultipartForm(boundary_of(request.headers["content-type"]), FORM_NAMES, intake)
    digest = declared_digest(request.headers.get("content-digest"))
    whole: Hash = hashlib.sha256()

    def take_piece(piece: bytes) -> None:
        if digest is not None:
            whole.update(piece)
        form.parse_piece(piece)

    await store_pieces(request, state, take_piece)
    form.finish()
    intake.finish()
    # The digest is that of the whole body; that of the file alone is what many mean by it.
    if digest is not None and digest not in (whole.digest(), intake.hash.digest()):
        raise DigestMismatch()
    return form.fields


async def receive_raw(request: Request, state: ApiState, intake: IncomingDocument) -> None:
    """Take a body that is the document itself."""
    digest = declared_digest(request.headers.get("content-digest"))
    intake.declared_type = request.headers.get("content-type", "")
    await store_pieces(request, state, intake.write)
    if not intake.size_bytes and "content-type" not in request.headers:
        raise FileMissing()
    intake.finish()
    if digest is not None and digest != intake.hash.digest():
        raise DigestMismatch()


async def store_pieces(
    request: Request, state: ApiState, write: Callable[[bytes], None], direct_bytes: int = DIRECT_BYTES
) -> None:
    """Have every piece of a body written, without keeping the event loop waiting for the disk."""
    storer = PieceStorer(state.storing, write, direct_bytes=direct_bytes, declared_bytes=length_of(request))
    await read_body(request.receive, storer.take_piece, state.mill.settings)
    await storer.flush()


def query_fields(request: Request) -> list[tuple[str, str]]:
    """The options in the query."""
    query = request.scope["query_string"]
    if not query:
        return []
    try:
        return parse_qsl(query.decode("latin-1"), keep_blank_values=True, max_num_fields=MAX_QUERY_FIELDS)
    except ValueError as error:
        raise invalid(("", f"the query has more than {MAX_QUERY_FIELDS} fields")) from error


def idempotency_key(request: Request) -> str | None:
    """The key under which a repeated request finds the job of the first."""
    keys = request.headers.getlist("idempotency-key")
    if not keys:
        return None
    if len(keys) > 1 or not KEY.fullmatch(keys[0]):
        raise IdempotencyKeyInvalid()
    return keys[0]


def refuse_early(request: Request, state: ApiState, most_bytes: int | None = None) -> None:
    """Refuse what can be known to be too much before any of it is read; one document, unless more bytes are allowed."""
    settings, length = state.mill.settings, length_of(request)
    most_bytes = most_bytes or settings.max_file_bytes
    if request.headers.get("content-encoding", "identity") != "identity":
        raise UnsupportedMediaType("Compressed bodies are not taken. Send the document as it is.")
    around = MAX_AROUND_BYTES if media_type_of(request) == MULTIPART else 0
    if length > most_bytes + around:
        raise FileTooLarge(max_bytes=most_bytes)
    free = state.mill.blobs.free_bytes()
    if free is not None and free - length < settings.min_free_bytes:
        raise StorageFull()


async def acknowledge(
    request: Request, state: ApiState, acceptance: Acceptance, wanted: tuple[str, ...]
) -> Response:
    """The answer to a document that was taken in, after as much waiting as the caller prefers."""
    headers = {"location": f"/v1/jobs/{acceptance.job_id}"}
    if acceptance.replayed:
        headers["idempotent-replayed"] = "true"
    seconds = preferred_wait(request, state.mill.settings.max_wait_seconds)
    # The job is stored, so a full queue is no reason to refuse: the caller just doesn't wait.
    if seconds is None or state.watch.is_full(holder_of(request)):
        return Response(acceptance.answer, 202, {**headers, "retry-after": RETRY_AFTER}, JSON)
    headers["preference-applied"] = f"wait={seconds:.0f}"
    view = await state.watch.wait_for_job(request, tenant_of(request), acceptance.job_id, seconds, is_over)
    if not is_over(view):
        return json_response(view, 202, {**headers, "retry-after": RETRY_AFTER})
    return json_response(await expand_job(state.mill, view, wanted), 200, headers)
