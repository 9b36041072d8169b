"""The data folder: made if it is not there, and held by one process alone."""

import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pagemill.errors import Refused

PRIVATE, OTHERS = 0o700, 0o007


def keep_files_private() -> None:
    """Have every file that this process and its children make be readable by their own user alone."""
    os.umask(stat.S_IRWXG | stat.S_IRWXO)


def make_data_folder(folder: Path) -> Path:
    """The data folder, made if it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=PRIVATE)
        # One that an earlier version made is open to every user of the machine.
        if (folder / "lock").exists() and (mode := stat.S_IMODE(folder.stat().st_mode)) & OTHERS:
            folder.chmod(mode & ~OTHERS)
    except OSError as error:
        raise Refused(
            f"The data folder {folder} can't be made: {error.strerror}. Set PAGEMILL_DATA_DIR."
        ) from error
    return folder.absolute()


@contextmanager
def lock_data_folder(folder: Path) -> Iterator[None]:
    """Hold the data folder alone; the lock goes with the process, however it ends."""
    try:
        file = (folder / "lock").open("a+")
    except OSError as error:
        raise Refused(
            f"The data folder {folder} can't be written: {error.strerror}. Set PAGEMILL_DATA_DIR."
        ) from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Refused(
                f"Another pagemill uses the data folder {folder}. Stop it, or set PAGEMILL_DATA_DIR to another folder."
            ) from error
        yield
