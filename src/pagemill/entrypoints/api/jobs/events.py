"""The event log: of one job as it happens, and of all jobs as an audit trail."""

import asyncio
from typing import Annotated

import orjson
from fastapi import APIRouter, Header, Query
from fastapi.sse import KEEPALIVE_COMMENT, format_sse_event
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from pagemill.desk import queries
from pagemill.entrypoints.access.caller import tenant_of
from pagemill.entrypoints.api import models, openapi
from pagemill.entrypoints.api.database_calls import run_query
from pagemill.entrypoints.api.jobs.routes import checked_cursor
from pagemill.entrypoints.api.jobs.watch import REST_SECONDS, watch_disconnect
from pagemill.entrypoints.api.state import ApiState, api_state
from pagemill.entrypoints.thread_pools import run_in_thread
from pagemill.entrypoints.wire.negotiation import JSON, choose_media_type
from pagemill.entrypoints.wire.problems import invalid
from pagemill.entrypoints.wire.responses import json_response
from pagemill.errors import Gone, InvalidCursor, OutageError, ValidationFailed
from pagemill.mill import Mill
from pagemill.model.events import FINAL_EVENTS, EventRow, EventType
from pagemill.model.states import TERMINAL
from pagemill.model.views import event_view

router = APIRouter(prefix="/v1", generate_unique_id_function=openapi.operation_id)

STREAM = "text/event-stream"
HEARTBEAT_SECONDS = 15.0
BATCH = 500
STREAM_HEADERS = {"cache-control": "no-cache", "x-accel-buffering": "no"}
STREAM_EXAMPLE = 'event: job.completed\ndata: {"id": 7, "type": "job.completed"}\nid: 4\n\n'


class EventStream(Response):
    """Sends the events of a job as they happen, until the last one; `ended` says that it had ended when asked."""

    media_type = STREAM

    def __init__(self, state: ApiState, tenant: str, job_id: str, after: int, *, ended: bool) -> None:
        super().__init__(None, 200, STREAM_HEADERS)
        del self.headers["content-length"]
        self._state = state
        self._tenant = tenant
        self._job_id = job_id
        self._after = after
        self._ended = ended

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        """Send what there is, then wait for more."""
        watch, loop = self._state.watch, asyncio.get_running_loop()
        with watch.subscribe(self._job_id) as listener, watch_disconnect(receive, listener) as gone:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            spoke_at, over = loop.time(), False
            while not over and not gone.done() and not watch.closing:
                piece, over = await self._next()
                if not piece and loop.time() - spoke_at > HEARTBEAT_SECONDS:
                    piece = KEEPALIVE_COMMENT
                if piece:
                    spoke_at = loop.time()
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
                elif not over:
                    await listener.wait(watch.poll_seconds())
                    await asyncio.sleep(REST_SECONDS)
            await send({"type": "http.response.body", "body": b""})

    async def _next(self) -> tuple[bytes, bool]:
        """The next events in the form of a stream, and whether there will be no more."""
        mill, job = self._state.mill, (self._tenant, self._job_id)
        try:
            found = await run_query(queries.job_events, mill, *job, self._after, BATCH)
        except OutageError:
            # Whoever watches through an outage sees what happened after it.
            return b"", False
        if not found:
            return b"", self._ended
        self._after = found[-1].seq or self._after
        # A final event is not the last one if somebody has retried the job since.
        last = found[-1].type in FINAL_EVENTS and await run_query(is_over, mill, *job)
        return b"".join(sse_bytes(event) for event in found), last


def is_over(mill: Mill, tenant: str, job_id: str) -> bool:
    """Whether nothing more will happen to a job, unless somebody retries it."""
    try:
        return queries.show_job(mill, tenant, job_id)["status"] in TERMINAL
    except Gone:
        return True


def sse_bytes(event: EventRow) -> bytes:
    """An event as a server-sent one; its id is the job's own count, to go on from."""
    return format_sse_event(
        data_str=orjson.dumps(event_view(event)).decode(), event=event.type, id=str(event.seq)
    )


@router.get(
    "/jobs/{job_id}/events",
    summary="Watch a job",
    response_model=None,
    responses={
        200: {
            "description": "The events, oldest first.",
            "content": {
                STREAM: {"example": STREAM_EXAMPLE},
                JSON: {"schema": {"$ref": "#/components/schemas/JobEvents"}},
            },
        },
        204: {
            "description": "The job has ended and there is nothing after the given event; don't reconnect."
        },
        **openapi.problems(*openapi.OF_A_JOB, ValidationFailed),
    },
)
async def job_events(
    request: Request,
    job_id: str,
    after: Annotated[int | None, Query(ge=0, le=2**53, description="Only events after this one.")] = None,
    last_event_id: Annotated[str | None, Header(description="Where a cut stream goes on.")] = None,
) -> Response:
    """The events of a job as a stream of server-sent events that ends after the job does.

    With `Accept: application/json`, those that there are by now, as a list.
    """
    state, tenant = api_state(request), tenant_of(request)
    form = choose_media_type(request, (STREAM, JSON))
    start = starting_point(after, last_event_id)
    # First whether it has ended, then its events: an end in between is then among them.
    ended = await run_query(is_over, state.mill, tenant, job_id)
    found = await run_query(queries.job_events, state.mill, tenant, job_id, start, BATCH)
    if form == JSON:
        return json_response({"events": [event_view(event) for event in found]})
    if not found and start and ended:
        return Response(status_code=204)
    return EventStream(state, tenant, job_id, start, ended=ended)


def starting_point(after: int | None, last_event_id: str | None) -> int:
    """The event to go on after; what the client saw last wins over what it once asked for."""
    if not last_event_id:
        return after or 0
    if not last_event_id.isascii() or not last_event_id.isdigit() or len(last_event_id) > 15:
        raise invalid(("/Last-Event-ID", "Last-Event-ID is not the id of an event"))
    return int(last_event_id)


@router.get(
    "/events",
    summary="Read the event log",
    response_model=None,
    responses={
        200: {"model": models.EventPage, "description": "Some lines of the log."},
        **openapi.problems(InvalidCursor, ValidationFailed),
    },
)
async def list_events(
    request: Request,
    kinds: Annotated[
        list[EventType] | None, Query(alias="type", description="Only events of these types.")
    ] = None,
    cursor: Annotated[str | None, Query(description="`next_cursor` of the list before.")] = None,
    limit: Annotated[int, Query(ge=1, le=1_000, description="How many to list at most.")] = 100,
) -> Response:
    """The log of everything that happened, oldest first, refusals at the door included."""
    choose_media_type(request)
    # Few events of a type may lie among very many others.
    found = await run_in_thread(
        queries.tenant_events,
        api_state(request).mill,
        tenant_of(request),
        cursor=checked_cursor(cursor),
        limit=limit,
        kinds=[kind.value for kind in kinds or []],
    )
    return json_response(
        {"events": [event_view(event) for event in found.events], "next_cursor": found.next_cursor}
    )
