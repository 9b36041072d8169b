"""Who is let in: hosts, origins, keys, and how many at once."""

import asyncio
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from pagemill.entrypoints.access import keys
from pagemill.entrypoints.wire.refusals import MOST_UNDER_WAY, Refusals
from pagemill.errors import FileEmpty
from pagemill.mill import DEFAULT_TENANT
from tests.api.test_http import problem
from tests.mills import small_settings
from tests.samples import letter
from tests.servers import PATIENCE_SECONDS, Served, heard, served_idle, status_of
from tests.waiting import wait_for

KEY = "k" * 43


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with a key, a further host name and an allowed origin."""
    changes = {
        "api_key": KEY,
        "allowed_hosts": "mill.example, Other.Example",
        "allowed_origins": "https://app.example",
    }
    settings = small_settings(tmp_path_factory.mktemp("locked"), **changes)
    with served_idle(settings) as server:
        yield server


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:80", "127.0.0.1:1", "[::1]", "[::1]:8080"])
def test_a_local_service_answers_to_local_names(idle: Served, host: str) -> None:
    assert idle.http.get("/health", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "127.0.0.1.nip.io", "", "[::1", "localhost."]
)
def test_a_local_service_does_not_answer_to_other_names(idle: Served, host: str) -> None:
    problem(idle.http.get("/health", headers={"host": host}), 400, "bad_host")


def test_further_names_can_be_allowed(locked: Served) -> None:
    assert locked.http.get("/health", headers={"host": "mill.example:443"}).status_code == 200
    assert locked.http.get("/health", headers={"host": "other.example"}).status_code == 200
    problem(locked.http.get("/health", headers={"host": "evil.example"}), 400, "bad_host")


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://localhost:1", "file://", "x", "http://["]
)
def test_web_pages_from_elsewhere_are_refused(idle: Served, origin: str) -> None:
    before = idle.jobs()
    answer = idle.http.post("/v1/jobs", content=letter(), headers={"origin": origin})
    problem(answer, 400, "bad_host")
    assert "access-control-allow-origin" not in answer.headers
    assert idle.jobs() == before


def test_web_pages_from_here_are_welcome(idle: Served) -> None:
    answer = idle.http.get("/health", headers={"origin": idle.url})
    assert (answer.status_code, "access-control-allow-origin" in answer.headers) == (200, False)


def test_an_allowed_origin_may_read_the_answers(locked: Served) -> None:
    headers = {"origin": "https://app.example", "x-api-key": KEY}
    answer = locked.http.get("/v1/jobs", headers=headers)
    assert answer.headers["access-control-allow-origin"] == "https://app.example"
    assert answer.headers["vary"] == "Origin"
    asked = {"access-control-request-method": "POST", "access-control-request-headers": "x-api-key"}
    preflight = locked.http.options("/v1/jobs", headers={"origin": "https://app.example", **asked})
    assert preflight.status_code == 204
    assert "POST" in preflight.headers["access-control-allow-methods"]
    assert preflight.headers["access-control-allow-headers"] == "x-api-key"


def test_a_preflight_from_an_unknown_origin_is_not_allowed(locked: Served) -> None:
    headers = {"origin": "https://evil.example", "access-control-request-method": "POST"}
    assert "access-control-allow-origin" not in locked.http.options("/v1/jobs", headers=headers).headers


@pytest.mark.parametrize(
    "headers", [{"authorization": f"Bearer {KEY}"}, {"authorization": f"bearer  {KEY}"}, {"x-api-key": KEY}]
)
def test_the_key_opens_the_door(locked: Served, headers: dict[str, str]) -> None:
    assert locked.http.get("/v1/jobs", headers=headers).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": "Bearer"},
        {"authorization": f"Basic {KEY}"},
        {"authorization": KEY},
        {"authorization": "Bearer wrong"},
        {"x-api-key": ""},
        {"x-api-key": "wrong"},
        {"x-api-key": KEY, "authorization": f"Bearer {KEY}"},
        {"x-api-key": KEY, "authorization": "Bearer wrong"},
    ],
)
def test_without_the_key_the_door_stays_shut(locked: Served, headers: dict[str, str]) -> None:
    # Few requests, because each counts towards the limit of this address.
    told = locked.http.get("/v1/jobs").content
    for method, path in (("GET", "/v1/jobs"), ("POST", "/v1/jobs"), ("GET", "/metrics"), ("GET", "/nothing")):
        answer = locked.http.request(method, path, headers=headers)
        problem(answer, 401, "unauthorized")
        assert answer.headers["www-authenticate"] == 'Bearer realm="pagemill"'
        assert answer.content == told


def test_a_key_in_the_address_is_ignored(locked: Served) -> None:
    problem(locked.http.get("/v1/jobs", params={"api_key": KEY, "key": KEY}), 401, "unauthorized")


@pytest.mark.parametrize("path", ["/", "/health", "/ready", "/version"])
def test_some_addresses_need_no_key(locked: Served, path: str) -> None:
    assert locked.http.get(path).status_code == 200


def test_only_somebody_with_the_key_is_told_what_reads_and_confines(locked: Served) -> None:
    assert set(locked.http.get("/health").json()) == {"status", "version", "uptime_seconds"}
    assert set(locked.http.get("/health", headers={"x-api-key": "wrong"}).json()) == {
        "status",
        "version",
        "uptime_seconds",
    }
    told = locked.http.get("/health", headers={"x-api-key": KEY}).json()
    assert {"providers", "sandbox", "models"} <= set(told)


@pytest.fixture
def one_window(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have no minute end while keys are guessed."""
    monkeypatch.setattr(keys, "WINDOW_SECONDS", 1_000_000_000)


@pytest.mark.usefixtures("one_window")
def test_guessing_keys_is_slowed_down(locked: Served) -> None:
    statuses = [
        locked.http.get("/v1/jobs", headers={"x-api-key": str(guess)}).status_code for guess in range(200)
    ]
    assert statuses[-1] == 429
    answer = locked.http.get("/v1/jobs", headers={"x-api-key": "one more"})
    problem(answer, 429, "too_many_requests")
    assert int(answer.headers["retry-after"]) > 0
    assert locked.http.get("/v1/jobs", headers={"x-api-key": KEY}).status_code == 200


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Served]:
    """A server with a key that nobody has knocked at yet."""
    with served_idle(small_settings(tmp_path, api_key=KEY)) as server:
        yield server


@pytest.mark.usefixtures("one_window")
def test_requests_without_a_key_are_slowed_down_too(fresh: Served) -> None:
    statuses = [fresh.http.post("/v1/jobs").status_code for _ in range(150)]
    assert (statuses[0], statuses[-1]) == (401, 429)
    assert fresh.http.get("/v1/jobs", headers={"x-api-key": KEY}).status_code == 200


def refused(server: Served, code: str) -> float:
    """How many requests were refused so by the meter."""
    return server.mill.metrics.registry.get_sample_value("pagemill_refusals_total", {"code": code}) or 0


def test_strangers_are_counted_and_never_written_to_the_log(fresh: Served) -> None:
    for _ in range(3):
        fresh.http.post("/v1/jobs", content=letter())
    fresh.http.get("/v1/jobs", headers={"x-api-key": "wrong"})
    fresh.http.headers["x-api-key"] = KEY
    fresh.http.post("/v1/jobs", content=b"\0no document")
    wait_for(lambda: bool(fresh.refusals()))
    assert [refusal["code"] for refusal in fresh.refusals()] == ["unsupported_file_type"]
    assert refused(fresh, "unauthorized") == 4


def test_refusals_that_wait_for_the_log_are_bounded_and_all_are_counted(fresh: Served) -> None:
    async def refuse_many() -> None:
        refusals = Refusals(fresh.mill)
        for _ in range(500):
            refusals.record(FileEmpty(), DEFAULT_TENANT, path="/v1/jobs")

    # Nothing is written before the loop turns, so all but the first hundred come too early.
    asyncio.run(refuse_many())
    fresh.http.headers["x-api-key"] = KEY
    wait_for(lambda: refused(fresh, "file_empty") == 500)
    wait_for(lambda: len(fresh.refusals()) >= MOST_UNDER_WAY)
    assert len(fresh.refusals()) == MOST_UNDER_WAY


def test_a_service_for_other_machines_answers_to_any_name_with_the_key(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    settings = small_settings(tmp_path_factory.mktemp("open"), host="0.0.0.0", api_key=KEY)
    with served_idle(settings) as server:
        headers = {"host": "mill.internal:80", "x-api-key": KEY}
        assert server.http.get("/v1/jobs", headers=headers).status_code == 200


def test_not_too_many_connections_are_held(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pagemill.entrypoints.http_server.most_connections", lambda: 2)
    settings = small_settings(tmp_path_factory.mktemp("few"))
    with served_idle(settings) as server:
        doors = [socket.create_connection(("127.0.0.1", server.port), timeout=10) for _ in range(3)]
        said = heard(doors[2])
        assert status_of(said) == 503
        assert b'"code":"overloaded"' in said
        for door in doors:
            door.close()
        wait_for(lambda: is_open(server))


def is_open(server: Served) -> bool:
    """Whether one more connection is taken; one that is not may be cut off in mid-request."""
    try:
        return httpx.get(f"{server.url}/health", timeout=PATIENCE_SECONDS).status_code == 200
    except httpx.TransportError:
        return False


def test_more_jobs_than_may_wait_are_refused_until_some_are_done(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    settings = small_settings(tmp_path_factory.mktemp("quota"), max_pending_jobs=3)
    with served_idle(settings) as server:
        jobs = [server.submit(letter()) for _ in range(3)]
        files = server.files()
        answer = server.http.post("/v1/jobs", content=letter())
        told = problem(answer, 429, "quota_exceeded")
        assert (told["max_pending_jobs"], told["violated-policies"]) == (3, ["max_pending_jobs"])
        assert int(answer.headers["retry-after"]) > 0
        assert server.files() == files
        server.http.post(f"/v1/jobs/{jobs[0]['id']}/cancel")
        wait_for(lambda: server.http.post("/v1/jobs", content=letter()).status_code == 202)
        problem(server.http.post("/v1/jobs", content=letter()), 429, "quota_exceeded")


def test_documents_are_refused_while_too_much_waits_altogether(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    settings = small_settings(tmp_path_factory.mktemp("backlog"), max_backlog_chunks=2)
    with served_idle(settings) as server:
        jobs = [
            server.http.post("/v1/jobs", content=letter(), headers={"idempotency-key": str(n)})
            for n in (1, 2)
        ]
        files = server.files()
        for _ in range(2):
            answer = server.http.post("/v1/jobs", content=letter())
            assert problem(answer, 503, "overloaded")["max_backlog_chunks"] == 2
            assert int(answer.headers["retry-after"]) > 0
        assert server.files() == files
        assert refused(server, "overloaded") == 2
        again = server.http.post("/v1/jobs", content=letter(), headers={"idempotency-key": "1"})
        assert again.json()["id"] == jobs[0].json()["id"]
        assert server.refusals() == []


def test_documents_are_refused_while_the_disk_is_nearly_full(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    settings = small_settings(tmp_path_factory.mktemp("full"), min_free_bytes=2**60)
    with served_idle(settings) as server:
        answer = server.http.post("/v1/jobs", content=letter())
        problem(answer, 507, "storage_full")
        assert server.files() == set()
        not_ready = server.http.get("/ready")
        assert problem(not_ready, 503, "unavailable")["reasons"] == ["storage_full"]
        assert server.http.get("/health").status_code == 200


def test_idle_connections_do_not_keep_others_out(idle: Served) -> None:
    doors = [socket.create_connection(("127.0.0.1", idle.port), timeout=10) for _ in range(200)]
    try:
        assert httpx.get(f"{idle.url}/health", timeout=PATIENCE_SECONDS).status_code == 200
    finally:
        for door in doors:
            door.close()
