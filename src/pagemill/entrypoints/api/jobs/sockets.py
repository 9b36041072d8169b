"""WebSockets: the events of a job, a batch, or all jobs of a tenant, as they happen; each message is one event as JSON."""

import asyncio
from collections.abc import Awaitable, Callable

from fastapi import APIRouter
from pydantic import BaseModel, Field, TypeAdapter, ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from pagemill.desk import queries
from pagemill.entrypoints.access.caller import holder_of, tenant_of
from pagemill.entrypoints.access.sessions import SOCKET_TOKEN_SECONDS, Sessions
from pagemill.entrypoints.api import openapi
from pagemill.entrypoints.api.database_calls import run_query
from pagemill.entrypoints.api.jobs.events import SLOW_SECONDS, known_place
from pagemill.entrypoints.api.jobs.feed_sources import BatchLog, JobLog, P, TenantLog
from pagemill.entrypoints.api.jobs.feeds import LOOK_SECONDS, Feed
from pagemill.entrypoints.api.jobs.routes import checked_cursor
from pagemill.entrypoints.api.jobs.watch import Watch
from pagemill.entrypoints.api.state import ApiState
from pagemill.entrypoints.wire.negotiation import choose_media_type
from pagemill.entrypoints.wire.problems import as_pagemill_error, invalid, problem
from pagemill.entrypoints.wire.protocol import CUT_OFF
from pagemill.entrypoints.wire.query_names import check_names
from pagemill.entrypoints.wire.responses import json_response
from pagemill.errors import OutageError
from pagemill.mill import Mill
from pagemill.notifier import Listener

router = APIRouter(prefix="/v1", generate_unique_id_function=openapi.operation_id)

# Codes of RFC 6455 and its registry.
ENDED, GOING_AWAY = 1000, 1012
TOKEN = "token"
YES_OR_NO = TypeAdapter(bool)


class SocketToken(BaseModel):
    """Opens a WebSocket from a browser, which can send no key with it."""

    token: str = Field(description="Goes into the query of the address: `?token=…`.")
    expires_in_seconds: int = Field(description="The WebSocket must be opened by then; it may stay open.")


@router.post(
    "/ws-tokens",
    summary="Get a token for a WebSocket",
    status_code=201,
    response_model=None,
    responses={201: {"model": SocketToken, "description": "The token."}, **openapi.problems()},
)
async def make_socket_token(request: Request) -> Response:
    """A token that opens WebSockets for a minute, for web pages, which can't send the key in a header.

    Ask for it on your own server, with the key, and hand it to the page.
    """
    choose_media_type(request)
    tokens: Sessions = request.app.state.socket_tokens
    token = tokens.issue(holder_of(request).key_id, SOCKET_TOKEN_SECONDS)
    return json_response({"token": token, "expires_in_seconds": SOCKET_TOKEN_SECONDS}, 201)


async def watch_job(websocket: WebSocket) -> None:
    """The events of a job, from the one after `after` on, and its pages with `pages=true`; closed after the last."""
    with_pages = yes_or_no_in(websocket.query_params.get("pages"))
    await watch_one(websocket, JobLog(tenant_of(websocket), websocket.path_params["job_id"], with_pages))


async def watch_batch(websocket: WebSocket) -> None:
    """The states of a batch as it moves on; closed after its end."""
    await watch_one(websocket, BatchLog(tenant_of(websocket), websocket.path_params["batch_id"]))


async def watch_one(websocket: WebSocket, log: JobLog | BatchLog) -> None:
    """What a log has after `after`, until nothing more comes; all of it if it never came so far."""
    watch, listener = watch_of(websocket), Listener()
    wanted = number_in(websocket.query_params.get("after"))
    last, _ = await run_query(log.end, mill_of(websocket))
    after = known_place(wanted, last, 0)
    with watch.admit(listener, holder_of(websocket)):
        async with watch.feeds.follow_one(log, listener) as feed:
            await send_feed(websocket, feed, listener, after)


async def watch_tenant(websocket: WebSocket) -> None:
    """The events of all jobs of the tenant, from now on or from a cursor of `GET /v1/events`.

    From the first that there is if the log never came so far: the cursor is one of another log.
    """
    watch, listener = watch_of(websocket), Listener()
    cursor = checked_cursor(websocket.query_params.get("cursor"))
    place = queries.log_position(queries.decode_cursor(cursor) or "") if cursor else None
    log = TenantLog(tenant_of(websocket))
    if place is not None:
        last, _ = await run_query(log.end, mill_of(websocket))
        place = known_place(place, last, log.place_before_all())
    with watch.admit(listener, holder_of(websocket)):
        async with watch.feeds.follow_tenant(log, listener) as feed:
            await send_feed(websocket, feed, listener, feed.head if place is None else place)


async def send_feed(websocket: WebSocket, feed: Feed[P], listener: Listener, position: P) -> None:
    """Send a feed until it is over, the watcher has left, or it does not read what it is sent."""
    await websocket.accept()
    gone = asyncio.ensure_future(wait_for_close(websocket))
    gone.add_done_callback(lambda _: listener.wake())
    try:
        while not gone.done():
            if watch_of(websocket).closing:
                await websocket.close(GOING_AWAY, "The service is stopping. Connect again.")
                return
            position, over = await send_next(websocket, feed, listener, position)
            if over:
                await websocket.close(ENDED, "It has ended.")
                return
    except TimeoutError:
        websocket.scope[CUT_OFF]()
    except WebSocketDisconnect:
        return
    finally:
        gone.cancel()


async def send_next(websocket: WebSocket, feed: Feed[P], listener: Listener, position: P) -> tuple[P, bool]:
    """Send the next events, or wait for some; the place after them, and whether there will be no more."""
    try:
        found = await feed.lines_after(position)
    except OutageError:
        # Watchers see what happened in an outage after it.
        await listener.wait(LOOK_SECONDS)
        return position, False
    for line in found.lines:
        for message in line.messages:
            async with asyncio.timeout(SLOW_SECONDS):
                await websocket.send_text(message.decode())
        position = line.position
    if not found.lines and not feed.is_over_at(position):
        await listener.wait(SLOW_SECONDS)
    return position, not found.lines and feed.is_over_at(position)


async def wait_for_close(websocket: WebSocket) -> None:
    """Return when the watcher has left; what it sends is of no interest."""
    while (await websocket.receive())["type"] != "websocket.disconnect":
        pass


def watch_of(websocket: WebSocket) -> Watch:
    """The waiting requests of the application that a WebSocket came to."""
    state: ApiState = websocket.app.state.api
    return state.watch


def mill_of(websocket: WebSocket) -> Mill:
    """The mill of the application that a WebSocket came to."""
    state: ApiState = websocket.app.state.api
    return state.mill


def number_in(text: str | None) -> int:
    """The number of an event in a query; 0 if there is none."""
    if text is None:
        return 0
    if not text.isascii() or not text.isdigit() or len(text) > 15:
        raise invalid(("/after", "after is not the number of an event"))
    return int(text)


def yes_or_no_in(text: str | None) -> bool:
    """Whether a query asks for something, in the words that other routes take; no if it says nothing of it."""
    try:
        return YES_OR_NO.validate_python(text or "false")
    except ValidationError as error:
        raise invalid(("/pages", "pages is neither true nor false")) from error


def or_refuse(
    endpoint: Callable[[WebSocket], Awaitable[None]], *names: str
) -> Callable[[WebSocket], Awaitable[None]]:
    """An endpoint that takes these query parameters, and answers with a problem document where it can't begin."""
    known = dict.fromkeys((*names, TOKEN), False)

    async def run_endpoint(websocket: WebSocket) -> None:
        try:
            check_names(websocket.scope["query_string"], known)
            await endpoint(websocket)
        except Exception as error:
            refusal = as_pagemill_error(error)
            if websocket.application_state.name != "CONNECTING":
                raise
            await websocket.send_denial_response(problem(refusal))

    return run_endpoint


ROUTES = [
    WebSocketRoute("/v1/jobs/{job_id}/ws", or_refuse(watch_job, "after", "pages")),
    WebSocketRoute("/v1/batches/{batch_id}/ws", or_refuse(watch_batch, "after")),
    WebSocketRoute("/v1/ws", or_refuse(watch_tenant, "cursor")),
]
