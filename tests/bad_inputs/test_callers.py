"""Callers without a right, and callers who want too much: rows E and H."""

import time

import httpx
import pytest

from pagemill.desk import tenant_keys
from pagemill.entrypoints.access import keys
from pagemill.model.tenants import Scope
from tests.bad_inputs.conftest import OPERATOR
from tests.samples import letter
from tests.servers import PATIENCE_SECONDS, Served


def bearer(key: str) -> dict[str, str]:
    """The header that carries a key."""
    return {"authorization": f"Bearer {key}"}


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": "Bearer"},
        {"authorization": f"Basic {OPERATOR}"},
        {"authorization": f"Bearer {OPERATOR}", "x-api-key": OPERATOR},
        {"authorization": "Bearer wrong"},
        {"x-api-key": "pm_" + "x" * 43},
    ],
    ids=["H1 none", "H1 empty", "H1 Basic", "H1 two", "H2 wrong", "H2 unknown"],
)
def test_without_a_valid_key_nobody_is_let_in(locked_server: Served, headers: dict[str, str]) -> None:
    answer = locked_server.http.get("/v1/jobs", headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert answer.content == locked_server.http.get("/v1/jobs").content


def test_revoked_and_expired_keys_are_answered_like_wrong_ones(locked_server: Served) -> None:
    db, wrong = locked_server.mill.db, locked_server.http.get("/v1/jobs").content
    expired = tenant_keys.add(db, "h2", "expired", expires_in_seconds=0)
    revoked = tenant_keys.add(db, "h2", "revoked")
    tenant_keys.revoke(db, revoked.row.id)
    for made in (expired, revoked):
        answer = locked_server.http.get("/v1/jobs", headers=bearer(made.key))
        assert (answer.status_code, answer.content) == (401, wrong)


def test_a_key_in_the_query_is_ignored(locked_server: Served) -> None:
    assert locked_server.http.get("/v1/jobs", params={"api_key": OPERATOR}).status_code == 401


def test_a_key_that_may_read_may_not_write(locked_server: Served) -> None:
    key = tenant_keys.add(locked_server.mill.db, "h4", "reader", scopes=[Scope.READ]).key
    answer = locked_server.http.post("/v1/jobs", content=letter(), headers=bearer(key))
    assert (answer.status_code, answer.json()["code"]) == (403, "insufficient_scope")
    assert locked_server.http.get("/v1/jobs", headers=bearer(key)).json()["jobs"] == []


def test_a_preflight_of_an_unknown_origin_allows_nothing(locked_server: Served) -> None:
    headers = {"origin": "https://evil.example", "access-control-request-method": "POST"}
    answer = locked_server.http.options("/v1/jobs", headers=headers)
    assert "access-control-allow-origin" not in answer.headers


def test_a_session_changes_nothing_without_the_header_of_the_pages(locked_server: Served) -> None:
    begun = httpx.post(f"{locked_server.url}/session", headers=bearer(OPERATOR))
    cookie = {"cookie": begun.headers["set-cookie"].partition(";")[0]}
    answer = locked_server.http.post("/v1/jobs", content=letter(), headers=cookie)
    assert (answer.status_code, answer.json()["code"]) == (403, "session_header_missing")
    left = locked_server.http.delete("/session", headers={**cookie, "x-pagemill-web": "1"})
    assert left.status_code == 204
    assert locked_server.http.get("/v1/jobs", headers=cookie).status_code == 401


def test_more_jobs_than_the_quota_are_refused_with_the_policy(locked_server: Served) -> None:
    key = bearer(tenant_keys.add(locked_server.mill.db, "e1", "many").key)
    answers = [locked_server.http.post("/v1/jobs", content=letter(), headers=key) for _ in range(8)]
    assert [answer.status_code for answer in answers] == [202] * 5 + [429] * 3
    assert answers[-1].json()["code"] == "quota_exceeded"
    assert answers[-1].json()["violated-policies"] == ["max_pending_jobs"]
    assert int(answers[-1].headers["retry-after"]) > 0


def test_the_result_of_a_job_that_waits_is_not_there_yet(locked_server: Served) -> None:
    key = bearer(tenant_keys.add(locked_server.mill.db, "f2", "waits").key)
    job = locked_server.http.post("/v1/jobs", content=letter(), headers=key).json()["id"]
    early = locked_server.http.get(f"/v1/jobs/{job}/markdown", headers=key)
    assert (early.status_code, "retry-after" in early.headers) == (202, True)
    cancelled = [locked_server.http.post(f"/v1/jobs/{job}/cancel", headers=key).status_code for _ in range(2)]
    assert cancelled == [202, 202]


def test_guessing_keys_is_slowed_down(locked_server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "WINDOW_SECONDS", 1_000_000_000)
    guesses = [
        locked_server.http.get("/v1/jobs", headers=bearer(f"guess-{number}")).status_code
        for number in range(keys.MAX_BAD_KEYS + 20)
    ]
    assert guesses[-1] == 429
    assert locked_server.http.get("/v1/jobs", headers=bearer(OPERATOR)).status_code == 200


def test_the_stream_of_a_batch_ends_when_it_is_deleted(locked_server: Served) -> None:
    key = bearer(tenant_keys.add(locked_server.mill.db, "gone", "watches").key)
    files = {"file": ("a.pdf", letter("Dear batch,"), "application/pdf")}
    batch = locked_server.http.post("/v1/batches", files=files, headers=key).json()["id"]
    with locked_server.http.stream("GET", f"/v1/batches/{batch}/events", headers=key) as stream:
        lines = stream.iter_lines()
        next(lines)
        deleted = locked_server.http.delete(f"/v1/batches/{batch}", headers=key)
        assert deleted.status_code == 204, deleted.text
        given_up_at = time.monotonic() + PATIENCE_SECONDS
        for line in lines:
            assert time.monotonic() < given_up_at, line
    gone = locked_server.http.get(f"/v1/batches/{batch}", headers=key)
    assert (gone.status_code, gone.json()["code"]) == (410, "gone")
