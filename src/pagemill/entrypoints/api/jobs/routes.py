"""Jobs: listed, looked at, waited for, cancelled, read again and deleted."""

import math
from collections.abc import Mapping
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field, ValidationError
from starlette.requests import Request
from starlette.responses import Response

from pagemill.db.job_lists import JobFilter
from pagemill.desk import commands, job_lists, queries, runs
from pagemill.entrypoints.access.caller import tenant_of
from pagemill.entrypoints.api import models, openapi, run_models
from pagemill.entrypoints.api.artifacts.pages import page_number
from pagemill.entrypoints.api.filter_parameters import QueryFilters, filter_of
from pagemill.entrypoints.api.jobs.expand import expand_job, expansions
from pagemill.entrypoints.api.jobs.watch import is_over
from pagemill.entrypoints.api.state import api_state
from pagemill.entrypoints.thread_pools import run_in_thread
from pagemill.entrypoints.wire.bodies import json_body
from pagemill.entrypoints.wire.negotiation import choose_media_type, known_tags
from pagemill.entrypoints.wire.problems import invalid, invalid_model
from pagemill.entrypoints.wire.responses import json_response
from pagemill.errors import (
    ContentTooLarge,
    InvalidCursor,
    InvalidEncoding,
    InvalidJson,
    JobActive,
    JobTerminal,
    NothingToRetry,
    UnsupportedMediaType,
    ValidationFailed,
)
from pagemill.mill import Mill
from pagemill.model.options import OptionChanges, language_codes
from pagemill.model.views import JobView

router = APIRouter(prefix="/v1", generate_unique_id_function=openapi.operation_id)

MAX_CURSOR = 512
MAX_RETRY_AFTER_SECONDS = 30
Status = Literal["pending", "processing", "completed", "failed", "cancelled"]


@router.get(
    "/jobs/{job_id}",
    summary="Look at a job",
    response_model=None,
    responses={
        200: {"model": models.ExpandedJob, "description": "The job.", "headers": openapi.ETAG},
        **openapi.NOT_MODIFIED,
        **openapi.problems(*openapi.OF_A_JOB, ValidationFailed),
    },
    openapi_extra=openapi.SHOW_REQUEST,
)
async def show_job(request: Request) -> Response:
    """The state of a job, how many pages are done, and what went wrong.

    With `wait`, the answer is held back until the job has ended or the time is up; with `since` or `If-None-Match`
    as well, until anything about it has changed. With `expand`, what it names comes in the same answer.
    """
    choose_media_type(request)
    tags = known_tags(request)
    wanted = expansions(request.query_params) if request.scope["query_string"] else ()
    view = await wait_for_job(request, tags)
    # Weak, because the place in the queue and the time left may move without a new version.
    headers = {"etag": f'W/"{view["version"]}"', "cache-control": "private, no-cache"}
    if tags and (str(view["version"]) in tags or "*" in tags):
        return Response(status_code=304, headers=headers)
    if not is_over(view):
        headers["retry-after"] = retry_after(view)
    return json_response(await expand_job(api_state(request).mill, view, wanted), headers=headers)


async def wait_for_job(request: Request, tags: frozenset[str]) -> JobView:
    """The job that a request asks for, after as much waiting as it asks for."""
    state, tenant, job_id = api_state(request), tenant_of(request), request.path_params["job_id"]
    if not request.scope["query_string"]:
        return await state.watch.lookups.job(tenant, job_id)
    wait_query = WaitQuery.parse(request.query_params)
    seconds = min(wait_query.wait, state.mill.settings.max_wait_seconds)
    return await state.watch.wait_for_job(
        request, tenant, job_id, seconds, lambda view: has_news(view, wait_query.since, tags)
    )


class ListParameters(QueryFilters):
    """Which jobs are listed, and how."""

    status: Status | None = Field(None, description="Only jobs with this status.")
    filename: str | None = Field(None, max_length=255, description="Only names that contain this.")
    sort: job_lists.SortOrder = Field(
        "-created", description="The order; a minus sign in front turns it round."
    )
    counts: bool = Field(False, description="Answer also with the number of matching jobs of each status.")
    cursor: str | None = Field(None, description="`next_cursor` of the list before.")
    limit: int = Field(50, ge=1, le=200, description="How many to list at most.")


class WaitQuery(BaseModel):
    """How long a request waits, and for what."""

    wait: float = Field(0, ge=0, allow_inf_nan=False)
    since: int | None = Field(None, ge=0, le=2**53)

    @classmethod
    def parse(cls, query: Mapping[str, str]) -> "WaitQuery":
        """The fields from a query; ValidationFailed points at one that is at fault."""
        try:
            return cls.model_validate(dict(query))
        except ValidationError as error:
            raise invalid_model(error) from error


def has_news(view: JobView, since: int | None, tags: frozenset[str]) -> bool:
    """Whether a job has ended, or has changed since the caller last saw it."""
    changed = since is not None and view["version"] > since
    return is_over(view) or changed or bool(tags and str(view["version"]) not in tags)


def retry_after(view: JobView) -> str:
    """When to look again at a job that has not ended."""
    return str(max(1, min(math.ceil(view["eta_seconds"] or 1), MAX_RETRY_AFTER_SECONDS)))


@router.get(
    "/jobs",
    summary="List jobs",
    response_model=None,
    responses={
        200: {"model": models.JobPage, "description": "Some jobs."},
        **openapi.problems(InvalidCursor, ValidationFailed),
    },
)
async def list_jobs(request: Request, asked: Annotated[ListParameters, Query()]) -> Response:
    """The jobs, newest first unless `sort` says otherwise; deleted and expired ones are left out."""
    choose_media_type(request)
    mill = api_state(request).mill
    wanted = JobFilter(filter_of(tenant_of(request), asked), asked.status, asked.filename)
    cursor = checked_cursor(asked.cursor)
    # A name that few jobs have is looked for in all of them.
    found = await run_in_thread(list_matching_jobs, mill, wanted, asked.sort, cursor, asked.limit)
    answer: dict[str, object] = {"jobs": found.jobs, "next_cursor": found.next_cursor}
    if asked.counts:
        answer["counts"] = await run_in_thread(job_lists.count_jobs, mill, wanted)
    return json_response(answer)


def list_matching_jobs(
    mill: Mill, wanted: JobFilter, sort: job_lists.SortOrder, cursor: str | None, limit: int
) -> queries.JobList:
    """The matching jobs; the usual list, newest first, is read in the order of its index."""
    if sort != "-created" or not wanted.documents.is_open:
        return job_lists.list_sorted_jobs(mill, wanted, sort=sort, cursor=cursor, limit=limit)
    tenant, status, filename = wanted.documents.tenant, wanted.status, wanted.filename
    return queries.list_jobs(mill, tenant, status=status, filename=filename, cursor=cursor, limit=limit)


def checked_cursor(cursor: str | None) -> str | None:
    """A cursor that is not too long to be one of ours."""
    if cursor is not None and len(cursor) > MAX_CURSOR:
        raise InvalidCursor()
    return cursor


@router.post(
    "/jobs/{job_id}/cancel",
    summary="Cancel a job",
    status_code=202,
    response_model=None,
    responses={
        202: {
            "content": openapi.JOB_CONTENT,
            "description": "The job is cancelled, or has its result again.",
        },
        **openapi.problems(*openapi.OF_A_JOB, JobTerminal),
    },
)
async def cancel_job(request: Request, job_id: str) -> Response:
    """Stop a job; its reading processes are freed within a second or two. Cancelling twice is fine.

    A job whose result is only being added to (`POST …/enrich`, a correction, a rule) is `completed` with the result that
    it has, and nothing is added.
    """
    choose_media_type(request)
    return json_response(
        await run_in_thread(commands.cancel, api_state(request).mill, tenant_of(request), job_id), 202
    )


NEW_RUN: openapi.Responses = {
    202: {
        "content": openapi.JOB_CONTENT,
        "description": "A new run has begun.",
        "headers": openapi.RETRY_AFTER,
    },
    **openapi.problems(
        *openapi.OF_A_JOB,
        JobActive,
        NothingToRetry,
        InvalidEncoding,
        InvalidJson,
        UnsupportedMediaType,
        ContentTooLarge,
        ValidationFailed,
    ),
}


@router.post(
    "/jobs/{job_id}/retry",
    summary="Read a job's document again",
    status_code=202,
    response_model=None,
    responses=NEW_RUN,
    openapi_extra=openapi.RETRY_REQUEST,
)
async def retry_job(request: Request, job_id: str) -> Response:
    """Start a new run of a job that has ended, over all pages or only those that failed, with other options if you like.

    The former result stays readable until the new one is published, and can be restored after that.
    """
    choose_media_type(request)
    mill = api_state(request).mill
    wanted = await json_body(request, run_models.RetryRequest, mill.settings)
    view = await run_in_thread(
        runs.retry,
        mill,
        tenant_of(request),
        job_id,
        only=wanted.only,
        password=wanted.password or None,
        changes=option_changes(wanted),
    )
    return json_response(view, 202, {"location": f"/v1/jobs/{job_id}", "retry-after": retry_after(view)})


@router.post(
    "/jobs/{job_id}/pages/{number}/read",
    summary="Read one page again",
    status_code=202,
    response_model=None,
    responses=NEW_RUN,
    openapi_extra=openapi.PAGE_READ_REQUEST,
)
async def read_page_again(request: Request, job_id: str, number: str) -> Response:
    """Read one page of a finished job again, with a provider of your choice or other options, and publish a new revision.

    All other pages stay as they are. The former result stays readable until the new one is published; if the page
    can't be read so, the job fails with the reason and the former result stays for good.
    """
    choose_media_type(request)
    state = api_state(request)
    wanted = await json_body(request, run_models.PageReadRequest, state.mill.settings)
    known = ", ".join(sorted(state.providers))
    name, changes = wanted.provider, option_changes(wanted)
    if name is None and changes == runs.UNCHANGED:
        raise invalid(("/provider", "name a provider, or an option to read with: ocr, mode or languages"))
    if name is not None and (wrong := state.providers.get(name, f"{name!r} is not one of {known}")):
        raise invalid(("/provider", wrong))
    view = await run_in_thread(
        runs.read_page,
        state.mill,
        tenant_of(request),
        job_id,
        page_number(number),
        provider=name,
        password=wanted.password or None,
        changes=changes,
    )
    return json_response(view, 202, {"location": f"/v1/jobs/{job_id}", "retry-after": retry_after(view)})


def option_changes(wanted: run_models.ReadAgainOptions) -> OptionChanges:
    """The options that a new run reads with; ValidationFailed names what is no language."""
    try:
        languages = None if wanted.languages is None else language_codes(",".join(wanted.languages))
    except ValueError as error:
        raise invalid(("/languages", str(error))) from error
    return OptionChanges(wanted.ocr, wanted.mode, languages, wanted.render)


@router.delete(
    "/jobs/{job_id}",
    summary="Delete a job",
    status_code=204,
    response_model=None,
    responses={
        204: {"description": "The job is gone."},
        **openapi.problems(*openapi.OF_A_JOB),
    },
)
async def delete_job(request: Request, job_id: str) -> Response:
    """Remove a job with its document and results; a running one is cancelled first. Its id answers 410 from now on."""
    await run_in_thread(commands.remove, api_state(request).mill, tenant_of(request), job_id)
    return Response(status_code=204)
