"""How the service runs, in one answer."""

import pytest

from pagemill.desk.operations import quantile
from pagemill.entrypoints.api.health.operations import EXAMPLE, OperationsView
from pagemill.model.states import Lane, Step
from tests.samples import corrupt, letter
from tests.servers import Served
from tests.waiting import wait_for


def test_what_was_done_is_told(busy: Served) -> None:
    assert busy.finished(letter("Dear operator,"))["status"] == "completed"
    assert busy.finished(corrupt())["status"] == "failed"
    # Counted after the commits that tell of the ends.
    wait_for(
        lambda: shares(busy, "jobs") >= {"completed", "failed"} and "pdf_corrupt" in shares(busy, "failures")
    )
    told = busy.http.get("/v1/operations").json()
    assert told["steps"][0]["step"] == Step.PLAN
    assert all(step["count"] > 0 and step["p95_seconds"] >= 0 for step in told["steps"])
    assert len(told["minutes"]) == 60
    assert sum(minute["pages"] for minute in told["minutes"]) >= 1


def shares(server: Served, of: str) -> set[str]:
    """What something is told to consist of."""
    return {share["name"] for share in server.http.get("/v1/operations").json()[of]}


def test_workers_and_slots_are_told(busy: Served) -> None:
    told = busy.http.get("/v1/operations").json()
    [worker] = told["workers"]
    assert worker["state"] == "alive"
    assert worker["lanes"] == [lane.value for lane in Lane]
    assert len(told["slots"]) >= worker["slots"]
    assert all("key" not in slot for slot in told["slots"])


def test_storage_is_told(busy: Served) -> None:
    storage = busy.http.get("/v1/operations").json()["storage"]
    assert storage["free_bytes"] > 0
    assert storage["documents_bytes"] >= 0


def test_what_waits_is_told_by_lane(idle: Served) -> None:
    idle.submit(letter())
    lanes = idle.http.get("/v1/operations").json()["lanes"]
    assert [lane["lane"] for lane in lanes] == [lane.value for lane in Lane]
    assert lanes[0]["ready"] >= 1
    assert lanes[0]["oldest_seconds"] >= 0


def test_the_answer_and_its_example_have_the_documented_shape(busy: Served) -> None:
    told = busy.http.get("/v1/operations").json()
    assert set(told) == set(OperationsView.model_fields) == set(EXAMPLE)
    OperationsView.model_validate(told)
    OperationsView.model_validate(EXAMPLE)


BUCKETS = [(1.0, 10.0), (2.0, 18.0), (float("inf"), 20.0)]


@pytest.mark.parametrize(
    ("share", "expected"), [(0.25, 0.5), (0.5, 1.0), (0.7, 1.5), (0.95, 2.0), (1.0, 2.0)]
)
def test_a_quantile_is_found_within_its_bucket(share: float, expected: float) -> None:
    assert quantile(BUCKETS, share) == pytest.approx(expected)


def test_a_quantile_of_nothing_is_zero() -> None:
    assert quantile([(1.0, 0), (float("inf"), 0)], 0.95) == 0.0


def test_pages_are_listed_with_who_read_them(busy: Served) -> None:
    job = busy.finished(letter("Who reads this?"))
    [page] = busy.http.get(f"/v1/jobs/{job['id']}/pages").json()["pages"]
    whole = busy.http.get(f"/v1/jobs/{job['id']}/pages/1").json()
    assert page["state"] == "final"
    assert page["facts"] == {
        "width": whole["width"],
        "height": whole["height"],
        "provider": whole["provider"],
        "route": whole["route"],
        "confidence": whole["confidence"],
        "fell_back": False,
        "to_check": whole["confidence"] < 0.7,
        "has_image": True,
    }
