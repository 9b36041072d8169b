"""A receiver of webhooks that costs next to nothing: on a small machine a dearer one would be measured along."""

import asyncio
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

WAIT_SECONDS = 600.0
END_OF_HEAD = b"\r\n\r\n"
NO_CONTENT = b"HTTP/1.1 204 No Content\r\n\r\n"
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
WEBHOOK_ID = re.compile(rb"\r\nwebhook-id: *([^\r]+)", re.IGNORECASE)


class Receiver:
    """Takes webhooks; answers none of them before it is opened."""

    def __init__(self) -> None:
        self.port = 0
        self.ids: set[bytes] = set()
        self._loop = asyncio.new_event_loop()
        self._waiting: list[tuple[bytes, asyncio.Transport]] | None = []

    def open(self) -> None:
        """Answer what waits, and from now on everything at once."""
        self._loop.call_soon_threadsafe(self._answer_waiting)

    def take(self, webhook_id: bytes, sender: asyncio.Transport) -> None:
        """Answer a webhook, now or when the receiver is opened."""
        if self._waiting is not None:
            self._waiting.append((webhook_id, sender))
            return
        self.ids.add(webhook_id)
        sender.write(NO_CONTENT)

    def wait_for(self, count: int) -> float:
        """The time at which so many different ones had come."""
        deadline = time.monotonic() + WAIT_SECONDS
        while len(self.ids) < count:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{len(self.ids)} of {count} webhooks came")
            time.sleep(0.005)
        return time.monotonic()

    def run(self, listening: threading.Event) -> None:
        """Listen on a free port of this machine until `stop` is called."""
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(
            self._loop.create_server(lambda: Connection(self), "127.0.0.1", 0)
        )
        self.port = server.sockets[0].getsockname()[1]
        listening.set()
        self._loop.run_forever()
        server.close()
        self._loop.close()

    def stop(self) -> None:
        """Take nothing more."""
        self._loop.call_soon_threadsafe(self._loop.stop)

    def _answer_waiting(self) -> None:
        waiting, self._waiting = self._waiting or [], None
        for webhook_id, sender in waiting:
            self.take(webhook_id, sender)


class Connection(asyncio.Protocol):
    """One connection of a sender, which may carry many requests."""

    def __init__(self, receiver: Receiver) -> None:
        self._receiver = receiver
        self._transport: asyncio.Transport | None = None
        self._data = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep where answers go."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Take every request that is here in full."""
        assert self._transport is not None
        self._data += data
        while (end := self._data.find(END_OF_HEAD)) >= 0:
            length, webhook_id = LENGTH.search(self._data), WEBHOOK_ID.search(self._data)
            assert length is not None
            assert webhook_id is not None
            whole = end + len(END_OF_HEAD) + int(length[1])
            if len(self._data) < whole:
                return
            self._data = self._data[whole:]
            self._receiver.take(webhook_id[1], self._transport)


@contextmanager
def receiving() -> Iterator[Receiver]:
    """A receiver on this machine, until the block ends."""
    receiver, listening = Receiver(), threading.Event()
    thread = threading.Thread(target=receiver.run, args=(listening,), daemon=True)
    thread.start()
    listening.wait()
    try:
        yield receiver
    finally:
        receiver.open()
        receiver.stop()
        thread.join()
