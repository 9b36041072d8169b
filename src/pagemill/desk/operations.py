"""Operations: how the mill runs at this moment, for operators. Nothing here reads all rows on each call."""

import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from prometheus_client import Counter, Histogram

from pagemill.db import usage, workers
from pagemill.db.database import Database
from pagemill.db.storage_totals import documents_stored
from pagemill.db.usage import UsageRow
from pagemill.desk.queries import Backlog, backlog
from pagemill.desk.worker_status import WorkerStatus, worker_status
from pagemill.mill import Mill
from pagemill.model.states import Lane, Step
from pagemill.press import SlotReport

# Adding up the documents looks at every row, and no one needs it to the second.
STORAGE_SECONDS = 60
SLOWEST_SHARE = 0.95


@dataclass(frozen=True, slots=True)
class PagesOfMinute:
    """How many pages were settled in a minute that began at the given time."""

    at: float
    pages: int


@dataclass(frozen=True, slots=True)
class StepSeconds:
    """How long a step takes on one chunk: on average, and so that 19 of 20 take less."""

    step: str
    count: int
    mean_seconds: float
    p95_seconds: float


@dataclass(frozen=True, slots=True)
class LabelCount:
    """A part of a total under its name."""

    name: str
    count: float


@dataclass(frozen=True, slots=True)
class StorageUse:
    """What the documents take, and what is left; `free_bytes` is None if it is not known."""

    documents: int
    documents_bytes: int
    free_bytes: int | None


@dataclass(frozen=True, slots=True)
class Operations:
    """How the mill runs at this moment; counts are those of this process since its start."""

    at: float
    lanes: list[Backlog]
    pages_per_minute: float
    minutes: list[PagesOfMinute]
    pages: list[LabelCount]
    jobs: list[LabelCount]
    steps: list[StepSeconds]
    providers: list[LabelCount]
    failures: list[LabelCount]
    set_backs: list[LabelCount]
    refusals: list[LabelCount]
    workers: list[WorkerStatus]
    slots: list[SlotReport]
    storage: StorageUse
    usage: list[UsageRow]


def operations(mill: Mill) -> Operations:
    """Everything at once."""
    now, metrics = mill.db.read(mill.db.now), mill.metrics
    present = [worker_status(one, now, mill.settings.lease_seconds) for one in mill.db.read(workers.everyone)]
    return Operations(
        at=now,
        lanes=every_lane(backlog(mill)),
        pages_per_minute=round(60 * sum(one.pages_per_second for one in present if one.state != "silent"), 1),
        minutes=[PagesOfMinute(at, pages) for at, pages in metrics.pages_by_minute()],
        pages=shares(metrics.pages),
        jobs=shares(metrics.jobs),
        steps=step_times(metrics.step_seconds),
        providers=shares(metrics.provider_seconds),
        failures=shares(metrics.failures),
        set_backs=shares(metrics.set_backs),
        refusals=shares(metrics.refusals),
        workers=present,
        slots=mill.press.state(),
        storage=storage(mill),
        usage=mill.db.read(lambda conn: usage.of_today(conn, now)),
    )


def every_lane(known: list[Backlog]) -> list[Backlog]:
    """The lanes in their usual order, the empty ones too."""
    found = {lane.lane: lane for lane in known}
    return [found.get(lane.value, Backlog(lane.value, 0, 0, 0.0)) for lane in Lane]


def shares(counter: Counter) -> list[LabelCount]:
    """What a counter with one label has counted, largest first."""
    counted = [
        LabelCount(next(iter(sample.labels.values())), round(sample.value, 3))
        for family in counter.collect()
        for sample in family.samples
        if sample.name.endswith("_total") and sample.value
    ]
    return sorted(counted, key=lambda share: (-share.count, share.name))


def step_times(histogram: Histogram) -> list[StepSeconds]:
    """How long the steps take, in the order of the journey."""
    buckets: dict[str, list[tuple[float, float]]] = defaultdict(list)
    sums: dict[str, float] = {}
    for sample in (one for family in histogram.collect() for one in family.samples):
        step = sample.labels["step"]
        if sample.name.endswith("_bucket"):
            buckets[step].append((float(sample.labels["le"]), sample.value))
        elif sample.name.endswith("_sum"):
            sums[step] = sample.value
    order = [step.value for step in Step]
    return [step_time(step, buckets[step], sums[step]) for step in sorted(sums, key=order.index)]


def step_time(step: str, buckets: list[tuple[float, float]], total: float) -> StepSeconds:
    """The figures of one step."""
    count = buckets[-1][1]
    mean = total / count if count else 0.0
    return StepSeconds(step, int(count), round(mean, 4), round(quantile(buckets, SLOWEST_SHARE), 4))


def quantile(buckets: Iterable[tuple[float, float]], share: float) -> float:
    """The value that this share of what was counted in the buckets stays below, as if it were spread evenly within each."""
    buckets = list(buckets)
    wanted, lower, below = share * buckets[-1][1], 0.0, 0.0
    for upper, count in buckets:
        if count >= wanted and count > below:
            return (
                lower
                if upper == float("inf")
                else lower + (upper - lower) * (wanted - below) / (count - below)
            )
        lower, below = upper, count
    return 0.0


def storage(mill: Mill) -> StorageUse:
    """What is stored and what is left."""
    count, size_bytes = counted_documents(mill.db, int(time.monotonic() // STORAGE_SECONDS))
    return StorageUse(count, size_bytes, mill.blobs.free_bytes())


@lru_cache(maxsize=2)
def counted_documents(db: Database, _minute: int) -> tuple[int, int]:
    """How many documents there are and their bytes, added up once a minute."""
    return db.read(documents_stored)
