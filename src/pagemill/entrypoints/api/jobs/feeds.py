"""Feeds: the log of a job or of a tenant as it is written, read once for everybody who watches it in this process."""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import asynccontextmanager
from functools import cached_property
from typing import Generic, TypeVar

from pagemill.db.events import LogPosition
from pagemill.entrypoints.api.database_calls import run_query
from pagemill.entrypoints.api.jobs.feed_sources import (
    BATCH,
    BatchLog,
    FeedLine,
    JobLog,
    LogSource,
    P,
    TenantLog,
)
from pagemill.entrypoints.thread_pools import run_in_thread
from pagemill.errors import Gone, NotFound, OutageError
from pagemill.mill import Mill
from pagemill.notifier import Listener

log = logging.getLogger("pagemill.feeds")

# Watchers that are further behind read the log themselves until they have caught up.
KEPT_LINES, KEPT_BYTES = 1_000, 8_000_000
# Most who follow a feed have seen the same lines; for the others, lines are joined again.
MOST_TAILS = 8
# Another process may have written without notifying this one, so readers also poll, the less often the more there are.
LOOK_SECONDS = 1.0
LOOKS_PER_SECOND = 200
# The more watch a log, the more lines they are sent at once.
RESTS_PER_SECOND = 500

K = TypeVar("K", bound=Hashable)


class FeedTail(Generic[P]):
    """Lines that come one after the other, joined once for all who are sent the same ones."""

    def __init__(self, lines: list[FeedLine[P]]) -> None:
        self.lines: list[FeedLine[P]] = lines

    @cached_property
    def sse(self) -> bytes:
        """The lines as part of an event stream."""
        return b"".join(line.sse for line in self.lines)


class Feed(Generic[P]):
    """Reads one log for as long as somebody follows it, and keeps its last lines."""

    def __init__(self, mill: Mill, source: LogSource[P], feeds: "Feeds") -> None:
        self.followers: set[Listener] = set()
        self._mill = mill
        self._source: LogSource[P] = source
        self._feeds = feeds
        self._lines: deque[FeedLine[P]] = deque()
        self._kept_bytes = 0
        # What was sent to the followers.
        self._tails: dict[P, FeedTail[P]] = {}
        # The place before the first line that is kept, and that of the last line that was read.
        self._floor: P = source.place_before_all()
        self.head: P = self._floor
        self._over = self._deleted = False
        self._opened = asyncio.get_running_loop().create_future()
        self._reading = asyncio.ensure_future(self._run())

    async def wait_until_open(self) -> None:
        """Wait for the first look at the log; raises what that raised."""
        await asyncio.shield(self._opened)

    async def lines_after(self, position: P) -> FeedTail[P]:
        """The next lines after a place: from memory, or from the log for a follower that is behind."""
        if position < self._floor:
            return FeedTail(await self._read_behind(position))
        # Callers choose the place; nothing comes after those past the end.
        place = min(position, self.head)
        tail = self._tails.get(place)
        if tail is None:
            tail = FeedTail([line for line in self._lines if line.position > place])
            self._keep_tail(place, tail)
        return tail

    def _keep_tail(self, place: P, tail: FeedTail[P]) -> None:
        """Keep a tail for others at the same place, and forget the oldest if there are too many."""
        self._tails[place] = tail
        if len(self._tails) > MOST_TAILS:
            del self._tails[next(iter(self._tails))]

    def is_over_at(self, position: P) -> bool:
        """Whether nothing more will come after a place."""
        return self._deleted or (self._over and position >= self.head)

    def close(self) -> None:
        """Read no more."""
        self._reading.cancel()
        if not self._opened.done():
            self._opened.cancel()

    async def _run(self) -> None:
        with self._mill.notifier.subscribe(self._source.ring) as listener:
            try:
                end, self._over = await run_query(self._source.end, self._mill)
                self.head = self._floor = self._source.first_kept(end)
                await self._take_lines()
            except Exception as error:
                self._opened.set_exception(error)
                # Looked at here, because the callers may be gone.
                self._opened.exception()
                return
            self._opened.set_result(None)
            while True:
                await listener.wait(self._feeds.poll_seconds())
                await asyncio.sleep(max(self._source.rest_seconds(), len(self.followers) / RESTS_PER_SECOND))
                await self._try_to_take_lines()

    async def _try_to_take_lines(self) -> None:
        """Read what is new; an unexpected error is logged, and the feed goes on after a moment."""
        try:
            await self._take_lines()
        except Exception:
            log.exception("a feed failed")
            await asyncio.sleep(LOOK_SECONDS)

    async def _read(self, after: P) -> list[FeedLine[P]]:
        if self._source.reads_files:
            return await run_in_thread(self._source.read, self._mill, after, BATCH)
        return await run_query(self._source.read, self._mill, after, BATCH)

    async def _read_behind(self, after: P) -> list[FeedLine[P]]:
        """Read for somebody who is behind; nothing more comes of what was deleted."""
        try:
            return await self._read(after)
        except (Gone, NotFound):
            self._deleted = True
            return []

    async def _take_lines(self) -> None:
        """Read what is new and wake the followers."""
        try:
            while found := await self._read(self.head):
                # A final event is not the last one: labels may follow it, or a retry, after which the job is not over.
                may_be_over = self._over or any(line.is_final for line in found)
                over = may_be_over and (await run_query(self._source.end, self._mill))[1]
                self._keep(found)
                self._over = over
        except OutageError:
            # Watchers see what happened in an outage after it.
            return
        except (Gone, NotFound):
            # It was deleted: there is nothing to wait for.
            self._over = True
            self._wake_followers()

    def _keep(self, found: list[FeedLine[P]]) -> None:
        self._lines.extend(found)
        self._kept_bytes += sum(len(line.sse) for line in found)
        while len(self._lines) > 1 and (len(self._lines) > KEPT_LINES or self._kept_bytes > KEPT_BYTES):
            first = self._lines.popleft()
            self._floor, self._kept_bytes = first.position, self._kept_bytes - len(first.sse)
        self._tails.clear()
        self.head = found[-1].position
        self._wake_followers()

    def _wake_followers(self) -> None:
        for listener in self.followers:
            listener.wake()


class Feeds:
    """The feeds of this process: one for each log that somebody follows."""

    def __init__(self, mill: Mill) -> None:
        self._mill = mill
        self._jobs: dict[JobLog | BatchLog, Feed[int]] = {}
        self._tenants: dict[TenantLog, Feed[LogPosition]] = {}

    def poll_seconds(self) -> float:
        """How long a feed waits for a ring before it looks all the same."""
        return max(LOOK_SECONDS, (len(self._jobs) + len(self._tenants)) / LOOKS_PER_SECOND)

    @asynccontextmanager
    async def follow_one(self, log: JobLog | BatchLog, listener: Listener) -> AsyncIterator[Feed[int]]:
        """The feed of a job or a batch; the listener is woken for each news."""
        async with follow(self._jobs, log, lambda: Feed(self._mill, log, self), listener) as feed:
            yield feed

    @asynccontextmanager
    async def follow_tenant(self, log: TenantLog, listener: Listener) -> AsyncIterator[Feed[LogPosition]]:
        """The feed of a tenant; the listener is woken for each news."""
        async with follow(self._tenants, log, lambda: Feed(self._mill, log, self), listener) as feed:
            yield feed


@asynccontextmanager
async def follow(
    feeds: "dict[K, Feed[P]]", log: K, make: Callable[[], Feed[P]], listener: Listener
) -> AsyncIterator[Feed[P]]:
    """Join the feed of a log, which ends when its last follower leaves."""
    feed = feeds.get(log) or make()
    feeds[log] = feed
    feed.followers.add(listener)
    try:
        await feed.wait_until_open()
        yield feed
    finally:
        feed.followers.discard(listener)
        if not feed.followers:
            feed.close()
            if feeds.get(log) is feed:
                del feeds[log]
