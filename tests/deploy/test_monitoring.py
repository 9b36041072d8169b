"""The dashboard and the alerts: every expression is PromQL, over metrics that the code has."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import promql_parser
import pytest
from prometheus_client.metrics_core import Metric

from tests.deploy.files import ROOT, Node, loaded
from tools import metric_list

PROMETHEUS = ROOT / "deploy" / "prometheus"
GRAFANA = ROOT / "deploy" / "grafana"
DASHBOARD: Node = json.loads((GRAFANA / "dashboards" / "pagemill.json").read_text(encoding="utf-8"))
ALERTS: list[Node] = [
    rule for group in loaded(PROMETHEUS / "alerts.yml")["groups"] for rule in group["rules"]
]
# Prometheus' own, and what it makes of a histogram.
OWN = {"up"}
HISTOGRAM_SUFFIXES = ("_bucket", "_sum", "_count")
NAME = re.compile(r"\b(?:pagemill|process)_[a-z_]+\b|\bup\b")
PROMTOOL = shutil.which("promtool")


def panels() -> list[Node]:
    """The panels that show something."""
    return [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]


def expressions() -> Iterator[tuple[str, str]]:
    """Every expression with where it stands."""
    for panel in panels():
        yield from ((panel["title"], target["expr"]) for target in panel["targets"])
    for rule in ALERTS:
        yield rule["alert"], rule["expr"]


def known() -> set[str]:
    """The names under which Prometheus knows what the code measures."""
    return OWN | {name for metric in metric_list.every_metric() for name in series(metric)}


def series(metric: Metric) -> list[str]:
    """The names of the series of a metric."""
    if metric.type == "histogram":
        return [metric.name + suffix for suffix in HISTOGRAM_SUFFIXES]
    return [metric_list.name_of(metric)]


@pytest.mark.parametrize(("place", "expression"), list(expressions()))
def test_an_expression_is_promql_over_metrics_that_there_are(place: str, expression: str) -> None:
    written = expression.replace("$__rate_interval", "5m")
    assert promql_parser.parse(written) is not None
    names = set(NAME.findall(written))
    assert names
    assert not names - known(), place


def test_what_matters_is_on_the_dashboard() -> None:
    shown = {name for _, expression in expressions() for name in NAME.findall(expression)}
    wanted = {
        "pages_total",
        "backlog_chunks",
        "oldest_seconds",
        "queue_seconds_bucket",
        "step_seconds_bucket",
        "provider_seconds_total",
        "retries_total",
        "crashes_total",
        "lease_expiries_total",
        "refusals_total",
        "workers",
        "jobs_total",
        "press_memory_bytes",
    }
    assert not {f"pagemill_{name}" for name in wanted} - shown


def test_panels_lie_side_by_side() -> None:
    cells = [
        (x, y)
        for panel in DASHBOARD["panels"]
        for x in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
        for y in range(panel["gridPos"]["y"], panel["gridPos"]["y"] + panel["gridPos"]["h"])
    ]
    assert len(cells) == len(set(cells))
    assert max(x for x, _ in cells) < 24
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])


def test_every_panel_asks_the_source_that_is_provisioned() -> None:
    [source] = loaded(GRAFANA / "provisioning" / "datasources" / "prometheus.yml")["datasources"]
    asked = {target["datasource"]["uid"] for panel in panels() for target in panel["targets"]}
    assert asked == {source["uid"]}


def test_every_alert_says_what_is_wrong_and_what_to_do() -> None:
    for rule in ALERTS:
        assert rule["labels"]["severity"] in {"critical", "warning", "info"}
        assert {"summary", "description"} <= set(rule["annotations"])


@pytest.mark.skipif(PROMTOOL is None, reason="promtool is missing; on Debian: apt install prometheus")
@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "config", "--syntax-only", str(PROMETHEUS / "prometheus.yml")],
        ["check", "rules", str(PROMETHEUS / "alerts.yml")],
        ["test", "rules", str(Path(__file__).with_name("alerts.test.yml"))],
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_prometheus_takes_its_files_and_the_alerts_go_off(arguments: list[str]) -> None:
    found = subprocess.run([str(PROMTOOL), *arguments], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr
