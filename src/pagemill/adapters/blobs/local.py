"""Blobs in a local folder."""

import ctypes
import errno
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO
from urllib.parse import unquote, urlsplit

from pagemill.adapters.blobs.base import MARK, MARK_TEXT, BlobEntry, Method, Wanted
from pagemill.errors import Refused, StorageUnavailable, StoredFileMissing, storage_trouble
from pagemill.faultpoints import faultpoint

PIECE_BYTES = 1_048_576
LIBC = ctypes.CDLL(None, use_errno=True)


class NewFolders:
    """Folders that this process made and whose own names a power cut could still undo."""

    def __init__(self) -> None:
        # Each with a mark of its own, so that one that is made while all are synced is not taken for synced.
        self._unsynced: dict[Path, object] = {}

    def make(self, path: Path) -> None:
        """Make a folder and those above it."""
        if not path.parent.is_dir():
            self.make(path.parent)
        # Before, so that no other thread relies on the name; and after, because only from here on a sync has it.
        self._unsynced[path] = object()
        path.mkdir(exist_ok=True)
        self._unsynced[path] = object()

    def sync_above(self, path: Path) -> None:
        """Return when the names of the folders above a file are on the disk."""
        for folder in path.parents if self._unsynced else ():
            if mark := self._unsynced.get(folder):
                sync_path(folder.parent)
                self.forget({folder: mark})

    def known(self) -> dict[Path, object]:
        """Folders not yet synced; pass them to `forget` after a sync."""
        return self._unsynced.copy()

    def forget(self, synced: dict[Path, object]) -> None:
        """Take note that these are on the disk."""
        for folder, mark in synced.items():
            if self._unsynced.get(folder) is mark:
                self._unsynced.pop(folder, None)


class LocalWriter:
    """A file being written; fsynced with its folder at the end."""

    def __init__(self, path: Path, new_folders: NewFolders) -> None:
        self.path = path
        self._new_folders = new_folders
        with refusals():
            try:
                self._file = open(path, "xb", buffering=0)
            except FileNotFoundError:
                new_folders.make(path.parent)
                self._file = open(path, "xb", buffering=0)

    def write(self, piece: bytes) -> None:
        """Add bytes at the end."""
        with refusals():
            view = memoryview(piece)
            while view:
                view = view[self._file.write(view) :]

    def commit(self) -> None:
        """Make the file and its name durable."""
        with refusals():
            faultpoint("blob.before_sync")
            os.fsync(self._file.fileno())
            self._file.close()
            sync_path(self.path.parent)
            self._new_folders.sync_above(self.path)

    def close(self) -> None:
        """Complete the file without waiting for the disk."""
        with refusals():
            faultpoint("blob.before_sync")
            self._file.close()

    def abort(self) -> None:
        """Throw away what was written."""
        self._file.close()
        self.path.unlink(missing_ok=True)


class LocalBlobs:
    """A folder of files, on a disk of this machine or on one that several share (NFS).

    Keys are only ever made by pagemill, never taken from a caller.
    """

    def __init__(self, root: Path, *, is_near: bool = True) -> None:
        self.root = root
        self.is_near = is_near
        self._is_marked = False
        self._new_folders = NewFolders()
        try:
            root.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Refused(f"The folder for files {root} can't be made: {error.strerror}.") from error

    def check(self) -> None:
        """Refused if the folder can't be written."""
        if not os.access(self.root, os.W_OK | os.X_OK):
            raise Refused(f"The folder for files {self.root} can't be written. Change its owner or its mode.")
        self.write_mark(self.read_mark() or MARK_TEXT)

    def read_mark(self) -> bytes | None:
        """The text of the file that says whose folder it is; None if there is none."""
        with refusals(), suppress(FileNotFoundError):
            return (self.root / MARK).read_bytes()
        return None

    def write_mark(self, text: bytes) -> None:
        """Write that file, unless it says the same already."""
        if self.read_mark() != text:
            with refusals():
                (self.root / MARK).write_bytes(text)
        self._is_marked = not self.is_near

    def is_empty(self, prefix: str) -> bool:
        """Whether a folder is missing or holds no file."""
        return not any(files for _, _, files in os.walk(self.root / prefix))

    @property
    def looks_unmounted(self) -> bool:
        """Whether it is a folder on a shared disk in which no document was ever stored; a new one looks so, too."""
        return not self.is_near and not (self.root / "documents").is_dir()

    def is_reachable(self) -> bool:
        """Whether the folder is there; where a shared disk was taken away, an empty folder may be left."""
        return (self.root / MARK).is_file() if self._is_marked else self.root.is_dir()

    def writer(self, key: str) -> LocalWriter:
        """Start a new file."""
        self._refuse_if_away()
        return LocalWriter(self.root / key, self._new_folders)

    def sync(self, keys: Sequence[str]) -> None:
        """Return when these files and their names are on the disk."""
        paths = [self.root / key for key in keys]
        with refusals():
            if paths and not self._sync_all():
                for path in (*paths, *{path.parent for path in paths}):
                    sync_path(path)
                for path in paths:
                    self._new_folders.sync_above(path)

    def _sync_all(self) -> bool:
        """Whether everything on the file system of the folder could be synced at once, and was."""
        known = self._new_folders.known()
        if not sync_file_system(self.root):
            return False
        self._new_folders.forget(known)
        return True

    def open(self, key: str) -> BinaryIO:
        """The open file."""
        with refusals():
            try:
                return (self.root / key).open("rb")
            except FileNotFoundError as error:
                self._refuse_if_away()
                raise StoredFileMissing from error

    def size(self, key: str) -> int | None:
        """The size of a file; None if it is not there."""
        with refusals(), suppress(FileNotFoundError):
            return (self.root / key).stat().st_size
        return None

    @contextmanager
    def local(self, key: str, sha256: str | None = None) -> Iterator[Path]:
        """The file itself; a disk looks after the bytes by itself."""
        del sha256
        self._refuse_if_away()
        yield self.root / key

    @contextmanager
    def local_all(self, wanted: Sequence[Wanted]) -> Iterator[list[Path]]:
        """The files themselves."""
        self._refuse_if_away()
        yield [self.root / key for key, _ in wanted]

    @contextmanager
    def folders(self, prefixes: Sequence[str]) -> Iterator[list[Path]]:
        """The folders themselves, made here and synced together at the end."""
        self._refuse_if_away()
        paths = [self.root / prefix for prefix in prefixes]
        with refusals():
            for path in paths:
                # The parent is new too as a rule, and mkdir(parents=True) would try the folder itself first.
                make_folder(path.parent)
                path.mkdir(exist_ok=True)
        yield paths
        with refusals():
            sync_folders(self.root, paths)

    @contextmanager
    def new_folders(self, prefixes: Sequence[str]) -> Iterator[list[Path]]:
        """The paths of folders in folders that are made here: to move one over another removes that, which is not cheap."""
        self._refuse_if_away()
        paths = [self.root / prefix for prefix in prefixes]
        with refusals():
            for path in paths:
                make_folder(path.parent)
        yield paths
        with refusals():
            sync_folders(self.root, paths)

    def copy(self, key: str, to: str) -> None:
        """A second file of the same bytes."""
        writer = self.writer(to)
        try:
            with self.open(key) as file:
                while piece := file.read(PIECE_BYTES):
                    writer.write(piece)
            writer.commit()
        except BaseException:
            writer.abort()
            raise

    def replace(self, key: str, to: str) -> None:
        """Give a file the name of another."""
        with refusals():
            (self.root / key).replace(self.root / to)
            sync_path((self.root / to).parent)

    def remove(self, prefix: str) -> None:
        """Remove a file or a folder with everything in it."""
        path = self.root / prefix
        with refusals():
            while path.is_dir():
                # Another process may be removing the same folder.
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

    def entries(self, prefix: str, depth: int = 1) -> Iterator[BlobEntry]:
        """The files and folders this many levels below a folder, but for those that are removed meanwhile."""
        with (
            refusals(),
            suppress(FileNotFoundError, NotADirectoryError),
            os.scandir(self.root / prefix) as found,
        ):
            for entry in found:
                key = f"{prefix}/{entry.name}".lstrip("/")
                if depth > 1:
                    yield from self.entries(key, depth - 1)
                    continue
                with suppress(FileNotFoundError):
                    yield BlobEntry(key, entry.stat().st_mtime)

    def keys(self) -> Iterator[str]:
        """Every file below the folder."""
        for folder, _, names in os.walk(self.root):
            for name in names:
                yield str((Path(folder) / name).relative_to(self.root))

    def signed_url(self, method: Method, key: str, seconds: float) -> None:
        """Nothing: a folder makes no links."""

    def free_bytes(self) -> int | None:
        """What the file system has left; None if it can't be asked."""
        try:
            return shutil.disk_usage(self.root).free
        except OSError:
            return None

    def close(self) -> None:
        """Nothing is left anywhere but in the folder."""

    def _refuse_if_away(self) -> None:
        """A disk that was taken away is an outage: no file of it is missing, and none is written in its place."""
        if not self.is_reachable():
            raise StorageUnavailable("The folder for files is not there. Look whether its disk is mounted.")


def shared_folder(url: str) -> Path:
    """The folder of a file:// address."""
    parts = urlsplit(url)
    if parts.netloc not in ("", "localhost") or not parts.path.startswith("/"):
        raise Refused(
            "PAGEMILL_BLOBS_URL names no folder. Write it with three slashes: file:///mnt/pagemill."
        )
    return Path(unquote(parts.path))


def make_folder(path: Path) -> None:
    """Make a folder and those above it, unless they are there."""
    try:
        os.mkdir(path)
    except FileExistsError:
        return
    except FileNotFoundError:
        path.mkdir(parents=True, exist_ok=True)


def sync_folders(root: Path, paths: Sequence[Path]) -> None:
    """Return when all files of the folders, which are below the root, are on the disk; there may be none of a folder.

    One syncfs costs a quarter of what an fsync per small file does; where it is missing, each file is synced.
    """
    if paths and not sync_file_system(root):
        for folder in (path for path in paths if path.is_dir()):
            # Its name, and those of the folders above it, may be as new as its files.
            above = (path for path in folder.parents if path.is_relative_to(root))
            for path in (*folder.rglob("*"), folder, *above):
                sync_path(path)


def sync_file_system(path: Path) -> bool:
    """Return when everything on the file system of a path is on the disk; False where that can't be asked for."""
    if not hasattr(LIBC, "syncfs"):
        return False
    with handle_on(path) as handle:
        if LIBC.syncfs(handle) != 0:
            raise OSError(ctypes.get_errno(), "syncfs failed")
    return True


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
