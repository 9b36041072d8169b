"""The page on observability names what is there, and nothing else."""

import re

from pagemill.log_context import WORDS
from tests.docs.pages import DOCS, ROOT
from tools import metric_list

ROW = re.compile(r"^\| `((?:pagemill|process)_\w+)` \|", re.MULTILINE)
METRIC = re.compile(r"\bpagemill_[a-z_]+\b")
SUFFIXES = ("_bucket", "_sum", "_count")
PAGE = (DOCS / "observability.md").read_text(encoding="utf-8")


def test_every_metric_stands_in_the_table_and_every_row_is_a_metric() -> None:
    rows = ROW.findall(PAGE)
    assert len(rows) == len(set(rows))
    assert set(rows) == set(metric_list.names())


def test_the_dashboard_and_the_alerts_ask_only_for_metrics_that_are_there() -> None:
    known = set(metric_list.names())
    for path in (*(ROOT / "deploy/prometheus").glob("*.yml"), *(ROOT / "deploy/grafana").rglob("*.json")):
        asked = {found for line in expressions(path.read_text("utf-8")) for found in METRIC.findall(line)}
        unknown = [name for name in asked if name not in known and without_suffix(name) not in known]
        assert not unknown, path


def expressions(text: str) -> list[str]:
    """The text without passwords' file names and the like, which look like metrics too."""
    return [line for line in text.splitlines() if "file" not in line]


def without_suffix(name: str) -> str:
    """The name of a histogram whose part is asked for."""
    for suffix in SUFFIXES:
        name = name.removesuffix(suffix)
    return name


def test_every_word_of_a_log_line_is_explained() -> None:
    assert not [word for word in WORDS if f"| `{word}` |" not in PAGE]
