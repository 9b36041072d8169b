"""Blobs in a local folder."""

import ctypes
import errno
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from pagemill.adapters.blobs.base import Entry
from pagemill.errors import storage_trouble


class LocalWriter:
    """A file being written; fsynced with its folder at the end."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with refusals():
            try:
                self._file = path.open("xb", buffering=0)
            except FileNotFoundError:
                path.parent.mkdir(parents=True, exist_ok=True)
                self._file = path.open("xb", buffering=0)

    def write(self, piece: bytes) -> None:
        """Add bytes at the end."""
        with refusals():
            view = memoryview(piece)
            while view:
                view = view[self._file.write(view) :]

    def commit(self) -> None:
        """Make the file and its name durable."""
        with refusals():
            os.fsync(self._file.fileno())
            self._file.close()
            sync_path(self.path.parent)

    def abort(self) -> None:
        """Throw away what was written."""
        self._file.close()
        self.path.unlink(missing_ok=True)


class LocalBlobs:
    """A folder of files. Keys are only ever made by pagemill, never taken from a caller."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)

    def writer(self, key: str) -> LocalWriter:
        """Start a new file."""
        return LocalWriter(self.root / key)

    def open(self, key: str) -> BinaryIO:
        """The open file."""
        with refusals():
            return (self.root / key).open("rb")

    def size(self, key: str) -> int | None:
        """The size of a file; None if it is not there."""
        try:
            return (self.root / key).stat().st_size
        except FileNotFoundError:
            return None

    @contextmanager
    def local(self, key: str) -> Iterator[Path]:
        """The file itself."""
        yield self.root / key

    @contextmanager
    def folders(self, prefixes: Sequence[str]) -> Iterator[list[Path]]:
        """The folders themselves, made here and synced together at the end."""
        paths = [self.root / prefix for prefix in prefixes]
        with refusals():
            for path in paths:
                path.mkdir(parents=True, exist_ok=True)
        yield paths
        with refusals():
            sync_folders(paths)

    def remove(self, prefix: str) -> None:
        """Remove a file or a folder with everything in it."""
        path = self.root / prefix
        with refusals():
            while path.is_dir():
                # Somebody else may be removing the same folder.
                with suppress(FileNotFoundError):
                    shutil.rmtree(path)
            path.unlink(missing_ok=True)

    def prune(self, prefix: str) -> None:
        """Remove a folder that holds nothing any more."""
        try:
            (self.root / prefix).rmdir()
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT):
                raise storage_trouble(error) from error

    def entries(self, prefix: str) -> Iterator[Entry]:
        """The files and folders directly below a folder."""
        path = self.root / prefix
        if path.is_dir():
            with os.scandir(path) as found:
                for entry in found:
                    yield Entry(f"{prefix}/{entry.name}".lstrip("/"), entry.stat().st_mtime)

    def free_bytes(self) -> int:
        """What the file system has left."""
        return shutil.disk_usage(self.root).free


def sync_folders(paths: Sequence[Path]) -> None:
    """Return when all files of the folders are on the disk.

    One syncfs costs a quarter of what an fsync per small file does; where it is missing, each file is synced.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "syncfs"):
        for path in (path for folder in paths for path in (*folder.iterdir(), folder)):
            sync_path(path)
    elif paths:
        with handle_on(paths[0]) as handle:
            if libc.syncfs(handle) != 0:
                raise OSError(ctypes.get_errno(), "syncfs failed")


def sync_path(path: Path) -> None:
    """Make a file, or the names in a folder, durable."""
    with handle_on(path) as handle:
        os.fsync(handle)


@contextmanager
def handle_on(path: Path) -> Iterator[int]:
    """A handle on a file or folder that is only synced."""
    handle = os.open(path, os.O_RDONLY)
    try:
        yield handle
    finally:
        os.close(handle)


@contextmanager
def refusals() -> Iterator[None]:
    """Trouble of the file system in our own words, without paths."""
    try:
        yield
    except OSError as error:
        raise storage_trouble(error) from error
