"""Feeds: the log of a job or of a tenant as it is written, read once for everybody who watches it in this process."""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Callable, Hashable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Generic, Protocol, TypeVar

import orjson
from fastapi.sse import format_sse_event

from pagemill.db.events import LogPosition
from pagemill.desk import queries
from pagemill.desk.batches import show_batch
from pagemill.desk.page_lines import settled_lines
from pagemill.entrypoints.api.database_calls import run_query
from pagemill.entrypoints.thread_pools import run_in_thread
from pagemill.errors import Gone, NotFound, OutageError
from pagemill.mill import Mill
from pagemill.model.batches import BatchView
from pagemill.model.events import FINAL_EVENTS, EventRow
from pagemill.model.states import TERMINAL, Status
from pagemill.model.views import event_view
from pagemill.notifier import EVERY_JOB, Listener

log = logging.getLogger("pagemill.feeds")

BATCH = 500
# Watchers that are further behind read the log themselves until they have caught up.
KEPT_LINES, KEPT_BYTES = 1_000, 8_000_000
# Most who follow a feed have seen the same lines; for the others, lines are joined again.
MOST_TAILS = 8
# The pages of so many chunks are in memory at once.
EVENTS_WITH_PAGES = 4
PAGE_MESSAGE = b'{"type":"job.page","job_id":"%s","page":%s}'
PAGE_SSE = b"event: job.page\ndata: %s\n\n"
# Another process may have written without notifying this one, so readers also poll, the less often the more there are.
LOOK_SECONDS = 1.0
LOOKS_PER_SECOND = 200
# A busy job changes often; the more watch it, the more lines they are sent at once.
REST_SECONDS, RESTS_PER_SECOND = 0.02, 500
# A look at a batch counts all its jobs.
BATCH_REST_SECONDS = 0.25

# More than any batch has of pages and jobs together.
PLACES_PER_RUN = 10**11

P = TypeVar("P", int, LogPosition)
K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class FeedLine(Generic[P]):
    """An event and its place in the log, written out once for all who watch.

    `messages` are the pages that it settles, if they were asked for, and the event.
    """

    position: P
    messages: tuple[bytes, ...]
    sse: bytes
    is_final: bool


class FeedTail(Generic[P]):
    """Lines that come one after the other, joined once for all who are sent the same ones."""

    def __init__(self, lines: list[FeedLine[P]]) -> None:
        self.lines: list[FeedLine[P]] = lines

    @cached_property
    def sse(self) -> bytes:
        """The lines as part of an event stream."""
        return b"".join(line.sse for line in self.lines)


class LogSource(Protocol[P]):
    """The log that a feed reads."""

    @property
    def reads_files(self) -> bool:
        """Whether reading takes so long that it is done in a thread."""

    @property
    def ring(self) -> str:
        """What the notifier rings for."""

    def end(self, mill: Mill) -> tuple[P, bool]:
        """The last place in the log, and whether nothing more will come."""

    def read(self, mill: Mill, after: P, limit: int) -> list[FeedLine[P]]:
        """The lines after a place."""

    def place_before_all(self) -> P:
        """The place before the first line."""

    def first_kept(self, end: P) -> P:
        """The place from which on lines are kept for all, when reading begins with a log that ends so."""

    def rest_seconds(self) -> float:
        """The least time between two looks."""


@dataclass(frozen=True, slots=True)
class JobLog:
    """The log of one job, if asked with the pages that its events settle; places are the numbers of its events."""

    tenant: str
    job_id: str
    with_pages: bool = False

    @property
    def reads_files(self) -> bool:
        """Pages are in files."""
        return self.with_pages

    @property
    def ring(self) -> str:
        """What the notifier rings for."""
        return self.job_id

    def end(self, mill: Mill) -> tuple[int, bool]:
        """The number of the last event, and whether the job has ended."""
        return queries.end_of_job_log(mill, self.tenant, self.job_id)

    def read(self, mill: Mill, after: int, limit: int) -> list[FeedLine[int]]:
        """The events after a number."""
        most = min(limit, EVENTS_WITH_PAGES) if self.with_pages else limit
        found = queries.job_events(mill, self.tenant, self.job_id, after, most)
        return [
            line_of(event, event.seq or 0, str(event.seq), pages=self._pages(mill, event)) for event in found
        ]

    def _pages(self, mill: Mill, event: EventRow) -> list[bytes]:
        if not self.with_pages:
            return []
        lines = settled_lines(mill, self.tenant, self.job_id, event)
        return [PAGE_MESSAGE % (self.job_id.encode(), line.rstrip(b"\n")) for line in lines]

    def place_before_all(self) -> int:
        """Events are numbered from 1."""
        return 0

    def first_kept(self, end: int) -> int:
        """A short log is kept from its first event on: most who watch a job ask for all of it.

        With pages it would take long to read, and nothing would be sent until then: each who watches reads it alone.
        """
        return 0 if end <= BATCH and not self.with_pages else end

    def rest_seconds(self) -> float:
        """The least time between two looks."""
        return REST_SECONDS


@dataclass(frozen=True, slots=True)
class TenantLog:
    """The log of all jobs of a tenant; places are those of the cursors of `GET /v1/events`."""

    tenant: str
    reads_files: ClassVar[bool] = False

    @property
    def ring(self) -> str:
        """What the notifier rings for."""
        return EVERY_JOB

    def end(self, mill: Mill) -> tuple[LogPosition, bool]:
        """The place of the last event."""
        return queries.end_of_tenant_log(mill, self.tenant), False

    def read(self, mill: Mill, after: LogPosition, limit: int) -> list[FeedLine[LogPosition]]:
        """The events after a place, each with the cursor to go on from."""
        found = queries.tenant_events(
            mill, self.tenant, cursor=queries.cursor_at(after), limit=limit, kinds=[]
        )
        places = [LogPosition(event.xid, event.id) for event in found.events]
        return [
            line_of(event, place, queries.cursor_at(place), with_cursor=True)
            for event, place in zip(found.events, places, strict=True)
        ]

    def place_before_all(self) -> LogPosition:
        """The place before the first line of any tenant."""
        return LogPosition()

    def first_kept(self, end: LogPosition) -> LogPosition:
        """Most who watch all jobs ask for what comes from now on."""
        return end

    def rest_seconds(self) -> float:
        """The least time between two looks."""
        return REST_SECONDS


@dataclass(frozen=True, slots=True)
class BatchLog:
    """The states of a batch: each look is one line, whose place grows with what was done."""

    tenant: str
    batch_id: str
    reads_files: ClassVar[bool] = False

    @property
    def ring(self) -> str:
        """What the notifier rings for: any job may be one of the batch."""
        return EVERY_JOB

    def end(self, mill: Mill) -> tuple[int, bool]:
        """The place of the present state, and whether the batch is over."""
        view = show_batch(mill, self.tenant, self.batch_id)
        return batch_place(view), view["finished_at"] is not None

    def read(self, mill: Mill, after: int, limit: int) -> list[FeedLine[int]]:
        """The present state, if more is done than at a place."""
        view = show_batch(mill, self.tenant, self.batch_id)
        place, is_over = batch_place(view), view["finished_at"] is not None
        if place <= after or not limit:
            return []
        json, kind = orjson.dumps(view), f"batch.{view['status'] if is_over else 'progress'}"
        return [FeedLine(place, (json,), sse_of(json, kind, str(place)), is_over)]

    def place_before_all(self) -> int:
        """The place of a batch of which nothing was seen."""
        return 0

    def first_kept(self, end: int) -> int:
        """Each state replaces the one before."""
        return end

    def rest_seconds(self) -> float:
        """The least time between two looks."""
        return BATCH_REST_SECONDS


def batch_place(view: BatchView) -> int:
    """A number that grows with every page, every job and every run of a batch."""
    counts = view["counts"]
    ended = sum(counts[status.value] for status in TERMINAL)
    pages = view["total_pages"] + view["processed_pages"]
    done = 1 + pages + 2 * ended + counts[Status.PROCESSING.value] + (view["finished_at"] is not None)
    return view["run"] * PLACES_PER_RUN + done


def sse_of(json: bytes, kind: str, cursor: str) -> bytes:
    """A line of an event stream."""
    return format_sse_event(data_str=json.decode(), event=kind, id=cursor)


def line_of(
    event: EventRow, position: P, cursor: str, *, with_cursor: bool = False, pages: Sequence[bytes] = ()
) -> FeedLine[P]:
    """An event as it is sent, after the pages that it settles; its id in a stream is what to go on from."""
    view = event_view(event) | ({"cursor": cursor} if with_cursor else {})
    json = orjson.dumps(view)
    sse = b"".join(PAGE_SSE % page for page in pages) + sse_of(json, event.type, cursor)
    return FeedLine(position, (*pages, json), sse, event.type in FINAL_EVENTS)


class Feed(Generic[P]):
    """Reads one log for as long as somebody follows it, and keeps its last lines."""

    def __init__(self, mill: Mill, source: LogSource[P], feeds: "Feeds") -> None:
        self.followers: set[Listener] = set()
        self._mill = mill
        self._source: LogSource[P] = source
        self._feeds = feeds
        self._lines: deque[FeedLine[P]] = deque()
        self._kept_bytes = 0
        # What was sent to those who follow.
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
        """The next lines after a place: from memory, or from the log for those who are behind."""
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
                # Looked at here, because those who asked may be gone.
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
        """Read what is new and wake those who follow."""
        try:
            while found := await self._read(self.head):
                # A final event is not the last one if somebody has retried the job since.
                over = found[-1].is_final and (await run_query(self._source.end, self._mill))[1]
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
