"""WebSockets: the events of a job, a batch, or all jobs of a tenant, as they happen; each message is one event as JSON."""

import asyncio
from collections.abc import Awaitable, Callable

from fastapi import APIRouter
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from pagemill.desk import queries
from pagemill.entrypoints.access.caller import holder_of, tenant_of
from pagemill.entrypoints.access.sessions import SOCKET_TOKEN_SECONDS, Sessions
from pagemill.entrypoints.api import openapi
from pagemill.entrypoints.api.jobs.events import SLOW_SECONDS, starting_point
from pagemill.entrypoints.api.jobs.feed_sources import BatchLog, JobLog, P, TenantLog
from pagemill.entrypoints.api.jobs.feeds import LOOK_SECONDS, Feed
from pagemill.entrypoints.api.jobs.routes import checked_cursor
from pagemill.entrypoints.api.jobs.watch import Watch
from pagemill.entrypoints.api.state import ApiState
from pagemill.entrypoints.wire.negotiation import choose_media_type
from pagemill.entrypoints.wire.problems import as_pagemill_error, invalid, problem
from pagemill.entrypoints.wire.protocol import CUT_OFF
from pagemill.entrypoints.wire.responses import json_response
from pagemill.errors import OutageError
from pagemill.notifier import Listener

router = APIRouter(prefix="/v1", generate_unique_id_function=openapi.operation_id)

# Codes of RFC 6455 and its registry.
ENDED, GOING_AWAY = 1000, 1012
YES = ("true", "1")


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
    with_pages = websocket.query_params.get("pages") in YES
    await watch_one(websocket, JobLog(tenant_of(websocket), websocket.path_params["job_id"], with_pages))


async def watch_batch(websocket: WebSocket) -> None:
    """The states of a batch as it moves on; closed after its end."""
    await watch_one(websocket, BatchLog(tenant_of(websocket), websocket.path_params["batch_id"]))


async def watch_one(websocket: WebSocket, log: JobLog | BatchLog) -> None:
    """What a log has after `after`, until nothing more comes."""
    watch, listener = watch_of(websocket), Listener()
    after = starting_point(number_in(websocket.query_params.get("after")), None)
    with watch.admit(listener, holder_of(websocket)):
        async with watch.feeds.follow_one(log, listener) as feed:
            await send_feed(websocket, feed, listener, after)


async def watch_tenant(websocket: WebSocket) -> None:
    """The events of all jobs of the tenant, from now on or from a cursor of `GET /v1/events`."""
    watch, listener = watch_of(websocket), Listener()
    cursor = checked_cursor(websocket.query_params.get("cursor"))
    place = queries.log_position(queries.decode_cursor(cursor) or "") if cursor else None
    with watch.admit(listener, holder_of(websocket)):
        async with watch.feeds.follow_tenant(TenantLog(tenant_of(websocket)), listener) as feed:
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


def number_in(text: str | None) -> int | None:
    """The number of an event in a query."""
    if text is None:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 15:
        raise invalid(("/after", "after is not the number of an event"))
    return int(text)


def or_refuse(endpoint: Callable[[WebSocket], Awaitable[None]]) -> Callable[[WebSocket], Awaitable[None]]:
    """An endpoint that answers with a problem document where it can't begin."""

    async def run_endpoint(websocket: WebSocket) -> None:
        try:
            await endpoint(websocket)
        except Exception as error:
            refusal = as_pagemill_error(error)
            if websocket.application_state.name != "CONNECTING":
                raise
            await websocket.send_denial_response(problem(refusal))

    return run_endpoint


ROUTES = [
    WebSocketRoute("/v1/jobs/{job_id}/ws", or_refuse(watch_job)),
    WebSocketRoute("/v1/batches/{batch_id}/ws", or_refuse(watch_batch)),
    WebSocketRoute("/v1/ws", or_refuse(watch_tenant)),
]
