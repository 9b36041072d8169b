"""The table of metrics."""

from functools import cache

from prometheus_client.metrics_core import Metric

from pagemill.entrypoints.api.health.probes import every_gauge
from tools.idle import idle_app


def markdown() -> str:
    """Every metric with its kind and what it says."""
    rows = [f"| `{name_of(metric)}` | {metric.type} | {metric.documentation} |" for metric in every_metric()]
    return "\n".join(["| Name | Kind | What it says |", "|---|---|---|", *rows])


def names() -> list[str]:
    """The names of all metrics, as Prometheus knows them."""
    return [name_of(metric) for metric in every_metric()]


@cache
def every_metric() -> tuple[Metric, ...]:
    """The metrics of a service, by name."""
    with idle_app() as app:
        state = app.state.api
        found: list[Metric] = [*state.mill.metrics.registry.collect(), *every_gauge(state)]
    return tuple(sorted(found, key=lambda metric: metric.name))


def name_of(metric: Metric) -> str:
    """A metric's name with the suffix that counters have."""
    return f"{metric.name}_total" if metric.type == "counter" else metric.name
