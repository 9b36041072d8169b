"""Those who wait: long polls, preferred waits and event streams."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import httpx
import pytest

from pagemill.desk.commands import cancel
from pagemill.mill import DEFAULT_TENANT
from tests.api.test_http import problem
from tests.mills import small_settings
from tests.samples import letter, report
from tests.servers import Served, served_idle
from tests.timing import can_take_less_than, seconds_of
from tests.waiting import wait_for

PDF = {"content-type": "application/pdf"}


def once_watched(server: Served, act: Callable[[], object]) -> None:
    """Do something as soon as somebody waits for a job."""
    wait_for(lambda: server.mill.notifier.watchers() == 0)

    def wait_and_act() -> None:
        wait_for(lambda: server.mill.notifier.watchers() > 0)
        act()

    threading.Thread(target=wait_and_act).start()


def events(answer: httpx.Response) -> Iterator[dict[str, Any]]:
    """The events of a stream; comments are left out."""
    fields: dict[str, str] = {}
    for line in answer.iter_lines():
        if line and not line.startswith(":"):
            name, _, value = line.partition(": ")
            fields[name] = value
        elif not line and fields:
            yield {**json.loads(fields["data"]), "id": int(fields["id"]), "event": fields["event"]}
            fields = {}


def test_a_long_poll_returns_when_the_job_ends(idle: Served) -> None:
    def poll() -> None:
        job_id = idle.submit(letter())["id"]
        once_watched(idle, lambda: cancel(idle.mill, DEFAULT_TENANT, job_id))
        answer = idle.http.get(f"/v1/jobs/{job_id}", params={"wait": 2})
        assert answer.json()["status"] == "cancelled"

    assert can_take_less_than(1.5, lambda: seconds_of(poll))


def test_a_long_poll_returns_when_the_time_is_up(idle: Served) -> None:
    job_id = idle.submit(letter())["id"]

    def poll_seconds() -> float:
        started = time.monotonic()
        answer = idle.http.get(f"/v1/jobs/{job_id}", params={"wait": "0.5"})
        assert answer.json()["status"] == "pending"
        assert answer.headers["retry-after"]
        taken = time.monotonic() - started
        assert taken >= 0.5
        return taken

    assert can_take_less_than(2, poll_seconds)


@pytest.mark.parametrize(
    "known", [{"params": {"since": "VERSION"}}, {"headers": {"if-none-match": '"VERSION"'}}]
)
def test_a_long_poll_for_changes_returns_at_the_next_one(
    idle: Served, known: dict[str, dict[str, str]]
) -> None:
    job = idle.submit(letter())
    told = {
        kind: {name: value.replace("VERSION", str(job["version"])) for name, value in pairs.items()}
        for kind, pairs in known.items()
    }
    params, headers = told.get("params", {}), told.get("headers", {})
    path = f"/v1/jobs/{job['id']}"
    silent = idle.http.get(path, params={"wait": "0.2", **params}, headers=headers)
    assert silent.status_code == (304 if headers else 200)
    once_watched(idle, lambda: cancel(idle.mill, DEFAULT_TENANT, job["id"]))
    changed = idle.http.get(path, params={"wait": "2", **params}, headers=headers)
    assert changed.json()["version"] > job["version"]


@pytest.mark.parametrize("wait", ["abc", "-1", "nan", "inf", ""])
def test_a_wait_that_makes_no_sense_is_refused(idle: Served, wait: str) -> None:
    job_id = idle.submit(letter())["id"]
    problem(idle.http.get(f"/v1/jobs/{job_id}", params={"wait": wait}), 422, "validation_error")


def test_a_preferred_wait_answers_with_the_finished_job(busy: Served) -> None:
    answer = busy.http.post("/v1/jobs", content=letter("Dear waiter,"), headers={**PDF, "prefer": "wait=30"})
    assert (answer.status_code, answer.json()["status"]) == (200, "completed")
    assert answer.headers["preference-applied"] == "wait=30"
    assert answer.headers["location"] == f"/v1/jobs/{answer.json()['id']}"


@pytest.mark.parametrize(
    ("prefer", "applied"),
    [
        ("wait=abc", None),
        ("wait=-1", None),
        ("wait", None),
        ("respond-async", None),
        ("wait=99999", "wait=2"),
        ("respond-async, wait=1", "wait=1"),
        ("wait=0", "wait=0"),
    ],
)
def test_a_preferred_wait_is_ignored_or_cut_short(idle: Served, prefer: str, applied: str | None) -> None:
    def post() -> None:
        answer = idle.http.post("/v1/jobs", content=letter(), headers={**PDF, "prefer": prefer})
        assert (answer.status_code, answer.headers.get("preference-applied")) == (202, applied)

    assert can_take_less_than(4, lambda: seconds_of(post))


def test_an_event_stream_tells_what_happens_and_ends_with_the_job(busy: Served) -> None:
    job_id = busy.submit(report(80), reuse="false")["id"]
    with busy.http.stream("GET", f"/v1/jobs/{job_id}/events") as answer:
        assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
        told = list(events(answer))
    assert [event["id"] for event in told] == list(range(1, len(told) + 1))
    assert (told[0]["event"], told[-1]["event"]) == ("job.accepted", "job.completed")
    assert {event["job_id"] for event in told} == {job_id}
    assert "chunk.read" in {event["type"] for event in told}


def test_an_event_stream_ends_for_a_job_that_was_labelled_after_its_end(busy: Served) -> None:
    job = busy.finished(letter("Dear label,"))["id"]
    assert busy.http.patch(f"/v1/jobs/{job}", json={"tags": ["late"]}).status_code == 200
    for last_event_id in ({}, {"last-event-id": "nonsense"}):
        told = busy.http.get(f"/v1/jobs/{job}/events", headers=last_event_id, timeout=20).text
        assert "event: job.completed" in told
        assert "event: job.labelled" in told


def test_an_event_stream_goes_on_where_it_broke(busy: Served) -> None:
    job_id = busy.finished(letter("Dear stream,"))["id"]
    path = f"/v1/jobs/{job_id}/events"
    with busy.http.stream("GET", path) as answer:
        whole = [event["id"] for event in events(answer)]
    for start in ({"headers": {"last-event-id": "1"}}, {"params": {"after": "1"}}):
        with busy.http.stream("GET", path, **start) as answer:  # type: ignore[arg-type]
            assert [event["id"] for event in events(answer)] == whole[1:]
    # Browsers reconnect for ever unless they are told not to.
    ended = busy.http.get(path, headers={"last-event-id": str(whole[-1])})
    assert (ended.status_code, ended.content) == (204, b"")


@pytest.mark.parametrize("seen", ["x", "999999", "-1", "1.5", "9" * 30])
def test_an_event_that_the_job_never_had_is_followed_by_all_that_it_had(busy: Served, seen: str) -> None:
    job_id = busy.finished(letter("Dear replay,"))["id"]
    path = f"/v1/jobs/{job_id}/events"
    with busy.http.stream("GET", path, headers={"last-event-id": seen}) as answer:
        assert answer.status_code == 200
        assert next(events(answer))["id"] == 1


def test_a_place_that_the_job_never_had_is_followed_by_all_that_it_had(busy: Served) -> None:
    job_id = busy.finished(letter("Dear place,"))["id"]
    path = f"/v1/jobs/{job_id}/events?after=99999"
    with busy.http.stream("GET", path) as answer:
        assert next(events(answer))["id"] == 1
    assert busy.http.get(path, headers={"accept": "application/json"}).json()["events"][0]["seq"] == 1


def test_events_are_told_as_a_list_to_those_who_want_json(busy: Served) -> None:
    job_id = busy.finished(letter("Dear list,"))["id"]
    answer = busy.http.get(f"/v1/jobs/{job_id}/events", headers={"accept": "application/json"})
    told = answer.json()["events"]
    assert [event["seq"] for event in told] == list(range(1, len(told) + 1))
    assert told[-1]["type"] == "job.completed"
    problem(
        busy.http.get(f"/v1/jobs/{job_id}/events", headers={"accept": "text/html"}), 406, "not_acceptable"
    )


def test_an_event_stream_of_a_deleted_job_ends(idle: Served) -> None:
    job_id = idle.submit(letter())["id"]
    once_watched(idle, lambda: idle.http.delete(f"/v1/jobs/{job_id}"))
    with httpx.stream("GET", f"{idle.url}/v1/jobs/{job_id}/events", timeout=10) as answer:
        assert [event["event"] for event in events(answer)] == [
            "job.accepted",
            "job.cancelled",
            "job.removed",
        ]


def test_a_silent_event_stream_shows_that_it_is_alive(idle: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pagemill.entrypoints.api.jobs.events.HEARTBEAT_SECONDS", 0.1)
    job_id = idle.submit(letter())["id"]
    with httpx.stream("GET", f"{idle.url}/v1/jobs/{job_id}/events", timeout=10) as answer:
        lines = (line for line in answer.iter_lines() if line.startswith(":"))
        assert next(lines)


def request_to_wait(path: str) -> bytes:
    """A request as it goes over the wire."""
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


def test_not_too_many_wait_at_once(idle: Served) -> None:
    wait_for(lambda: idle.mill.notifier.watchers() == 0)
    job_id = idle.submit(letter())["id"]
    path = f"/v1/jobs/{job_id}/events"
    with ExitStack() as doors:
        for _ in range(3):
            door = doors.enter_context(socket.create_connection(("127.0.0.1", idle.port), timeout=10))
            door.sendall(request_to_wait(path))
            assert b"200 OK" in door.recv(1_000)
        answer = idle.http.get(path)
        problem(answer, 503, "overloaded")
        assert answer.headers["retry-after"]
        problem(idle.http.get(f"/v1/jobs/{job_id}", params={"wait": 2}), 503, "overloaded")
        assert idle.http.get(f"/v1/jobs/{job_id}").status_code == 200
        # A document is taken all the same, but its sender does not wait.
        taken = idle.http.post("/v1/jobs", content=letter(), headers={**PDF, "prefer": "wait=2"})
        assert (taken.status_code, "preference-applied" in taken.headers) == (202, False)
        assert "pagemill_watchers 3.0" in idle.http.get("/metrics").text
    wait_for(lambda: "pagemill_watchers 0.0" in idle.http.get("/metrics").text)


def test_a_caller_who_leaves_is_not_waited_for(idle: Served) -> None:
    job_id = idle.submit(letter())["id"]

    def leaving_seconds() -> float:
        wait_for(lambda: idle.mill.notifier.watchers() == 0)
        with socket.create_connection(("127.0.0.1", idle.port), timeout=10) as door:
            door.sendall(request_to_wait(f"/v1/jobs/{job_id}?wait=2"))
            wait_for(lambda: idle.mill.notifier.watchers() == 1)
        return seconds_of(lambda: wait_for(lambda: idle.mill.notifier.watchers() == 0))

    assert can_take_less_than(1, leaving_seconds)


def test_a_server_that_stops_sends_home_those_who_wait(tmp_path_factory: pytest.TempPathFactory) -> None:
    answers: list[tuple[int, str]] = []
    with served_idle(small_settings(tmp_path_factory.mktemp("stop"), slots=1)) as server:
        job_id = server.submit(letter())["id"]
        url = f"{server.url}/v1/jobs/{job_id}"

        def poll() -> None:
            answer = httpx.get(url, params={"wait": 50}, timeout=60)
            answers.append((answer.status_code, answer.json()["status"]))

        def watch() -> None:
            answer = httpx.get(f"{url}/events", timeout=60)
            answers.append((answer.status_code, answer.text.split("\n")[0]))

        threads = [threading.Thread(target=poll), threading.Thread(target=watch)]
        for thread in threads:
            thread.start()
        wait_for(lambda: server.mill.notifier.watchers() == 2)
        started = time.monotonic()
    assert time.monotonic() - started < 20
    for thread in threads:
        thread.join()
    assert sorted(answers) == [(200, "event: job.accepted"), (200, "pending")]
