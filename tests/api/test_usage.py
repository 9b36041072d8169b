"""What jobs cost, and what a tenant had done on a day."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.samples import letter, report
from tests.servers import Served


def usage(server: Served, **asked: str) -> dict[str, Any]:
    """The sums of all days that are shown."""
    days = server.http.get("/v1/usage", params=asked).json()["usage"]
    names = ("jobs", "pages", "cpu_seconds", "remote_calls", "price")
    return {name: sum(day[name] for day in days) for name in names}


def test_what_is_read_is_counted_once_by_job_and_by_day(busy: Served) -> None:
    before = usage(busy)
    short = busy.finished(letter("Dear accountant,"))
    long = busy.finished(report(70), reuse="false")
    again = busy.finished(letter("Dear accountant,"))
    after = usage(busy)
    costs = [job["cost"]["cpu_seconds"] for job in (short, long)]
    # The clock of some kernels moves in steps of 10 ms, so a letter may cost nothing.
    assert costs[1] > 0
    assert again["reused"]
    assert again["cost"] == {"cpu_seconds": 0.0, "remote_calls": 0, "price": 0.0}
    assert (after["jobs"] - before["jobs"], after["pages"] - before["pages"]) == (3, 71)
    assert after["cpu_seconds"] - before["cpu_seconds"] == pytest.approx(sum(costs), abs=0.01)
    assert usage(busy) == after


def test_usage_is_shown_to_operators_by_tenant(busy: Served) -> None:
    busy.finished(letter("Dear operator of usage,"))
    [mine] = busy.http.get("/v1/usage", params={"all_tenants": "true"}).json()["usage"]
    assert (mine["tenant"], mine["pages"] > 0) == ("default", True)
    told = busy.http.get("/v1/operations").json()["usage"]
    assert [row["tenant"] for row in told] == ["default"]
    metrics = busy.http.get("/metrics").text
    assert 'pagemill_cpu_seconds_total{step="plan"}' in metrics


def test_days_are_chosen_by_from_and_to(busy: Served) -> None:
    today = datetime.now(UTC).date()
    past = {"from": str(today - timedelta(days=9)), "to": str(today - timedelta(days=8))}
    assert usage(busy, **past)["jobs"] == 0
    for wrong in ({"from": "2026-02-30"}, {"from": str(today + timedelta(days=2))}, {"from": "2001-01-01"}):
        answer = busy.http.get("/v1/usage", params=wrong)
        assert (answer.status_code, answer.json()["code"]) == (422, "validation_error")
