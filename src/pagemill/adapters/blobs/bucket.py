"""Blobs in a bucket: S3, Google Cloud Storage, Azure, and whatever speaks like them.

Nothing is looked up before it is written: keys hold ids or fences, so that two writers never meet in one.
"""

import hashlib
import logging
import os
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO

import obstore
from obstore.exceptions import BaseError
from obstore.store import ObjectStore

from pagemill import tracing
from pagemill.adapters.blobs.availability import StoreAvailability
from pagemill.adapters.blobs.base import MARK, MARK_TEXT, BlobEntry, Method, Wanted
from pagemill.adapters.blobs.cache import Cache
from pagemill.adapters.blobs.object_stores import refuse_wrong_keys, sign_url, store_at, trouble, troubles
from pagemill.adapters.blobs.remote_file import FetchedWindow, open_buffered
from pagemill.adapters.blobs.scratch import Scratch
from pagemill.adapters.blobs.spool import (
    PART_BYTES,
    PARTS_AT_ONCE,
    PIECE_BYTES,
    Attributes,
    SpooledWriter,
    SpoolPlace,
)
from pagemill.errors import StorageUnavailable, StoredFileMissing
from pagemill.settings import Settings

log = logging.getLogger("pagemill.blobs")

# Larger documents that are sent on while they still arrive, at once; each takes some ten MiB of memory.
EARLY_UPLOADS = 8
# Threads that wait for the bucket, and how many of them one claim may take: they are idle most of the time.
THREADS = 32
SHARES = 8
DOWNLOADS = 3
REMOVED_AT_ONCE = 1_000
LOOK_SECONDS = 3.0
# Copies of blobs that were not used for so long are removed from the disk of this machine.
IDLE_SECONDS = 600.0
SHA256 = "sha256"
MEDIA_TYPES = {
    ".pdf": "application/pdf",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".md": "text/markdown; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".zip": "application/zip",
    ".png": "image/png",
    ".jpeg": "image/jpeg",
    ".webp": "image/webp",
    ".tiff": "image/tiff",
    ".gif": "image/gif",
    ".bmp": "image/bmp",
}


@dataclass(frozen=True, slots=True)
class FetchedBlob:
    """What came when a blob was fetched."""

    size_bytes: int
    sha256: str
    is_right: bool


class BucketBlobs:
    """A bucket, with scratch space on this machine for what is on its way."""

    is_near = False
    looks_unmounted = False

    def __init__(
        self,
        store: ObjectStore,
        scratch: Path,
        cache_bytes: int,
        public_store: ObjectStore | None = None,
        window_seconds: float = LOOK_SECONDS,
    ) -> None:
        self._store = store
        self._public_store = public_store or store
        self._scratch = Scratch(scratch)
        self._cache = Cache(self._scratch.folder / "copies", cache_bytes)
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="pagemill-blobs")
        self._outlook = StoreAvailability(window_seconds)
        seats = threading.Semaphore(EARLY_UPLOADS)
        self._place = SpoolPlace(store, self._scratch.folder, seats, self._outlook)
        self._looked_at = -LOOK_SECONDS
        self._closing = threading.Event()
        threading.Thread(target=self._drop_idle_copies, name="pagemill-copies", daemon=True).start()

    def check(self) -> None:
        """Write the file that says whose bucket it is once more."""
        self.write_mark(self.read_mark() or MARK_TEXT)

    def read_mark(self) -> bytes | None:
        """The text of the file that says whose bucket it is; None if there is none."""
        try:
            return bytes(obstore.get(self._store, MARK).bytes())
        except FileNotFoundError:
            return None
        except (BaseError, OSError) as error:
            refuse_wrong_keys(error)
            raise trouble(error) from error

    def write_mark(self, text: bytes) -> None:
        """Write that file."""
        try:
            obstore.put(self._store, MARK, text, attributes=attributes_of(MARK))
        except (BaseError, OSError) as error:
            refuse_wrong_keys(error)
            raise trouble(error) from error

    def is_empty(self, prefix: str) -> bool:
        """Whether no object is stored under a prefix."""
        with troubles():
            return not any(batch for batch in obstore.list(self._store, prefix, chunk_size=1))

    def is_reachable(self) -> bool:
        """Whether the bucket answers."""
        if time.monotonic() - self._looked_at >= LOOK_SECONDS:
            self._looked_at = time.monotonic()
            with suppress(StorageUnavailable), self._outlook.observe():
                self.size(MARK)
        return self._outlook.is_good

    def writer(self, key: str) -> SpooledWriter:
        """Start a new object; StorageUnavailable at once while the bucket is known to be away."""
        self._outlook.refuse_if_bad()
        return SpooledWriter(self._place, key, attributes_of(key))

    def sync(self, keys: Sequence[str]) -> None:
        """Nothing is left to be done: an object that is there is durable."""

    def open(self, key: str) -> BinaryIO:
        """The object, fetched as far as it is read."""
        return open_buffered(partial(self._window, key))

    def size(self, key: str) -> int | None:
        """The size of an object; None if it is not there."""
        with troubles():
            try:
                return obstore.head(self._store, key)["size"]
            except FileNotFoundError:
                return None

    @contextmanager
    def local(self, key: str, sha256: str | None = None) -> Iterator[Path]:
        """A copy on the disk of this machine, fetched once and checked."""
        with self._cache.hold(key, lambda path: self._fetch(key, sha256, path)) as path:
            yield path

    @contextmanager
    def local_all(self, wanted: Sequence[Wanted]) -> Iterator[list[Path]]:
        """Copies on the disk of this machine; all that are there are given back, whatever becomes of the others."""
        copies = [self.local(*one) for one in wanted]
        fetched = [self._threads.submit(copy_context().run, copy.__enter__) for copy in copies]
        wait(fetched)
        with ExitStack() as held:
            for copy, one in zip(copies, fetched, strict=True):
                if one.exception() is None:
                    held.push(copy.__exit__)
            yield [one.result() for one in fetched]

    @contextmanager
    def folders(self, prefixes: Sequence[str]) -> Iterator[list[Path]]:
        """Folders in the scratch space; their files are sent together when the context ends without an error."""
        with self._scratch.folders(len(prefixes)) as paths:
            yield paths
            files = [
                (prefix + file[len(str(folder)) :], file)
                for prefix, folder in zip(prefixes, paths, strict=True)
                for file in files_below(str(folder))
            ]
            shares = [files[first::SHARES] for first in range(min(SHARES, len(files)))]
            sent = [self._threads.submit(copy_context().run, self._send_all, share) for share in shares]
            wait(sent)
            for one in sent:
                one.result()

    def new_folders(self, prefixes: Sequence[str]) -> AbstractContextManager[list[Path]]:
        """As `folders`: what comes there is sent file by file."""
        return self.folders(prefixes)

    def copy(self, key: str, to: str) -> None:
        """Have the store copy an object; its bytes don't pass through here."""
        with troubles():
            try:
                obstore.copy(self._store, key, to)
            except FileNotFoundError as error:
                raise StoredFileMissing from error

    def replace(self, key: str, to: str) -> None:
        """Have the store copy an object over another, and remove it."""
        self.copy(key, to)
        self._cache.forget(to)
        with troubles():
            self._delete([key])

    def remove(self, prefix: str) -> None:
        """Remove all objects below a prefix, or the object itself if there are none."""
        self._cache.forget(prefix)
        with troubles():
            below = False
            for batch in obstore.list(self._store, prefix, chunk_size=REMOVED_AT_ONCE):
                below = True
                self._delete([found["path"] for found in batch])
            if not below:
                self._delete([prefix])

    def prune(self, prefix: str) -> None:
        """Nothing: a bucket has no folders."""

    def entries(self, prefix: str, depth: int = 1) -> Iterator[BlobEntry]:
        """The objects and folders this many levels below a prefix; a folder is as new as what is newest in it."""
        newest: dict[str, float] = {}
        parts = prefix.count("/") + 1 + depth
        with troubles():
            for batch in obstore.list(self._store, prefix, chunk_size=REMOVED_AT_ONCE):
                for found in batch:
                    key = "/".join(found["path"].split("/")[:parts])
                    newest[key] = max(newest.get(key, 0.0), found["last_modified"].timestamp())
        return (BlobEntry(key, modified_at) for key, modified_at in newest.items())

    def keys(self) -> Iterator[str]:
        """Every object."""
        with troubles():
            for batch in obstore.list(self._store, chunk_size=REMOVED_AT_ONCE):
                yield from (found["path"] for found in batch)

    def signed_url(self, method: Method, key: str, seconds: float) -> str | None:
        """A link to an object; None if the store makes none."""
        return sign_url(self._public_store, method, key, seconds)

    def free_bytes(self) -> None:
        """It is not known."""

    def close(self) -> None:
        """Remove the scratch space."""
        self._closing.set()
        self._threads.shutdown()
        self._scratch.close()

    def _drop_idle_copies(self) -> None:
        """Keep no unused copy for long: another process may have deleted the document."""
        while not self._closing.wait(IDLE_SECONDS / 2):
            self._cache.drop_idle(IDLE_SECONDS)

    def _delete(self, keys: Sequence[str]) -> None:
        """Remove objects; some stores say so if one is not there, and stop at it."""
        try:
            obstore.delete(self._store, keys)
        except FileNotFoundError:
            for key in keys:
                with suppress(FileNotFoundError):
                    obstore.delete(self._store, key)

    def _send_all(self, files: Sequence[tuple[str, str]]) -> None:
        for key, file in files:
            with troubles(), tracing.child_span("blob put", key=key):
                self._send(key, file)

    def _send(self, key: str, file: str) -> None:
        """Store one file, with its SHA-256 beside it."""
        with open(file, "rb", buffering=0) as opened:
            if os.fstat(opened.fileno()).st_size > PART_BYTES:
                known = attributes_of(key) | {SHA256: hashlib.file_digest(opened, "sha256").hexdigest()}
                obstore.put(
                    self._store,
                    key,
                    Path(file),
                    attributes=known,
                    chunk_size=PART_BYTES,
                    max_concurrency=PARTS_AT_ONCE,
                )
            else:
                whole = opened.readall()
                known = attributes_of(key) | {SHA256: hashlib.sha256(whole).hexdigest()}
                obstore.put(self._store, key, whole, attributes=known, use_multipart=False)

    def _window(self, key: str, start: int, length: int) -> FetchedWindow:
        """Some bytes of an object."""
        with troubles():
            try:
                found = obstore.get(self._store, key, options={"range": (start, start + length)})
                return FetchedWindow(start, memoryview(found.bytes()), found.meta["size"])
            except FileNotFoundError as error:
                raise StoredFileMissing from error
            except BaseError:
                # A store has no range to give of an object without bytes.
                if obstore.head(self._store, key)["size"] == 0:
                    return FetchedWindow(0, memoryview(b""), 0)
                raise

    def _fetch(self, key: str, sha256: str | None, path: Path) -> None:
        """Fetch an object to the disk; one whose bytes are wrong is fetched again.

        If the same wrong bytes come each time, they are wrong in the store, which is as good as nothing; anything else is trouble
        on the way.
        """
        came = set()
        for _ in range(DOWNLOADS):
            fetched = self._fetch_once(key, sha256, path)
            if fetched is None:
                # What came before it was removed is not left in its place.
                path.unlink(missing_ok=True)
                return
            if fetched.is_right:
                return
            came.add(fetched)
        path.unlink()
        if len(came) > 1:
            raise StorageUnavailable("The blob store sends other bytes than were stored.")
        log.error("%s is damaged in the blob store", key)

    def _fetch_once(self, key: str, sha256: str | None, path: Path) -> FetchedBlob | None:
        digest, written = hashlib.sha256(), 0
        with troubles(), tracing.child_span("blob get", key=key):
            try:
                found = obstore.get(self._store, key)
            except FileNotFoundError:
                return None
            # A stream of pieces costs twice the CPU of one, which is what most documents are.
            size_bytes = found.meta["size"]
            pieces = found.stream(PIECE_BYTES) if size_bytes > PART_BYTES else (found.bytes(),)
            with path.open("wb", buffering=0) as file:
                for piece in pieces:
                    digest.update(piece)
                    written += file.write(piece)
        expected = sha256 or found.attributes.get(SHA256) or digest.hexdigest()
        is_right = written == size_bytes and digest.hexdigest() == expected
        return FetchedBlob(written, digest.hexdigest(), is_right)


def bucket_of(settings: Settings, scratch: Path) -> BucketBlobs:
    """The bucket of the settings."""
    url, seconds, public = settings.blobs_url, settings.blobs_timeout_seconds, settings.blobs_public_url
    public_store = store_at(url, seconds, public) if public else None
    return BucketBlobs(store_at(url, seconds), scratch, settings.blobs_cache_bytes, public_store, seconds)


def files_below(folder: str) -> Iterator[str]:
    """The path of every file in a folder and those below it."""
    with os.scandir(folder) as found:
        for entry in found:
            if entry.is_dir(follow_symlinks=False):
                yield from files_below(entry.path)
            else:
                yield entry.path


def attributes_of(key: str) -> Attributes:
    """The headers that the store sends with an object: never to be shown in place, because it may hold what a document held."""
    name = key.rpartition("/")[2]
    media_type = MEDIA_TYPES.get(f".{name.rpartition('.')[2]}", "application/octet-stream")
    return {"Content-Type": media_type, "Content-Disposition": f'attachment; filename="{name}"'}
