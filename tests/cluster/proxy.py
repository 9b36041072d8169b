"""A TCP proxy that makes trouble on demand between a program and a server."""

import asyncio
import socket
import struct
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import Enum
from urllib.parse import urlsplit, urlunsplit

PIECE_BYTES = 65_536
HOLD_SECONDS = 0.05
# With this option a socket that is closed sends a reset instead of a farewell.
RESET_ON_CLOSE = struct.pack("ii", 1, 0)


class Way(Enum):
    """What becomes of connections and of what is said on them."""

    PASS = "passed on"
    REFUSE = "closed at once"
    BLACKHOLE = "taken, and never answered"
    HALF_CLOSE = "the server's words end after the first piece"


@dataclass(frozen=True, slots=True)
class Weather:
    """How bad the network is; what is already under way is affected, too."""

    way: Way = Way.PASS
    latency_seconds: float = 0.0
    bytes_per_second: float = 0.0
    reset_after_bytes: int = 0


FAIR = Weather()


class FaultProxy:
    """Listens on a port of its own and speaks to one server."""

    def __init__(self, target: tuple[str, int]) -> None:
        self.target = target
        self.weather = FAIR
        self.connections = 0
        self._loop = asyncio.new_event_loop()
        self._writers: set[asyncio.StreamWriter] = set()
        self._thread = threading.Thread(target=self._loop.run_forever, name="fault-proxy", daemon=True)
        self._thread.start()
        listening = asyncio.run_coroutine_threadsafe(self._listen(), self._loop)
        self._server = listening.result(10)
        self.port: int = self._server.sockets[0].getsockname()[1]

    def url_through(self, url: str) -> str:
        """The same URL, leading through this proxy."""
        parts = urlsplit(url)
        user = f"{parts.netloc.rpartition('@')[0]}@" if "@" in parts.netloc else ""
        return urlunsplit(parts._replace(netloc=f"{user}127.0.0.1:{self.port}"))

    def cut(self) -> None:
        """Reset every connection that is open now."""
        self._run(self._cut())

    def close(self) -> None:
        """Cut everything and stop listening."""
        self._run(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run(self, work: Coroutine[None, None, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(10)

    async def _listen(self) -> asyncio.Server:
        return await asyncio.start_server(self._connected, "127.0.0.1", 0)

    async def _cut(self) -> None:
        for writer in list(self._writers):
            reset(writer)

    async def _end(self) -> None:
        self._server.close()
        await self._cut()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for other in others:
            other.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        if self.weather.way is Way.REFUSE:
            reset(writer)
            return
        try:
            far_reader, far_writer = await asyncio.open_connection(*self.target)
        except OSError:
            reset(writer)
            return
        ends = {writer, far_writer}
        self._writers |= ends
        try:
            await asyncio.gather(
                self._pass_on(reader, far_writer), self._pass_on(far_reader, writer, is_answer=True)
            )
        except OSError:
            await self._cut_pair(ends)
        finally:
            self._writers -= ends
            for end in ends:
                end.close()

    async def _cut_pair(self, ends: set[asyncio.StreamWriter]) -> None:
        for end in ends:
            reset(end)

    async def _pass_on(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, is_answer: bool = False
    ) -> None:
        passed = 0
        while piece := await reader.read(PIECE_BYTES):
            await self._hold_back(len(piece))
            passed += len(piece)
            if 0 < self.weather.reset_after_bytes < passed:
                raise ConnectionResetError
            writer.write(piece)
            await writer.drain()
            if is_answer and self.weather.way is Way.HALF_CLOSE:
                break
        with suppress(OSError, RuntimeError):
            writer.write_eof()

    async def _hold_back(self, length: int) -> None:
        """Wait as long as the weather makes a piece wait."""
        await asyncio.sleep(self.weather.latency_seconds)
        if self.weather.bytes_per_second:
            await asyncio.sleep(length / self.weather.bytes_per_second)
        while self.weather.way is Way.BLACKHOLE:  # noqa: ASYNC110 - the weather is set from other threads
            await asyncio.sleep(HOLD_SECONDS)


def reset(writer: asyncio.StreamWriter) -> None:
    """End a connection with a reset."""
    ends: socket.socket | None = writer.get_extra_info("socket")
    if ends is not None and ends.fileno() >= 0:
        ends.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
    writer.transport.abort()


@contextmanager
def between(url: str) -> Iterator[FaultProxy]:
    """A proxy before the server of a URL, until the context ends."""
    parts = urlsplit(url)
    assert parts.hostname is not None
    assert parts.port is not None
    proxy = FaultProxy((parts.hostname, parts.port))
    try:
        yield proxy
    finally:
        proxy.close()
