"""Requests that are wrong as HTTP, or ask for something that is not there."""

import gzip
import logging

import httpx
import pytest

from pagemill.model.ids import new_id
from tests.mills import small_settings
from tests.samples import letter
from tests.servers import Served, served_idle
from tests.timing import can_take_less_than, seconds_of


def problem(answer: httpx.Response, status: int, code: str) -> dict[str, object]:
    """The problem of an answer, which must be this one."""
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json"), (
        answer.text
    )
    told: dict[str, object] = answer.json()
    assert (told["code"], told["status"]) == (code, status)
    assert told["type"] == f"urn:pagemill:problem:{code}"
    assert told["title"]
    assert told["detail"]
    return told


@pytest.mark.parametrize("path", ["/nothing", "/v1", "/v1/", "/v1/jobs/", "/redoc", "/v1/jobs/x/y/z", "/%00"])
def test_an_unknown_path_is_not_found(idle: Served, path: str) -> None:
    problem(idle.http.get(path), 404, "not_found")


def test_a_wrong_method_names_the_right_ones(idle: Served) -> None:
    answer = idle.http.patch("/v1/jobs")
    problem(answer, 405, "method_not_allowed")
    assert answer.headers["allow"] == "GET, HEAD, OPTIONS, POST"
    answer = idle.http.put(f"/v1/jobs/{new_id()}")
    problem(answer, 405, "method_not_allowed")
    assert answer.headers["allow"] == "DELETE, GET, HEAD, OPTIONS, PATCH"


@pytest.mark.parametrize("accept", ["application/xml", "text/html;q=1", "application/json;q=0"])
def test_a_job_is_not_told_in_a_form_that_we_do_not_have(idle: Served, accept: str) -> None:
    job = idle.submit(letter())
    answer = idle.http.get(f"/v1/jobs/{job['id']}", headers={"accept": accept})
    assert problem(answer, 406, "not_acceptable")["offered"] == ["application/json"]
    problem(idle.http.post("/v1/jobs", content=letter(), headers={"accept": accept}), 406, "not_acceptable")


@pytest.mark.parametrize(
    "accept", ["*/*", "application/*", "text/html, */*;q=0.1", "application/json;q=x", ""]
)
def test_a_job_is_told_in_json_to_those_who_take_it(idle: Served, accept: str) -> None:
    job = idle.submit(letter())
    assert idle.http.get(f"/v1/jobs/{job['id']}", headers={"accept": accept}).status_code == 200


def test_a_body_that_is_not_declared_as_json_is_refused(busy: Served) -> None:
    job = busy.finished(letter())
    answer = busy.http.post(
        f"/v1/jobs/{job['id']}/retry", content=b"{}", headers={"content-type": "text/plain"}
    )
    assert problem(answer, 415, "unsupported_media_type")["accepted"] == ["application/json"]


JSON_TYPE = {"content-type": "application/json"}


@pytest.mark.parametrize(
    "body", [b"\xff\xfe", b'{"only": "\xe9"}', b'{"only": "\\ud800"}', "{}".encode("utf-16")]
)
def test_json_in_another_encoding_is_told_as_such(busy: Served, body: bytes) -> None:
    job = busy.finished(letter())
    answer = busy.http.post(f"/v1/jobs/{job['id']}/retry", content=body, headers=JSON_TYPE)
    assert isinstance(problem(answer, 400, "invalid_encoding")["offset"], int)


def test_a_name_that_is_there_twice_is_refused(busy: Served) -> None:
    job = busy.finished(letter())
    body = b'{"only": "failed", "only": "all"}'
    told = problem(
        busy.http.post(f"/v1/jobs/{job['id']}/retry", content=body, headers=JSON_TYPE), 400, "invalid_json"
    )
    assert "'only'" in str(told["detail"])


@pytest.mark.parametrize("encoding", ["gzip", "br", "deflate, gzip"])
def test_compressed_json_is_no_type_that_is_taken(busy: Served, encoding: str) -> None:
    job = busy.finished(letter())
    headers = {**JSON_TYPE, "content-encoding": encoding}
    answer = busy.http.post(f"/v1/jobs/{job['id']}/retry", content=gzip.compress(b"{}"), headers=headers)
    problem(answer, 415, "unsupported_media_type")


def test_answers_in_json_are_for_their_caller_alone(busy: Served) -> None:
    job = busy.finished(letter())
    for address in (f"/v1/jobs/{job['id']}", "/v1/jobs", f"/v1/jobs/{job['id']}/pages"):
        assert "private" in busy.http.get(address).headers["cache-control"]


@pytest.mark.parametrize(
    ("body", "offset"),
    [(b'{"a":', 5), (b"{'only': 'all'}", 1), (b"[" * 100_000, None), (b'{"only": NaN}', 9)],
)
def test_malformed_json_is_refused_with_the_place_where_it_breaks(
    busy: Served, body: bytes, offset: int | None
) -> None:
    job = busy.finished(letter())
    headers = {"content-type": "application/json"}
    told = problem(
        busy.http.post(f"/v1/jobs/{job['id']}/retry", content=body, headers=headers), 400, "invalid_json"
    )
    assert isinstance(told["offset"], int)
    assert offset is None or told["offset"] == offset


def test_a_huge_json_body_is_refused_quickly(busy: Served) -> None:
    path = f"/v1/jobs/{busy.finished(letter())['id']}/retry"
    headers = {"content-type": "application/json"}

    def post() -> None:
        declared = busy.http.post(path, content=b" " * 20_000_000, headers=headers)
        assert problem(declared, 413, "content_too_large")["max_bytes"] == 1_000_000
        chunked = busy.http.post(path, content=(b" " * 100_000 for _ in range(200)), headers=headers)
        problem(chunked, 413, "content_too_large")

    assert can_take_less_than(4, lambda: seconds_of(post))


def test_an_unknown_field_is_pointed_at(busy: Served) -> None:
    path = f"/v1/jobs/{busy.finished(letter())['id']}/retry"
    told = problem(busy.http.post(path, json={"callbak_url": "x", "only": "some"}), 422, "validation_error")
    assert {fault["pointer"] for fault in told["errors"]} == {"/callbak_url", "/only"}  # type: ignore[attr-defined]
    problem(busy.http.post(path, json=["all"]), 422, "validation_error")


@pytest.mark.parametrize("limit", ["1e400", str(2**64), "0", "-1", str(10**9), "ten", "1.5", ""])
def test_a_limit_out_of_range_is_refused(idle: Served, limit: str) -> None:
    for path in ("/v1/jobs", "/v1/events"):
        told = problem(idle.http.get(path, params={"limit": limit}), 422, "validation_error")
        assert told["errors"][0]["pointer"] == "/limit"  # type: ignore[index]


def test_head_answers_like_get_without_a_body(idle: Served) -> None:
    job = idle.submit(letter())
    for path in ("/", "/health", "/v1/jobs", f"/v1/jobs/{job['id']}", "/openapi.json", "/metrics"):
        answer = idle.http.head(path)
        assert (answer.status_code, answer.content) == (200, b"")
        assert int(answer.headers["content-length"]) > 0
    assert idle.http.head(f"/v1/jobs/{new_id()}").status_code == 404


def test_head_is_counted_under_its_route(idle: Served) -> None:
    assert idle.http.head("/version").status_code == 200
    shown = idle.http.get("/metrics").text
    assert 'pagemill_http_requests_total{method="HEAD",route="/version",status="200"}' in shown


def test_head_of_an_event_stream_does_not_wait(idle: Served) -> None:
    job = idle.submit(letter())
    address = f"/v1/jobs/{job['id']}/events"
    assert idle.http.head(address).status_code == 200
    assert can_take_less_than(2, lambda: seconds_of(lambda: idle.http.head(address)))
    assert idle.http.get(f"/v1/jobs/{job['id']}").status_code == 200


def test_options_tells_the_methods_and_does_nothing(idle: Served) -> None:
    job = idle.submit(letter())
    for path, allowed in {
        "/v1/jobs": "GET, HEAD, OPTIONS, POST",
        f"/v1/jobs/{job['id']}": "DELETE, GET, HEAD, OPTIONS, PATCH",
        f"/v1/jobs/{job['id']}/cancel": "OPTIONS, POST",
        "/metrics": "GET, HEAD, OPTIONS",
    }.items():
        answer = idle.http.options(path)
        assert (answer.status_code, answer.headers["allow"], answer.content) == (204, allowed, b"")
    assert idle.http.options("/nothing").status_code == 404
    assert idle.http.get(f"/v1/jobs/{job['id']}").json()["status"] == "pending"


def test_every_answer_tells_browsers_not_to_guess(idle: Served) -> None:
    for path in ("/health", "/nothing", "/v1/jobs"):
        answer = idle.http.get(path)
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"


def test_forwarded_headers_are_not_trusted(idle: Served) -> None:
    headers = {
        "x-forwarded-for": "10.0.0.1",
        "x-forwarded-host": "evil.example",
        "x-forwarded-proto": "https",
    }
    answer = idle.http.post("/v1/jobs", content=letter(), headers=headers)
    assert answer.headers["location"].startswith("/v1/jobs/")


def test_an_unexpected_error_is_told_without_paths_and_traces(
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    # Another test may have switched it off.
    monkeypatch.setattr(logging.getLogger("pagemill.api"), "disabled", False)
    settings = small_settings(tmp_path_factory.mktemp("broken"))
    with served_idle(settings) as server:
        job = server.submit(letter())
        server.mill.db.write(lambda tx: tx.conn.exec_driver_sql("UPDATE jobs SET options = '{secret'"))
        answer = server.http.get(f"/v1/jobs/{job['id']}")
    problem(answer, 500, "internal_error")
    assert "secret" not in answer.text
    assert "JSONDecodeError" in caplog.text
    assert "JSONDecodeError" not in answer.text
