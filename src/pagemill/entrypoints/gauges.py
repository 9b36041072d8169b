"""The state at the moment of a scrape: in this process, and by the database in the whole installation."""

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from pagemill.adapters.blobs.base import TROUBLES
from pagemill.db.installation_counts import InstallationCounts, LaneCount
from pagemill.desk.counts_cache import CountsCache
from pagemill.failures import STORAGE_TROUBLES
from pagemill.mill import Mill
from pagemill.model.states import Lane

STARTED = time.monotonic()
Gauges = Iterator[Metric]


class GaugeCollector(Collector):
    """Gauges that are made on request."""

    def __init__(self, gauges: Iterable[Metric]) -> None:
        self._gauges = gauges

    def describe(self) -> Gauges:
        """Nothing: the metrics are only known at the scrape."""
        return iter(())

    def collect(self) -> Gauges:
        """The gauges with their present values."""
        return iter(self._gauges)


def render_metrics(mill: Mill, gauges: Iterable[Metric]) -> bytes:
    """What the metrics counted and these gauges, as Prometheus reads them."""
    present = CollectorRegistry()
    present.register(GaugeCollector(gauges))
    return generate_latest(mill.metrics.registry) + generate_latest(present)


def of_process(mill: Mill) -> Gauges:
    """What this process and its press do."""
    yield from of_press(mill)
    errors = CounterMetricFamily(
        "pagemill_blob_errors", "Calls that the blob store refused.", labels=["kind"]
    )
    for kind, count in TROUBLES.items():
        errors.add_metric([kind], count)
    yield errors
    troubles = {code: int(code == mill.backoff.reason) for code in sorted(STORAGE_TROUBLES)}
    yield gauge(
        "pagemill_worker_pausing",
        "Whether trouble with its storage keeps this process from claiming.",
        "code",
        troubles,
    )
    yield GaugeMetricFamily(
        "pagemill_uptime_seconds", "Time since the start.", value=time.monotonic() - STARTED
    )


def of_press(mill: Mill) -> Gauges:
    """What the reading processes do, and what they take."""
    slots = mill.press.state()
    phases = Counter[str](slot.phase for slot in slots)
    yield gauge("pagemill_press_slots", "Processes of the press by what they do.", "phase", phases)
    yield GaugeMetricFamily(
        "pagemill_press_memory_bytes",
        "Memory of the press, as its processes last reported.",
        value=sum(slot.rss_bytes for slot in slots),
    )


def of_installation(counts: CountsCache) -> Gauges:
    """What the database knows of all processes; only that it does not answer, if so."""
    count = counts.current()
    yield GaugeMetricFamily("pagemill_database_up", "Whether the database answers.", value=count is not None)
    if count is not None:
        yield from of_lanes({lane.value: count.lanes.get(lane.value, LaneCount()) for lane in Lane})
        yield from of_workers(count)
        yield from of_tenants(count)
        yield GaugeMetricFamily(
            "pagemill_event_log_held_seconds",
            "Age of the oldest transaction that events and webhooks wait for.",
            value=count.log_held_seconds,
        )


def of_lanes(lanes: Mapping[str, LaneCount]) -> Gauges:
    """What waits and runs in each lane."""
    ready = {name: lane.due + lane.delayed for name, lane in lanes.items()}
    yield gauge("pagemill_queue_ready", "Chunks that wait.", "lane", ready)
    running = {name: lane.running for name, lane in lanes.items()}
    yield gauge("pagemill_queue_running", "Chunks being read.", "lane", running)
    ages = {name: lane.oldest_seconds for name, lane in lanes.items()}
    yield gauge("pagemill_queue_oldest_seconds", "Age of the oldest chunk that waits.", "lane", ages)
    due = {name: lane.longest_due_seconds for name, lane in lanes.items()}
    yield gauge("pagemill_oldest_seconds", "Longest time that a chunk has been due.", "lane", due)
    held = {name: lane.longest_running_seconds for name, lane in lanes.items()}
    yield gauge(
        "pagemill_running_oldest_seconds", "Longest time that a chunk has been claimed.", "lane", held
    )
    backlog = GaugeMetricFamily(
        "pagemill_backlog_chunks",
        "Chunks by lane and state: due, delayed or running.",
        labels=["lane", "state"],
    )
    for name, lane in lanes.items():
        for state, chunks in (("due", lane.due), ("delayed", lane.delayed), ("running", lane.running)):
            backlog.add_metric([name, state], chunks)
    yield backlog


def of_workers(count: InstallationCounts) -> Gauges:
    """Who works, and which lanes are paused."""
    found = count.workers
    yield gauge("pagemill_workers", "Workers by state: alive, draining or silent.", "state", found.states)
    yield gauge("pagemill_workers_by_version", "Workers by version of pagemill.", "version", found.versions)
    yield gauge("pagemill_workers_by_engine", "Workers by engine and its version.", "engine", found.engines)
    paused = {lane.value: int(lane in count.paused) for lane in Lane}
    yield gauge("pagemill_lane_paused", "Whether nothing is claimed from a lane for now.", "lane", paused)


def of_tenants(count: InstallationCounts) -> Gauges:
    """What the busiest tenants had done so far today (UTC)."""
    kinds = {
        "pages": "Pages read today by tenant.",
        "cpu_seconds": "CPU seconds of reading today by tenant.",
        "remote_calls": "Calls to providers on other machines today by tenant.",
        "price": "What those calls cost today by tenant.",
    }
    for kind, text in kinds.items():
        values = {row.tenant: getattr(row, kind) for row in count.usage_today}
        yield gauge(f"pagemill_tenant_{kind}_today", text, "tenant", values)


def gauge(name: str, text: str, label: str, values: Mapping[str, float]) -> GaugeMetricFamily:
    """A gauge with one label."""
    family = GaugeMetricFamily(name, text, labels=[label])
    for value, amount in values.items():
        family.add_metric([value], amount)
    return family
