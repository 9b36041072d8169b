"""Revisions over HTTP: listed, and restored."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from pagemill.desk import revisions
from pagemill.entrypoints.access.caller import tenant_of
from pagemill.entrypoints.api import openapi, run_models
from pagemill.entrypoints.api.artifacts.pages import page_number
from pagemill.entrypoints.api.state import api_state
from pagemill.entrypoints.thread_pools import run_in_thread
from pagemill.entrypoints.wire.negotiation import choose_media_type
from pagemill.entrypoints.wire.responses import json_response
from pagemill.errors import JobActive

router = APIRouter(prefix="/v1", generate_unique_id_function=openapi.operation_id)


@router.get(
    "/jobs/{job_id}/revisions",
    summary="List the revisions of a job",
    response_model=None,
    responses={
        200: {"model": run_models.Revisions, "description": "The revisions, newest first."},
        **openapi.problems(*openapi.OF_A_JOB),
    },
)
async def list_revisions(request: Request, job_id: str) -> Response:
    """The results that a job has and had, each with the options that it was read with.

    `GET /v1/jobs/{job_id}/pages/{number}?revision=N` answers with a page of an earlier one.
    """
    choose_media_type(request)
    found = await run_in_thread(revisions.list_revisions, api_state(request).mill, tenant_of(request), job_id)
    return json_response({"revisions": found})


@router.post(
    "/jobs/{job_id}/revisions/{revision}/restore",
    summary="Restore an earlier revision",
    response_model=None,
    responses={
        200: {
            "content": openapi.JOB_CONTENT,
            "description": "The job with the restored result, as its next revision.",
        },
        **openapi.problems(*openapi.OF_A_JOB, JobActive),
    },
)
async def restore_revision(request: Request, job_id: str, revision: str) -> Response:
    """Make an earlier result the result of a job that has ended; the present one is kept as a revision too."""
    choose_media_type(request)
    mill, tenant = api_state(request).mill, tenant_of(request)
    return json_response(
        await run_in_thread(revisions.restore_job, mill, tenant, job_id, page_number(revision))
    )
