"""A blob on its way to a store far away: spooled to the disk, and sent in parts while its bytes still arrive."""

import logging
import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import SpooledTemporaryFile

import obstore
from obstore.exceptions import BaseError
from obstore.store import ObjectStore

from pagemill.adapters.blobs.availability import StoreAvailability
from pagemill.adapters.blobs.object_stores import trouble, troubles
from pagemill.errors import OutageError, StorageUnavailable, storage_trouble
from pagemill.faultpoints import faultpoint

log = logging.getLogger("pagemill.blobs")

# Up to here a blob never touches the disk.
MEMORY_BYTES = 262_144
PIECE_BYTES = 1_048_576
# What is larger goes in parts; together they bound the memory that one blob takes.
PART_BYTES = 8 * PIECE_BYTES
PARTS_AT_ONCE = 3
Attributes = dict[str, str]


class Sending:
    """The parts of one blob, read from the spool as far as it is written."""

    def __init__(self, store: ObjectStore, key: str, attributes: Attributes, handle: int) -> None:
        self.failed: OutageError | None = None
        self.is_stored = False
        self._store, self._key, self._attributes = store, key, attributes
        self._handle = os.dup(handle)
        self._written = 0
        self._ended = self._unwanted = False
        self._news = threading.Condition()

    def announce(self, written_bytes: int, *, ended: bool = False) -> None:
        """Note how far the spool is written, and whether that is all."""
        with self._news:
            self._written, self._ended = written_bytes, ended
            self._news.notify()

    def give_up(self) -> None:
        """Have everything removed that was sent."""
        with self._news:
            self._ended = self._unwanted = True
            self._news.notify()

    def run(self) -> None:
        """Send all parts; returns when the blob is durable, failed or removed again.

        One that is given up is ended early and then removed: parts that are never put together would stay for ever.
        """
        try:
            obstore.put(
                self._store,
                self._key,
                self._pieces(),
                attributes=self._attributes,
                use_multipart=True,
                chunk_size=PART_BYTES,
                max_concurrency=PARTS_AT_ONCE,
            )
            self.is_stored = True
            if self._unwanted:
                obstore.delete(self._store, self._key)
        except (BaseError, FileNotFoundError) as error:
            self.failed = trouble(error)
        except OSError as error:
            self.failed = storage_trouble(error)
        finally:
            os.close(self._handle)

    def _pieces(self) -> Iterator[bytes]:
        offset = 0
        while piece := os.pread(self._handle, self._readable(offset), offset):
            offset += len(piece)
            yield piece

    def _readable(self, offset: int) -> int:
        with self._news:
            self._news.wait_for(lambda: self._ended or self._written - offset >= PIECE_BYTES)
            return 0 if self._unwanted else min(self._written - offset, PIECE_BYTES)


@dataclass(frozen=True, slots=True)
class SpoolPlace:
    """What the writers of one store share: scratch space, and seats for those that send early."""

    store: ObjectStore
    folder: Path
    seats: threading.Semaphore
    outlook: StoreAvailability


class SpooledWriter:
    """A blob being written. Nothing here waits for the network but `commit`."""

    def __init__(self, place: SpoolPlace, key: str, attributes: Attributes) -> None:
        self._place = place
        self._store, self._key, self._attributes = place.store, key, attributes
        self._spool = SpooledTemporaryFile(MEMORY_BYTES, dir=str(place.folder))
        self._size_bytes = self._announced_bytes = 0
        self._sending: Sending | None = None
        self._thread: threading.Thread | None = None

    def write(self, piece: bytes) -> None:
        """Add bytes at the end."""
        with troubles():
            self._spool.write(piece)
        self._size_bytes += len(piece)
        if self._size_bytes - self._announced_bytes >= PIECE_BYTES:
            self._announced_bytes = self._size_bytes
            self._send_early()

    def commit(self) -> None:
        """Return when the blob is durable in the store."""
        with self._place.outlook.observe(), self._spool:
            if self._size_bytes <= PART_BYTES and self._thread is None:
                self._put_whole()
            else:
                self._send_rest()

    def close(self) -> None:
        """As `commit`: an object is there when it is durable."""
        self.commit()

    def abort(self) -> None:
        """Leave nothing behind; what was sent is removed in the background."""
        if self._sending is not None:
            self._sending.give_up()
        self._spool.close()

    def _send_rest(self) -> None:
        sending = self._sending or self._start_sending()
        sending.announce(self._size_bytes, ended=True)
        if self._thread is None:
            sending.run()
        else:
            self._thread.join()
        if not sending.is_stored:
            # Without a known reason if its thread died of an unexpected error.
            raise sending.failed or StorageUnavailable("The blob store did not take the file.")

    def _put_whole(self) -> None:
        with troubles():
            self._spool.seek(0)
            whole = self._spool.read()
            faultpoint("blob.before_sync")
            obstore.put(self._store, self._key, whole, attributes=self._attributes, use_multipart=False)

    def _send_early(self) -> None:
        if self._sending is None:
            # Without a seat everything is sent at the end: slow senders must not take all the memory there is.
            if self._size_bytes > PART_BYTES and self._place.seats.acquire(blocking=False):
                self._send_in_thread()
            return
        if self._sending.failed is not None:
            raise self._sending.failed
        with troubles():
            self._spool.flush()
        self._sending.announce(self._size_bytes)

    def _send_in_thread(self) -> None:
        try:
            thread = threading.Thread(
                target=self._send_and_release, args=(self._start_sending(),), daemon=True
            )
            thread.start()
        except BaseException:
            self._place.seats.release()
            raise
        self._thread = thread

    def _start_sending(self) -> Sending:
        with troubles():
            self._spool.flush()
            self._sending = Sending(self._store, self._key, self._attributes, self._spool.fileno())
        self._sending.announce(self._size_bytes)
        return self._sending

    def _send_and_release(self, sending: Sending) -> None:
        try:
            sending.run()
        finally:
            self._place.seats.release()
