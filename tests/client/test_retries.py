"""What the client does with servers that are busy, broken or away."""

import json
import time
from dataclasses import replace

import pytest

from pagemill.client import ApiError, Client, Job
from pagemill.client.sse import parse_events
from tests.client.around import Reply, scripted
from tests.waiting import wait_for

DEAD = "http://127.0.0.1:9"
PROBLEM = {"code": "overloaded", "detail": "Too many.", "retryable": True, "status": 503}


def job(status: str = "completed", version: int = 1) -> dict[str, object]:
    """A job as a server tells it, with a field that this client does not know."""
    document = {
        "id": "d",
        "filename": "a.pdf",
        "size_bytes": 1,
        "sha256": "0",
        "media_type": "application/pdf",
    }
    empty: dict[str, object] = dict.fromkeys(Job.__dataclass_fields__)
    counters = {"crashes": 0, "errors": 0, "lost": 0}
    known = {"id": "j", "status": status, "version": version, "document": document, "counters": counters}
    return empty | known | {"failed_pages": [], "warnings": [], "invented_later": 1}


def told(value: object, status: int = 200, **headers: str) -> Reply:
    """A reply in JSON."""
    return Reply(status, json.dumps(value).encode(), {"content-type": "application/json"} | headers)


def busy(seconds: int = 0) -> Reply:
    """A reply that asks to come back later."""
    return told(PROBLEM, 503, **{"retry-after": str(seconds)})


def test_a_busy_server_is_asked_again_after_the_time_that_it_names() -> None:
    with scripted(busy(1), told(job())) as server, Client(server.url) as client:
        began = time.monotonic()
        assert client.job("j").id == "j"
        assert time.monotonic() - began >= 1


def test_a_repeated_submit_carries_the_same_key_and_the_whole_document() -> None:
    with scripted(busy(), told(job(), 202)) as server, Client(server.url) as client:
        client.submit(b"%PDF-the bytes")
    first, second = server.heard
    assert first.headers["idempotency-key"] == second.headers["idempotency-key"]
    assert b"%PDF-the bytes" in first.body
    assert b"%PDF-the bytes" in second.body


def test_two_submits_carry_different_keys_unless_told_otherwise() -> None:
    with scripted(*[told(job(), 202)] * 3) as server, Client(server.url) as client:
        client.submit(b"%PDF")
        client.submit(b"%PDF")
        client.submit(b"%PDF", idempotency_key="mine")
    keys = [request.headers["idempotency-key"] for request in server.heard]
    assert len(set(keys)) == 3
    assert keys[2] == "mine"


def test_the_api_key_is_sent() -> None:
    with scripted(told(job())) as server, Client(server.url, "sesame") as client:
        client.job("j")
    assert server.heard[0].headers["authorization"] == "Bearer sesame"


def test_patience_ends_after_so_many_attempts() -> None:
    with (
        scripted(*[busy()] * 3) as server,
        Client(server.url, retries=2) as client,
        pytest.raises(ApiError) as caught,
    ):
        client.job("j")
    assert (caught.value.code, caught.value.status, caught.value.retryable) == ("overloaded", 503, True)
    assert len(server.heard) == 3


def test_what_can_not_pass_is_not_tried_again() -> None:
    refusal = told({"code": "file_empty", "detail": "Nothing in it.", "retryable": False}, 422)
    with (
        scripted(refusal) as server,
        Client(server.url) as client,
        pytest.raises(ApiError, match="Nothing in it"),
    ):
        client.submit(b"")
    assert len(server.heard) == 1


def test_an_answer_that_is_no_problem_document_is_an_error_all_the_same() -> None:
    with (
        scripted(Reply(502, b"<html>bad gateway</html>")) as server,
        Client(server.url) as client,
        pytest.raises(ApiError) as caught,
    ):
        client.job("j")
    assert (caught.value.code, caught.value.status) == ("unexpected_answer", 502)


def test_an_answer_that_was_cut_off_is_asked_for_again() -> None:
    with scripted(Reply(200, b'{"id":', cut=True), told(job())) as server, Client(server.url) as client:
        assert client.job("j").id == "j"
    assert len(server.heard) == 2


def test_a_retry_whose_answer_was_lost_is_not_repeated() -> None:
    with (
        scripted(Reply(202, b"{", cut=True)) as server,
        Client(server.url) as client,
        pytest.raises(ApiError, match="unreachable"),
    ):
        client.retry("j")
    assert len(server.heard) == 1


def test_a_server_that_is_away_is_told_as_such() -> None:
    with Client(DEAD, retries=1) as client, pytest.raises(ApiError) as caught:
        client.health()
    assert (caught.value.code, caught.value.status, caught.value.retryable) == ("unreachable", None, True)


def line(seq: int, kind: str) -> dict[str, object]:
    """A line of the log as a server tells it."""
    return {"id": seq, "type": kind, "job_id": "j", "seq": seq, "at": "", "facts": {}}


def event(seq: int, kind: str) -> bytes:
    """The same in a stream."""
    return f"event: {kind}\ndata: {json.dumps(line(seq, kind))}\nid: {seq}\n\n".encode()


def test_a_job_that_ends_while_its_stream_is_broken_is_told_to_its_end() -> None:
    broken = Reply(200, event(1, "job.accepted"), cut=True)
    missed = told({"events": [line(2, "job.started"), line(3, "job.completed")]})
    with (
        scripted(broken, told(job()), missed, told({"events": []})) as server,
        Client(server.url) as client,
    ):
        assert [event.seq for event in client.events("j")] == [1, 2, 3]
    assert "after=1" in server.heard[2].path


def test_a_server_that_is_not_ready_is_not_asked_again() -> None:
    with scripted(told({"version": "1"}), busy(30)) as server, Client(server.url) as client:
        health = client.health()
    assert (health.ready, health.reasons) == (False, ("Too many.",))
    assert len(server.heard) == 2


def test_a_stream_of_events_that_breaks_is_taken_up_after_the_last_event() -> None:
    broken = Reply(200, event(1, "job.accepted") + event(2, "job.started"), cut=True)
    rest = Reply(200, b": keep-alive\n\n" + event(3, "job.completed"))
    with scripted(broken, told(job("processing")), rest) as server, Client(server.url) as client:
        assert [event.seq for event in client.events("j")] == [1, 2, 3]
    assert server.heard[2].headers["last-event-id"] == "2"


def test_waiting_asks_for_what_is_new() -> None:
    replies = [told(job("pending", 1)), told(job("processing", 2)), told(job("completed", 3))]
    with scripted(*replies) as server, Client(server.url) as client:
        assert wait_for(lambda: client.wait("j")).status == "completed"
    assert "since=2" in server.heard[2].path


def test_a_long_poll_may_take_longer_than_other_answers() -> None:
    late = replace(told(job("completed", 2)), after_seconds=3.0)
    with (
        scripted(told(job("processing", 1)), late) as server,
        Client(server.url, timeout_seconds=1.5, retries=0) as client,
    ):
        assert client.wait("j").status == "completed"


def test_data_on_several_lines_and_comments_are_understood() -> None:
    lines = [
        ": hello",
        "",
        'data: {"id": 1, "type": "a", "job_id": null,',
        'data: "seq": 1, "at": "", "facts": {}}',
        "",
    ]
    [event] = parse_events(lines)
    assert (event.id, event.type) == (1, "a")
