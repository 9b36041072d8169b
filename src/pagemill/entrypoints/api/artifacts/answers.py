"""The answers while there is no artifact: 202 with the job while it is unfinished, a problem once it has failed."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

from starlette.requests import Request
from starlette.responses import Response

from pagemill.desk import contents, on_demand, queries
from pagemill.desk.extraction import extract
from pagemill.entrypoints.access.caller import tenant_of
from pagemill.entrypoints.api.artifacts.files import BlobFile, send_file
from pagemill.entrypoints.api.database_calls import gone_if_deleted, run_query
from pagemill.entrypoints.api.jobs.routes import retry_after
from pagemill.entrypoints.api.state import ApiState, api_state
from pagemill.entrypoints.thread_pools import BoundedThreadPool, run_in_thread
from pagemill.entrypoints.wire.problems import problem
from pagemill.entrypoints.wire.responses import json_response
from pagemill.errors import JobFailed, JobNotFinished, MemoryLimit, PageTimeout, Timeout
from pagemill.language_model import chat_config

T = TypeVar("T")
# Shorter than most clients wait for an answer; the making goes on, and the next request finds it.
PATIENCE_SECONDS = 20.0
STILL_MAKING = {"retry-after": "1"}
MAKING_ERRORS = (PageTimeout, Timeout, MemoryLimit)


async def result_or_status(request: Request, job_id: str, result: Awaitable[T]) -> T | Response:
    """What is awaited; the state of the job while there is nothing, or why there will never be."""
    mill, tenant = api_state(request).mill, tenant_of(request)
    try:
        return await result
    except JobNotFinished:
        view = await run_query(queries.show_job, mill, tenant, job_id)
        return json_response(view, 202, {"retry-after": retry_after(view)})
    except JobFailed as error:
        return problem(error, (await run_query(queries.show_job, mill, tenant, job_id))["error"])


async def made_or_status(
    request: Request, job_id: str, query: Callable[..., T], *args: str, **more: str | None
) -> T | Response:
    """As above, for what may have to be made first; 202 too while that takes longer than a request waits."""
    state, tenant = api_state(request), tenant_of(request)
    making = existing_or_made(state, (tenant, job_id, *args), query, more)
    found = await result_or_status(request, job_id, gone_if_deleted(making, state.mill, tenant, job_id))
    if found is None:
        view = await run_query(queries.show_job, state.mill, tenant, job_id)
        return json_response(view, 202, STILL_MAKING)
    return found


def pool_for(state: ApiState, query: Callable[..., T]) -> BoundedThreadPool:
    """The threads that make something: an extraction by the language model only waits for that."""
    by_model = query is extract and chat_config(state.mill.settings) is not None
    return state.asking if by_model else state.making


async def existing_or_made(
    state: ApiState, args: tuple[str, ...], query: Callable[..., T], more: dict[str, str | None]
) -> T | None:
    """What is there at once, otherwise what is made; None while that takes longer than a request waits."""
    try:
        return await run_in_thread(query, state.mill, *args, press=None, **more)
    except on_demand.NotMade:
        key = f"{query.__name__} {args} {more}"
        return await pool_for(state, query).share(
            key, PATIENCE_SECONDS, query, state.mill, *args, press=state.mill.press, **more
        )


def send_found(request: Request, found: contents.ArtifactRef | Response) -> Response:
    """The answer with a file that was made."""
    if isinstance(found, Response):
        return found
    file = BlobFile(
        found.key, found.size_bytes, found.tag, found.media_type, found.filename, sha256=found.sha256
    )
    mill = api_state(request).mill
    return send_file(request, mill.blobs, file, partial(contents.withdraw_result, mill, found))
