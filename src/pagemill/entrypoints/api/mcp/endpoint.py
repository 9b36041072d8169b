"""The address of the Model Context Protocol: `/mcp`, by the streamable HTTP of the official SDK, behind the keys of the API."""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from starlette.types import ASGIApp, Receive, Scope, Send

from pagemill.errors import NotFound

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

PATH = "/mcp"


class McpEndpoint:
    """Answers the protocol; it keeps no session, so that any process can answer any request.

    The SDK is loaded with the first request, for most servers never see one.
    """

    def __init__(self, app: ASGIApp, build: Callable[[ASGIApp], Any] | None = None) -> None:
        self._app = app
        self._build = build or build_transport
        self._lock = asyncio.Lock()
        self._transport: StreamableHTTPSessionManager | None = None
        self._stop = asyncio.Event()
        self._running: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if find_spec("mcp") is None:
            raise NotFound(
                "The Model Context Protocol needs its package on the server: pip install 'pagemill[mcp]'."
            )
        async with self._lock:
            if self._transport is None:
                self._transport = await self._start()
        await self._transport.handle_request(scope, receive, send)

    async def close(self) -> None:
        """End what answers."""
        self._stop.set()
        if self._running is not None:
            await self._running

    async def _start(self) -> "StreamableHTTPSessionManager":
        """Load the SDK beside the event loop, and have it run until the end."""
        transport: StreamableHTTPSessionManager = await asyncio.to_thread(self._build, self._app)
        ready = asyncio.Event()

        async def run() -> None:
            async with AsyncExitStack() as stack:
                await stack.enter_async_context(transport.run())
                ready.set()
                await self._stop.wait()

        running, readiness = asyncio.create_task(run()), asyncio.create_task(ready.wait())
        await asyncio.wait([running, readiness], return_when=asyncio.FIRST_COMPLETED)
        readiness.cancel()
        if not ready.is_set():
            # It ended before it was ready; the next request tries again.
            await running
        self._running = running
        return transport


def build_transport(app: ASGIApp) -> "StreamableHTTPSessionManager":
    """The SDK with our tools; hosts and origins were checked before."""
    from mcp.server.transport_security import TransportSecuritySettings

    from pagemill.entrypoints.api.mcp.tools import build_server

    server = build_server(app)
    server.streamable_http_app(
        json_response=True,
        stateless_http=True,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    return server.session_manager
