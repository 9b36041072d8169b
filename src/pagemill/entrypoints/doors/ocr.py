"""An OCR service: `POST /process_pdf`, then `GET /result/{id}/…`; pages and figures are counted from 0 in names of images."""

import re
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from pagemill.desk import commands, on_demand, queries
from pagemill.entrypoints.access.caller import tenant_of
from pagemill.entrypoints.api import openapi
from pagemill.entrypoints.api.artifacts.answers import made_or_status, send_found
from pagemill.entrypoints.api.artifacts.documents import (
    on_demand_responses,
    responses_of,
    send_joined,
    send_on_demand,
)
from pagemill.entrypoints.api.database_calls import run_query
from pagemill.entrypoints.api.jobs.routes import checked_cursor
from pagemill.entrypoints.api.password_header import DRAWING, PASSWORD_HEADER, password_of
from pagemill.entrypoints.api.state import api_state
from pagemill.entrypoints.api.upload.submit import query_fields, take_document
from pagemill.entrypoints.doors.words import submitted_message
from pagemill.entrypoints.thread_pools import run_in_thread
from pagemill.entrypoints.wire.responses import json_response
from pagemill.errors import BY_CODE, InvalidCursor, JobFailed, NotFound, PagemillError, ValidationFailed
from pagemill.mill import Mill
from pagemill.model.artifacts import JPEG, MadeFile
from pagemill.model.formats import BY_NAME
from pagemill.model.views import JobView, iso

router = APIRouter(generate_unique_id_function=openapi.operation_id)

IMAGE_NAME = re.compile(r"([0-9]{1,8})_([0-9]{1,8})\.jpg")
OcrStatus = Literal["pending", "processing", "completed", "failed", "cancelled"]


class OcrSubmitted(BaseModel):
    """A document that was taken in."""

    job_id: str
    status: OcrStatus
    filename: str
    message: str


class OcrJob(BaseModel):
    """Where a job is."""

    job_id: str
    status: OcrStatus
    filename: str
    total_pages: int | None
    processed_pages: int
    created_at: str
    updated_at: str = Field(description="When anything about the job last changed.")
    error_message: str | None


class OcrJobs(BaseModel):
    """Some jobs, newest first."""

    tasks: list[OcrJob]
    next_cursor: str | None


class OcrImage(BaseModel):
    """A figure of the document."""

    filename: str = Field(examples=["0_0.jpg"], description="Page and figure, both counted from 0.")
    page: int
    figure: int
    url: str


class OcrImages(BaseModel):
    """The figures of the document."""

    job_id: str
    images: list[OcrImage]


class OcrDeleted(BaseModel):
    """A job that is gone."""

    job_id: str
    status: Literal["deleted"]


OF_STATUS: openapi.Responses = {
    200: {"model": OcrJob, "description": "Where the job is."},
    **openapi.problems(*openapi.OF_A_JOB),
}
UNFINISHED: openapi.Responses = {
    202: {"model": OcrJob, "description": "The job has not ended yet.", "headers": openapi.RETRY_AFTER}
}


@router.post(
    "/process_pdf",
    summary="Hand in a document (OCR service)",
    status_code=202,
    response_model=None,
    responses={
        202: {"model": OcrSubmitted, "description": "The document is stored."},
        **openapi.problems(*openapi.REFUSALS),
    },
    openapi_extra=openapi.SUBMIT_REQUEST,
)
async def process_pdf(request: Request) -> Response:
    """Store a document and answer with the id of its job; the form and its options are those of `POST /v1/jobs`."""
    state = api_state(request)
    acceptance = await take_document(request, state, query_fields(request))
    view = await state.watch.lookups.job(tenant_of(request), acceptance.job_id)
    answer = {
        "job_id": view["id"],
        "status": view["status"],
        "filename": view["document"]["filename"],
        "message": submitted_message("document", view, acceptance),
    }
    return json_response(answer, 202, {"location": f"/result/{view['id']}/status"})


@router.get(
    "/result/{job_id}/status",
    summary="Look at a job (OCR service)",
    response_model=None,
    responses=OF_STATUS,
)
async def show_ocr_status(request: Request, job_id: str) -> Response:
    """Where a job is, how many of its pages are done, and what went wrong."""
    return json_response(await ocr_status(request, job_id))


@router.get(
    "/result/{job_id}/markdown",
    summary="Get the Markdown (OCR service)",
    response_model=None,
    responses=responses_of(BY_NAME["markdown"]) | UNFINISHED,
)
async def get_ocr_markdown(request: Request, job_id: str) -> Response:
    """The whole document as Markdown; 202 with the status while it is unfinished."""
    return await in_shape(request, job_id, await send_joined(request, job_id, BY_NAME["markdown"]))


@router.get(
    "/result/{job_id}/markdown_det",
    summary="Get the Markdown with places (OCR service)",
    response_model=None,
    responses=responses_of(BY_NAME["markdown_det"]) | UNFINISHED,
)
async def get_ocr_markdown_det(request: Request, job_id: str) -> Response:
    """The Markdown with a comment for every block that says where it is; 202 with the status while it is unfinished."""
    return await in_shape(request, job_id, await send_on_demand(request, job_id, BY_NAME["markdown_det"]))


@router.get(
    "/result/{job_id}/layout_pdf",
    summary="Get the pages with their blocks drawn in (OCR service)",
    response_model=None,
    responses=responses_of(BY_NAME["layout"]) | UNFINISHED,
    openapi_extra=PASSWORD_HEADER,
)
async def get_ocr_layout(request: Request, job_id: str) -> Response:
    """The pages of the document with a box around every block; 202 with the status while it is unfinished."""
    return await in_shape(request, job_id, await send_on_demand(request, job_id, BY_NAME["layout"]))


@router.get(
    "/result/{job_id}/images",
    summary="List the figures (OCR service)",
    response_model=None,
    responses={
        200: {"model": OcrImages, "description": "The figures."},
        **UNFINISHED,
        **openapi.problems(*openapi.OF_A_JOB, JobFailed),
    },
)
async def list_ocr_images(request: Request, job_id: str) -> Response:
    """The figures in the order of the document; `0_1.jpg` is the second figure of the first page."""
    found = await made_or_status(request, job_id, on_demand.list_files, "images")
    if isinstance(found, Response):
        return await in_shape(request, job_id, found)
    images = [
        {"filename": name, "page": page, "figure": figure, "url": f"/result/{job_id}/images/{name}"}
        for (page, figure) in numbered_figures(found)
        for name in [f"{page}_{figure}.jpg"]
    ]
    return json_response({"job_id": job_id, "images": images})


@router.get(
    "/result/{job_id}/images/{name}",
    summary="Get the image of a figure (OCR service)",
    response_model=None,
    responses=on_demand_responses(JPEG, *DRAWING) | UNFINISHED,
    openapi_extra=PASSWORD_HEADER,
)
async def get_ocr_image(request: Request, job_id: str, name: str) -> Response:
    """One figure as a JPEG, such as `0_0.jpg`: page and figure are counted from 0."""
    found = await made_or_status(request, job_id, on_demand.list_files, "images")
    if isinstance(found, Response):
        return await in_shape(request, job_id, found)
    match = IMAGE_NAME.fullmatch(name)
    own = numbered_figures(found).get((int(match[1]), int(match[2]))) if match else None
    if own is None:
        raise NotFound(f"The document has no figure {name[:40]}.")
    drawn = own.removesuffix(".png") + ".jpg"
    image = await made_or_status(request, job_id, on_demand.image, drawn, password=password_of(request))
    return await in_shape(request, job_id, send_found(request, image))


@router.get(
    "/tasks",
    summary="List jobs (OCR service)",
    response_model=None,
    responses={
        200: {"model": OcrJobs, "description": "Some jobs."},
        **openapi.problems(InvalidCursor, ValidationFailed),
    },
)
async def list_ocr_jobs(
    request: Request,
    status: Annotated[OcrStatus | None, Query(description="Only jobs with this status.")] = None,
    cursor: Annotated[str | None, Query(description="`next_cursor` of the list before.")] = None,
    limit: Annotated[int, Query(ge=1, le=200, description="How many to list at most.")] = 50,
) -> Response:
    """The jobs, newest first, each as its status shows it."""
    mill, tenant = api_state(request).mill, tenant_of(request)
    found = await run_in_thread(
        queries.list_jobs,
        mill,
        tenant,
        status=status,
        filename=None,
        cursor=checked_cursor(cursor),
        limit=limit,
    )
    shown = await run_in_thread(lambda: [ocr_view(mill, view) for view in found.jobs])
    return json_response({"tasks": shown, "next_cursor": found.next_cursor})


@router.delete(
    "/tasks/{job_id}",
    summary="Delete a job (OCR service)",
    response_model=None,
    responses={
        200: {"model": OcrDeleted, "description": "The job is gone."},
        **openapi.problems(*openapi.OF_A_JOB),
    },
)
async def delete_ocr_job(request: Request, job_id: str) -> Response:
    """Remove a job with its document and results; a running one is cancelled first."""
    await run_in_thread(commands.remove, api_state(request).mill, tenant_of(request), job_id)
    return json_response({"job_id": job_id, "status": "deleted"})


async def in_shape(request: Request, job_id: str, answer: Response) -> Response:
    """An answer of /v1; one that says that the job is unfinished says so in the words of this API."""
    if answer.status_code != 202:
        return answer
    return json_response(
        await ocr_status(request, job_id), 202, {"retry-after": answer.headers["retry-after"]}
    )


async def ocr_status(request: Request, job_id: str) -> dict[str, object]:
    """Where a job is."""
    state = api_state(request)
    view = await state.watch.lookups.job(tenant_of(request), job_id)
    return await run_query(ocr_view, state.mill, view)


def ocr_view(mill: Mill, view: JobView) -> dict[str, object]:
    """A job in the words of this API."""
    error = view["error"]
    return {
        "job_id": view["id"],
        "status": view["status"],
        "filename": view["document"]["filename"],
        "total_pages": view["total_pages"],
        "processed_pages": view["processed_pages"],
        "created_at": view["created_at"],
        "updated_at": updated_at(mill, view),
        "error_message": BY_CODE.get(error["code"], PagemillError).advice() if error else None,
    }


def updated_at(mill: Mill, view: JobView) -> str:
    """When a job last changed; each version has an event, and events may be removed before their job."""
    last = queries.job_events(mill, view["tenant"], view["id"], view["version"] - 1, 1)
    return iso(last[0].at) if last else view["finished_at"] or view["started_at"] or view["created_at"]


def numbered_figures(files: list[MadeFile]) -> dict[tuple[int, int], str]:
    """The names of the figures by page and place on it, both counted from 0."""
    names: dict[int, list[str]] = {}
    for file in files:
        names.setdefault((file.page or 1) - 1, []).append(file.name)
    return {(page, at): name for page, own in names.items() for at, name in enumerate(own)}
