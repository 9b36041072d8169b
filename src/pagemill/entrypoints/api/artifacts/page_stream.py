"""The pages of a job as a stream of NDJSON, while it runs and after; memory does not grow with the document."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from pagemill.desk.page_lines import PageLines, read_page_lines
from pagemill.entrypoints.access.caller import HOLDER, tenant_of
from pagemill.entrypoints.api import openapi
from pagemill.entrypoints.api.artifacts.answers import result_or_status
from pagemill.entrypoints.api.jobs.watch import REST_SECONDS, watch_disconnect
from pagemill.entrypoints.api.state import ApiState, api_state
from pagemill.entrypoints.thread_pools import run_in_thread
from pagemill.entrypoints.wire.negotiation import choose_media_type
from pagemill.entrypoints.wire.responses import HEAD_ONLY
from pagemill.errors import ArtifactNotMade, JobFailed, ValidationFailed
from pagemill.model.formats import NDJSON

router = APIRouter(prefix="/v1", generate_unique_id_function=openapi.operation_id)

LAST_PAGE = 10**9
EXAMPLE = '{"state":"final","number":1,"width":595,"height":842,"blocks":[]}\n'


@router.get(
    "/jobs/{job_id}/pages.ndjson",
    summary="Stream the pages of a job",
    response_model=None,
    responses={
        200: {
            "description": "A page per line, in order: as of `GET /v1/jobs/{job_id}/pages/{number}`, with its `state`.",
            "content": {NDJSON: {"example": EXAMPLE}},
        },
        **openapi.problems(*openapi.OF_A_JOB, JobFailed, ArtifactNotMade, ValidationFailed),
    },
)
async def stream_pages(
    request: Request,
    job_id: str,
    first: Annotated[int, Query(ge=1, le=LAST_PAGE, description="The page to start with.")] = 1,
    follow: Annotated[bool, Query(description="Wait for pages that are not read yet.")] = False,
) -> Response:
    """The pages that can be read, one JSON object per line, `draft` until the document is joined and then `final`.

    With `follow=true` the stream goes on until the job has ended. A page that could not be read has the state `failed` and
    its `error`.
    """
    choose_media_type(request, (NDJSON,))
    state, tenant = api_state(request), tenant_of(request)
    begun = run_in_thread(read_page_lines, state.mill, tenant, job_id, first)
    found = await result_or_status(request, job_id, begun)
    if isinstance(found, Response):
        return found
    return PageStream(state, tenant, job_id, found, follow=follow)


class PageStream(Response):
    """Sends pages in batches, and waits for more if it is to follow the job."""

    media_type = NDJSON

    def __init__(self, state: ApiState, tenant: str, job_id: str, begun: PageLines, *, follow: bool) -> None:
        super().__init__(None, 200, {"content-type": NDJSON, "cache-control": "private, no-cache"})
        del self.headers["content-length"]
        self._state = state
        self._tenant = tenant
        self._job_id = job_id
        self._begun = begun
        self._follow = follow

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the stream."""
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        if HEAD_ONLY in scope:
            return
        watch = self._state.watch
        with (
            watch.subscribe(self._job_id, scope[HOLDER]) as listener,
            watch_disconnect(receive, listener) as gone,
        ):
            found = self._begun
            while not gone.done():
                if found.lines:
                    await send({"type": "http.response.body", "body": found.lines, "more_body": True})
                if found.is_end or watch.closing or not (found.lines or self._follow):
                    break
                if not found.lines:
                    await listener.wait(watch.poll_seconds())
                    await asyncio.sleep(REST_SECONDS)
                found = await run_in_thread(
                    read_page_lines, self._state.mill, self._tenant, self._job_id, found.next_page
                )
        await send({"type": "http.response.body", "body": b""})
