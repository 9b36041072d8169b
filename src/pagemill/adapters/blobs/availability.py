"""Fails fast while a remote blob store is unavailable."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from pagemill.errors import StorageUnavailable


class StoreAvailability:
    """Remembers the last trouble. Until something works again, one caller per window may try, and the others are refused."""

    def __init__(self, window_seconds: float) -> None:
        self._window_seconds = window_seconds
        self._next_try: float | None = None
        self._lock = threading.Lock()

    @property
    def is_good(self) -> bool:
        """Whether the last call worked."""
        return self._next_try is None

    def refuse_if_bad(self) -> None:
        """StorageUnavailable at once while the store is known to be away."""
        with self._lock:
            if self._next_try is None:
                return
            if time.monotonic() < self._next_try:
                raise StorageUnavailable("The blob store does not answer.")
            self._next_try = time.monotonic() + self._window_seconds

    @contextmanager
    def observe(self) -> Iterator[None]:
        """Take note of whether the store worked."""
        try:
            yield
        except StorageUnavailable:
            with self._lock:
                self._next_try = time.monotonic() + self._window_seconds
            raise
        self._next_try = None
