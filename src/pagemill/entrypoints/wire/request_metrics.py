"""Requests as metrics, by route and status."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate

from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from starlette.routing import BaseRoute, Route
from starlette.types import Scope

# Addresses that we don't have are all the same to us; a label for each would let strangers fill the memory.
UNKNOWN = "other"
BUCKETS = (0.005, 0.025, 0.1, 0.5, 2.5, 10.0)
BOUNDS = [*(str(bound) for bound in BUCKETS), "+Inf"]


@dataclass(slots=True)
class RequestTally:
    """Answers of one kind: how many by the bucket of their time, and their time in all."""

    seconds: float = 0.0
    buckets: list[int] = field(default_factory=lambda: [0] * len(BOUNDS))


class RequestMetrics(Collector):
    """Counts answers in the event loop alone, and so without the locks that would cost more than the counting."""

    def __init__(self, routes: Iterable[BaseRoute]) -> None:
        self._paths: dict[object, str] = {
            route.endpoint: route.path for route in routes if isinstance(route, Route)
        }
        self._tallies: dict[tuple[object, str, int], RequestTally] = {}

    def count(self, scope: Scope, status: int, seconds: float) -> None:
        """Count an answer and how long it took."""
        key = (scope.get("endpoint"), scope["method"], status)
        tally = self._tallies.get(key)
        if tally is None:
            tally = self._tallies.setdefault(key, RequestTally())
        tally.seconds += seconds
        tally.buckets[bisect_left(BUCKETS, seconds)] += 1

    def describe(self) -> Iterator[Metric]:
        """Nothing: the routes are known only to requests."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        """What was counted, by route."""
        requests = CounterMetricFamily(
            "pagemill_http_requests", "Requests answered.", labels=["route", "method", "status"]
        )
        by_path: dict[str, RequestTally] = {}
        for (endpoint, method, status), tally in list(self._tallies.items()):
            path = self._paths.get(endpoint, UNKNOWN)
            requests.add_metric([path, method, str(status)], sum(tally.buckets))
            whole = by_path.setdefault(path, RequestTally())
            whole.seconds += tally.seconds
            whole.buckets = [one + more for one, more in zip(whole.buckets, tally.buckets, strict=True)]
        yield requests
        yield times(by_path)


def times(by_path: dict[str, RequestTally]) -> Metric:
    """How long answers took, by route."""
    family = HistogramMetricFamily(
        "pagemill_http_seconds", "Seconds until a request was answered.", labels=["route"]
    )
    for path, tally in by_path.items():
        filled = [float(count) for count in accumulate(tally.buckets)]
        family.add_metric([path], list(zip(BOUNDS, filled, strict=True)), tally.seconds)
    return family
