"""The notifier: wakes the long polls and event streams of this process that watch a job."""

import asyncio
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

# Subscribed to in place of a job by watchers of all of them.
EVERY_JOB = ""


class Notifier:
    """Notifies watchers in the event loop of commits, which any thread may make."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting: defaultdict[str, set[Listener]] = defaultdict(set)
        # Set by every commit of this process; a thread that reads the whole log waits for it and clears it.
        self.news = threading.Event()

    def attach(self, loop: asyncio.AbstractEventLoop) -> None:
        """Name the loop in which watchers wait."""
        self._loop = loop

    def notify(self, job_ids: Iterable[str]) -> None:
        """Wake the watchers of these jobs; called from any thread."""
        self.news.set()
        watched = [job_id for job_id in (*job_ids, EVERY_JOB) if job_id in self._waiting]
        if watched and self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._wake, watched)

    @contextmanager
    def subscribe(self, job_id: str) -> Iterator["Listener"]:
        """Subscribe to changes of a job. Subscribe before reading its state, so that no change is missed."""
        listener = Listener()
        self._waiting[job_id].add(listener)
        try:
            yield listener
        finally:
            self._waiting[job_id].discard(listener)
            if not self._waiting[job_id]:
                del self._waiting[job_id]

    def watched_jobs(self) -> list[str]:
        """The jobs that have subscriptions; called from any thread."""
        return [job_id for job_id in list(self._waiting) if job_id != EVERY_JOB]

    def watchers(self) -> int:
        """The number of subscriptions."""
        return sum(len(listeners) for listeners in self._waiting.values())

    def _wake(self, job_ids: list[str]) -> None:
        for job_id in job_ids:
            for listener in self._waiting.get(job_id, ()):
                listener.wake()


class Listener:
    """A subscription."""

    def __init__(self) -> None:
        self._heard = asyncio.Event()

    def wake(self) -> None:
        """Record a notification."""
        self._heard.set()

    async def wait(self, timeout_seconds: float) -> bool:
        """Wait for a notification that was not waited for yet. Returns False after the time-out."""
        try:
            # Unlike `wait_for`, which makes a task for each wait; there are hundreds of these at a time.
            async with asyncio.timeout(timeout_seconds):
                await self._heard.wait()
        except TimeoutError:
            return False
        self._heard.clear()
        return True
