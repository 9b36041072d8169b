"""Keys over HTTP: what each may be used for, what ends with it, and what its tenant may take up."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from pagemill.desk import tenant_keys
from pagemill.entrypoints.access.rate_limits import RateLimits
from pagemill.entrypoints.access.upload_places import LARGE_BYTES
from pagemill.model.tenants import Scope
from tests.api.test_http import problem
from tests.mills import small_settings, wait_for
from tests.samples import letter, report
from tests.servers import Served, heard, served, served_idle, status_of

OPERATOR = "o" * 43
MOST_REQUESTS = 150
MOST_BYTES = 60_000


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with an operator's key and low limits for tenants."""
    limits = {
        "max_requests_per_minute": MOST_REQUESTS,
        "max_tenant_uploads": 1,
        "max_uploads": 2,
        "max_tenant_waiting_requests": 2,
        "max_tenant_bytes": MOST_BYTES,
        "max_tenant_pages_per_day": 4,
        "slots": 1,
        "kept_slots": 0,
    }
    settings = small_settings(tmp_path_factory.mktemp("office"), api_key=OPERATOR, **limits)
    with served(settings) as server:
        yield server


def bearer(key: str) -> dict[str, str]:
    """The header that carries a key."""
    return {"authorization": f"Bearer {key}"}


def made(server: Served, tenant: str, *scopes: Scope) -> dict[str, Any]:
    """A key that the operator makes over HTTP."""
    asked = {"name": "test", "tenant": tenant, "scopes": scopes or ["read", "write"]}
    answer = server.http.post("/v1/keys", json=asked, headers=bearer(OPERATOR))
    assert answer.status_code == 201, answer.text
    key: dict[str, Any] = answer.json()
    return key


def revoke(server: Served, key: dict[str, Any]) -> None:
    """Revoke a key as the operator."""
    assert server.http.delete(f"/v1/keys/{key['id']}", headers=bearer(OPERATOR)).status_code == 204


def test_a_key_is_made_shown_once_and_worthless_once_revoked(office: Served) -> None:
    key = made(office, "anna")
    headers = bearer(key["key"])
    assert office.http.get("/v1/jobs", headers=headers).status_code == 200
    listed = office.http.get("/v1/keys", headers=bearer(OPERATOR))
    assert key["key"] not in listed.text
    assert listed.headers["cache-control"] == "no-store"
    [found] = [one for one in listed.json()["keys"] if one["id"] == key["id"]]
    assert (found["tenant"], found["scopes"], found["hint"]) == ("anna", ["read", "write"], key["key"][:7])
    revoke(office, key)
    told = problem(office.http.get("/v1/jobs", headers=headers), 401, "unauthorized")
    assert told == problem(office.http.get("/v1/jobs", headers=bearer("wrong")), 401, "unauthorized")
    revoke(office, key)
    shown = office.http.get(f"/v1/keys/{key['id']}", headers=bearer(OPERATOR)).json()
    assert shown["revoked_at"] is not None


def test_an_expired_key_is_answered_like_a_wrong_one(office: Served) -> None:
    key = tenant_keys.add(office.mill.db, "anna", "old", expires_in_seconds=0).key
    told = problem(office.http.get("/v1/jobs", headers=bearer(key)), 401, "unauthorized")
    assert told == problem(office.http.get("/v1/jobs", headers=bearer("wrong")), 401, "unauthorized")


def test_the_last_use_of_a_key_is_noted(office: Served) -> None:
    key = made(office, "anna")

    def last_used() -> str | None:
        used: str | None = office.http.get(f"/v1/keys/{key['id']}", headers=bearer(OPERATOR)).json()[
            "last_used_at"
        ]
        return used

    assert last_used() is None
    office.http.get("/v1/jobs", headers=bearer(key["key"]))
    wait_for(lambda: last_used() is not None)


@pytest.mark.parametrize(
    ("scope", "statuses"),
    [
        (Scope.READ, (200, 403, 403, 403)),
        (Scope.WRITE, (200, 202, 200, 403)),
        (Scope.ADMIN, (200, 202, 200, 200)),
    ],
)
def test_each_scope_includes_those_before_it(office: Served, scope: Scope, statuses: tuple[int, ...]) -> None:
    headers = bearer(made(office, f"scoped-{scope}", scope)["key"])
    answers = [
        office.http.get("/v1/jobs", headers=headers),
        office.http.post("/v1/jobs", content=letter(), headers=headers),
        office.http.get("/v1/webhooks/job-secret", headers=headers),
        office.http.get("/v1/keys", headers=headers),
    ]
    assert tuple(answer.status_code for answer in answers) == statuses
    for answer in answers:
        if answer.status_code == 403:
            told = problem(answer, 403, "insufficient_scope")
            assert f'scope="{told["scope"]}"' in answer.headers["www-authenticate"]


def test_an_administrator_sees_to_the_keys_of_one_tenant(office: Served) -> None:
    admin = bearer(made(office, "bert", Scope.ADMIN)["key"])
    foreign = made(office, "carl")
    own = office.http.post("/v1/keys", json={"name": "own"}, headers=admin).json()
    assert own["tenant"] == "bert"
    assert {key["tenant"] for key in office.http.get("/v1/keys", headers=admin).json()["keys"]} == {"bert"}
    unknown = office.http.get("/v1/keys/nothing", headers=admin)
    for method in ("GET", "DELETE"):
        answer = office.http.request(method, f"/v1/keys/{foreign['id']}", headers=admin)
        assert (answer.status_code, answer.content) == (404, unknown.content)
    other = office.http.post("/v1/keys", json={"name": "x", "tenant": "carl"}, headers=admin)
    problem(other, 403, "forbidden")
    lines = office.http.get("/v1/audit", headers=admin).json()["lines"]
    assert {line["tenant"] for line in lines} == {"bert"}
    assert (lines[0]["action"], lines[0]["subject"]) == ("key.added", own["id"])
    assert lines[0]["actor"] != "key operator"
    assert own["key"] not in str(lines)


@pytest.mark.parametrize(
    ("asked", "pointer"),
    [
        ({}, "/name"),
        ({"name": " "}, "/name"),
        ({"name": "x", "scopes": ["root"]}, "/scopes/0"),
        ({"name": "x", "scopes": []}, "/scopes"),
        ({"name": "x", "expires_in": 0}, "/expires_in"),
        ({"name": "x", "tenant": "No Tenant"}, "/tenant"),
        ({"name": "x", "scope": "read"}, "/scope"),
    ],
)
def test_a_key_that_makes_no_sense_is_refused(office: Served, asked: dict[str, object], pointer: str) -> None:
    answer = office.http.post("/v1/keys", json=asked, headers=bearer(OPERATOR))
    problem(answer, 422, "validation_error")
    assert [fault["pointer"] for fault in answer.json()["errors"]] == [pointer]


def test_the_first_key_of_an_open_service_is_not_made_over_http(idle: Served) -> None:
    problem(idle.http.post("/v1/keys", json={"name": "first"}), 409, "keys_not_needed")
    assert idle.http.get("/v1/jobs").status_code == 200


@contextmanager
def waiting(server: Served, path: str, key: str) -> Iterator[Callable[[], httpx.Response]]:
    """A request that is held open in a thread; the function waits for its answer."""
    answers: list[httpx.Response] = []
    before = server.mill.notifier.watchers()

    def ask() -> None:
        answers.append(httpx.get(server.url + path, headers=bearer(key), timeout=60))

    thread = threading.Thread(target=ask)
    thread.start()
    wait_for(lambda: server.mill.notifier.watchers() > before)

    def answered() -> httpx.Response:
        thread.join(30)
        return answers[0]

    yield answered
    thread.join(30)


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with an operator's key whose jobs are never begun."""
    limits = {"max_tenant_waiting_requests": 2, "slots": 1, "kept_slots": 0}
    settings = small_settings(tmp_path_factory.mktemp("stopped"), api_key=OPERATOR, **limits)
    with served_idle(settings) as server:
        yield server


def pending_job(server: Served, key: dict[str, Any]) -> str:
    """The address of a job that waits."""
    answer = server.http.post("/v1/jobs", content=letter(), headers=bearer(key["key"]))
    return f"/v1/jobs/{answer.json()['id']}"


def test_a_revoked_key_ends_its_event_streams_and_long_polls(stopped: Served) -> None:
    key, other = made(stopped, "anna"), made(stopped, "anna")
    job = pending_job(stopped, key)
    started = time.monotonic()
    with (
        waiting(stopped, f"{job}/events", key["key"]) as stream,
        waiting(stopped, f"{job}?wait=50", key["key"]) as poll,
    ):
        revoke(stopped, key)
        assert "job.accepted" in stream().text
        problem(poll(), 401, "unauthorized")
    assert time.monotonic() - started < 20
    assert stopped.http.get(job, headers=bearer(other["key"])).status_code == 200


def test_a_revoked_key_ends_its_websockets(stopped: Served) -> None:
    key = made(stopped, "anna")
    url = f"ws://127.0.0.1:{stopped.port}{pending_job(stopped, key)}/ws"
    with connect(url, additional_headers=bearer(key["key"]), open_timeout=30) as watcher:
        assert json.loads(watcher.recv(timeout=30))["type"] == "job.accepted"
        revoke(stopped, key)
        with pytest.raises(ConnectionClosed):
            watcher.recv(timeout=30)


def test_a_log_out_ends_the_session_and_its_streams_but_not_the_key(stopped: Served) -> None:
    key = made(stopped, "bert")
    job = pending_job(stopped, key)
    begun = stopped.http.post("/session", headers=bearer(key["key"]))
    stopped.http.cookies.clear()
    cookie = {"cookie": begun.headers["set-cookie"].partition(";")[0]}
    assert stopped.http.get(job, headers=cookie).status_code == 200
    left = stopped.http.delete("/session", headers={**cookie, "x-pagemill-web": "1"})
    assert left.status_code == 204
    problem(stopped.http.get(job, headers=cookie), 401, "unauthorized")
    assert stopped.http.get("/session", headers=cookie).json()["open"] is False
    assert stopped.http.get(job, headers=bearer(key["key"])).status_code == 200


def test_a_tenant_waits_with_so_many_requests_and_others_are_served(stopped: Served) -> None:
    key, other = made(stopped, "carl"), made(stopped, "dora")
    mine, others = pending_job(stopped, key), pending_job(stopped, other)
    with ExitStack() as open_streams:
        for _ in range(2):
            stream = httpx.stream("GET", f"{stopped.url}{mine}/events", headers=bearer(key["key"]))
            assert open_streams.enter_context(stream).status_code == 200
        answer = stopped.http.get(f"{mine}/events", headers=bearer(key["key"]))
        told = problem(answer, 429, "quota_exceeded")
        assert told["violated-policies"] == ["max_tenant_waiting_requests"]
        assert int(answer.headers["retry-after"]) > 0
        poll = stopped.http.get(f"{others}?wait=0.1", headers=bearer(other["key"]))
        assert poll.status_code == 200


def upload_head(key: str, length: int, more: str = "") -> bytes:
    """The head of a large upload as it goes over the wire."""
    return (
        f"POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\n"
        f"Content-Type: application/pdf\r\nContent-Length: {length}\r\n{more}\r\n"
    ).encode()


def test_an_upload_whose_key_is_revoked_is_refused_and_leaves_nothing(stopped: Served) -> None:
    key = made(stopped, "emil")
    body = letter() + b"\n" * 200_000
    files = stopped.files()
    with socket.create_connection(("127.0.0.1", stopped.port), timeout=20) as door:
        door.sendall(upload_head(key["key"], len(body)) + body[:-1])
        # Only an upload that has lasted is looked at again.
        time.sleep(1.1)
        revoke(stopped, key)
        door.sendall(body[-1:])
        said = heard(door)
    assert status_of(said) == 401
    assert b'"code":"unauthorized"' in said
    assert stopped.files() == files


def test_large_uploads_are_limited_for_a_tenant_and_in_all(office: Served) -> None:
    keys = [made(office, f"sender-{number}") for number in range(3)]
    length = 4 * LARGE_BYTES
    with ExitStack() as doors:
        for key in keys[:2]:
            door = doors.enter_context(socket.create_connection(("127.0.0.1", office.port), timeout=20))
            # The server asks for the body once it has a place.
            door.sendall(upload_head(key["key"], length, "Expect: 100-continue\r\n"))
            assert door.recv(1_000).startswith(b"HTTP/1.1 100 ")
            door.sendall(letter())
        assert refusal(office, keys[0], length) == (429, "quota_exceeded")
        assert refusal(office, keys[2], length) == (503, "upload_capacity")
        # What is small needs no place.
        small = office.http.post("/v1/jobs", content=letter(), headers=bearer(keys[2]["key"]))
        assert small.status_code == 202
    wait_for(lambda: refusal(office, keys[2], length)[0] not in (429, 503))


def refusal(server: Served, key: dict[str, Any], length: int) -> tuple[int, str]:
    """What a large upload that is no document gets."""
    content = b"\0" * length
    answer = server.http.post("/v1/jobs", content=content, headers=bearer(key["key"]))
    return answer.status_code, answer.json()["code"]


def test_a_tenant_sends_so_many_requests_in_a_minute(office: Served) -> None:
    headers = bearer(made(office, "hasty")["key"])
    first = office.http.get("/v1/jobs", headers=headers)
    assert first.headers["ratelimit-policy"] == f'"requests";q={MOST_REQUESTS};w=60'
    assert first.headers["ratelimit"].startswith(f'"requests";r={MOST_REQUESTS - 1};t=')
    answer = first
    for _ in range(4 * MOST_REQUESTS):
        answer = office.http.get("/v1/jobs", headers=headers)
        if answer.status_code != 200:
            break
    told = problem(answer, 429, "too_many_requests")
    assert told["violated-policies"] == ["max_requests_per_minute"]
    assert int(answer.headers["retry-after"]) > 0
    assert '"requests";r=0;' in answer.headers["ratelimit"]
    assert "ratelimit" not in office.http.get("/v1/jobs", headers=bearer(OPERATOR)).headers


def test_the_requests_of_a_minute_come_back_evenly() -> None:
    clock = [100.0]
    limits = RateLimits(lambda _: 60, lambda: clock[0])
    assert [limits.take("anna")[1] for _ in range(60)] == [None] * 60
    assert limits.take("anna")[1] is not None
    assert limits.take("bert")[1] is None
    clock[0] += 2
    assert [limits.take("anna")[1] is None for _ in range(3)] == [True, True, False]
    assert RateLimits(lambda _: 0).take("anna") == ([], None)


def test_a_tenant_fills_its_space_and_gets_some_back_by_deleting(office: Served) -> None:
    headers = bearer(made(office, "full")["key"])
    large = letter() + b"\n" * (MOST_BYTES // 2)
    kept = office.http.post("/v1/jobs", content=large, headers=headers)
    assert kept.status_code == 202
    answer = office.http.post("/v1/jobs", content=large, headers=headers)
    told = problem(answer, 429, "quota_exceeded")
    assert (told["max_tenant_bytes"], told["violated-policies"]) == (MOST_BYTES, ["max_tenant_bytes"])
    assert int(answer.headers["retry-after"]) > 0
    many = office.http.post("/v1/batches", files=[("files", ("large.pdf", large))], headers=headers)
    assert problem(many, 429, "quota_exceeded")["max_tenant_bytes"] == MOST_BYTES
    assert office.http.delete(f"/v1/jobs/{kept.json()['id']}", headers=headers).status_code == 204
    wait_for(lambda: office.http.post("/v1/jobs", content=large, headers=headers).status_code == 202)


def test_a_tenant_hands_in_so_many_pages_a_day(office: Served) -> None:
    headers = bearer(made(office, "avid")["key"])
    done = office.http.post("/v1/jobs", content=report(4), headers={**headers, "prefer": "wait=60"})
    assert done.json()["status"] == "completed"
    wait_for(lambda: office.http.post("/v1/jobs", content=letter(), headers=headers).status_code == 429)
    told = problem(office.http.post("/v1/jobs", content=letter(), headers=headers), 429, "quota_exceeded")
    assert told["violated-policies"] == ["max_tenant_pages_per_day"]
