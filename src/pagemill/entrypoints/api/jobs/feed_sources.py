"""What feeds read: the log of a job, of all jobs of a tenant, or the state of a batch, in lines ready to be sent."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Generic, Protocol, TypeVar

import orjson
from fastapi.sse import format_sse_event

from pagemill.db.events import LogPosition
from pagemill.desk import queries
from pagemill.desk.batches import show_batch
from pagemill.desk.page_lines import settled_lines
from pagemill.mill import Mill
from pagemill.model.batches import BatchView
from pagemill.model.events import FINAL_EVENTS, EventRow
from pagemill.model.states import TERMINAL, Status
from pagemill.model.views import event_view
from pagemill.notifier import EVERY_JOB

BATCH = 500
# The pages of so many chunks are in memory at once.
EVENTS_WITH_PAGES = 4
PAGE_MESSAGE = b'{"type":"job.page","job_id":"%s","page":%s}'
PAGE_SSE = b"event: job.page\ndata: %s\n\n"
# A busy job changes often.
REST_SECONDS = 0.02
# A look at a batch counts all its jobs.
BATCH_REST_SECONDS = 0.25
# More than any batch has of pages and jobs together.
PLACES_PER_RUN = 10**11

P = TypeVar("P", int, LogPosition)


@dataclass(frozen=True, slots=True)
class FeedLine(Generic[P]):
    """An event and its place in the log, written out once for all who watch.

    `messages` are the pages that it settles, if they were asked for, and the event.
    """

    position: P
    messages: tuple[bytes, ...]
    sse: bytes
    is_final: bool


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
