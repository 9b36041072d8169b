"""Blobs in a local folder."""

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
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
            sync_folder(self.path.parent)

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
    def folder(self, prefix: str) -> Iterator[Path]:
        """The folder itself, made here; whoever writes in it makes it durable."""
        path = self.root / prefix
        with refusals():
            path.mkdir(parents=True, exist_ok=True)
        yield path

    def remove(self, prefix: str) -> None:
        """Remove a file or a folder with everything in it."""
        path = self.root / prefix
        with refusals():
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=False)
            else:
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


def sync_folder(path: Path) -> None:
    """Make the names in a folder durable."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def refusals() -> Iterator[None]:
    """Trouble of the file system in our own words, without paths."""
    try:
        yield
    except OSError as error:
        raise storage_trouble(error) from error
