"""Files from the blob store as answers: in pieces, with ranges and entity tags."""

import asyncio
import hashlib
import logging
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from pagemill.adapters.blobs.base import TROUBLES, Blobs
from pagemill.entrypoints.wire.digests import sha256_field
from pagemill.entrypoints.wire.negotiation import known_tags
from pagemill.entrypoints.wire.responses import HEAD_ONLY
from pagemill.errors import RangeNotSatisfiable, StoredFileMissing
from pagemill.model.filenames import content_disposition

log = logging.getLogger("pagemill.downloads")

PIECE_BYTES = 262_144
OnLoss = Callable[[], None] | None
# More digits than any file needs, and fewer than an int can be made of.
RANGE = re.compile(r"bytes=(\d{0,1000})-(\d{0,1000})", re.ASCII)
# Our HTML may hold whatever a document held: it is shown without scripts, frames or anything from elsewhere.
CONTENT_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"


@dataclass(frozen=True, slots=True)
class BlobFile:
    """A file in the blob store and how it is shown."""

    key: str
    size_bytes: int
    tag: str
    media_type: str
    filename: str
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class ByteRange:
    """Some bytes of a file, from `first` up to and with `last`."""

    first: int
    last: int

    @property
    def size_bytes(self) -> int:
        """How many bytes there are."""
        return self.last - self.first + 1


class FileResponse(Response):
    """Sends some or all bytes of a blob. All of them are compared with their SHA-256 before the last ones are sent."""

    def __init__(
        self,
        blobs: Blobs,
        file: BlobFile,
        span: ByteRange,
        status: int,
        headers: dict[str, str],
        on_loss: OnLoss = None,
    ) -> None:
        super().__init__(None, status, headers)
        self._blobs = blobs
        self._file = file
        self._span = span
        self._on_loss = on_loss

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        """Send the bytes; a file that is missing or damaged is noted before the caller hears of it."""
        try:
            await self._send(scope, send)
        except StoredFileMissing:
            await self._note_loss()
            raise

    async def _note_loss(self) -> None:
        if self._on_loss is not None:
            await asyncio.to_thread(self._on_loss)

    async def _send(self, scope: Scope, send: Send) -> None:
        """Send the bytes, piece by piece."""
        left = self._span.size_bytes
        with await open_blob(self._blobs, self._file.key) as opened:
            opened.seek(self._span.first)
            piece = await self._first_piece(opened, left)
            await send(
                {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
            )
            if HEAD_ONLY in scope:
                return
            # One piece that is all was looked at before.
            digest = hashlib.sha256() if len(piece) < left and self._can_be_checked else None
            while piece:
                left -= len(piece)
                if digest is not None:
                    digest.update(piece)
                    if left <= 0 and not self._is_right(digest.hexdigest()):
                        break
                await send({"type": "http.response.body", "body": piece, "more_body": left > 0})
                if left <= 0:
                    return
                piece = await read_piece(self._blobs, opened, left)
        await self._note_loss()
        # A file that is shorter or other than its row says can't be made whole; the connection is cut instead.
        await send({"type": "http.response.body", "body": b""})

    async def _first_piece(self, opened: BinaryIO, left: int) -> bytes:
        """The first bytes; if they are all, and wrong, they are asked for once more before the file is given up."""
        piece = await read_piece(self._blobs, opened, left)
        if len(piece) < left or not self._can_be_checked or self._is_right(hashlib.sha256(piece).hexdigest()):
            return piece
        with await open_blob(self._blobs, self._file.key) as again:
            piece = await read_piece(self._blobs, again, left)
        if self._is_right(hashlib.sha256(piece).hexdigest()):
            return piece
        raise StoredFileMissing

    @property
    def _can_be_checked(self) -> bool:
        """Whether the SHA-256 of what is sent is known; that of a part is not."""
        return self._file.sha256 is not None and self._span.size_bytes == self._file.size_bytes

    def _is_right(self, sha256: str) -> bool:
        """Whether the bytes that were read are those that were stored."""
        if sha256 == self._file.sha256:
            return True
        TROUBLES["WrongBytes"] += 1
        log.error("%s has other bytes than were stored", self._file.key)
        return False


async def open_blob(blobs: Blobs, key: str) -> BinaryIO:
    """An open blob; the event loop does not wait for a network."""
    return blobs.open(key) if blobs.is_near else await asyncio.to_thread(blobs.open, key)


async def read_piece(blobs: Blobs, opened: BinaryIO, left: int) -> bytes:
    """The next bytes; only the small remainder of a file that is near is read on the event loop."""
    if blobs.is_near and left < PIECE_BYTES:
        return opened.read(left)
    return await asyncio.to_thread(opened.read, min(left, PIECE_BYTES))


def send_file(request: Request, blobs: Blobs, file: BlobFile, on_loss: OnLoss = None) -> Response:
    """The answer to a request for a file; `on_loss` is called in a thread if it is missing or damaged."""
    headers = {
        "etag": f'"{file.tag}"',
        "accept-ranges": "bytes",
        "cache-control": "private, no-cache",
        "content-type": file.media_type,
        "content-disposition": content_disposition(file.filename, file.media_type),
        "content-security-policy": CONTENT_POLICY,
    }
    if file.sha256 is not None:
        headers["repr-digest"] = sha256_field(file.sha256)
    tags = known_tags(request)
    if file.tag in tags or "*" in tags:
        return Response(
            status_code=304, headers={"etag": headers["etag"], "cache-control": headers["cache-control"]}
        )
    span = requested_range(request, file)
    if span is None:
        span, status = ByteRange(0, file.size_bytes - 1), 200
    else:
        status = 206
        headers["content-range"] = f"bytes {span.first}-{span.last}/{file.size_bytes}"
    headers["content-length"] = str(span.size_bytes)
    return FileResponse(blobs, file, span, status, headers, on_loss)


def requested_range(request: Request, file: BlobFile) -> ByteRange | None:
    """The one range of bytes that is asked for; None for the whole file, and for anything that is not one range."""
    found = RANGE.fullmatch(request.headers.get("range", "").strip())
    if (
        found is None
        or not (found[1] or found[2])
        or request.headers.get("if-range", f'"{file.tag}"') != f'"{file.tag}"'
    ):
        return None
    if not found[1]:
        first, last = max(file.size_bytes - int(found[2]), 0), file.size_bytes - 1
    else:
        first, last = int(found[1]), min(int(found[2] or file.size_bytes), file.size_bytes - 1)
    if found[1] and found[2] and int(found[2]) < first:
        return None
    if first > last:
        raise RangeNotSatisfiable(size_bytes=file.size_bytes)
    return ByteRange(first, last)
