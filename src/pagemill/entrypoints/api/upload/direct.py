"""POST /v1/uploads: a presigned link by which a document goes straight to the blob store."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from pagemill.desk.direct_uploads import UploadTicket, offer_upload
from pagemill.entrypoints.access.caller import tenant_of
from pagemill.entrypoints.api import models, openapi
from pagemill.entrypoints.api.state import api_state
from pagemill.entrypoints.api.upload import resumable
from pagemill.entrypoints.thread_pools import run_in_thread
from pagemill.entrypoints.wire.bodies import json_body
from pagemill.entrypoints.wire.negotiation import choose_media_type
from pagemill.entrypoints.wire.responses import json_response
from pagemill.entrypoints.wire.tus_headers import RESUMABLE
from pagemill.errors import (
    FileTooLarge,
    InvalidEncoding,
    InvalidJson,
    LinksNotOffered,
    StorageUnavailable,
    TusVersionUnsupported,
    UnsupportedMediaType,
    ValidationFailed,
)
from pagemill.model.filenames import sanitise_filename
from pagemill.model.views import iso

router = APIRouter(prefix="/v1", generate_unique_id_function=openapi.operation_id)


@router.post(
    "/uploads",
    summary="Ask for a link to upload a document by",
    status_code=201,
    response_model=None,
    responses={
        201: {"model": models.Upload, "description": "Where to send the document."},
        **openapi.problems(
            LinksNotOffered,
            FileTooLarge,
            InvalidEncoding,
            InvalidJson,
            UnsupportedMediaType,
            ValidationFailed,
            StorageUnavailable,
            TusVersionUnsupported,
        ),
    },
    openapi_extra=openapi.UPLOAD_REQUEST,
)
async def offer_link(request: Request) -> Response:
    """A signed link that takes one document past the service; hand it in with `upload_id` at `POST /v1/jobs`.

    Send the document to `url` with `method` and `headers`, without your API key. What is not handed in is removed.

    With `Tus-Resumable: 1.0.0` and `Upload-Length`, a resumable upload is begun instead: the answer is 201 with its address
    in `Location`, which PATCH requests go to.
    """
    if any(name in request.headers for name in (RESUMABLE, "upload-length")):
        return await resumable.create(request)
    choose_media_type(request)
    mill = api_state(request).mill
    body = await json_body(request, models.UploadRequest, mill.settings)
    if body.size_bytes is not None and body.size_bytes > mill.settings.max_file_bytes:
        raise FileTooLarge(max_bytes=mill.settings.max_file_bytes)
    return json_response(
        ticket_view(
            await run_in_thread(offer_upload, mill, tenant_of(request), sanitise_filename(body.filename))
        ),
        201,
    )


def ticket_view(ticket: UploadTicket) -> dict[str, object]:
    """A place for an upload as it is shown."""
    return {
        "upload_id": ticket.upload.id,
        "url": ticket.url,
        "method": "PUT",
        "headers": ticket.headers,
        "expires_at": iso(ticket.url_expires_at),
    }
