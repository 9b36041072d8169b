"""What work costs is added up on the job and by day, however the work ends."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pagemill.db import usage
from pagemill.desk.queries import show_job
from pagemill.desk.usage import count_usage
from pagemill.failure_records import record_set_back
from pagemill.mill import DEFAULT_TENANT, Mill
from pagemill.model.costs import Cost, CostLedger, day_of
from pagemill.model.states import Lane
from pagemill.model.work import Claim, JobLost, Retry, SetBack, Verdict
from pagemill.press import Cancelled, Crashed, Done, Failed, Outcome, TimedOut, cpu_seconds_of
from pagemill.runner import claim_work
from pagemill.wiring import open_mill
from tests.mills import hand_in, small_settings
from tests.samples import letter

SPENT = Cost(1.5, 2, 0.25)


@pytest.fixture
def mill(tmp_path: Path) -> Iterator[Mill]:
    """A mill that takes no work."""
    with open_mill(small_settings(tmp_path, slots=1, kept_slots=0), workers=False) as mill:
        yield mill


def set_back(mill: Mill, claim: Claim, verdict: Verdict) -> None:
    """Record that a claim did not work out."""
    finding = SetBack(claim, verdict, "timeout", "It took too long.", cost=SPENT)
    mill.db.write(lambda tx: record_set_back(tx, finding))


def claimed(mill: Mill) -> Claim:
    """The next claim."""
    [claim] = claim_work(mill, (Lane.FAST,), threading.Event())
    return claim


def test_tries_that_fail_are_counted_on_the_job_and_the_day(mill: Mill) -> None:
    job_id = hand_in(mill, letter()).job_id
    set_back(mill, claimed(mill), Retry("crashes", 0.0))
    set_back(mill, claimed(mill), JobLost(None, "timeout", "It took too long.", retryable=False))
    job = show_job(mill, DEFAULT_TENANT, job_id)
    assert (job["status"], job["cost"]) == ("failed", {"cpu_seconds": 3.0, "remote_calls": 4, "price": 0.5})
    for _ in range(2):
        count_usage(mill)
    today = day_of(mill.db.read(mill.db.now))
    days = mill.db.read(lambda conn: usage.of_tenant(conn, DEFAULT_TENANT, "2000-01-01", today))
    assert [sum(getattr(day, name) for day in days) for name in ("jobs", "pages", "remote_calls")] == [
        1,
        0,
        4,
    ]
    assert sum(day.cpu_seconds for day in days) == pytest.approx(3.0)


def test_a_ledger_counts_only_for_claims_under_way() -> None:
    ledger = CostLedger()
    ledger.begin(["a.1"])
    ledger.add("a.1", SPENT)
    ledger.add("a.1", SPENT)
    ledger.add("b.1", SPENT)
    assert [ledger.take(key) for key in ("a.1", "a.1", "b.1")] == [Cost(3.0, 4, 0.5), Cost(), Cost()]


def test_a_visit_that_was_killed_counts_by_its_time() -> None:
    crashed = Crashed(11, None, memory=False, detail="", seconds=2.0)
    outcomes: list[Outcome] = [
        Done(b"", 9.0, 1.0),
        Failed("code", "", False, 9.0, 1.5),
        crashed,
        TimedOut(3.0),
        Cancelled(),
    ]
    assert [cpu_seconds_of(outcome) for outcome in outcomes] == [1.0, 1.5, 2.0, 3.0, 0.0]
