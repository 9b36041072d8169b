"""Artifacts on demand: made when they are first asked for, and kept with the result."""

from collections.abc import Callable
from dataclasses import asdict
from typing import TypeVar

from fastapi import APIRouter
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from pagemill.desk import contents, on_demand, queries
from pagemill.entrypoints.access.caller import tenant_of
from pagemill.entrypoints.api import models, openapi
from pagemill.entrypoints.api.artifacts.documents import artifact_responses as made_responses
from pagemill.entrypoints.api.artifacts.files import BlobFile, send_file
from pagemill.entrypoints.api.database_calls import gone_if_deleted, run_query
from pagemill.entrypoints.api.jobs.routes import retry_after
from pagemill.entrypoints.api.password_header import DRAWING, PASSWORD_HEADER, password_of
from pagemill.entrypoints.api.state import ApiState, api_state
from pagemill.entrypoints.thread_pools import run_in_thread
from pagemill.entrypoints.wire.negotiation import choose_media_type
from pagemill.entrypoints.wire.problems import problem
from pagemill.entrypoints.wire.responses import json_response
from pagemill.errors import (
    ArtifactNotMade,
    JobFailed,
    JobNotFinished,
    MemoryLimit,
    PagemillError,
    PageTimeout,
    RangeNotSatisfiable,
    Timeout,
)
from pagemill.mill import Mill
from pagemill.model.artifacts import CSV, ON_DEMAND, PNG, MadeFile
from pagemill.press import Press

T = TypeVar("T")
router = APIRouter(prefix="/v1", generate_unique_id_function=openapi.operation_id)

# Shorter than most clients wait for an answer; the making goes on, and the next request finds it.
PATIENCE_SECONDS = 20.0
STILL_MAKING = {"retry-after": "1"}
ROUTES = {
    "json": "result",
    "tables": "tables.xlsx",
    "layout": "layout.pdf",
    "searchable": "searchable.pdf",
    "archive": "archive.zip",
}
TROUBLE = (PageTimeout, Timeout, MemoryLimit)


def list_responses(model: type[BaseModel]) -> openapi.Responses:
    """The responses of a route that lists what there is."""
    return {
        200: {"model": model, "description": "What there is."},
        **openapi.UNFINISHED,
        **openapi.problems(*openapi.OF_A_JOB, JobFailed, ArtifactNotMade, *TROUBLE),
    }


def on_demand_responses(media_type: str, *more: type[PagemillError]) -> openapi.Responses:
    """The responses of a route that answers with an artifact on demand."""
    responses = made_responses(media_type, "")
    for response in (responses[200], responses[206]):
        response["content"] = {media_type: {"schema": {"type": "string", "format": "binary"}}}
    problems = openapi.problems(
        *openapi.OF_A_JOB, JobFailed, ArtifactNotMade, RangeNotSatisfiable, *TROUBLE, *more
    )
    return {**responses, **problems}


@router.get(
    "/jobs/{job_id}/artifacts",
    summary="List the artifacts of a job",
    response_model=None,
    responses=list_responses(models.Artifacts),
)
async def list_artifacts(request: Request, job_id: str) -> Response:
    """Everything that can be had of a finished job; `size_bytes` is null for what nobody has asked for yet."""
    choose_media_type(request)
    found = await result_or_status(request, job_id, existing_artifacts)
    if isinstance(found, Response):
        return found
    base = f"/v1/jobs/{job_id}"
    return json_response(
        {"artifacts": [asdict(one) | {"link": f"{base}/{ROUTES.get(one.name, one.name)}"} for one in found]}
    )


@router.get(
    "/jobs/{job_id}/markdown_det",
    summary="Get the Markdown with the places of all blocks",
    response_model=None,
    responses=on_demand_responses("text/markdown"),
)
async def get_markdown_det(request: Request, job_id: str) -> Response:
    """The Markdown with a comment for every page and every block that says where it stands, for programs that point back.

    It is made the first time that it is asked for; 202 with the job while that takes longer than the request waits.
    """
    return await send_on_demand(request, job_id, "markdown_det")


@router.get(
    "/jobs/{job_id}/layout.pdf",
    summary="Get the document with its blocks drawn in",
    response_model=None,
    responses=on_demand_responses("application/pdf", *DRAWING),
    openapi_extra=PASSWORD_HEADER,
)
async def get_layout(request: Request, job_id: str) -> Response:
    """The pages of the document with a coloured, labelled box around every block, to see what was taken for what."""
    return await send_on_demand(request, job_id, "layout")


@router.get(
    "/jobs/{job_id}/searchable.pdf",
    summary="Get the document with searchable text",
    response_model=None,
    responses=on_demand_responses("application/pdf", *DRAWING),
    openapi_extra=PASSWORD_HEADER,
)
async def get_searchable(request: Request, job_id: str) -> Response:
    """The document with the recognised words of its scanned pages as a layer that can be searched and copied, not seen.

    Pages that have text of their own are left as they are.
    """
    return await send_on_demand(request, job_id, "searchable")


@router.get(
    "/jobs/{job_id}/archive.zip",
    summary="Get everything in one file",
    response_model=None,
    responses=on_demand_responses("application/zip", *DRAWING),
    openapi_extra=PASSWORD_HEADER,
)
async def get_archive(request: Request, job_id: str) -> Response:
    """All artifacts, images and tables; Markdown and HTML in it refer to the images beside them."""
    return await send_on_demand(request, job_id, "archive")


@router.get(
    "/jobs/{job_id}/tables.xlsx",
    summary="Get all tables as a workbook",
    response_model=None,
    responses=on_demand_responses(ON_DEMAND["tables"].media_type),
)
async def get_workbook(request: Request, job_id: str) -> Response:
    """A workbook with a sheet for each table and an index in front; every cell is text, so nothing can be a formula."""
    return await send_on_demand(request, job_id, "tables")


@router.get(
    "/jobs/{job_id}/tables",
    summary="List the tables of the document",
    response_model=None,
    responses=list_responses(models.Tables),
)
async def list_tables(request: Request, job_id: str) -> Response:
    """The tables in the order of the document, with the addresses of their CSV files."""
    choose_media_type(request)
    found = await result_or_status(request, job_id, on_demand.list_files, "tables")
    if isinstance(found, Response):
        return found
    return json_response({"tables": [table_view(job_id, file) for file in found]})


@router.get(
    "/jobs/{job_id}/tables/{name}",
    summary="Get one table as CSV",
    response_model=None,
    responses=on_demand_responses("text/csv"),
)
async def get_table(request: Request, job_id: str, name: str) -> Response:
    """One table, called as in the list, such as `p3-b4.csv`; a cell that a spreadsheet could run starts with an apostrophe."""
    choose_media_type(request, (CSV.partition(";")[0],))
    return send_found(request, await result_or_status(request, job_id, on_demand.table, name))


@router.get(
    "/jobs/{job_id}/images",
    summary="List the figures of the document",
    response_model=None,
    responses=list_responses(models.Images),
)
async def list_images(request: Request, job_id: str) -> Response:
    """The figures in the order of the document, with the addresses of their images."""
    choose_media_type(request)
    found = await result_or_status(request, job_id, on_demand.list_files, "images")
    if isinstance(found, Response):
        return found
    return json_response({"images": [image_view(job_id, file) for file in found]})


@router.get(
    "/jobs/{job_id}/images/{name}",
    summary="Get the image of a figure",
    response_model=None,
    responses=on_demand_responses(PNG, *DRAWING),
    openapi_extra=PASSWORD_HEADER,
)
async def get_image(request: Request, job_id: str, name: str) -> Response:
    """One figure, called as in the list, such as `p3-b2.png`, cut out of its page at 200 dots per inch."""
    choose_media_type(request, (PNG,))
    found = await result_or_status(request, job_id, on_demand.image, name, password=password_of(request))
    return send_found(request, found)


def existing_artifacts(
    mill: Mill, tenant: str, job_id: str, *, press: Press | None
) -> list[on_demand.ArtifactState]:
    """The artifacts of a job, for which nothing need be made."""
    del press
    return on_demand.list_artifacts(mill, tenant, job_id)


async def send_on_demand(request: Request, job_id: str, name: str) -> Response:
    """An artifact that is one file."""
    kind = ON_DEMAND[name]
    choose_media_type(request, (kind.media_type.partition(";")[0],))
    more = {"password": password_of(request)} if kind.drawn else {}
    return send_found(request, await result_or_status(request, job_id, on_demand.artifact, name, **more))


async def result_or_status(
    request: Request, job_id: str, query: Callable[..., T], *args: str, **more: str | None
) -> T | Response:
    """What a query answers; where the job stands while there is nothing, or why there will never be."""
    state, tenant = api_state(request), tenant_of(request)
    try:
        making = existing_or_made(state, (tenant, job_id, *args), query, more)
        found = await gone_if_deleted(making, state.mill, tenant, job_id)
    except JobNotFinished:
        view = await run_query(queries.show_job, state.mill, tenant, job_id)
        return json_response(view, 202, {"retry-after": retry_after(view)})
    except JobFailed as error:
        return problem(error, (await run_query(queries.show_job, state.mill, tenant, job_id))["error"])
    if found is None:
        return json_response(await run_query(queries.show_job, state.mill, tenant, job_id), 202, STILL_MAKING)
    return found


async def existing_or_made(
    state: ApiState, args: tuple[str, ...], query: Callable[..., T], more: dict[str, str | None]
) -> T | None:
    """What is there at once, otherwise what is made; None while that takes longer than a request waits."""
    try:
        return await run_in_thread(query, state.mill, *args, press=None, **more)
    except on_demand.NotMade:
        key = f"{query.__name__} {args} {more}"
        return await state.making.share(
            key, PATIENCE_SECONDS, query, state.mill, *args, press=state.mill.press, **more
        )


def send_found(request: Request, found: contents.ArtifactRef | Response) -> Response:
    """The answer with a file that was made."""
    if isinstance(found, Response):
        return found
    file = BlobFile(found.key, found.size_bytes, found.sha256, found.media_type, found.filename)
    return send_file(request, api_state(request).mill.blobs, file)


def table_view(job_id: str, file: MadeFile) -> dict[str, object]:
    """A table as it is listed."""
    return {
        "name": file.name, "page": file.page, "caption": file.caption, "rows": file.rows, "columns": file.columns,
        "size_bytes": file.size_bytes, "link": f"/v1/jobs/{job_id}/tables/{file.name}",
    }  # fmt: skip


def image_view(job_id: str, file: MadeFile) -> dict[str, object]:
    """A figure as it is listed."""
    return {
        "name": file.name, "page": file.page, "caption": file.caption, "box": file.box,
        "link": f"/v1/jobs/{job_id}/images/{file.name}",
    }  # fmt: skip
