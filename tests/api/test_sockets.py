"""WebSockets: the events of a job and of a tenant, from where a watcher left off, for those who may see them."""

import json
import socket as raw_socket
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from pagemill.db import jobs
from pagemill.db.database import Tx
from pagemill.db.events import LogPosition
from pagemill.desk import queries
from pagemill.desk.commands import cancel
from pagemill.entrypoints.api.jobs import events, feeds, sockets
from pagemill.mill import DEFAULT_TENANT
from pagemill.model.events import EventType, Facts
from tests.mills import small_settings, wait_for
from tests.samples import letter, report
from tests.servers import Served, served_idle

KEY = "a-key-for-tests"
PATIENCE_SECONDS = 30
# Events that together are larger than what sockets buffer.
MANY, LONG = 200, 60_000


def opened(server: Served, path: str, **headers: str) -> ClientConnection:
    """A WebSocket to a server."""
    url = f"ws://127.0.0.1:{server.port}{path}"
    return connect(url, additional_headers=headers, open_timeout=PATIENCE_SECONDS)


def is_let_in(server: Served, path: str, **headers: str) -> bool:
    """Whether a WebSocket is opened."""
    with opened(server, path, **headers) as socket:
        return socket.close_code is None


def refused(server: Served, path: str, **headers: str) -> tuple[int, str]:
    """The status and code of the answer to a WebSocket that is not let in."""
    with pytest.raises(InvalidStatus) as met, opened(server, path, **headers):
        pass
    answer = met.value.response
    assert answer.headers["content-type"] == "application/problem+json"
    return answer.status_code, json.loads(answer.body)["code"]


def messages(socket: ClientConnection) -> list[dict[str, Any]]:
    """What is sent until the server closes."""
    return [json.loads(text) for text in socket]


def numbers(told: list[dict[str, Any]]) -> list[int]:
    """The numbers of events."""
    return [event["seq"] for event in told]


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that asks for a key and reads nothing."""
    settings = small_settings(tmp_path_factory.mktemp("locked"), slots=1, kept_slots=0, api_key=KEY)
    with served_idle(settings) as server:
        yield server


def test_a_job_is_watched_to_its_end(busy: Served) -> None:
    job_id = busy.submit(report(80), reuse="false")["id"]
    with opened(busy, f"/v1/jobs/{job_id}/ws") as socket:
        told = messages(socket)
        assert (socket.close_code, socket.close_reason) == (1000, "It has ended.")
    assert (
        told
        == busy.http.get(f"/v1/jobs/{job_id}/events", headers={"accept": "application/json"}).json()["events"]
    )
    assert numbers(told) == list(range(1, len(told) + 1))
    assert told[-1]["type"] == "job.completed"


def test_a_watcher_goes_on_after_the_event_that_it_saw_last(busy: Served) -> None:
    job_id = busy.finished(letter("Dear watcher,"))["id"]
    with opened(busy, f"/v1/jobs/{job_id}/ws") as socket:
        whole = messages(socket)
    with opened(busy, f"/v1/jobs/{job_id}/ws?after={whole[0]['seq']}") as socket:
        assert messages(socket) == whole[1:]
    with opened(busy, f"/v1/jobs/{job_id}/ws?after={whole[-1]['seq']}") as socket:
        assert messages(socket) == []


def test_a_place_that_the_log_never_had_is_followed_by_all_that_it_had(busy: Served) -> None:
    job_id = busy.finished(letter("Dear restored,"))["id"]
    with opened(busy, f"/v1/jobs/{job_id}/ws?after=99999") as socket:
        assert [one["seq"] for one in messages(socket)][:2] == [1, 2]
    files = {"files": ("a.pdf", letter("Dear batch,"), "application/pdf")}
    batch_id = busy.http.post("/v1/batches", files=files).json()["id"]
    with opened(busy, f"/v1/batches/{batch_id}/ws?after={10**14}") as socket:
        assert json.loads(socket.recv(PATIENCE_SECONDS))["id"] == batch_id
    first = busy.http.get("/v1/events", params={"limit": 1}).json()["events"][0]
    with opened(busy, f"/v1/ws?cursor={queries.cursor_at(LogPosition(0, 10**9))}") as socket:
        assert json.loads(socket.recv(PATIENCE_SECONDS))["id"] == first["id"]


@pytest.mark.parametrize(
    ("path", "fault"),
    [
        ("/v1/jobs/{}/ws?nope=1", "nope"),
        ("/v1/jobs/{}/ws?pages=maybe", "pages"),
        ("/v1/jobs/{}/ws?after=1&after=2", "after"),
        ("/v1/batches/{}/ws?pages=true", "pages"),
        ("/v1/ws?after=1", "after"),
    ],
)
def test_a_query_that_a_websocket_does_not_know_is_refused(busy: Served, path: str, fault: str) -> None:
    with (
        pytest.raises(InvalidStatus) as met,
        opened(busy, path.format("0199a3c4-7d50-7b10-8c11-0d6a52f7e9aa")),
    ):
        pass
    answer = met.value.response
    assert answer.status_code == 422
    assert [one["pointer"] for one in json.loads(answer.body)["errors"]] == [f"/{fault}"]


def test_a_watcher_that_is_far_behind_reads_the_log_and_misses_nothing(
    busy: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feeds, "BATCH", 2)
    monkeypatch.setattr(feeds, "KEPT_LINES", 2)
    job_id = busy.submit(report(200), reuse="false")["id"]
    with opened(busy, f"/v1/jobs/{job_id}/ws") as first, opened(busy, f"/v1/jobs/{job_id}/ws") as second:
        told = messages(first), messages(second)
    assert told[0] == told[1]
    assert numbers(told[0]) == list(range(1, len(told[0]) + 1))
    assert len(told[0]) > 4


def pages_in(told: list[dict[str, Any]]) -> list[tuple[int, str]]:
    """The pages among messages, with their states."""
    return [(one["page"]["number"], one["page"]["state"]) for one in told if one["type"] == "job.page"]


def test_pages_come_as_they_are_read_and_again_after_the_event_that_was_seen_last(
    busy: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feeds, "KEPT_BYTES", 1)
    job_id = busy.submit(report(150), reuse="false")["id"]
    with opened(busy, f"/v1/jobs/{job_id}/ws?pages=true") as socket:
        told = messages(socket)
    assert sorted(number for number, _ in pages_in(told)) == list(range(1, 151))
    assert {state for _, state in pages_in(told)} <= {"draft", "final"}
    assert told[-1]["type"] == "job.completed"
    first = next(place for place, one in enumerate(told) if one["type"] == "chunk.read")
    rest = [number for number, _ in pages_in(told[first:])]
    stream = busy.http.get(f"/v1/jobs/{job_id}/events?pages=true&after={told[first]['seq']}").text
    again = [json.loads(line.removeprefix("data: ")) for line in stream.splitlines() if "data: " in line]
    assert pages_in(again) == [(number, "final") for number in rest]
    assert [one for one in again if "seq" in one] == [one for one in told[first + 1 :] if "seq" in one]


def test_the_pages_of_a_short_document_come_with_its_end(busy: Served) -> None:
    job_id = busy.finished(letter("Dear page,"))["id"]
    with opened(busy, f"/v1/jobs/{job_id}/ws?pages=true") as socket:
        told = messages(socket)
    assert [one["type"] for one in told[-2:]] == ["job.page", "job.completed"]
    assert (told[-2]["job_id"], pages_in(told)) == (job_id, [(1, "final")])
    assert "Dear page," in json.dumps(told[-2]["page"])


def test_all_jobs_of_a_tenant_are_watched_from_now_on_or_from_a_cursor(idle: Served) -> None:
    before = idle.submit(letter())["id"]
    with opened(idle, "/v1/ws") as live:
        job_id = idle.submit(letter())["id"]
        first = json.loads(live.recv(PATIENCE_SECONDS))
        cancel(idle.mill, DEFAULT_TENANT, before)
        second = json.loads(live.recv(PATIENCE_SECONDS))
    assert (first["type"], first["job_id"]) == ("job.accepted", job_id)
    assert (second["type"], second["job_id"]) == ("job.cancelled", before)
    with opened(idle, f"/v1/ws?cursor={first['cursor']}") as again:
        assert json.loads(again.recv(PATIENCE_SECONDS)) == second
    page = idle.http.get("/v1/events", params={"cursor": first["cursor"]}).json()
    assert [event["id"] for event in page["events"]] == [second["id"]]
    assert page["next_cursor"] == second["cursor"]


def test_many_watchers_of_a_job_cost_one_reader_of_the_log(idle: Served) -> None:
    job_id = idle.submit(letter())["id"]
    path = f"/v1/jobs/{job_id}/ws"
    wait_for(lambda: idle.mill.notifier.watchers() == 0)
    with opened(idle, path) as first, opened(idle, path) as second, opened(idle, path) as third:
        assert [json.loads(one.recv(PATIENCE_SECONDS))["seq"] for one in (first, second, third)] == [1, 1, 1]
        assert idle.mill.notifier.watchers() == 1
        assert refused(idle, path) == (503, "overloaded")
        cancel(idle.mill, DEFAULT_TENANT, job_id)
        assert [messages(one)[-1]["type"] for one in (first, second, third)] == ["job.cancelled"] * 3
    wait_for(lambda: idle.mill.notifier.watchers() == 0)


def write_long_events(server: Served, job_id: str) -> int:
    """More events than sockets and their buffers hold; how many there are then."""
    facts: Facts = {"note": "x" * LONG}

    def write(tx: Tx) -> None:
        for _ in range(MANY):
            jobs.note(tx, DEFAULT_TENANT, job_id, 1, EventType.STARTED, facts)

    server.mill.db.write(write)
    return MANY + 1


def test_a_watcher_that_does_not_read_is_dropped_and_can_go_on(
    idle: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sockets, "SLOW_SECONDS", 0.3)
    wait_for(lambda: idle.mill.notifier.watchers() == 0)
    job_id = idle.submit(letter())["id"]
    seen = []
    with opened(idle, f"/v1/jobs/{job_id}/ws") as socket:
        wait_for(lambda: idle.mill.notifier.watchers() == 1)
        last = write_long_events(idle, job_id)
        # It takes in a few messages and no more, for nothing asks it for them.
        wait_for(lambda: idle.mill.notifier.watchers() == 0)
        with suppress(ConnectionClosed):
            while True:
                seen.append(json.loads(socket.recv(PATIENCE_SECONDS))["seq"])
    assert seen == list(range(1, len(seen) + 1))
    assert len(seen) < last
    with opened(idle, f"/v1/jobs/{job_id}/ws?after={seen[-1]}") as socket:
        while seen[-1] < last:
            seen.append(json.loads(socket.recv(PATIENCE_SECONDS))["seq"])
    assert seen == list(range(1, last + 1))


def test_a_reader_of_a_stream_that_does_not_read_is_dropped(
    idle: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "SLOW_SECONDS", 0.3)
    wait_for(lambda: idle.mill.notifier.watchers() == 0)
    job_id = idle.submit(letter())["id"]
    with raw_socket.create_connection(("127.0.0.1", idle.port), timeout=PATIENCE_SECONDS) as stream:
        stream.sendall(f"GET /v1/jobs/{job_id}/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        wait_for(lambda: idle.mill.notifier.watchers() == 1)
        write_long_events(idle, job_id)
        wait_for(lambda: idle.mill.notifier.watchers() == 0)


@pytest.mark.parametrize(
    ("path", "answer"),
    [
        ("/v1/jobs/0199a3c4-7d52-7c31-9a42-6f0f5b1c2d3e/ws", (404, "not_found")),
        ("/v1/jobs/x/ws", (404, "not_found")),
        ("/v1/ws?cursor=%21", (400, "invalid_cursor")),
        ("/v1/jobs/x/ws?after=abc", (422, "validation_error")),
    ],
)
def test_what_is_not_there_is_refused_with_a_problem(
    idle: Served, path: str, answer: tuple[int, str]
) -> None:
    assert refused(idle, path) == answer


def test_a_key_or_a_token_is_needed(locked: Served) -> None:
    with_key = {"authorization": f"Bearer {KEY}"}
    assert refused(locked, "/v1/ws") == (401, "unauthorized")
    assert refused(locked, f"/v1/ws?token={KEY}") == (401, "unauthorized")
    assert refused(locked, f"/v1/ws?key={KEY}") == (401, "unauthorized")
    assert is_let_in(locked, "/v1/ws", **with_key)
    answer = locked.http.post("/v1/ws-tokens", headers=with_key)
    assert (answer.status_code, set(answer.json())) == (201, {"token", "expires_in_seconds"})
    token = answer.json()["token"]
    assert is_let_in(locked, f"/v1/ws?token={token}")
    assert refused(locked, f"/v1/ws?token={token[:-1]}x") == (401, "unauthorized")
    # It opens nothing else, neither in the query nor as a cookie.
    begun = locked.http.post("/session", headers=with_key).headers["set-cookie"]
    locked.http.cookies.clear()
    cookie = f"{begun.partition('=')[0]}={token}"
    assert locked.http.get(f"/v1/jobs?token={token}", headers={"cookie": cookie}).status_code == 401


def test_a_page_of_another_site_opens_nothing(idle: Served, locked: Served) -> None:
    assert refused(idle, "/v1/ws", origin="https://evil.example") == (400, "bad_host")
    session = locked.http.post("/session", headers={"x-api-key": KEY}).headers["set-cookie"].partition(";")[0]
    locked.http.cookies.clear()
    own = f"http://127.0.0.1:{locked.port}"
    assert is_let_in(locked, "/v1/ws", cookie=session, origin=own)
    assert refused(locked, "/v1/ws", cookie=session, origin="https://evil.example") == (400, "bad_host")


def test_a_message_that_is_too_long_ends_the_connection(idle: Served) -> None:
    job_id = idle.submit(letter())["id"]
    with opened(idle, f"/v1/jobs/{job_id}/ws") as socket:
        socket.send("short ones are not looked at")
        socket.send("x" * 100_000)
        with suppress(ConnectionClosed):
            while True:
                socket.recv(PATIENCE_SECONDS)
        assert socket.close_code == 1009
