"""The run of a conversion: files go in a few at a time, and what the mill made of them comes out."""

import queue
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

from pagemill.desk.queries import list_jobs, tenant_events
from pagemill.entrypoints.convert.delivery import deliver
from pagemill.entrypoints.convert.done_files import DoneFiles
from pagemill.entrypoints.convert.sources import SourceFile
from pagemill.entrypoints.convert.submission import (
    ConvertOptions,
    FileOutcome,
    FileSubmitter,
    RunningJob,
    remove_job,
    source_key,
)
from pagemill.mill import DEFAULT_TENANT, Mill
from pagemill.model.events import FINAL_EVENTS, EventRow, EventType
from pagemill.model.states import TERMINAL, Status
from pagemill.model.views import JobView

THREADS = 8
TICK_SECONDS = 0.05
# How long to wait where there is nothing to do.
IDLE_SECONDS = 0.5
LIST_LIMIT = 1_000
# Copies of documents that wait their turn take disk space; these many bytes are enough to keep all cores busy.
FLYING_BYTES = 1 << 29
KINDS = (EventType.READ, *sorted(FINAL_EVENTS))

Ended = RunningJob | FileOutcome


@dataclass(frozen=True, slots=True)
class ConversionProgress:
    """How far a conversion is."""

    files: int
    done: int
    failed: int
    pages: int


class EventReader:
    """The lines of the mill's log from the moment that this is made."""

    def __init__(self, mill: Mill) -> None:
        self._mill = mill
        self._cursor: str | None = None
        while self.read():
            continue

    def read(self) -> list[EventRow]:
        """The next lines of the log about pages read and jobs that ended; none if there are none yet."""
        page = tenant_events(self._mill, DEFAULT_TENANT, cursor=self._cursor, limit=LIST_LIMIT, kinds=KINDS)
        self._cursor = page.next_cursor
        return page.events


class Conversion:
    """Keeps the mill busy with files until all have an outcome."""

    def __init__(self, mill: Mill, wanted: ConvertOptions, done_files: DoneFiles) -> None:
        self.mill = mill
        self.wanted = wanted
        self.done_files = done_files
        self.outcomes: list[FileOutcome] = []
        self.max_running = 4 * mill.settings.slots * mill.settings.batch_documents
        # Before anything is looked at, so that no end is missed.
        self._news = EventReader(mill)
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="pagemill-files")
        self._ended: queue.SimpleQueue[Future[Ended]] = queue.SimpleQueue()
        self._in_hand = 0
        self._running: dict[str, RunningJob] = {}
        self._running_bytes = 0
        self._over: set[str] = set()
        self._read_pages: defaultdict[str, set[int]] = defaultdict(set)
        self._done_pages = 0
        self._reported_pages = 0
        self._failed = 0

    def run(
        self,
        sources: Sequence[SourceFile],
        report: Callable[[ConversionProgress, Sequence[FileOutcome]], None],
    ) -> list[FileOutcome]:
        """The outcome of every file; `report` is called with progress and with the new outcomes all along."""
        intake = FileSubmitter(self.mill, self.wanted, self.done_files, self._leftovers(sources))
        remaining = iter(sources)
        try:
            while self._submit_more(intake, remaining) or self._in_hand or self._running:
                known = len(self.outcomes)
                self._collect()
                self._read_events()
                report(self._progress(len(sources)), self.outcomes[known:])
        except BaseException:
            # What is being made for a file may take minutes; the next run makes it.
            self.mill.press.stop()
            raise
        finally:
            self._pool.shutdown(cancel_futures=True)
        for job in intake.leftovers.values():
            remove_job(self.mill, job["id"])
        return self.outcomes

    def follow(
        self,
        present: Sequence[SourceFile],
        find: Callable[[], Sequence[SourceFile]],
        settle: Callable[[Sequence[FileOutcome]], None],
    ) -> None:
        """Take files as they are found, until this is interrupted; `settle` gets their outcomes."""
        intake = FileSubmitter(self.mill, self.wanted, self.done_files, self._leftovers(present))
        remaining: deque[SourceFile] = deque()
        try:
            while True:
                remaining.extend(find())
                self._submit_more(intake, iter(lambda: remaining.popleft() if remaining else None, None))
                if not (self._in_hand or self._running):
                    time.sleep(IDLE_SECONDS)
                    continue
                self._collect()
                self._read_events()
                settle(self.outcomes)
                self.outcomes.clear()
        except BaseException:
            self.mill.press.stop()
            raise
        finally:
            self._pool.shutdown(cancel_futures=True)

    def _leftovers(self, sources: Sequence[SourceFile]) -> dict[str, JobView]:
        """The jobs of an earlier run by their files; those of files that no one asks for any more are removed."""
        jobs = list(every_job(self.mill))
        wanted = {source_key(source.path) for source in sources} if jobs else set()
        found: dict[str, JobView] = {}
        for job in jobs:
            key = job["metadata"].get("source", "")
            if key not in wanted or key in found:
                remove_job(self.mill, job["id"])
                continue
            found[key] = job
            if Status(job["status"]) in TERMINAL:
                self._over.add(job["id"])
        return found

    def _submit_more(self, intake: FileSubmitter, remaining: Iterator[SourceFile]) -> bool:
        """Hand files in while there is room; False when there are no more."""
        while self._has_room():
            source = next(remaining, None)
            if source is None:
                return False
            self._start(partial(intake.take, source))
        return True

    def _has_room(self) -> bool:
        flying = self._in_hand + len(self._running)
        if flying <= 2 * self.mill.settings.slots:
            return True
        return flying < self.max_running and self._running_bytes < FLYING_BYTES

    def _start(self, work: Callable[[], Ended]) -> None:
        self._in_hand += 1
        self._pool.submit(work).add_done_callback(self._ended.put)

    def _collect(self) -> None:
        """Take note of what has ended, waiting a moment for the first; trouble that is no file's fault is raised."""
        try:
            ended = self._ended.get(timeout=TICK_SECONDS)
            while True:
                self._in_hand -= 1
                self._record(ended.result())
                ended = self._ended.get_nowait()
        except queue.Empty:
            return

    def _record(self, ended: Ended) -> None:
        if isinstance(ended, FileOutcome):
            self.outcomes.append(ended)
            self._failed += ended.status == "failed"
            self._done_pages += ended.pages if ended.status == "completed" else 0
            return
        self._running[ended.job_id] = ended
        self._running_bytes += ended.stamp.size_bytes
        if ended.job_id in self._over:
            self._deliver(ended)

    def _read_events(self) -> None:
        """Take note of what the mill has done, and have the finished jobs delivered."""
        for event in self._news.read():
            job_id = event.job_id or ""
            if event.type not in FINAL_EVENTS:
                self._read_pages[job_id] |= pages_in(event)
                continue
            self._read_pages.pop(job_id, None)
            if job_id in self._running:
                self._deliver(self._running[job_id])
            elif event.type != EventType.REMOVED:
                self._over.add(job_id)

    def _deliver(self, flight: RunningJob) -> None:
        del self._running[flight.job_id]
        self._running_bytes -= flight.stamp.size_bytes
        self._over.discard(flight.job_id)
        self._start(partial(deliver, self.mill, self.wanted, self.done_files, flight))

    def _progress(self, files: int) -> ConversionProgress:
        # Between a job's end and its delivery its pages count nowhere; people need not see that.
        self._reported_pages = max(
            self._reported_pages, self._done_pages + sum(map(len, self._read_pages.values()))
        )
        return ConversionProgress(files, len(self.outcomes), self._failed, self._reported_pages)


def pages_in(event: EventRow) -> set[int]:
    """The pages that an event is about; those that are recognised have two such events."""
    first, last = event.facts.get("first_page"), event.facts.get("last_page")
    return set(range(first, last + 1)) if isinstance(first, int) and isinstance(last, int) else set()


def every_job(mill: Mill) -> Iterator[JobView]:
    """All jobs of the mill that are not removed, newest first."""
    cursor = None
    while True:
        page = list_jobs(mill, DEFAULT_TENANT, status=None, filename=None, cursor=cursor, limit=LIST_LIMIT)
        yield from page.jobs
        cursor = page.next_cursor
        if cursor is None:
            return
