"""Pages: which there are, what was read on each, and how it looks; while the job runs and after."""

import re
from hashlib import blake2b
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from pagemill.desk import contents, page_facts, revisions
from pagemill.entrypoints.access.caller import tenant_of
from pagemill.entrypoints.api import models, openapi
from pagemill.entrypoints.api.artifacts.files import BlobFile, send_file
from pagemill.entrypoints.api.database_calls import gone_if_deleted
from pagemill.entrypoints.api.password_header import DRAWING, PASSWORD_HEADER, password_of
from pagemill.entrypoints.api.state import api_state
from pagemill.entrypoints.thread_pools import run_in_thread
from pagemill.entrypoints.wire.negotiation import choose_media_type, known_tags
from pagemill.entrypoints.wire.responses import JSON, json_response
from pagemill.errors import (
    ArtifactNotMade,
    ImageCorrupt,
    ImageTooLarge,
    JobFailed,
    MemoryLimit,
    NotFound,
    PageNotReady,
    PageTimeout,
    PageTooLarge,
    TooManyPages,
    ValidationFailed,
)

router = APIRouter(prefix="/v1", generate_unique_id_function=openapi.operation_id)

UNDRAWN = (PageTooLarge, PageTimeout, MemoryLimit, ImageCorrupt, ImageTooLarge, TooManyPages)

LAST_PAGE = 10**9
PAGE_NUMBER = re.compile(r"[1-9][0-9]{0,8}")
STATE_HEADER = {
    "Pagemill-Page-State": openapi.header("draft until the document is joined, then final.", "final")
}


@router.get(
    "/jobs/{job_id}/pages",
    summary="List the pages of a job",
    response_model=None,
    responses={
        200: {"model": models.PageStates, "description": "Some pages."},
        **openapi.problems(*openapi.OF_A_JOB, ValidationFailed),
    },
)
async def list_pages(
    request: Request,
    job_id: str,
    first: Annotated[int, Query(ge=1, le=LAST_PAGE, description="The page to start with.")] = 1,
    limit: Annotated[int, Query(ge=1, le=1_000, description="How many to list at most.")] = 100,
) -> Response:
    """The pages and how far each is: `waiting`, `draft` (readable, may still change), `final` or `failed`."""
    choose_media_type(request)
    # While a job runs, all its chunks are read.
    found, facts = await run_in_thread(
        page_facts.list_known_pages,
        api_state(request).mill,
        tenant_of(request),
        job_id,
        first=first,
        limit=limit,
    )
    return json_response({"pages": page_facts.page_views(found, facts), "total": found.total})


@router.get(
    "/jobs/{job_id}/pages/{number}",
    summary="Get one page",
    response_model=None,
    responses={
        200: {
            "description": "The page with its blocks.",
            "content": {JSON: {"example": {"number": 1, "width": 595, "height": 842, "blocks": []}}},
            "headers": openapi.ETAG | STATE_HEADER,
        },
        **openapi.NOT_MODIFIED,
        **openapi.problems(*openapi.OF_A_JOB, PageNotReady, JobFailed, ArtifactNotMade, ValidationFailed),
    },
)
async def get_page(
    request: Request,
    job_id: str,
    number: str,
    revision: Annotated[
        int | None, Query(ge=1, le=LAST_PAGE, description="Of this revision; of the newest if left out.")
    ] = None,
) -> Response:
    """What was read on one page, as soon as it was read.

    Until the document is joined a page is a `draft`: running headers are still in it, and heading levels may change.
    """
    choose_media_type(request)
    mill, tenant = api_state(request).mill, tenant_of(request)
    wanted = page_number(number)
    if revision is None:
        page = await run_in_thread(contents.one_page, mill, tenant, job_id, wanted)
    else:
        page = await run_in_thread(revisions.page_of_revision, mill, tenant, job_id, wanted, revision)
    tag = blake2b(page.body, digest_size=16).hexdigest()
    headers = {
        "etag": f'"{tag}"',
        "cache-control": "private, no-cache",
        "pagemill-page-state": "draft" if page.draft else "final",
    }
    tags = known_tags(request)
    if tag in tags or "*" in tags:
        return Response(status_code=304, headers=headers)
    return Response(page.body, headers=headers, media_type=JSON)


@router.get(
    "/jobs/{job_id}/pages/{number}/image",
    summary="Get the image of a page",
    response_model=None,
    responses={
        200: {"description": "The image.", "content": {"image/png": {}, "image/jpeg": {}, "image/webp": {}}},
        **openapi.NOT_MODIFIED,
        **openapi.problems(*openapi.OF_A_JOB, ValidationFailed, *DRAWING, *UNDRAWN),
    },
    openapi_extra=PASSWORD_HEADER,
)
async def get_page_image(
    request: Request,
    job_id: str,
    number: str,
    dpi: Annotated[int, Query(ge=18, le=600, description="Dots per inch.")] = 150,
    form: Annotated[
        Literal["png", "jpeg", "webp"], Query(alias="format", description="The kind of image.")
    ] = "png",
) -> Response:
    """One page as an image, drawn the first time it is asked for; a page that would be too large is drawn smaller."""
    choose_media_type(request, (f"image/{form}",))
    state, tenant, page = api_state(request), tenant_of(request), page_number(number)
    drawing = state.drawing.run(
        contents.page_image,
        state.mill,
        tenant,
        job_id,
        page,
        dpi=dpi,
        form=form,
        password=password_of(request),
    )
    image = await gone_if_deleted(drawing, state.mill, tenant, job_id)
    tag = f"{job_id}-{page}-{dpi}-{form}"
    file = BlobFile(image.key, image.size_bytes, tag, image.media_type, f"page-{page}.{form}")
    return send_file(request, state.mill.blobs, file)


def page_number(text: str) -> int:
    """The number of a page in an address; NotFound for what can't be one."""
    if not PAGE_NUMBER.fullmatch(text):
        raise NotFound()
    return int(text)
