"""Requests that are wrong as HTTP or as requests to us: rows A, B, F and G."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.bad_inputs.request_rows import JSON, PDF, ROWS, Row
from tests.pictures import corners, encoded
from tests.samples import letter
from tests.servers import Served, status_of, talk
from tests.waiting import wait_for


@pytest.fixture(scope="module")
def finished(open_server: Served) -> dict[str, Any]:
    """A job that is done."""
    return open_server.finished(letter("Dear bad input,"))


def documents_of(server: Served) -> set[Path]:
    """The documents in the blob store."""
    return {file for file in server.files() if "documents" in file.parts}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_a_bad_request_gets_its_answer(open_server: Served, finished: dict[str, Any], row: Row) -> None:
    path = row.path.replace("{job}", finished["id"])
    jobs, stored = open_server.jobs(), documents_of(open_server)
    answer = open_server.http.request(row.method, path, content=row.content, headers=row.headers)
    assert answer.status_code == row.status, answer.text[:500]
    assert "Traceback" not in answer.text
    assert str(open_server.mill.settings.data_dir) not in answer.text
    if row.code is None:
        return
    told = answer.json()
    assert (answer.headers["content-type"], told["code"]) == ("application/problem+json", row.code)
    assert told["detail"]
    # Nothing is stored of what was refused, and nothing is taken away.
    assert open_server.jobs() == jobs
    assert documents_of(open_server) == stored


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        pytest.param(b"X: " + b"x" * 17_000 + b"\r\n", 431, id="A12 long"),
        pytest.param(b"".join(b"X-%d: 1\r\n" % number for number in range(200)), 431, id="A12 many"),
        pytest.param(b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", 400, id="A14"),
        pytest.param(b"Content-Length: -1\r\n", 400, id="A15 negative"),
        pytest.param(b"Content-Length: 5\r\nContent-Length: 6\r\n", 400, id="A15 two"),
        pytest.param(b"Content-Length: 1 1\r\n", 400, id="A15 words"),
        pytest.param(b"X : spaced\r\n", 400, id="a space before the colon"),
        pytest.param(
            b"Content-Type: application/pdf\r\nTransfer-Encoding: gzip, chunked\r\n", 400, id="A14 packed"
        ),
        pytest.param(b"Content-Length: 0x5\r\n", 400, id="A15 hexadecimal"),
        pytest.param(b"Content-Length: +5\r\n", 400, id="A15 signed"),
        pytest.param(b"X: a\0b\r\n", 400, id="a zero in a header"),
    ],
)
def test_a_bad_head_is_refused_and_the_connection_closed(
    open_server: Served, sent: bytes, status: int
) -> None:
    said = talk(open_server.port, b"POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\n" + sent + b"\r\n")
    assert status_of(said) == status
    assert b"application/problem+json" in said


@pytest.mark.parametrize(
    "line", [b"GET /v1/jobs HTTP/2.0", b"PRI * HTTP/2.0", b"GET /v1/jobs", b"GET  HTTP/1.1"]
)
def test_another_protocol_is_refused(open_server: Served, line: bytes) -> None:
    said = talk(open_server.port, line + b"\r\nHost: localhost\r\n\r\n", half_close=True)
    assert status_of(said) == 400
    assert b"application/problem+json" in said


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(b"Sec-WebSocket-Version: 13\r\n", id="no key"),
        pytest.param(b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n", id="no version"),
        pytest.param(
            b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 8\r\n", id="version"
        ),
        pytest.param(b"Sec-WebSocket-Key: short\r\nSec-WebSocket-Version: 13\r\n", id="key"),
    ],
)
def test_a_wrong_handshake_of_a_websocket_gets_a_problem(open_server: Served, sent: bytes) -> None:
    head = b"GET /v1/ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    said = talk(open_server.port, head + sent + b"\r\n")
    assert status_of(said) == 400
    assert b"application/problem+json" in said
    assert b"sec-websocket-version: 13" in said


def test_no_more_faults_are_told_than_anybody_reads(open_server: Served) -> None:
    body = json.dumps({f"field{number}": 1 for number in range(20_000)}).encode()
    answer = open_server.http.post("/v1/webhooks", content=body, headers=JSON)
    assert (answer.status_code, answer.json()["code"]) == (422, "validation_error")
    assert len(answer.json()["errors"]) == 100
    assert "and 19901 more faults" in answer.json()["detail"]
    assert len(answer.content) < 20_000


def test_a_body_that_breaks_off_leaves_nothing(open_server: Served) -> None:
    stored = documents_of(open_server)
    head = b"POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/pdf\r\nContent-Length: 900000\r\n\r\n"
    talk(open_server.port, head + letter() + b"\n" * 400_000, half_close=True)
    wait_for(lambda: documents_of(open_server) == stored)


def test_a_body_that_hardly_moves_is_given_up(open_server: Served) -> None:
    stored = documents_of(open_server)
    head = b"POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/pdf\r\nContent-Length: 900000\r\n\r\n"
    said = talk(open_server.port, head + letter()[:100])
    assert status_of(said) == 408
    wait_for(lambda: documents_of(open_server) == stored)


def test_a_body_without_a_length_is_cut_off_at_the_limit(open_server: Served) -> None:
    stored = documents_of(open_server)
    pieces = (piece for piece in [letter(), *[b"\n" * 100_000] * 30])
    answer = open_server.http.post("/v1/jobs", content=pieces, headers=PDF)
    assert (answer.status_code, answer.json()["code"]) == (413, "file_too_large")
    wait_for(lambda: documents_of(open_server) == stored)


def test_the_bytes_and_not_the_header_say_what_a_document_is(open_server: Served) -> None:
    picture = encoded(corners((40, 30)), "PNG")
    answer = open_server.http.post("/v1/jobs", content=picture, headers=PDF)
    assert (answer.status_code, answer.json()["document"]["media_type"]) == (202, "image/png")


@pytest.mark.parametrize(
    ("prefer", "applied"),
    [("wait=abc", None), ("wait=-1", None), ("wait=99999", "wait=60")],
    ids=["A20 word", "A20 negative", "A20 long"],
)
def test_a_preference_that_makes_no_sense_is_ignored_or_clamped(
    open_server: Served, prefer: str, applied: str | None
) -> None:
    answer = open_server.http.post("/v1/jobs", content=letter(), headers={**PDF, "prefer": prefer})
    assert answer.status_code in (200, 202)
    assert answer.headers.get("preference-applied") == applied


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("../../etc/passwd", "passwd"),
        ("..\\..\\x", "x"),
        ("/abs", "abs"),
        ("...", "document.pdf"),
        ("CON", "document.pdf"),
        ("a\u202egpj.exe", "agpj.exe"),
        ("a\x1b[31mred", "a[31mred"),
        ("\U0001f600.pdf", "\U0001f600.pdf"),
        ("n" * 10_000, "n" * 255),
    ],
    ids=[
        "B6 up",
        "B6 backslash",
        "B6 root",
        "B8 dots",
        "B8 device",
        "B7 override",
        "B7 escape",
        "B8 emoji",
        "B7 long",
    ],
)
def test_a_file_name_is_shown_without_what_could_mislead(open_server: Served, sent: str, shown: str) -> None:
    fields = {"file": (sent, letter(), "application/pdf")}
    answer = open_server.http.post("/v1/jobs", files=fields)
    assert answer.status_code == 202, answer.text
    assert answer.json()["document"]["filename"] == shown


def test_the_same_key_finds_its_job_and_refuses_another_document(open_server: Served) -> None:
    headers = {**PDF, "idempotency-key": "F9"}
    first, again = (open_server.http.post("/v1/jobs", content=letter(), headers=headers) for _ in range(2))
    assert (again.status_code, again.json()["id"]) == (first.status_code, first.json()["id"])
    assert again.headers["idempotent-replayed"] == "true"
    other = open_server.http.post("/v1/jobs", content=letter("Dear other,"), headers=headers)
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")


def test_a_deleted_job_is_gone(open_server: Served) -> None:
    job = open_server.finished(letter("Dear gone,"))
    assert open_server.http.delete(f"/v1/jobs/{job['id']}").status_code == 204
    for path in ("", "/markdown", "/pages"):
        answer = open_server.http.get(f"/v1/jobs/{job['id']}{path}")
        assert (answer.status_code, answer.json()["code"]) == (410, "gone")
