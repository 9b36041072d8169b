"""An event-driven upload: `POST /upload` under an idempotency key, then `GET /files/{id}`, with an audit trail."""

from collections.abc import Iterable, Iterator
from typing import Annotated, Literal

import orjson
from fastapi import APIRouter, Query
from pydantic import BaseModel, Field
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from pagemill.desk import queries
from pagemill.desk.page_texts import page_texts
from pagemill.entrypoints.access.caller import tenant_of
from pagemill.entrypoints.api import openapi
from pagemill.entrypoints.api.jobs.routes import checked_cursor, retry_after
from pagemill.entrypoints.api.jobs.watch import is_over
from pagemill.entrypoints.api.state import api_state
from pagemill.entrypoints.api.upload.submit import query_fields, take_document
from pagemill.entrypoints.doors.words import submitted_message
from pagemill.entrypoints.thread_pools import run_in_thread
from pagemill.entrypoints.wire.negotiation import choose_media_type
from pagemill.entrypoints.wire.responses import JSON, PRIVATE, json_response
from pagemill.errors import (
    BY_CODE,
    ArtifactNotMade,
    IdempotencyKeyMissing,
    InvalidCursor,
    PagemillError,
    ValidationFailed,
)
from pagemill.mill import Mill
from pagemill.model.events import EventRow, EventType
from pagemill.model.jobs import Result
from pagemill.model.views import JobView, iso

router = APIRouter(generate_unique_id_function=openapi.operation_id)

AuditName = Literal[
    "upload_received",
    "validation_failed",
    "stored",
    "processing_started",
    "worker_completed",
    "worker_failed",
]
# What the lines of the event log are called in the audit trail, in the order in which they happened.
TRAIL: dict[EventType, tuple[AuditName, ...]] = {
    EventType.REFUSED: ("upload_received", "validation_failed"),
    EventType.ACCEPTED: ("upload_received", "stored"),
    EventType.STARTED: ("processing_started",),
    EventType.COMPLETED: ("worker_completed",),
    EventType.FAILED: ("worker_failed",),
    EventType.CANCELLED: ("worker_failed",),
}
MOST_EVENTS = 1_000
UPLOAD_PATH = "/upload"


class UploadedFile(BaseModel):
    """A file that was taken in."""

    file_id: str
    status: Literal["pending", "processing", "completed", "failed", "cancelled"]
    message: str


class FilePageText(BaseModel):
    """What was read on a page."""

    page: int = Field(description="Counted from 1.")
    text: str
    tables: list[list[list[str]]] = Field(
        description="The cells of each table, row by row, its header first."
    )


class FileText(BaseModel):
    """A file and what was read in it; without pages until it is completed."""

    file_id: str
    status: Literal["pending", "processing", "completed", "failed", "cancelled"]
    filename: str
    total_pages: int | None
    processed_pages: int
    failed_pages: list[int]
    error_message: str | None
    created_at: str
    finished_at: str | None
    pages: list[FilePageText]
    full_text: str | None


class AuditEntry(BaseModel):
    """Something that happened to a file, or to one that was refused and so has no id."""

    event: AuditName
    file_id: str | None
    at: str
    detail: dict[str, object]


class AuditTrail(BaseModel):
    """What happened, oldest first."""

    events: list[AuditEntry]


class AuditPage(AuditTrail):
    """Some of what happened."""

    next_cursor: str


@router.post(
    UPLOAD_PATH,
    summary="Upload a file (event-driven)",
    status_code=202,
    response_model=None,
    responses={
        202: {"model": UploadedFile, "description": "The file is stored."},
        **openapi.problems(*openapi.REFUSALS, IdempotencyKeyMissing),
    },
    openapi_extra=openapi.SUBMIT_WITH_KEY,
)
async def upload_file(request: Request) -> Response:
    """Store a file under an `Idempotency-Key`, which is needed here; the form and its options are those of `POST /v1/jobs`.

    A repeated upload with the same key finds the file of the first.
    """
    choose_media_type(request)
    state = api_state(request)
    if "idempotency-key" not in request.headers:
        missing = IdempotencyKeyMissing()
        state.refusals.record(missing, tenant_of(request), path=UPLOAD_PATH)
        raise missing
    acceptance = await take_document(request, state, query_fields(request))
    view = await state.watch.lookups.job(tenant_of(request), acceptance.job_id)
    message = submitted_message("file", view, acceptance)
    headers = {"location": f"/files/{view['id']}"}
    if acceptance.replayed:
        headers["idempotent-replayed"] = "true"
    return json_response({"file_id": view["id"], "status": view["status"], "message": message}, 202, headers)


@router.get(
    "/files/{job_id}",
    summary="Get a file's text (event-driven upload)",
    response_model=None,
    responses={
        200: {"model": FileText, "description": "The file, with its text when it was read."},
        **openapi.problems(*openapi.OF_A_JOB, ArtifactNotMade),
    },
)
async def show_file_text(request: Request, job_id: str) -> Response:
    """Where a file is and, when it was read, the text and the tables of each page and the whole text."""
    choose_media_type(request)
    state, tenant = api_state(request), tenant_of(request)
    view = await state.watch.lookups.job(tenant, job_id)
    if view["status"] != "completed":
        headers = {} if is_over(view) else {"retry-after": retry_after(view)}
        return json_response({**file_view(view), "pages": [], "full_text": None}, headers=headers)
    result = await run_in_thread(newest_result, state.mill, tenant, job_id)
    first = await run_in_thread(lambda: next(page_texts(state.mill, result), None))
    del first  # Read so that what can't be read is an error, and not an answer that breaks off.
    return StreamingResponse(file_pieces(state.mill, view, result), headers=PRIVATE, media_type=JSON)


@router.get(
    "/files/{job_id}/audit",
    summary="Get the audit trail of a file (event-driven upload)",
    response_model=None,
    responses={
        200: {"model": AuditTrail, "description": "What happened to the file."},
        **openapi.problems(*openapi.OF_A_JOB),
    },
)
async def show_file_audit(request: Request, job_id: str) -> Response:
    """What happened to a file, oldest first."""
    choose_media_type(request)
    mill, tenant = api_state(request).mill, tenant_of(request)
    found = await run_in_thread(queries.job_events, mill, tenant, job_id, 0, MOST_EVENTS)
    return json_response({"events": audit_entries(found)})


@router.get(
    "/audit",
    summary="Get the audit trail of all files (event-driven upload)",
    response_model=None,
    responses={
        200: {"model": AuditPage, "description": "Some of what happened."},
        **openapi.problems(InvalidCursor, ValidationFailed),
    },
)
async def list_audit(
    request: Request,
    cursor: Annotated[str | None, Query(description="`next_cursor` of the list before.")] = None,
    limit: Annotated[int, Query(ge=1, le=1_000, description="How many lines to read at most.")] = 100,
) -> Response:
    """What happened to all files, oldest first, with uploads that were refused."""
    choose_media_type(request)
    found = await run_in_thread(
        queries.tenant_events,
        api_state(request).mill,
        tenant_of(request),
        cursor=checked_cursor(cursor),
        limit=limit,
        kinds=[kind.value for kind in TRAIL],
    )
    return json_response({"events": audit_entries(found.events), "next_cursor": found.next_cursor})


def audit_entries(events: Iterable[EventRow]) -> list[dict[str, object]]:
    """Lines of the event log in the words of the audit trail; requests that another API refused are not in it."""
    return [
        {"event": name, "file_id": event.job_id, "at": iso(event.at), "detail": event.facts}
        for event in events
        if event.facts.get("path", UPLOAD_PATH) == UPLOAD_PATH
        for name in TRAIL.get(event.type, ())
    ]


def file_view(view: JobView) -> dict[str, object]:
    """A file without its pages."""
    error = view["error"]
    return {
        "file_id": view["id"],
        "status": view["status"],
        "filename": view["document"]["filename"],
        "total_pages": view["total_pages"],
        "processed_pages": view["processed_pages"],
        "failed_pages": [page["page"] for page in view["failed_pages"]],
        "error_message": BY_CODE.get(error["code"], PagemillError).advice() if error else None,
        "created_at": view["created_at"],
        "finished_at": view["finished_at"],
    }


def newest_result(mill: Mill, tenant: str, job_id: str) -> Result:
    """The result of a job that is completed."""

    def query(conn: Connection) -> Result:
        _, _, result = queries.job_with_result(conn, tenant, job_id)
        assert result is not None, "a completed job has a result"
        return result

    return mill.db.read(query)


def file_pieces(mill: Mill, view: JobView, result: Result) -> Iterator[bytes]:
    """A file with its pages as JSON, piece by piece; the pages are read twice rather than kept."""
    yield orjson.dumps(file_view(view))[:-1] + b',"pages":['
    between = b""
    for page in page_texts(mill, result):
        yield between + orjson.dumps({"page": page.number, "text": page.text, "tables": page.tables})
        between = b","
    yield b'],"full_text":"'
    yield from text_pieces(page.text for page in page_texts(mill, result))
    yield b'"}'


def text_pieces(texts: Iterable[str]) -> Iterator[bytes]:
    """Texts as the inside of one JSON string, an empty line between them."""
    between = ""
    for text in texts:
        if text:
            yield orjson.dumps(between + text)[1:-1]
            between = "\n\n"
