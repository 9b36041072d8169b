"""The metrics: what Prometheus reads, in the words of the event log."""

from collections import deque
from collections.abc import Mapping
from threading import Lock
from time import monotonic, time

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector

from pagemill.model.states import Lane

RATE_WINDOW_SECONDS = 30.0
MINUTES_KEPT = 60
STEP_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)
# A chunk is claimed at once by an idle worker, and after hours when there is a backlog.
QUEUE_BUCKETS = (0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 15, 60, 300, 1_800, 7_200)


class Metrics:
    """Counters of one process; what is in the database is asked there."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self.step_seconds = self._histogram(
            "pagemill_step_seconds", "Seconds of a step's work on one chunk.", "step", STEP_BUCKETS
        )
        self.queue_seconds = self._histogram(
            "pagemill_queue_seconds",
            "Seconds from when a chunk was due until it was claimed.",
            "lane",
            QUEUE_BUCKETS,
        )
        for lane in Lane:
            self.queue_seconds.labels(lane.value)
        self.provider_seconds = self._counter(
            "pagemill_provider_seconds", "Seconds that a provider read pages.", "provider"
        )
        self.pages = self._counter("pagemill_pages", "Pages that were settled.", "outcome")
        self.jobs = self._counter("pagemill_jobs", "Jobs that ended.", "status")
        self.failures = self._counter("pagemill_failures", "Failures of jobs and pages by code.", "code")
        self.set_backs = self._counter("pagemill_set_backs", "Set-backs of chunks by counter.", "counter")
        self.retries = self._counter(
            "pagemill_retries",
            "Chunks that are tried again by counter; `none` if it counts nowhere.",
            "counter",
        )
        self.crashes = self._counter(
            "pagemill_crashes", "Reading processes that died by signal, of too much memory or time.", "kind"
        )
        self.refusals = self._counter("pagemill_refusals", "Rejected requests by code.", "code")
        self.scans = self._counter("pagemill_scans", "Documents by what the malware scanner said.", "verdict")
        self.deliveries = self._counter(
            "pagemill_webhook_attempts", "Attempts to deliver a webhook by outcome.", "outcome"
        )
        self.delivery_seconds = self._histogram(
            "pagemill_webhook_seconds", "Seconds of an attempt to deliver a webhook.", "outcome", STEP_BUCKETS
        )
        self._measure_costs()
        self._measure_cluster()
        self._recent: deque[tuple[float, int]] = deque()
        self._minutes: dict[int, int] = {}
        # Workers count in threads of their own, and others read at the same time.
        self._lock = Lock()

    def _measure_costs(self) -> None:
        self.cpu_seconds = self._counter(
            "pagemill_cpu_seconds", "CPU seconds of reading processes by step.", "step"
        )
        self.remote_calls = self._counter(
            "pagemill_remote_calls", "Calls to providers on other machines.", "provider"
        )
        self.remote_price = self._counter(
            "pagemill_remote_price", "What calls to providers cost by the prices of the settings.", "provider"
        )

    def _measure_cluster(self) -> None:
        self.lease_expiries = self._counter(
            "pagemill_lease_expiries", "Claims that were freed because their worker fell silent."
        )
        self.sweeps = self._counter("pagemill_sweeps", "Rounds of the sweeper that this process made.")
        self.leading = Gauge(
            "pagemill_sweeper_leader", "Whether this process is the one that sweeps.", registry=self.registry
        )
        self.publish_failures = self._counter(
            "pagemill_publish_failures",
            "Wake-ups that the broker did not take; the sweeper sends them again.",
        )
        self.watchdog_restarts = self._counter(
            "pagemill_watchdog_restarts", "Times that a consumer which received nothing was restarted."
        )

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(name, text, labels, registry=self.registry)

    def _histogram(self, name: str, text: str, label: str, buckets: tuple[float, ...]) -> Histogram:
        return Histogram(name, text, [label], registry=self.registry, buckets=buckets)

    def count_providers(self, seconds: Mapping[str, float]) -> None:
        """Count the time that providers took."""
        for provider, spent in seconds.items():
            self.provider_seconds.labels(provider).inc(spent)

    def count_calls(self, provider: str, calls: int, price: float) -> None:
        """Count calls to a provider on another machine."""
        self.remote_calls.labels(provider).inc(calls)
        self.remote_price.labels(provider).inc(price)

    def count_delivery(self, outcome: str, seconds: float) -> None:
        """Count an attempt to deliver a webhook."""
        self.deliveries.labels(outcome).inc()
        self.delivery_seconds.labels("delivered" if outcome == "delivered" else "failed").observe(seconds)

    def count_pages(self, read: int, failed: int) -> None:
        """Count pages that were settled."""
        self.pages.labels("read").inc(read)
        self.pages.labels("failed").inc(failed)
        with self._lock:
            self._recent.append((monotonic(), read + failed))
            self._count_minute(int(time() // 60), read + failed)

    def _count_minute(self, minute: int, pages: int) -> None:
        self._minutes[minute] = self._minutes.get(minute, 0) + pages
        for old in [one for one in self._minutes if one <= minute - MINUTES_KEPT]:
            del self._minutes[old]

    def pages_by_minute(self) -> list[tuple[float, int]]:
        """How many pages were settled in each minute of the last hour, and when the minute began; oldest first."""
        with self._lock:
            counted = dict(self._minutes)
        last = int(time() // 60)
        return [
            (minute * 60.0, counted.get(minute, 0)) for minute in range(last - MINUTES_KEPT + 1, last + 1)
        ]

    def pages_per_second(self) -> float:
        """How many pages were settled per second lately."""
        since = monotonic() - RATE_WINDOW_SECONDS
        with self._lock:
            while self._recent and self._recent[0][0] < since:
                self._recent.popleft()
            return sum(count for _, count in self._recent) / RATE_WINDOW_SECONDS
