"""Resumable uploads at /v1/uploads, by the tus protocol 1.0.0 with most of its extensions."""

import base64
import binascii
import hashlib
from collections.abc import Awaitable, Callable
from email.utils import formatdate
from functools import wraps

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from pagemill.db.resumable_uploads import UNKNOWN_BYTES, ResumableUpload
from pagemill.desk.resumable_uploads import (
    PartReceiver,
    create_upload,
    existing_upload,
    remove_upload,
    set_length,
)
from pagemill.entrypoints.access.caller import tenant_of
from pagemill.entrypoints.api import models, openapi
from pagemill.entrypoints.api.state import ApiState, api_state
from pagemill.entrypoints.api.upload.piece_storing import PieceStorer
from pagemill.entrypoints.thread_pools import run_in_thread, run_to_end
from pagemill.entrypoints.wire.bodies import media_type_of, read_body
from pagemill.entrypoints.wire.negotiation import choose_media_type
from pagemill.entrypoints.wire.problems import problem
from pagemill.entrypoints.wire.responses import HEAD_ONLY, json_response
from pagemill.entrypoints.wire.tus_headers import ALGORITHMS, RESUMABLE, VERSION
from pagemill.errors import (
    BodyIncomplete,
    ChecksumMismatch,
    FileTooLarge,
    PagemillError,
    QuotaExceeded,
    RequestError,
    StorageFull,
    TusVersionUnsupported,
    UnsupportedMediaType,
    UploadOffsetMismatch,
    UploadTooSlow,
)
from pagemill.mill import Mill
from pagemill.model.filenames import sanitise_filename
from pagemill.model.running_hash import RunningHash
from pagemill.model.views import iso

router = APIRouter(prefix="/v1", generate_unique_id_function=openapi.operation_id)

OFFSET_TYPE = "application/offset+octet-stream"
MAX_DIGITS = 18
MAX_METADATA = 4_096
Answering = Callable[[Request], Awaitable[Response]]
TUS_HEADERS = [
    openapi.header_parameter(
        "Tus-Resumable", "The version of the protocol.", VERSION, required=True, enum=[VERSION]
    ),
]
UPLOAD_ID = openapi.JOB_ID | {"name": "upload_id"}


def speaks_tus(handle: Answering) -> Answering:
    """Answers with the headers of the protocol, errors too; TusVersionUnsupported for other versions of it."""

    @wraps(handle)
    async def answer(request: Request) -> Response:
        try:
            if request.headers.get(RESUMABLE) != VERSION:
                raise TusVersionUnsupported()
            response = await handle(request)
        except PagemillError as error:
            response = problem(error)
            if isinstance(error, TusVersionUnsupported):
                response.headers["tus-version"] = VERSION
            if isinstance(offset := error.details.get("offset_bytes"), int):
                response.headers["upload-offset"] = str(offset)
        response.headers[RESUMABLE] = VERSION
        return response

    return answer


@speaks_tus
async def create(request: Request) -> Response:
    """A place for an upload of the length that the request announces, with the first bytes if it brings some."""
    state = api_state(request)
    size = announced_length(request)
    words = request.headers.get("upload-metadata", "")
    metadata = parse_metadata(words)
    filename = sanitise_filename(metadata.get("filename") or metadata.get("name"))
    upload = await run_in_thread(
        create_upload, state.mill, tenant_of(request), size_bytes=size, filename=filename, metadata=words
    )
    if media_type_of(request) == OFFSET_TYPE:
        upload = await receive_part(request, state, upload)
    location = {"location": f"/v1/uploads/{upload.id}"}
    return Response(
        status_code=201,
        headers={**location, "upload-offset": str(upload.offset_bytes), **expiry(upload)},
    )


def announced_length(request: Request) -> int:
    """The length in the headers of a new upload; UNKNOWN_BYTES if it is to be said later."""
    deferred = request.headers.get("upload-defer-length")
    if deferred is None:
        return number(request, "upload-length")
    if deferred != "1" or "upload-length" in request.headers:
        raise RequestError("Send either Upload-Defer-Length: 1 or Upload-Length, not both.")
    return UNKNOWN_BYTES


@router.get(
    "/uploads/{upload_id}",
    summary="Look at a resumable upload",
    response_model=None,
    responses={
        200: {
            "model": models.ResumableUploadState,
            "description": "How far it has come; HEAD has it in headers alone.",
        },
        **openapi.problems(*openapi.OF_A_JOB, TusVersionUnsupported),
    },
    openapi_extra={"parameters": [UPLOAD_ID]},
)
async def show_upload(request: Request) -> Response:
    """How far a resumable upload has come, and until when it is kept."""
    if HEAD_ONLY in request.scope:
        return await show_to_tus(request)
    choose_media_type(request)
    upload = await find(request)
    return json_response(upload_view(upload), headers=upload_headers(upload))


@speaks_tus
async def show_to_tus(request: Request) -> Response:
    """How far an upload has come, for a client that goes on with it."""
    return Response(status_code=200, headers=upload_headers(await find(request)))


@router.patch(
    "/uploads/{upload_id}",
    summary="Go on with a resumable upload",
    status_code=204,
    response_model=None,
    responses={
        204: {
            "description": "The bytes are stored.",
            "headers": {"Upload-Offset": openapi.header("Bytes so far.", "1048576")},
        },
        **openapi.problems(
            *openapi.OF_A_JOB,
            TusVersionUnsupported,
            UploadOffsetMismatch,
            ChecksumMismatch,
            FileTooLarge,
            QuotaExceeded,
            UnsupportedMediaType,
            BodyIncomplete,
            UploadTooSlow,
            StorageFull,
        ),
    },
    openapi_extra={
        "parameters": [
            UPLOAD_ID,
            *TUS_HEADERS,
            openapi.header_parameter("Upload-Offset", "Where the bytes begin.", "0"),
            openapi.header_parameter(
                "Upload-Checksum",
                "`sha1`, `sha256` or `md5`, a blank, and base64.",
                "sha1 Kq5sNclPz7QV2+lfQIuc6R7oRu0=",
            ),
        ],
        "requestBody": {"content": {OFFSET_TYPE: {"schema": {"type": "string", "format": "binary"}}}},
    },
)
@speaks_tus
async def append_to_upload(request: Request) -> Response:
    """Store further bytes. What arrives before a connection is cut is kept, unless it was to be checked as a whole."""
    state = api_state(request)
    if media_type_of(request) != OFFSET_TYPE:
        raise UnsupportedMediaType(accepted=[OFFSET_TYPE])
    upload, offset = await find(request), number(request, "upload-offset")
    if offset != upload.offset_bytes:
        raise UploadOffsetMismatch(offset_bytes=upload.offset_bytes)
    if upload.is_deferred and "upload-length" in request.headers:
        upload = await run_in_thread(set_length, state.mill, upload, number(request, "upload-length"))
    upload = await receive_part(request, state, upload)
    return Response(status_code=204, headers={"upload-offset": str(upload.offset_bytes), **expiry(upload)})


async def receive_part(request: Request, state: ApiState, upload: ResumableUpload) -> ResumableUpload:
    """Take the bytes of a request; the upload after them."""
    receiver = PartReceiver(state.mill, upload, *checksum_of(request))
    # Every part is recorded in the database, which the event loop never does itself.
    storer = PieceStorer(state.storing, receiver.write, direct_bytes=0)
    try:
        await read_body(request.receive, storer.take_piece, state.mill.settings)
        await storer.flush()
        await run_to_end(receiver.finish)
    except (BodyIncomplete, UploadTooSlow):
        # The caller will be back, and goes on behind what is here.
        if receiver.checksum is None:
            await storer.flush()
            await run_to_end(receiver.keep)
        raise
    finally:
        await run_to_end(receiver.discard)
    return receiver.upload


@router.delete(
    "/uploads/{upload_id}",
    summary="Give up a resumable upload",
    status_code=204,
    response_model=None,
    responses={
        204: {"description": "It is gone."},
        **openapi.problems(*openapi.OF_A_JOB, TusVersionUnsupported),
    },
    openapi_extra={"parameters": [UPLOAD_ID, *TUS_HEADERS]},
)
@speaks_tus
async def delete_upload(request: Request) -> Response:
    """Remove an upload and what has arrived of it."""
    await run_in_thread(remove_upload, api_state(request).mill, await find(request))
    return Response(status_code=204)


async def find(request: Request) -> ResumableUpload:
    """The upload that a request is about."""
    mill: Mill = api_state(request).mill
    return await run_in_thread(existing_upload, mill, tenant_of(request), request.path_params["upload_id"])


def number(request: Request, header: str) -> int:
    """The number in a header; RequestError if there is none."""
    text = request.headers.get(header, "")
    if not (text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS):
        raise RequestError(f"The header {header.title()} must have a number of bytes.")
    return int(text)


def checksum_of(request: Request) -> tuple[RunningHash | None, bytes]:
    """The hash that the bytes are to have; RequestError if it is not one that is known."""
    given = request.headers.get("upload-checksum")
    if given is None:
        return None, b""
    algorithm, _, encoded = given.partition(" ")
    try:
        expected = base64.b64decode(encoded.strip(), validate=True)
    except (binascii.Error, ValueError) as error:
        raise RequestError("The header Upload-Checksum has no base64 behind its algorithm.") from error
    if algorithm not in ALGORITHMS:
        raise RequestError(f"The checksum must be one of {', '.join(ALGORITHMS)}.")
    return hashlib.new(algorithm, usedforsecurity=False), expected


def parse_metadata(text: str) -> dict[str, str]:
    """What a client says of its file: names with values in base64; RequestError if it is malformed."""
    if len(text) > MAX_METADATA:
        raise RequestError(f"The header Upload-Metadata is longer than {MAX_METADATA} bytes.")
    found: dict[str, str] = {}
    for pair in text.split(",") if text.strip() else []:
        name, _, encoded = pair.strip().partition(" ")
        if name in found:
            raise RequestError(f"The header Upload-Metadata has {name[:100]!r} more than once.")
        try:
            found[name] = base64.b64decode(encoded.strip(), validate=True).decode()
        except (binascii.Error, ValueError) as error:
            raise RequestError(
                f"The header Upload-Metadata has no valid base64 for {name[:100]!r}."
            ) from error
        if not name or not name.isascii():
            raise RequestError("The header Upload-Metadata has a value without a name.")
    return found


def expiry(upload: ResumableUpload) -> dict[str, str]:
    """The header that says until when an upload is kept."""
    return {"upload-expires": formatdate(upload.expires_at, usegmt=True)}


def upload_headers(upload: ResumableUpload) -> dict[str, str]:
    """What the protocol says of an upload."""
    length = {"upload-defer-length": "1"} if upload.is_deferred else {"upload-length": str(upload.size_bytes)}
    headers = {
        "upload-offset": str(upload.offset_bytes),
        **length,
        "cache-control": "no-store",
        **expiry(upload),
    }
    return headers | ({"upload-metadata": upload.metadata} if upload.metadata else {})


def upload_view(upload: ResumableUpload) -> dict[str, object]:
    """An upload as people see it."""
    return {
        "upload_id": upload.id,
        "filename": upload.filename,
        "size_bytes": None if upload.is_deferred else upload.size_bytes,
        "offset_bytes": upload.offset_bytes,
        "complete": upload.is_complete,
        "expires_at": iso(upload.expires_at),
    }
