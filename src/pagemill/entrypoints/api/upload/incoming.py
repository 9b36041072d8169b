"""A document on its way in: sniffed, hashed, counted and written while its bytes arrive."""

import base64
import binascii
import hashlib
import re
from collections.abc import Callable
from typing import Protocol

from pagemill.adapters.blobs.base import Blobs, BlobWriter
from pagemill.db.direct_uploads import DirectUpload as StoredUpload
from pagemill.desk.direct_uploads import AdoptedWriter, pieces_of
from pagemill.entrypoints.wire.filenames import FALLBACK
from pagemill.errors import DigestMismatch, FileEmpty, FileTooLarge
from pagemill.model.ids import new_id
from pagemill.steps.accept import HEAD_BYTES, document_key, sniff

DIGEST = re.compile(r"(?:^|,)\s*sha-256\s*=\s*([^,]*)", re.IGNORECASE)
BASE64 = re.compile(r":([^:]*):\s*")


class Hash(Protocol):
    """A running SHA-256."""

    def update(self, piece: bytes, /) -> None:
        """Add bytes."""

    def digest(self) -> bytes:
        """The hash so far."""

    def hexdigest(self) -> str:
        """The hash so far, as text."""


class IncomingDocument:
    """Takes one document. Nothing is stored before its type is known, and nothing is left of one that is given up."""

    def __init__(self, blobs: Blobs, max_bytes: int) -> None:
        self.document_id = new_id()
        self.key = document_key(self.document_id)
        self.filename = FALLBACK
        self.size_bytes = 0
        self.media_type = ""
        self.hash: Hash = hashlib.sha256()
        self._blobs = blobs
        self._max_bytes = max_bytes
        self._head = b""
        self._writer: BlobWriter | None = None
        self._begin_writing: Callable[[str], BlobWriter] = blobs.writer

    def write(self, piece: bytes) -> None:
        """Take some bytes; refuses as soon as there is a reason to."""
        self.size_bytes += len(piece)
        if self.size_bytes > self._max_bytes:
            raise FileTooLarge(max_bytes=self._max_bytes)
        if self._writer is None:
            self._head += piece
            if len(self._head) >= HEAD_BYTES:
                self._begin()
        else:
            self.hash.update(piece)
            self._writer.write(piece)

    def adopt(self, upload: StoredUpload) -> None:
        """Take a document that lies in the store already; blocks until all of it was looked at."""
        self._begin_writing = lambda key: AdoptedWriter(self._blobs, upload.blob_key, key)
        for piece in pieces_of(self._blobs, upload):
            self.write(piece)
        self.finish()

    def finish(self) -> None:
        """Take note that all bytes are here."""
        if not self.size_bytes:
            raise FileEmpty()
        if self._writer is None:
            self._begin()

    def commit(self) -> None:
        """Make the document durable; blocks until it is."""
        assert self._writer is not None, "finish comes before commit"
        self._writer.commit()

    def abort(self) -> None:
        """Leave nothing behind."""
        if self._writer is not None:
            self._writer.abort()

    def _begin(self) -> None:
        self.media_type = sniff(self._head)
        self.key = document_key(self.document_id, self.media_type)
        self._writer = self._begin_writing(self.key)
        self.hash.update(self._head)
        self._writer.write(self._head)
        self._head = b""


def declared_digest(header: str | None) -> bytes | None:
    """The SHA-256 in a Content-Digest header (RFC 9530); other algorithms are not looked at."""
    found = DIGEST.search(header or "")
    if found is None:
        return None
    given = BASE64.fullmatch(found[1])
    try:
        # Without the colons it is neither bytes nor base64.
        return base64.b64decode(given[1] if given else ":", validate=True)
    except binascii.Error as error:
        raise DigestMismatch(
            "The sha-256 value in Content-Digest is not base64 between two colons."
        ) from error
