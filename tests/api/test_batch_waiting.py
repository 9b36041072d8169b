"""Waiting for the end of a batch: the answer is held back, and a batch in which all is known is over at once."""

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from pagemill.client import Client
from pagemill.client.batches import WAIT_SECONDS
from tests.api.batch_bodies import files_of, letters
from tests.http_receivers import Answered, Received, receiving_http
from tests.mills import small_settings
from tests.servers import Served, served

LONG_SECONDS = 30


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that reads batches and does not sweep."""
    with served(small_settings(tmp_path_factory.mktemp("waiting"), slots=1, sweep_seconds=600)) as server:
        yield server


def hand_in(server: Served, *documents: tuple[str, bytes]) -> dict[str, Any]:
    """The answer to a new batch."""
    made: dict[str, Any] = server.http.post("/v1/batches", files=files_of(list(documents))).json()
    return made


def test_the_answer_comes_when_all_items_have_ended(reading: Served) -> None:
    made = hand_in(reading, *letters(12, "ida"))
    done = reading.http.get(f"/v1/batches/{made['id']}", params={"wait": LONG_SECONDS}).json()
    assert (done["status"], done["counts"]["completed"]) == ("completed", 12)
    assert done["finished_at"]


def test_the_answer_comes_when_the_time_is_up(idle: Served) -> None:
    made = hand_in(idle, *letters(2, "late"))
    began = time.monotonic()
    seen = idle.http.get(f"/v1/batches/{made['id']}", params={"wait": 0.5}).json()
    assert (seen["status"], seen["finished_at"]) == ("pending", None)
    assert time.monotonic() - began >= 0.5
    # Longer than the server lets anybody wait.
    assert idle.http.get(f"/v1/batches/{made['id']}", params={"wait": 3_600}).json()["status"] == "pending"
    refused = idle.http.get(f"/v1/batches/{made['id']}", params={"wait": -1})
    assert (refused.status_code, refused.json()["code"]) == (422, "validation_error")


def test_who_waits_is_answered_when_the_batch_is_cancelled_or_deleted(idle: Served) -> None:
    with ThreadPoolExecutor(1) as callers:
        for verb, answer in (("POST", (200, "cancelled")), ("DELETE", (410, None))):
            made = hand_in(idle, *letters(3, f"stopped {verb} "))
            where = f"/v1/batches/{made['id']}"
            waiting = callers.submit(idle.http.get, where, params={"wait": LONG_SECONDS})
            while not idle.mill.notifier.watchers():
                time.sleep(0.01)
            idle.http.request(verb, where if verb == "DELETE" else f"{where}/cancel")
            seen = waiting.result()
            assert (seen.status_code, seen.json().get("counts") and seen.json()["status"]) == answer


def test_a_job_that_is_deleted_does_not_end_the_wait_for_the_others(idle: Served) -> None:
    made = hand_in(idle, *letters(2, "deleted"))
    where = f"/v1/batches/{made['id']}"
    last = idle.http.get(f"{where}/items").json()["items"][-1]
    with ThreadPoolExecutor(1) as callers:
        waiting = callers.submit(idle.http.get, where, params={"wait": 1})
        while not idle.mill.notifier.watchers():
            time.sleep(0.01)
        idle.http.delete(last["link"])
        seen = waiting.result().json()
    assert (seen["status"], seen["counts"]["pending"], seen["counts"]["removed"]) == ("pending", 1, 1)


def test_a_batch_in_which_all_is_known_is_over_when_it_is_answered(reading: Served) -> None:
    documents = letters(3, "known")
    first = hand_in(reading, *documents)
    reading.http.get(f"/v1/batches/{first['id']}", params={"wait": LONG_SECONDS})
    again = hand_in(reading, *documents)
    assert (again["status"], again["counts"]["completed"]) == ("completed", 3)
    assert again["finished_at"] == again["created_at"]
    assert reading.http.get(f"/v1/batches/{again['id']}").json() == again
    events = reading.http.get("/v1/events", params={"limit": 500}).json()["events"]
    kinds = [one["type"] for one in events if one["facts"].get("batch_id") == again["id"]]
    assert kinds == ["batch.accepted", "batch.completed"]


def test_the_client_does_not_hurry_a_server_that_does_not_wait() -> None:
    states = iter(["processing", "processing", "completed"])

    def answer(_: Received) -> Answered:
        body = json.dumps({"id": "b1", "status": next(states)}).encode()
        return Answered(headers={"content-type": "application/json"}, body=body)

    with receiving_http(answer) as server, Client(server.url) as client:
        began = time.monotonic()
        assert client.batches.wait("b1")["status"] == "completed"
        assert time.monotonic() - began >= 1
    assert [one.path for one in server.requests] == [
        "/v1/batches/b1",
        *[f"/v1/batches/b1?wait={WAIT_SECONDS}"] * 2,
    ]
