"""The event log: of one job as it happens, as server-sent events, and of all jobs as an audit trail."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Header, Query
from fastapi.sse import KEEPALIVE_COMMENT
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from pagemill.desk import queries
from pagemill.entrypoints.access.caller import HOLDER, tenant_of
from pagemill.entrypoints.api import models, openapi
from pagemill.entrypoints.api.database_calls import run_query
from pagemill.entrypoints.api.jobs.feed_sources import BATCH, BatchLog, JobLog, P
from pagemill.entrypoints.api.jobs.feeds import LOOK_SECONDS, Feed
from pagemill.entrypoints.api.jobs.routes import checked_cursor
from pagemill.entrypoints.api.jobs.watch import Watch, watch_disconnect
from pagemill.entrypoints.api.state import api_state
from pagemill.entrypoints.thread_pools import run_in_thread
from pagemill.entrypoints.wire.negotiation import JSON, choose_media_type
from pagemill.entrypoints.wire.protocol import CUT_OFF
from pagemill.entrypoints.wire.responses import json_response
from pagemill.errors import InvalidCursor, OutageError, ValidationFailed
from pagemill.model.events import EventType
from pagemill.model.views import event_view
from pagemill.notifier import Listener

router = APIRouter(prefix="/v1", generate_unique_id_function=openapi.operation_id)

STREAM = "text/event-stream"
HEARTBEAT_SECONDS = 15.0
# A reader that takes nothing for this long is cut off; it can go on from where it was.
SLOW_SECONDS = 30.0
# So much is to be taken in that time at least.
PIECE_BYTES = 65_536
MOST_DIGITS = 15
STREAM_HEADERS = {"cache-control": "no-cache", "x-accel-buffering": "no"}
STREAM_EXAMPLE = 'event: job.completed\ndata: {"id": 7, "type": "job.completed"}\nid: 4\n\n'


class EventStream(Response):
    """Sends the events of a job or a batch as they happen, until the last one; a reader that is too slow is cut off."""

    media_type = STREAM

    def __init__(self, watch: Watch, log: JobLog | BatchLog, after: int) -> None:
        super().__init__(None, 200, STREAM_HEADERS)
        del self.headers["content-length"]
        self._watch = watch
        self._log = log
        self._after = after

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send what there is, then wait for more."""
        watch = self._watch
        with (
            watch.admit(Listener(), scope[HOLDER]) as listener,
            watch_disconnect(receive, listener) as gone,
        ):
            async with watch.feeds.follow_one(self._log, listener) as feed:
                await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
                while not gone.done() and not watch.closing:
                    piece = await self._next(feed, listener)
                    if piece is None:
                        break
                    for start in range(0, len(piece), PIECE_BYTES):
                        if not await send_in_time(send, piece[start : start + PIECE_BYTES], scope):
                            return
                await send({"type": "http.response.body", "body": b""})

    async def _next(self, feed: Feed[int], listener: Listener) -> bytes | None:
        """The next events, or a comment after a long silence; None if there will be no more."""
        try:
            found = await feed.lines_after(self._after)
        except OutageError:
            # Watchers see what happened in an outage after it.
            await listener.wait(LOOK_SECONDS)
            return b""
        if found.lines:
            self._after = found.lines[-1].position
            return found.sse
        if feed.is_over_at(self._after):
            return None
        return b"" if await listener.wait(HEARTBEAT_SECONDS) else KEEPALIVE_COMMENT


async def send_in_time(send: Send, piece: bytes, scope: Scope) -> bool:
    """Send some of a stream; False if the client read nothing for so long that the connection was cut, to be taken up again."""
    try:
        async with asyncio.timeout(SLOW_SECONDS):
            await send({"type": "http.response.body", "body": piece, "more_body": True})
    except TimeoutError:
        scope[CUT_OFF]()
        return False
    return True


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
    pages: Annotated[bool, Query(description="Send the pages, too, as they are read.")] = False,
) -> Response:
    """The events of a job as a stream of server-sent events that ends after the job does.

    With `pages=true` the pages that an event settles come before it, each as a `job.page` without an id; after a cut they
    are sent again with their event.
    `after` or a `Last-Event-ID` that the job never had is answered with all events from the first.
    With `Accept: application/json`, those that there are by now, as a list.
    """
    state, tenant = api_state(request), tenant_of(request)
    form = choose_media_type(request, (STREAM, JSON))
    # First whether it has ended, then its events: an end in between is then among them.
    last, ended = await run_query(queries.end_of_job_log, state.mill, tenant, job_id)
    start = known_place(starting_point(after, last_event_id), last, 0)
    if form == JSON or (start and ended):
        found = await run_query(queries.job_events, state.mill, tenant, job_id, start, BATCH)
        if form == JSON:
            return json_response({"events": [event_view(event) for event in found]})
        if not found:
            return Response(status_code=204)
    return EventStream(state.watch, JobLog(tenant, job_id, pages), start)


def known_place(place: P, last: P, first: P) -> P:
    """A place in a log that a watcher goes on from; the first if the log never came so far, and the watcher saw another."""
    return place if place <= last else first


def starting_point(after: int | None, last_event_id: str | None) -> int:
    """The event to go on after; what the client saw last wins over what it once asked for, and 0 replaces nonsense."""
    if not last_event_id:
        return after or 0
    is_number = last_event_id.isascii() and last_event_id.isdigit() and len(last_event_id) <= MOST_DIGITS
    return int(last_event_id) if is_number else 0


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
    """The log of everything that happened, oldest first, refused requests included.

    A `cursor` past the end of the log, as after the restore of a backup, is answered with all events from the first.
    """
    choose_media_type(request)
    # Few events of a type may be among very many others.
    found = await run_in_thread(
        queries.event_page,
        api_state(request).mill,
        tenant_of(request),
        cursor=checked_cursor(cursor),
        limit=limit,
        kinds=[kind.value for kind in kinds or []],
    )
    return json_response(
        {"events": [event_view(event) for event in found.events], "next_cursor": found.next_cursor}
    )
