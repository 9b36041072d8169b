"""A document on its way in: sniffed, hashed, counted and stored while its bytes arrive, from wherever they come."""

import hashlib
import time
from collections.abc import Callable, Iterable
from typing import Protocol

from pagemill.adapters.blobs.base import Blobs, BlobWriter
from pagemill.errors import FileEmpty, FileTooLarge
from pagemill.model.file_types import ARCHIVE_TYPES, settle_type, type_of_file
from pagemill.model.ids import new_id
from pagemill.steps.accept.sniffing import HEAD_BYTES, document_key, sniff
from pagemill.steps.accept.submission import StoredUpload

UNNAMED = "document.pdf"


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

    def __init__(self, blobs: Blobs, max_bytes: int, *, takes_archives: bool = False) -> None:
        self.takes_archives = takes_archives
        self.document_id = new_id()
        self.key = document_key(self.document_id)
        self.filename = UNNAMED
        self.declared_type = ""
        self.size_bytes = 0
        self.media_type = ""
        self.hash: Hash = hashlib.sha256()
        self._blobs = blobs
        self._max_bytes = max_bytes
        self._started = time.perf_counter()
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

    @property
    def head(self) -> bytes:
        """The bytes of a document that is not stored yet: all of a short one, the first of any other."""
        return self._head

    def write_all(
        self, pieces: Iterable[bytes], begin_writing: Callable[[str], BlobWriter] | None = None
    ) -> None:
        """Take all bytes of a document, and write them with a writer of one's own if need be; blocks until all were seen."""
        self._begin_writing = begin_writing or self._begin_writing
        for piece in pieces:
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

    def close(self) -> None:
        """Complete the document, which is durable once its store is synced."""
        assert self._writer is not None, "finish comes before close"
        self._writer.close()

    def stored_upload(self) -> StoredUpload:
        """The document as it was stored, and how long that took."""
        return StoredUpload(
            document_id=self.document_id,
            blob_key=self.key,
            sha256=self.hash.hexdigest(),
            size_bytes=self.size_bytes,
            media_type=self.media_type,
            filename=self.filename,
            seconds=round(time.perf_counter() - self._started, 6),
        )

    def abort(self) -> None:
        """Leave nothing behind."""
        if self._writer is not None:
            self._writer.abort()

    def _may_be_archive(self) -> bool:
        """Whether an archive is taken: not where it has the name of a document of another type."""
        declared = type_of_file(self.filename)
        return self.takes_archives and (declared is None or declared.media_type in ARCHIVE_TYPES)

    def _begin(self) -> None:
        name = "" if self.filename == UNNAMED else self.filename
        sniffed = sniff(self._head, name=name, archives=self._may_be_archive())
        self.media_type = settle_type(sniffed, name, self.declared_type)
        self.key = document_key(self.document_id, self.media_type)
        self._writer = self._begin_writing(self.key)
        self.hash.update(self._head)
        self._writer.write(self._head)
        self._head = b""
