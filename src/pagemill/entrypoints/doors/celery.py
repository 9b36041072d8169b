"""Jobs in the shape that services built on Celery give them: `POST /jobs`, then `GET /jobs/{id}` until it has ended.

The web pages have the same addresses: a request that prefers HTML gets the page.
"""

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from pagemill.desk import queries
from pagemill.entrypoints.access.caller import tenant_of
from pagemill.entrypoints.api import openapi
from pagemill.entrypoints.api.jobs.routes import checked_cursor, retry_after
from pagemill.entrypoints.api.jobs.watch import is_over
from pagemill.entrypoints.api.state import api_state
from pagemill.entrypoints.api.upload.submit import query_fields, take_document
from pagemill.entrypoints.thread_pools import run_in_thread
from pagemill.entrypoints.wire.negotiation import choose_media_type, prefers_html
from pagemill.entrypoints.wire.responses import json_response
from pagemill.errors import BY_CODE, InvalidCursor, PagemillError, ValidationFailed
from pagemill.model.states import Status
from pagemill.model.views import JobView

router = APIRouter(generate_unique_id_function=openapi.operation_id)

LINKED = ("markdown", "result", "text", "html", "pages", "artifacts")
STATUSES = {
    Status.PENDING: "PENDING",
    Status.PROCESSING: "STARTED",
    Status.COMPLETED: "SUCCESS",
    Status.FAILED: "FAILURE",
    Status.CANCELLED: "FAILURE",
}


class CelerySubmitted(BaseModel):
    """A document that was taken in."""

    job_id: str


class CeleryError(BaseModel):
    """Why there is no result, in words that hold nothing of the document."""

    code: str
    message: str
    retryable: bool


class CeleryResult(BaseModel):
    """What came of a job; after a failure `error` alone."""

    page_count: int | None = None
    failed_pages: list[int] | None = Field(None, description="Pages that could not be read.")
    summary: str | None = None
    links: dict[str, str] | None = Field(None, description="Where the result is.")
    error: CeleryError | None = None


class CeleryJob(BaseModel):
    """A job in Celery's words."""

    task_id: str
    task_status: Literal["PENDING", "STARTED", "RETRY", "SUCCESS", "FAILURE"]
    task_result: CeleryResult | None


class CeleryJobs(BaseModel):
    """Some jobs, newest first."""

    jobs: list[CeleryJob]
    next_cursor: str | None


@router.post(
    "/jobs",
    summary="Hand in a document (Celery-style)",
    status_code=202,
    response_model=None,
    responses={
        202: {"model": CelerySubmitted, "description": "The document is stored."},
        **openapi.problems(*openapi.REFUSALS),
    },
    openapi_extra=openapi.SUBMIT_REQUEST,
)
async def submit_celery_job(request: Request) -> Response:
    """Store a document and answer with the id of its job; the form and its options are those of `POST /v1/jobs`."""
    choose_media_type(request)
    acceptance = await take_document(request, api_state(request), query_fields(request))
    return json_response({"job_id": acceptance.job_id}, 202, {"location": f"/jobs/{acceptance.job_id}"})


@router.get(
    "/jobs/{job_id}",
    summary="Look at a job (Celery-style)",
    response_model=None,
    responses={
        200: {"model": CeleryJob, "description": "The job; a web page if HTML is preferred."},
        **openapi.problems(*openapi.OF_A_JOB),
    },
)
async def show_celery_job(request: Request, job_id: str) -> Response:
    """The status of a job in Celery's words, with links to the result or the reason why there is none."""
    state = api_state(request)
    if prefers_html(request):
        return await state.home_page(request)
    choose_media_type(request)
    view = await state.watch.lookups.job(tenant_of(request), job_id)
    headers = {} if is_over(view) else {"retry-after": retry_after(view)}
    return json_response(celery_view(view), headers={"vary": "Accept", **headers})


@router.get(
    "/jobs",
    summary="List jobs (Celery-style)",
    response_model=None,
    responses={
        200: {"model": CeleryJobs, "description": "Some jobs; a web page if HTML is preferred."},
        **openapi.problems(InvalidCursor, ValidationFailed),
    },
)
async def list_celery_jobs(
    request: Request,
    cursor: Annotated[str | None, Query(description="`next_cursor` of the list before.")] = None,
    limit: Annotated[int, Query(ge=1, le=200, description="How many to list at most.")] = 50,
) -> Response:
    """The jobs, newest first, each as `GET /jobs/{id}` shows it."""
    state = api_state(request)
    if prefers_html(request):
        return await state.home_page(request)
    choose_media_type(request)
    found = await run_in_thread(
        queries.list_jobs,
        state.mill,
        tenant_of(request),
        status=None,
        filename=None,
        cursor=checked_cursor(cursor),
        limit=limit,
    )
    shown = [celery_view(view) for view in found.jobs]
    return json_response({"jobs": shown, "next_cursor": found.next_cursor}, headers={"vary": "Accept"})


def celery_view(view: JobView) -> dict[str, object]:
    """A job in Celery's words."""
    return {
        "task_id": view["id"],
        "task_status": celery_status(view),
        "task_result": celery_result(view) if is_over(view) else None,
    }


def celery_status(view: JobView) -> str:
    """The status; RETRY while something that went wrong is being tried again."""
    counters = view["counters"]
    went_wrong = counters["crashes"] + counters["errors"] + counters["lost"] > 0
    if not is_over(view) and (went_wrong or view["run"] > 1):
        return "RETRY"
    return STATUSES[Status(view["status"])]


def celery_result(view: JobView) -> dict[str, object]:
    """What came of a job that has ended."""
    if view["status"] != Status.COMPLETED:
        return {"error": safe_error(view)}
    failed, total = [page["page"] for page in view["failed_pages"]], view["total_pages"] or 0
    return {
        "page_count": total,
        "failed_pages": failed,
        "summary": f"{total - len(failed)} of {total} pages of {view['document']['filename']} were read.",
        "links": {name: view["links"][name] for name in LINKED},
    }


def safe_error(view: JobView) -> dict[str, object]:
    """Why a job has no result: what its code means, without any words from the document or the reader."""
    error = view["error"]
    if error is None:
        return {"code": "cancelled", "message": "The job was cancelled.", "retryable": False}
    kind = BY_CODE.get(error["code"], PagemillError)
    return {"code": error["code"], "message": kind.advice(), "retryable": error["retryable"]}
