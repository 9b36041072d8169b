"""The documents of a batch as they arrive: each is stored or refused on its own, and all go if the batch is refused."""

import math
import time
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field

from pagemill.errors import (
    ArchiveBomb,
    FileEmpty,
    FileTooLarge,
    OutageError,
    PagemillError,
    TooManyItems,
    UnsupportedFileType,
)
from pagemill.mill import Mill
from pagemill.model.batches import EntryError
from pagemill.model.filenames import sanitise_filename
from pagemill.steps.accept import IncomingDocument, StoredUpload

# What is wrong with one document, and no reason to refuse the others.
OWN_FAULTS = (UnsupportedFileType, FileEmpty, FileTooLarge)
# A bucket takes a while to say that it has a document, so several small ones are waited for at once; a disk is synced
# when all of them are written.
STORED_AT_ONCE, SMALL_BYTES = 8, 1_000_000


@dataclass(frozen=True, slots=True)
class ReceivedEntry:
    """A document that was stored, or why it was not."""

    name: str
    upload: StoredUpload | None
    error: EntryError | None = None


@dataclass(slots=True)
class BatchIntake:
    """Takes the documents of one batch, one after the other."""

    mill: Mill
    items: list[ReceivedEntry] = field(default_factory=list)
    size_bytes: int = 0
    _open: IncomingDocument | None = None
    _refused: PagemillError | None = None
    _most_bytes: int = 0
    _ends_at: float = math.inf
    _threads: ThreadPoolExecutor | None = None
    _storing: deque["Future[None]"] = field(default_factory=deque)

    def __post_init__(self) -> None:
        self._most_bytes = self.mill.settings.max_batch_bytes

    def bound(self, size_bytes: int) -> None:
        """Allow so many further bytes, and the time of the settings for them."""
        self._most_bytes = min(self.mill.settings.max_batch_bytes, self.size_bytes + size_bytes)
        self._ends_at = time.monotonic() + self.mill.settings.unpack_seconds

    def begin(self, filename: str) -> None:
        """A document starts; TooManyItems if there is no room for it."""
        settings = self.mill.settings
        if len(self.items) >= settings.max_batch_items:
            raise TooManyItems(max_items=settings.max_batch_items)
        self._open, self._refused = IncomingDocument(self.mill.blobs, settings.max_file_bytes), None
        self._open.filename = sanitise_filename(filename)

    def write(self, piece: bytes) -> bool:
        """Some bytes of the document; whether more of them are of use."""
        self.size_bytes += len(piece)
        if time.monotonic() > self._ends_at:
            raise ArchiveBomb(
                "Unpacking the archive takes too long. Send several batches, or raise PAGEMILL_UNPACK_SECONDS."
            )
        if self.size_bytes > self._most_bytes:
            raise ArchiveBomb(
                "The documents of the batch have too many bytes together. Send several batches, or raise "
                "PAGEMILL_MAX_BATCH_BYTES.",
                max_bytes=self._most_bytes,
            )
        if self._refused is None and self._open is not None:
            try:
                self._open.write(piece)
            except OWN_FAULTS as error:
                self._refused = error
        return self._refused is None

    def refuse(self, error: PagemillError) -> None:
        """The document can't be taken, for a reason that its bytes don't show."""
        self._refused = error

    def end(self) -> None:
        """The document is complete: it becomes durable, by the time of `settle` at the latest, or its refusal is noted."""
        document = self._open
        assert document is not None, "begin comes before end"
        try:
            if self._refused is None:
                document.finish()
        except OWN_FAULTS as error:
            self._refused = error
        self._open = None
        if self._refused is not None:
            document.abort()
            error_view: EntryError = {"code": self._refused.code, "message": self._refused.message}
            self.items.append(ReceivedEntry(document.filename, None, error_view))
        else:
            self.items.append(ReceivedEntry(document.filename, document.stored_upload()))
            self._store(document)

    def _store(self, document: IncomingDocument) -> None:
        if document.size_bytes > SMALL_BYTES or self.mill.blobs.is_near:
            complete(document)
            return
        if self._threads is None:
            self._threads = ThreadPoolExecutor(STORED_AT_ONCE, thread_name_prefix="pagemill-batch")
        self._storing.append(self._threads.submit(complete, document))
        if len(self._storing) > STORED_AT_ONCE:
            self._storing.popleft().result()

    def settle(self) -> None:
        """Return when every document is durable; raises what kept one from it."""
        while self._storing:
            self._storing.popleft().result()
        self._leave_threads()
        self.mill.blobs.sync([entry.upload.blob_key for entry in self.items if entry.upload is not None])

    def _leave_threads(self) -> None:
        threads, self._threads = self._threads, None
        if threads is not None:
            threads.shutdown()

    def discard(self) -> None:
        """Leave nothing behind; what can't be removed now is found by the sweeper."""
        self._leave_threads()
        if self._open is not None:
            self._open.abort()
        for entry in self.items:
            if entry.upload is not None:
                with suppress(OutageError):
                    self.mill.blobs.remove(entry.upload.blob_key)


def complete(document: IncomingDocument) -> None:
    """Have a document stored, or leave nothing of it."""
    try:
        document.close()
    except BaseException:
        document.abort()
        raise
