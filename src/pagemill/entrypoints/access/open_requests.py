"""Requests under way: ended when their key is revoked or their session is logged out, and counted while they upload."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

from starlette.types import Message, Receive

from pagemill.entrypoints.access.keys import KeyCheck
from pagemill.entrypoints.access.sessions import Session
from pagemill.entrypoints.access.upload_places import UploadPlaces
from pagemill.errors import OutageError
from pagemill.model.tenants import Holder

log = logging.getLogger("pagemill.access")

# The keys of requests that have been under way for longer are looked at again this often.
LOOK_SECONDS = 1.0
DISCONNECT: Message = {"type": "http.disconnect"}
# 1008: against a policy.
SOCKET_GONE: Message = {"type": "websocket.disconnect", "code": 1008}


class HeldRequest:
    """One request of somebody who was let in; once that is taken back, it looks as if the caller had left."""

    def __init__(
        self,
        receive: Receive,
        access: tuple[Holder, Session | None],
        is_valid: Callable[[Holder, Session | None], Awaitable[bool]],
        uploads: UploadPlaces,
        gone: Message,
    ) -> None:
        self.access = access
        self._gone = gone
        self.began = time.monotonic()
        self.revoked = False
        self._receive = receive
        self._is_valid = is_valid
        self._uploads = uploads
        self._bytes = 0
        self._has_place = False
        self._body_ended = False
        self._revocation: asyncio.Future[None] | None = None

    async def receive(self) -> Message:
        """The next ASGI message of the request."""
        if self.revoked:
            return self._gone
        if self._body_ended:
            return await self._wait_for_disconnect()
        message = await self._receive()
        self._body_ended = not message.get("more_body", False)
        self._bytes += len(message.get("body", b""))
        self.expect_upload(self._bytes)
        # A client that has sent for a while may have lost the key meanwhile; what follows is a commit.
        if self._body_ended and time.monotonic() - self.began > LOOK_SECONDS:
            self.revoked = not await self._is_valid(*self.access)
        return self._gone if self.revoked else message

    def expect_upload(self, size_bytes: int) -> None:
        """Take a place for an upload of so many bytes; QuotaExceeded or UploadCapacity if there is none."""
        if not self._has_place and self._uploads.is_large(size_bytes):
            self._uploads.take(self.access[0])
            self._has_place = True

    def revoke(self) -> None:
        """Have the request end."""
        self.revoked = True
        if self._revocation is not None and not self._revocation.done():
            self._revocation.set_result(None)

    def close(self) -> None:
        """Give back what the request held."""
        if self._has_place:
            self._uploads.give_back(self.access[0])

    async def _wait_for_disconnect(self) -> Message:
        """Wait until the caller leaves, or is let in no more."""
        self._revocation = asyncio.get_running_loop().create_future()
        leaving: asyncio.Future[Message] = asyncio.ensure_future(self._receive())
        try:
            either: list[asyncio.Future[Any]] = [leaving, self._revocation]
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            return leaving.result() if leaving.done() else self._gone
        finally:
            leaving.cancel()


class OpenRequests:
    """All requests of this process that somebody was let in with."""

    def __init__(self, keys: KeyCheck, uploads: UploadPlaces) -> None:
        self._keys = keys
        self._uploads = uploads
        self._open: set[HeldRequest] = set()

    @contextmanager
    def hold(
        self, receive: Receive, holder: Holder, session: Session | None, gone: Message = DISCONNECT
    ) -> Iterator[HeldRequest]:
        """A request for as long as it is under way; `gone` is how it hears that it may not go on."""
        request = HeldRequest(receive, (holder, session), self._keys.is_valid, self._uploads, gone)
        self._open.add(request)
        try:
            yield request
        finally:
            self._open.discard(request)
            request.close()

    async def watch(self) -> None:
        """Look again and again at the keys of requests that last."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                await self.end_revoked()
            except OutageError as error:
                # While that is unknown, no request is ended.
                log.debug("keys can't be looked at: %s", error.message)

    async def end_revoked(self) -> None:
        """End the requests of keys and sessions that are no longer valid."""
        before = time.monotonic() - LOOK_SECONDS
        lasting = [request for request in self._open if request.began < before]
        for access in {request.access for request in lasting}:
            if not await self._keys.is_valid(*access):
                for request in lasting:
                    if request.access == access:
                        request.revoke()
