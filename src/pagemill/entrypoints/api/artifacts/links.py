"""Links to artifacts: anybody who has one can fetch the file for a while, straight from the blob store."""

import time

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from pagemill.desk import on_demand
from pagemill.entrypoints.api import models, openapi
from pagemill.entrypoints.api.artifacts.answers import MAKING_ERRORS, made_or_status
from pagemill.entrypoints.api.password_header import DRAWING, PASSWORD_HEADER, password_of
from pagemill.entrypoints.api.state import api_state
from pagemill.entrypoints.thread_pools import run_in_thread
from pagemill.entrypoints.wire.negotiation import choose_media_type
from pagemill.entrypoints.wire.responses import json_response
from pagemill.errors import ArtifactNotMade, JobFailed, LinksNotOffered, StorageUnavailable
from pagemill.model.views import iso

router = APIRouter(prefix="/v1", generate_unique_id_function=openapi.operation_id)


@router.get(
    "/jobs/{job_id}/artifacts/{name}/link",
    summary="Get a link to an artifact",
    response_model=None,
    responses={
        200: {"model": models.ArtifactLink, "description": "The link."},
        **openapi.UNFINISHED,
        **openapi.problems(
            *openapi.OF_A_JOB,
            LinksNotOffered,
            JobFailed,
            ArtifactNotMade,
            StorageUnavailable,
            *MAKING_ERRORS,
            *DRAWING,
        ),
    },
    openapi_extra=PASSWORD_HEADER,
)
async def get_link(request: Request, job_id: str, name: str) -> Response:
    """A signed link by which anybody can fetch the artifact straight from the blob store for a while.

    What is made on demand is made first; 202 with the job while that takes longer than the request waits.
    """
    choose_media_type(request)
    blobs, seconds = api_state(request).mill.blobs, api_state(request).mill.settings.signed_url_seconds
    found = await made_or_status(request, job_id, on_demand.any_artifact, name, password=password_of(request))
    if isinstance(found, Response):
        return found
    expires_at = time.time() + seconds
    url = await run_in_thread(blobs.signed_url, "GET", found.key, seconds)
    if url is None:
        raise LinksNotOffered()
    return json_response(
        {
            "url": url,
            "expires_at": iso(expires_at),
            "filename": found.filename,
            "media_type": found.media_type,
            "size_bytes": found.size_bytes,
            "sha256": found.sha256,
        }
    )
