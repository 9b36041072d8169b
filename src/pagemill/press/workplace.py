"""The folders of one child: what it is given to read, and the only place where it may write.

A document is linked into the child's input folder when a visit to it begins, and what the visit wrote is moved
to where it belongs when it ends. So a child reaches the files of its own visits, and no others.
"""

import contextlib
import errno
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

# Reasons why a second name for a file can't be made where a copy can.
NO_LINK = frozenset({errno.EXDEV, errno.EPERM, errno.EMLINK, errno.ENOTSUP, errno.ENOSYS})
# A folder with more files than this is no longer measured, and none is followed deeper than any visit needs.
MOST_FILES = 20_000
DEEPEST = 32
TOO_MUCH_BYTES = 1 << 62


class TooDeep(OSError):
    """There are more folders in folders than a visit has reason to make."""


class Errand(Protocol):
    """The argument of a visit that reads and writes files."""

    def reads(self) -> tuple[str, ...]:
        """The paths of the files that it reads; some may not be there."""

    def writes(self) -> str:
        """The folder that gets what it writes."""

    def makes_folder(self) -> bool:
        """Whether that folder may not be there yet; the one above it is, unless it was removed meanwhile."""

    def with_paths(self, reads: tuple[str, ...], folder: str) -> bytes:
        """The argument for a child that finds the files at other paths, and writes into another folder."""


class Workplace:
    """The folders of one child, from the side of the press."""

    def __init__(self, folder: Path) -> None:
        self.folder = str(folder)
        self.inputs, self.outputs, self.temporary = (f"{self.folder}/{name}" for name in ("in", "out", "tmp"))
        for path in (self.folder, self.inputs, self.outputs, self.temporary):
            os.mkdir(path, 0o700)
        self._linked: dict[int, list[str]] = {}

    def place(self, number: int, errand: Errand) -> bytes:
        """Give the child the files of a visit and a folder to write to; returns the argument that names them."""
        linked = self._linked[number] = []
        for count, path in enumerate(errand.reads()):
            linked.append(f"{self.inputs}/{number}-{count}-{os.path.basename(path)}")
            _link(path, linked[-1])
        folder = f"{self.outputs}/{number}"
        os.mkdir(folder, 0o700)
        return errand.with_paths(tuple(linked), folder)

    def deliver(self, number: int, errand: Errand) -> None:
        """Move what a visit wrote to where it belongs, and leave it nothing; FileNotFoundError if that was removed meanwhile."""
        source = f"{self.outputs}/{number}"
        if not errand.makes_folder():
            os.stat(errand.writes())
        _check_plain(source)
        _move_into(source, errand.writes())
        self._take_inputs(number)

    def clear(self, number: int) -> None:
        """Take the files of a visit from the child."""
        self._take_inputs(number)
        remove_tree(f"{self.outputs}/{number}")

    def _take_inputs(self, number: int) -> None:
        for path in self._linked.pop(number, ()):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)

    def size_bytes(self) -> int:
        """How much the child has written and not delivered; far too much if that takes long to find out."""
        total = 0
        try:
            for count, entry in enumerate(_files_below(self.outputs, self.temporary)):
                if count > MOST_FILES:
                    return TOO_MUCH_BYTES
                with contextlib.suppress(FileNotFoundError):
                    total += entry.stat(follow_symlinks=False).st_blocks * 512
        except TooDeep:
            return TOO_MUCH_BYTES
        return total

    def remove(self) -> None:
        """Remove everything."""
        remove_tree(self.folder)


def _link(path: str, to: str) -> None:
    """Make a second name for a file, or a copy where the file system has none; a missing file stays missing."""
    try:
        os.link(path, to)
    except FileNotFoundError:
        return
    except OSError as error:
        if error.errno not in NO_LINK:
            raise
        shutil.copyfile(path, to)


def remove_tree(folder: str) -> None:
    """Remove a folder with everything in it, however deep."""
    try:
        shutil.rmtree(folder, ignore_errors=True)
    except RecursionError:
        # Folders in folders, more than Python can follow: a child that means harm can make these.
        subprocess.run(["rm", "-rf", "--", folder], check=False, capture_output=True)


def _check_plain(folder: str) -> None:
    """OSError if there is anything but files and folders: a link could lead us to what the child may not read."""
    for entry in _files_below(folder):
        # As the folder says, without a look at each file.
        if not entry.is_file(follow_symlinks=False):
            raise OSError(errno.EINVAL, "a visit may only write files and folders")


def _move_into(source: str, target: str) -> None:
    try:
        os.rename(source, target)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.EXDEV):
            raise
        _move_entries(source, target)
        remove_tree(source)


def _move_entries(source: str, target: str) -> None:
    with contextlib.suppress(FileExistsError):
        os.mkdir(target)
    with os.scandir(source) as entries:
        for entry in entries:
            to = f"{target}/{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                _move_entries(entry.path, to)
            else:
                _move_file(entry.path, to)


def _move_file(source: str, target: str) -> None:
    try:
        os.replace(source, target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        # Whole under its name, or not there.
        part = f"{target}.part"
        shutil.copyfile(source, part)
        os.replace(part, target)


def _scan(folder: str) -> "os._ScandirIterator[str]":
    """The entries of a folder; one whose name is too long to open, or that is closed to us, counts as too deep."""
    try:
        return os.scandir(folder)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise TooDeep(error.errno, "a folder of a visit can't be opened") from error


def _files_below(*folders: str) -> Iterator["os.DirEntry[str]"]:
    folders_left = [(folder, 0) for folder in folders]
    while folders_left:
        folder, depth = folders_left.pop()
        if depth > DEEPEST:
            raise TooDeep(errno.ENAMETOOLONG, "folders in folders without an end")
        with contextlib.suppress(FileNotFoundError), _scan(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders_left.append((entry.path, depth + 1))
                else:
                    yield entry
