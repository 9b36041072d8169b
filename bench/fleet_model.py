"""A model of a large fleet: an event loop over tenants, slots and a database, with costs that were measured on one machine.

A slot claims, reads and records, again and again; claims and records take time of the cores of the database. The
tenant with the least running is served next, as `db/fairness.py` does it; between equals the one that waited longest.
"""

import heapq
import math
import random
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

DAY_SECONDS = 86_400.0


@dataclass(frozen=True, slots=True)
class Costs:
    """Seconds of one core, as `make bench` and docs/deployment.md have them."""

    # A worker with its readers by default: `with_structure_ms` of `cluster_pages`.
    text_page: float = 0.0107
    ocr_page: float = 1.3
    # A claim with its record on a core of the database: 2 cores did 3,040 chunks per second in batches of eight.
    claim: float = 2 / 3_040
    batch: int = 8
    # Requests to the bucket for one chunk, and removals of jobs per second by the sweeper.
    bucket_requests: float = 2.0
    swept_per_second: float = 40.0


@dataclass(frozen=True, slots=True)
class Load:
    """What comes in: tenants whose sizes fall off as 1/rank, pages per day, and how many of them are scans."""

    tenants: int = 10_000
    pages_per_day: float = 10_000_000
    pages_per_document: int = 8
    scanned_share: float = 0.1
    # The busiest hour has this much more than the mean.
    peak: float = 2.0

    @property
    def documents_per_second(self) -> float:
        """How many documents come in the busiest hour."""
        return self.pages_per_day / DAY_SECONDS / self.pages_per_document * self.peak


@dataclass(frozen=True, slots=True)
class Fleet:
    """What there is to do it with."""

    workers: int = 1_000
    slots_each: int = 2
    database_cores: int = 8

    @property
    def slots(self) -> int:
        """Chunks that are read at once."""
        return self.workers * self.slots_each


@dataclass(slots=True)
class Chunk:
    """A piece of work of a tenant: small documents are claimed together with others."""

    tenant: int
    ready_at: float
    seconds: float
    pages: int
    is_small: bool = True


@dataclass(slots=True)
class Outcome:
    """What became of it."""

    seconds: float
    waits: dict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    slot_seconds: float = 0.0
    database_seconds: float = 0.0
    chunks: int = 0
    pages: int = 0
    left: int = 0

    def mean_wait(self) -> float:
        """The mean wait over all chunks, in seconds."""
        every = [wait for waits in self.waits.values() for wait in waits]
        return sum(every) / max(len(every), 1)

    def p95_wait(self, tenants: Sequence[int]) -> float:
        """The wait that 95 % of the chunks of these tenants do not exceed."""
        every = sorted(wait for tenant in tenants for wait in self.waits.get(tenant, ()))
        return every[int(0.95 * (len(every) - 1))] if every else 0.0


class Waiting:
    """Ready chunks by tenant, handed out fairly."""

    def __init__(self) -> None:
        self._queues: dict[int, deque[Chunk]] = defaultdict(deque)
        self._running: dict[int, int] = defaultdict(int)
        self._turns: list[tuple[int, int, int]] = []
        self._turn = 0
        self.count = 0

    def add(self, chunk: Chunk) -> None:
        """A chunk is ready."""
        self._queues[chunk.tenant].append(chunk)
        self.count += 1
        if len(self._queues[chunk.tenant]) == 1:
            self._line_up(chunk.tenant)

    def take(self, batch: int) -> list[Chunk]:
        """The fairest chunk, or up to `batch` small ones if it is small."""
        taken: list[Chunk] = []
        while self.count and len(taken) < batch and (not taken or taken[0].is_small):
            tenant = self._next()
            queue = self._queues[tenant]
            if taken and not queue[0].is_small:
                self._line_up(tenant)
                break
            taken.append(queue.popleft())
            self._running[tenant] += 1
            self.count -= 1
            if queue:
                self._line_up(tenant)
        return taken

    def finish(self, chunks: Sequence[Chunk]) -> None:
        """These are done."""
        for chunk in chunks:
            self._running[chunk.tenant] -= 1

    def _line_up(self, tenant: int) -> None:
        self._turn += 1
        heapq.heappush(self._turns, (self._running[tenant], self._turn, tenant))

    def _next(self) -> int:
        """The tenant whose turn it is; one that has more running by now goes back into the line."""
        while True:
            running, _, tenant = heapq.heappop(self._turns)
            if running >= self._running[tenant]:
                return tenant
            self._line_up(tenant)


def simulate(load: Load, fleet: Fleet, costs: Costs, seconds: float, seed: int = 1) -> Outcome:
    """Run the busiest time of a day for so many seconds, in the time of the model."""
    return run_chunks(arrivals(load, costs, seconds, random.Random(seed)), fleet, costs, seconds)


def run_chunks(coming: Iterator[Chunk], fleet: Fleet, costs: Costs, seconds: float) -> Outcome:
    """Have chunks that come in order of time read by the slots of a fleet."""
    outcome, waiting, idle = Outcome(seconds), Waiting(), fleet.slots
    cores = [0.0] * fleet.database_cores
    busy: list[tuple[float, int, list[Chunk]]] = []
    upcoming, number = next(coming, None), 0

    def ask_database(now: float, chunks: int) -> float:
        """When a claim and its record of so many chunks are through; the core that is free first does it."""
        spent = costs.claim * max(chunks, 1)
        start = max(heapq.heappop(cores), now)
        heapq.heappush(cores, start + spent)
        outcome.database_seconds += spent
        return start + spent

    while upcoming is not None or busy:
        now = min(upcoming.ready_at if upcoming else math.inf, busy[0][0] if busy else math.inf)
        if now > seconds:
            break
        if upcoming is not None and upcoming.ready_at <= now:
            waiting.add(upcoming)
            upcoming = next(coming, None)
        while busy and busy[0][0] <= now:
            waiting.finish(heapq.heappop(busy)[2])
            idle += 1
        while idle and waiting.count:
            chunks = waiting.take(costs.batch)
            idle, number = idle - 1, number + 1
            begun = ask_database(now, len(chunks))
            spent = sum(chunk.seconds for chunk in chunks)
            heapq.heappush(busy, (begun + spent, number, chunks))
            outcome.slot_seconds += begun - now + spent
            outcome.chunks += len(chunks)
            for chunk in chunks:
                outcome.waits[chunk.tenant].append(begun - chunk.ready_at)
                outcome.pages += chunk.pages
    outcome.left = waiting.count
    return outcome


def arrivals(load: Load, costs: Costs, seconds: float, chance: random.Random) -> Iterator[Chunk]:
    """Documents at random times: most are text in one chunk, pages of scans are a chunk each."""
    weights = [1 / rank for rank in range(1, load.tenants + 1)]
    bounds, total = [], 0.0
    for weight in weights:
        total += weight
        bounds.append(total)
    now = 0.0
    while (now := now + chance.expovariate(load.documents_per_second)) < seconds:
        [tenant] = chance.choices(range(load.tenants), cum_weights=bounds)
        pages = max(1, round(chance.expovariate(1 / load.pages_per_document)))
        yield from chunks_of(tenant, now, pages, load, costs, chance)


def chunks_of(
    tenant: int, now: float, pages: int, load: Load, costs: Costs, chance: random.Random
) -> Iterator[Chunk]:
    """The chunks of one document."""
    if chance.random() >= load.scanned_share:
        yield Chunk(tenant, now, pages * costs.text_page, pages)
        return
    for _ in range(pages):
        yield Chunk(tenant, now, costs.ocr_page, 1, is_small=False)


def shares(load: Load, fleet: Fleet, costs: Costs, outcome: Outcome) -> dict[str, float]:
    """How much of each part is used; what is past 1 can't keep up."""
    return {
        "slots": outcome.slot_seconds / (fleet.slots * outcome.seconds),
        "database": outcome.database_seconds / (fleet.database_cores * outcome.seconds),
        # Removals are spread over the day; the deployment guide has what one sweeper does.
        "sweeper": load.documents_per_second / load.peak / costs.swept_per_second,
    }
