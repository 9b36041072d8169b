"""Copies of blobs on the disk of this machine: those used last, up to a number of bytes."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePath


@dataclass(slots=True)
class Copy:
    """A copy of one blob; the process that comes first fetches it, the others wait for that."""

    path: Path
    users: int = 0
    used_at: float = field(default_factory=time.monotonic)
    size_bytes: int | None = None
    fetching: threading.Lock = field(default_factory=threading.Lock)


class Cache:
    """Shared by all threads of a process. Keys are written once, so that a copy never grows stale."""

    def __init__(self, folder: Path, most_bytes: int) -> None:
        folder.mkdir()
        self._folder = folder
        self._most_bytes = most_bytes
        self._copies: OrderedDict[str, Copy] = OrderedDict()
        self._lock = threading.Lock()
        self._made = 0
        self._held_bytes = 0

    @contextmanager
    def hold(self, key: str, fetch: Callable[[Path], None]) -> Iterator[Path]:
        """A copy that stays where it is while the context lasts; fetched if it is not here.

        What is not to be had leaves a path without a file, and is asked for again the next time.
        """
        copy = self._take(key)
        try:
            with copy.fetching:
                if copy.size_bytes is None:
                    fetch(copy.path)
                    self._count(copy)
            yield copy.path
        finally:
            self._give_back(key, copy)

    def forget(self, prefix: str) -> None:
        """Remove the copies of a blob, or of all below a prefix, that are not in use."""
        self._drop_unused(lambda key, _: key == prefix or key.startswith(f"{prefix}/"))

    def drop_idle(self, seconds: float) -> None:
        """Remove copies that were not used for a while: their documents may have been deleted by another process."""
        before = time.monotonic() - seconds
        self._drop_unused(lambda _, copy: copy.used_at < before)

    def _drop_unused(self, is_chosen: Callable[[str, Copy], bool]) -> None:
        with self._lock:
            for key, copy in list(self._copies.items()):
                if copy.users == 0 and is_chosen(key, copy):
                    self._drop(key)

    def _take(self, key: str) -> Copy:
        with self._lock:
            copy = self._copies.get(key)
            if copy is None:
                self._made += 1
                # Engines go by the end of the name.
                copy = Copy(self._folder / f"{self._made}{PurePath(key).suffix}")
                self._copies[key] = copy
            self._copies.move_to_end(key)
            copy.users += 1
            return copy

    def _give_back(self, key: str, copy: Copy) -> None:
        with self._lock:
            copy.users -= 1
            copy.used_at = time.monotonic()
            if copy.users == 0 and copy.size_bytes is None:
                self._drop(key)
            self._make_room()

    def _count(self, copy: Copy) -> None:
        if not copy.path.exists():
            return
        size_bytes = copy.path.stat().st_size
        with self._lock:
            copy.size_bytes = size_bytes
            self._held_bytes += size_bytes

    def _make_room(self) -> None:
        if self._held_bytes <= self._most_bytes:
            return
        for key, copy in list(self._copies.items()):
            if copy.users == 0:
                self._drop(key)
            if self._held_bytes <= self._most_bytes:
                return

    def _drop(self, key: str) -> None:
        copy = self._copies.pop(key)
        self._held_bytes -= copy.size_bytes or 0
        copy.path.unlink(missing_ok=True)
