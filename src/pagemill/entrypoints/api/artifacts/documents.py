"""Artifacts: the whole document as JSON, Markdown, text or HTML."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from pagemill.desk import contents, queries
from pagemill.entrypoints.access.caller import tenant_of
from pagemill.entrypoints.api import openapi
from pagemill.entrypoints.api.artifacts.files import BlobFile, send_file
from pagemill.entrypoints.api.database_calls import run_query
from pagemill.entrypoints.api.jobs.routes import retry_after
from pagemill.entrypoints.api.state import api_state
from pagemill.entrypoints.wire.negotiation import choose_media_type
from pagemill.entrypoints.wire.problems import problem
from pagemill.entrypoints.wire.responses import json_response
from pagemill.errors import ArtifactNotMade, JobFailed, JobNotFinished, RangeNotSatisfiable

router = APIRouter(prefix="/v1", generate_unique_id_function=openapi.operation_id)


def artifact_responses(media_type: str, example: str) -> openapi.Responses:
    """The responses of a route that answers with an artifact."""
    whole = {
        "description": "The artifact.",
        "content": {media_type: {"example": example}},
        "headers": openapi.ETAG,
    }
    part = {"description": "The range that was asked for.", "content": {media_type: {}}}
    return {
        200: whole,
        206: part,
        **openapi.UNFINISHED,
        **openapi.NOT_MODIFIED,
        **openapi.problems(*openapi.OF_A_JOB, JobFailed, ArtifactNotMade, RangeNotSatisfiable),
    }


@router.get(
    "/jobs/{job_id}/result",
    summary="Get the document as JSON",
    response_model=None,
    responses=artifact_responses("application/json", '{"schema_version": "1", "pages": []}'),
)
async def get_result(request: Request, job_id: str) -> Response:
    """The whole document with its pages and blocks, each with its box; 202 with the job while it is unfinished."""
    return await send_artifact(request, job_id, "json")


@router.get(
    "/jobs/{job_id}/markdown",
    summary="Get the document as Markdown",
    response_model=None,
    responses=artifact_responses("text/markdown", "# Annual report\n\nAll went well."),
)
async def get_markdown(request: Request, job_id: str) -> Response:
    """The whole document as Markdown; 202 with the job while it is unfinished."""
    return await send_artifact(request, job_id, "markdown")


@router.get(
    "/jobs/{job_id}/text",
    summary="Get the document as plain text",
    response_model=None,
    responses=artifact_responses("text/plain", "Annual report\n\nAll went well."),
)
async def get_text(request: Request, job_id: str) -> Response:
    """The whole document as plain text; 202 with the job while it is unfinished."""
    return await send_artifact(request, job_id, "text")


@router.get(
    "/jobs/{job_id}/html",
    summary="Get the document as HTML",
    response_model=None,
    responses=artifact_responses("text/html", "<h1>Annual report</h1><p>All went well.</p>"),
)
async def get_html(request: Request, job_id: str) -> Response:
    """The whole document as HTML, served so that nothing in it can run; 202 with the job while it is unfinished."""
    return await send_artifact(request, job_id, "html")


async def send_artifact(request: Request, job_id: str, name: str) -> Response:
    """An artifact, or where its job stands if it is not there."""
    choose_media_type(request, (contents.MEDIA_TYPES[name].partition(";")[0],))
    mill, tenant = api_state(request).mill, tenant_of(request)
    try:
        found = await run_query(contents.artifact, mill, tenant, job_id, name)
    except JobNotFinished:
        view = await run_query(queries.show_job, mill, tenant, job_id)
        return json_response(view, 202, {"retry-after": retry_after(view)})
    except JobFailed as error:
        return problem(error, (await run_query(queries.show_job, mill, tenant, job_id))["error"])
    return send_file(
        request,
        mill.blobs,
        BlobFile(found.key, found.size_bytes, found.sha256, found.media_type, found.filename),
    )
