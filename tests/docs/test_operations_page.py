"""The runbook knows every alert and every command that there is."""

import re

from tests.docs.pages import ROOT
from tools import command_line

PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")


def test_every_alert_is_explained() -> None:
    rules = (ROOT / "deploy" / "prometheus" / "alerts.yml").read_text(encoding="utf-8")
    alerts = re.findall(r"- alert: (\w+)", rules)
    assert alerts
    assert not [alert for alert in alerts if f"| `{alert}` |" not in PAGE]


def test_only_alerts_that_exist_are_explained() -> None:
    rules = (ROOT / "deploy" / "prometheus" / "alerts.yml").read_text(encoding="utf-8")
    assert not [
        alert for alert in re.findall(r"\| `(Pagemill\w+)` \|", PAGE) if f"alert: {alert}\n" not in rules
    ]


def test_every_command_of_the_operator_is_named() -> None:
    names = [name for name in command_line.names() if name.startswith("admin ") and name != "admin keys"]
    assert len(names) > 10
    assert not [name for name in names if f"pagemill {name}" not in PAGE]
