"""The run of a conversion: files go in a few at a time, and what the mill made of them comes out."""

import queue
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

from pagemill.desk.queries import list_jobs
from pagemill.entrypoints.cli.delivery import deliver
from pagemill.entrypoints.cli.intake import Flight, Intake, Outcome, Wanted, forget, source_key
from pagemill.entrypoints.cli.journal import Journal
from pagemill.entrypoints.cli.sources import Source
from pagemill.mill import DEFAULT_TENANT, Mill
from pagemill.model.states import TERMINAL, Status
from pagemill.model.views import JobView

THREADS = 8
TICK_SECONDS = 0.05
LOOK_SHARE = 20
LIST_LIMIT = 500
# Copies of documents that wait their turn take disk space; these many bytes are enough to keep all cores busy.
FLYING_BYTES = 1 << 29

Ended = Flight | Outcome


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a conversion is."""

    files: int
    done: int
    failed: int
    pages: int


class Conversion:
    """Keeps the mill busy with files until all have an outcome."""

    def __init__(self, mill: Mill, wanted: Wanted, journal: Journal) -> None:
        self.mill = mill
        self.wanted = wanted
        self.journal = journal
        self.outcomes: list[Outcome] = []
        self.most_flying = 4 * mill.settings.slots * mill.settings.batch_documents
        self._ended: queue.SimpleQueue[Future[Ended]] = queue.SimpleQueue()
        self._flying: dict[str, Flight] = {}
        self._flying_bytes = 0
        self._flying_pages = 0
        self._landed_pages = 0
        self._failed = 0
        self._in_hand = 0
        self._look_at = 0.0

    def run(
        self, sources: Sequence[Source], tell: Callable[[Progress, Sequence[Outcome]], None]
    ) -> list[Outcome]:
        """The outcome of every file; `tell` hears of progress and of the new outcomes all along."""
        intake = Intake(self.mill, self.wanted, self.journal, self._leftovers(sources))
        pool = ThreadPoolExecutor(THREADS, thread_name_prefix="pagemill-files")
        waiting = iter(sources)
        try:
            while self._feed(pool, intake, waiting) or self._in_hand or self._flying:
                known = len(self.outcomes)
                self._collect()
                self._look(pool)
                tell(self._progress(len(sources)), self.outcomes[known:])
        finally:
            pool.shutdown(cancel_futures=True)
        for job in intake.leftovers.values():
            forget(self.mill, job["id"])
        return self.outcomes

    def _leftovers(self, sources: Sequence[Source]) -> dict[str, JobView]:
        """The jobs of an earlier run by their files; those of files that nobody asks for any more are removed."""
        jobs = list(self._every_job())
        wanted = {source_key(source.path) for source in sources} if jobs else set()
        found: dict[str, JobView] = {}
        for job in jobs:
            key = job["metadata"].get("source", "")
            if key in wanted and key not in found:
                found[key] = job
            else:
                forget(self.mill, job["id"])
        return found

    def _every_job(self) -> Iterator[JobView]:
        cursor = None
        while True:
            page = list_jobs(
                self.mill, DEFAULT_TENANT, status=None, filename=None, cursor=cursor, limit=LIST_LIMIT
            )
            yield from page.jobs
            cursor = page.next_cursor
            if cursor is None:
                return

    def _feed(self, pool: ThreadPoolExecutor, intake: Intake, waiting: Iterator[Source]) -> bool:
        """Hand files in while there is room; False when there are no more."""
        while self._has_room():
            source = next(waiting, None)
            if source is None:
                return False
            self._start(pool, partial(intake.take, source))
        return True

    def _has_room(self) -> bool:
        flying = self._in_hand + len(self._flying)
        if flying <= 2 * self.mill.settings.slots:
            return True
        return flying < self.most_flying and self._flying_bytes < FLYING_BYTES

    def _start(self, pool: ThreadPoolExecutor, work: Callable[[], Ended]) -> None:
        self._in_hand += 1
        pool.submit(work).add_done_callback(self._ended.put)

    def _collect(self) -> None:
        """Take note of what has ended, waiting a moment for the first; trouble that is no file's fault is raised."""
        try:
            ended = self._ended.get(timeout=TICK_SECONDS)
            while True:
                self._in_hand -= 1
                self._note(ended.result())
                ended = self._ended.get_nowait()
        except queue.Empty:
            return

    def _note(self, ended: Ended) -> None:
        if isinstance(ended, Flight):
            self._flying[ended.job_id] = ended
            self._flying_bytes += ended.stamp.size_bytes
        else:
            self.outcomes.append(ended)
            self._failed += ended.status == "failed"

    def _look(self, pool: ThreadPoolExecutor) -> None:
        """See how far the jobs are, and have the finished ones delivered."""
        began = time.monotonic()
        if began < self._look_at or not self._flying:
            return
        self._flying_pages = 0
        jobs = {job["id"]: job for job in self._every_job()}
        for job_id, flight in list(self._flying.items()):
            job = jobs.get(job_id)
            if job is None:
                self._land(flight, 0)
                self._note(Outcome(flight.source, "failed", code="gone", message="The job was removed."))
            elif Status(job["status"]) in TERMINAL:
                self._land(flight, job["processed_pages"])
                self._start(pool, partial(deliver, self.mill, self.wanted, self.journal, flight, job))
            else:
                self._flying_pages += job["processed_pages"]
        # Looking takes time from the work; the more there is to see, the less often.
        self._look_at = time.monotonic() + max(TICK_SECONDS, LOOK_SHARE * (time.monotonic() - began))

    def _land(self, flight: Flight, pages: int) -> None:
        del self._flying[flight.job_id]
        self._flying_bytes -= flight.stamp.size_bytes
        self._landed_pages += pages

    def _progress(self, files: int) -> Progress:
        return Progress(files, len(self.outcomes), self._failed, self._landed_pages + self._flying_pages)
