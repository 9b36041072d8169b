"""The server: uvicorn, with limits of our own on what reaches it over the wire."""

import asyncio
import logging
import resource
import socket
from collections.abc import Callable

import uvicorn
from fastapi import FastAPI

from pagemill.entrypoints.api.state import ApiState
from pagemill.entrypoints.wire.protocol import SocketProtocol, WireProtocol
from pagemill.settings import Settings

GRACE_SECONDS = 5
KEEP_ALIVE_SECONDS = 75
BACKLOG = 2_048
# Files, the database and the press need some of the open files that the system allows.
FILES_BESIDE = 256
OPEN_FILES = 65_536
FILES_PER_CONNECTION = 2
SOCKET_MESSAGE_BYTES = 4_096
# The event loop takes one connection from each of them in a round; with one, newcomers wait behind everybody's uploads.
LISTENERS = 8


class HttpServer(uvicorn.Server):
    """Ends waiting requests when it stops, and says when and where it listens."""

    def __init__(
        self, config: uvicorn.Config, state: ApiState, on_listening: Callable[[int], None] | None
    ) -> None:
        super().__init__(config)
        self._state = state
        self._on_listening = on_listening
        self._copies: list[socket.socket] = []

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to listen."""
        self._copies = [one.dup() for one in sockets or () for _ in range(LISTENERS - 1)]
        await super().startup([*sockets, *self._copies] if sockets else None)
        if self.started and self._on_listening is not None:
            self._on_listening(self.port)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop to listen, and let the answers that are under way go out."""
        self._state.watch.close()
        await super().shutdown([*(sockets or ()), *self._copies])

    @property
    def port(self) -> int:
        """The port that is listened on."""
        port: int = self.servers[0].sockets[0].getsockname()[1]
        return port


def make_server(
    app: FastAPI, settings: Settings, on_listening: Callable[[int], None] | None = None
) -> HttpServer:
    """A server for the app; `on_listening` gets the port once connections are taken."""
    logging.getLogger("python_multipart").setLevel(logging.ERROR)
    config = uvicorn.Config(
        app,
        host=settings.host.strip("[]"),
        port=settings.port,
        loop="uvloop",
        http=wire_protocol(settings),
        ws=SocketProtocol,
        # Watchers have nothing to say.
        ws_max_size=SOCKET_MESSAGE_BYTES,
        ws_per_message_deflate=False,
        lifespan="on",
        log_config=None,
        # Its lines hold the query, which may hold a password; ours don't.
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=GRACE_SECONDS,
        backlog=BACKLOG,
    )
    return HttpServer(config, app.state.api, on_listening)


def wire_protocol(settings: Settings) -> type[asyncio.Protocol]:
    """The protocol of a connection, with the limits of this installation."""

    class Fitted(WireProtocol):
        head_seconds = settings.upload_window_seconds
        max_connections = most_connections()
        least_read_bytes = settings.min_upload_rate * settings.upload_window_seconds
        read_window_seconds = settings.upload_window_seconds

    return Fitted


def most_connections() -> int:
    """How many connections may be open at once, after asking the system for as many files as they need."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, OPEN_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return max((wanted - FILES_BESIDE) // FILES_PER_CONNECTION, FILES_BESIDE)
