"""A folder of this process alone, which the next process removes if this one had no time to."""

import fcntl
import itertools
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pagemill.errors import storage_trouble
from pagemill.model.ids import new_id

LOCK_SUFFIX = ".lock"


class Scratch:
    """Space on the disk of this machine for what is on its way to or from a store far away."""

    def __init__(self, root: Path) -> None:
        root.mkdir(parents=True, exist_ok=True)
        # The folder is locked while someone comes in or tidies up, so that no process is taken for dead meanwhile.
        with (root / "door").open("a") as folder_lock:
            fcntl.flock(folder_lock, fcntl.LOCK_EX)
            remove_left(root)
            self.folder = root / new_id()
            self._lock_path = self.folder.with_suffix(LOCK_SUFFIX)
            self._lock = self._lock_path.open("a")
            fcntl.flock(self._lock, fcntl.LOCK_EX)
            self.folder.mkdir()
        self._made = itertools.count()

    @contextmanager
    def folders(self, count: int) -> Iterator[list[Path]]:
        """Empty folders, removed with what is in them when the context ends."""
        paths = [self.folder / f"folder-{next(self._made)}" for _ in range(count)]
        try:
            for path in paths:
                path.mkdir()
        except OSError as error:
            raise storage_trouble(error) from error
        try:
            yield paths
        finally:
            for path in paths:
                shutil.rmtree(path, ignore_errors=True)

    def close(self) -> None:
        """Remove everything."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self._lock_path.unlink(missing_ok=True)
        self._lock.close()


def remove_left(root: Path) -> None:
    """Remove the folders of processes that are gone: their locks went with them."""
    for path in root.glob(f"*{LOCK_SUFFIX}"):
        with suppress(BlockingIOError), path.open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(path.with_suffix(""), ignore_errors=True)
            path.unlink(missing_ok=True)
