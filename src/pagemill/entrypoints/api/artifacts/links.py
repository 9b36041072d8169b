"""Presigned links to artifacts: anybody who has one can fetch the file for a while, from the bucket or from here."""

import time
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from pagemill.desk import on_demand
from pagemill.entrypoints.access.caller import tenant_of
from pagemill.entrypoints.api import models, openapi
from pagemill.entrypoints.api.artifacts.answers import (
    MAKING_ERRORS,
    existing_or_made,
    made_or_status,
    send_found,
)
from pagemill.entrypoints.api.database_calls import gone_if_deleted
from pagemill.entrypoints.api.password_header import DRAWING, PASSWORD_HEADER, password_of
from pagemill.entrypoints.api.state import api_state
from pagemill.entrypoints.thread_pools import run_in_thread
from pagemill.entrypoints.wire.negotiation import choose_media_type
from pagemill.entrypoints.wire.responses import json_response
from pagemill.errors import (
    ArtifactNotMade,
    Gone,
    JobFailed,
    LinkInvalid,
    NotFound,
    Overloaded,
    StorageUnavailable,
)
from pagemill.mill import Mill
from pagemill.model.signed_links import LinkSigner, SignedLink
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
    """A signed link by which anybody can fetch the artifact for a while, without a key.

    It leads to the bucket, or to this service where files are kept in a folder.

    What is made on demand is made first; 202 with the job while that takes longer than the request waits.
    """
    choose_media_type(request)
    mill = api_state(request).mill
    seconds = mill.settings.signed_url_seconds
    found = await made_or_status(request, job_id, on_demand.any_artifact, name, password=password_of(request))
    if isinstance(found, Response):
        return found
    expires_at = time.time() + seconds
    url = await run_in_thread(mill.blobs.signed_url, "GET", found.key, seconds)
    link = SignedLink(tenant_of(request), job_id, name, str(int(expires_at)))
    return json_response(
        {
            "url": url or own_address(request, link),
            "expires_at": iso(expires_at),
            "filename": found.filename,
            "media_type": found.media_type,
            "size_bytes": found.size_bytes,
            "sha256": found.sha256,
        }
    )


def own_address(request: Request, link: SignedLink) -> str:
    """The address of a link that leads here."""
    mill = api_state(request).mill
    base = mill.settings.public_url or str(request.base_url)
    return base.rstrip("/") + signer_of(mill).address(link)


def signer_of(mill: Mill) -> LinkSigner:
    """What makes and checks links: the same in all processes of an installation."""
    return LinkSigner(mill.passwords.derive_secret(b"links"))


@router.get(
    "/links/{job_id}/{name}",
    summary="Fetch an artifact by a signed link",
    response_model=None,
    responses={
        200: {"description": "The artifact.", "content": {"application/octet-stream": {}}},
        **openapi.problems(LinkInvalid, Gone, NotFound, ArtifactNotMade, StorageUnavailable, Overloaded),
    },
)
async def fetch_by_link(
    request: Request,
    job_id: str,
    name: str,
    tenant: Annotated[str, Query(description="As the link has it.")] = "",
    expires: Annotated[str, Query(description="As the link has it.")] = "",
    signature: Annotated[str, Query(description="As the link has it.")] = "",
) -> Response:
    """The artifact that a link was made for, which needs no key; ranges and entity tags work as elsewhere.

    The link shows the newest result of its job, until the link has run out or the job is deleted.
    """
    state = api_state(request)
    signer_of(state.mill).check(SignedLink(tenant, job_id, name, expires), signature, time.time())
    making = existing_or_made(state, (tenant, job_id, name), on_demand.any_artifact, {})
    found = await gone_if_deleted(making, state.mill, tenant, job_id)
    if found is None:
        raise Overloaded("The artifact is being made. Try again in a moment.", retry_after_seconds=1)
    return send_found(request, found)
