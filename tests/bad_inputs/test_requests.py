"""Requests that are wrong as HTTP or as requests to us: rows A, B, F and G."""

import base64
import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.bad_inputs.conftest import MAX_BYTES
from tests.pictures import corners, encoded
from tests.samples import letter
from tests.servers import Served, status_of, talk
from tests.waiting import wait_for

JSON = {"content-type": "application/json"}
PDF = {"content-type": "application/pdf"}
CUT = {"content-type": "multipart/form-data; boundary=cut"}
UNKNOWN = "0199a3c4-7d50-7b10-8c11-0d6a52f7e9aa"
RETRY = f"/v1/jobs/{UNKNOWN}/retry"
FILE = 'Content-Disposition: form-data; name="file"; filename="a.pdf"'


def form(*parts: tuple[str, bytes], end: bytes = b"--cut--\r\n") -> bytes:
    """A multipart body: the head and the content of each part."""
    return b"".join(b"--cut\r\n" + head.encode() + b"\r\n\r\n" + body + b"\r\n" for head, body in parts) + end


def digest(content: bytes) -> str:
    """A Content-Digest header."""
    return f"sha-256=:{base64.b64encode(hashlib.sha256(content).digest()).decode()}:"


@dataclass(frozen=True)
class Row:
    """A request and the answer that it must get; {job} stands for the id of a finished job."""

    id: str
    method: str
    path: str
    status: int
    code: str | None = None
    content: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


ROWS = [
    Row("A1", "GET", "/nothing", 404, "not_found"),
    Row("A1 below the API", "GET", "/v1/nothing/at/all", 404, "not_found"),
    Row("A2", "PATCH", "/v1/jobs", 405, "method_not_allowed"),
    Row("A3", "GET", "/v1/jobs/{job}", 406, "not_acceptable", headers={"accept": "application/xml"}),
    Row("A4", "POST", RETRY, 415, "unsupported_media_type", b'{"only": "all"}', {"content-type": "text/plain"}),
    Row("A5", "POST", RETRY, 400, "invalid_json", b'{"a":', JSON),
    Row("A6 NaN", "POST", RETRY, 400, "invalid_json", b'{"only": NaN}', JSON),
    Row("A6 Infinity", "POST", RETRY, 400, "invalid_json", b'{"only": Infinity}', JSON),
    Row("A6 twice", "POST", RETRY, 400, "invalid_json", b'{"only": "all", "only": "failed"}', JSON),
    Row("A7", "POST", RETRY, 400, "invalid_json", b"[" * 100_000, JSON),
    Row("A8", "POST", RETRY, 413, "content_too_large", b" " * 20_000_000, JSON),
    Row("A9 bytes", "POST", RETRY, 400, "invalid_encoding", b'{"only": "\xff"}', JSON),
    Row("A9 UTF-16", "POST", RETRY, 400, "invalid_encoding", '{"only": "all"}'.encode("utf-16"), JSON),
    Row("A9 surrogate", "POST", RETRY, 400, "invalid_encoding", b'{"only": "\\ud800"}', JSON),
    Row("A10", "POST", "/v1/webhooks", 422, "validation_error", b'{"callbak_url": "x"}', JSON),
    Row("A11 float", "GET", "/v1/jobs?limit=1e400", 422, "validation_error"),
    Row("A11 long", "GET", f"/v1/jobs?limit={2**64}", 422, "validation_error"),
    Row("A13", "GET", "/v1/jobs?filename=" + "x" * 9_000, 414, "uri_too_long"),
    Row("A19 document", "POST", "/v1/jobs", 415, "unsupported_media_type", b"x", {"content-encoding": "gzip"}),
    Row("A19 JSON", "POST", RETRY, 415, "unsupported_media_type", b"x", {**JSON, "content-encoding": "gzip"}),
    Row("A21", "GET", "/v1/jobs/{job}", 200, headers={"if-none-match": "garbage"}),
    Row("A22", "GET", "/v1/jobs/{job}/markdown", 416, "range_not_satisfiable", headers={"range": "bytes=999999-"}),
    Row("A23 host", "GET", "/v1/jobs", 400, "bad_host", headers={"host": "evil.example"}),
    Row("A23 forwarded", "GET", "/v1/jobs", 200, headers={"x-forwarded-host": "evil.example"}),
    Row("A24 HEAD", "HEAD", "/v1/jobs/{job}", 200),
    Row("A24 OPTIONS", "OPTIONS", "/v1/jobs/{job}/cancel", 204),
    Row("B1", "POST", "/v1/jobs", 422, "file_missing", form(('Content-Disposition: form-data; name="ocr"', b"auto")), CUT),
    Row("B2", "POST", "/v1/jobs", 422, "too_many_files", form((FILE, letter()), (FILE, letter())), CUT),
    Row("B3", "POST", "/v1/jobs", 422, "file_empty", form((FILE, b"")), CUT),
    Row("B3 raw", "POST", "/v1/jobs", 422, "file_empty", b"", PDF),
    Row("B4 too large", "POST", "/v1/jobs", 413, "file_too_large", letter() + b"\n" * MAX_BYTES, PDF),
    Row("B10", "POST", "/v1/jobs", 400, "invalid_multipart", form((FILE, letter())), {"content-type": "multipart/form-data"}),
    Row("B10 unfinished", "POST", "/v1/jobs", 400, "invalid_multipart", form((FILE, letter()), end=b""), CUT),
    Row("B11 preamble", "POST", "/v1/jobs", 400, "invalid_multipart", b"x" * 1_900_000 + form((FILE, letter())), CUT),
    Row("B11 part headers", "POST", "/v1/jobs", 400, "invalid_multipart", b"--cut\r\n" + b"X: y\r\n" * 100_000, CUT),
    Row("B13", "POST", "/v1/jobs", 400, "digest_mismatch", letter(), {**PDF, "content-digest": digest(b"other")}),
    Row("B15", "POST", "/v1/jobs?filename=a.pdf", 415, "unsupported_file_type", b"<html><body>Not found</body></html>", PDF),
    Row("B15 text", "POST", "/v1/jobs?filename=A.PDF", 415, "unsupported_file_type", b"potato salad", PDF),
    Row("B15 picture", "POST", "/v1/jobs?filename=a.jpg", 415, "unsupported_file_type", b'{"error": "expired"}', PDF),
    Row("B15 without a name", "POST", "/v1/jobs", 202, None, b"<html><body><p>Words of a page</p></body></html>", PDF),
    Row("B13 nothing", "POST", "/v1/jobs", 400, "digest_mismatch", letter(), {**PDF, "content-digest": "sha-256=::"}),
    Row("A9 zero", "POST", RETRY, 400, "invalid_encoding", b'{"only": "\\u0000"}', JSON),
    Row("A6 escaped twice", "POST", RETRY, 400, "invalid_json", b'{"only": "all", "\\u006fnly": "failed"}', JSON),
    Row("A10 boolean", "POST", RETRY, 422, "validation_error", b'{"render": 0}', JSON),
    Row("A10 number", "POST", "/v1/webhooks", 422, "validation_error", b'{"url": "https://a.b/", "progress_pages": "5"}', JSON),
    Row("A10 truth", "POST", "/v1/webhooks", 422, "validation_error", b'{"url": "https://a.b/", "progress_pages": true}', JSON),
    Row("A10 nothing", "PATCH", "/v1/jobs/{job}", 422, "validation_error"),
    Row("A10 unseen", "POST", "/v1/keys", 422, "validation_error", '{"name": "a\u202eb"}'.encode(), JSON),
    Row("A10 query", "GET", "/v1/jobs?lmit=1", 422, "validation_error"),
    Row("A11 zero", "GET", "/v1/jobs?filename=%00", 422, "validation_error"),
    *(
        Row(f"B24 {url}", "POST", "/v1/jobs", 422, "url_invalid", json.dumps({"url": url}).encode(), JSON)
        for url in ("http://%31%32%37.0.0.1/", "https://a..b/", "https://-a.com/", f"https://{'a' * 64}.com/")
    ),
    Row("F1 no id", "GET", "/v1/jobs/not-an-id", 404, "not_found"),
    Row("F1 unknown", "GET", f"/v1/jobs/{UNKNOWN}", 404, "not_found"),
    Row("F5 finished", "POST", "/v1/jobs/{job}/cancel", 409, "job_terminal"),
    Row("F6 format", "POST", "/v1/jobs?formats=cuneiform", 422, "validation_error", letter(), PDF),
    *(
        Row(f"F6 pages {pages}", "POST", f"/v1/jobs?pages={pages}", 422, "validation_error", letter(), PDF)
        for pages in ("5-2", "0", "1,,2", "a", "-1", "1-")
    ),
    Row("F7 cursor", "GET", "/v1/jobs?cursor=tampered", 400, "invalid_cursor"),
    *(Row(f"F7 limit {limit}", "GET", f"/v1/jobs?limit={limit}", 422, "validation_error") for limit in (0, -1, 10**9)),
    *(
        Row(f"F8 {name}", "POST", "/v1/jobs", 400, "idempotency_key_invalid", letter(), {**PDF, "idempotency-key": key})
        for name, key in (("empty", ""), ("long", "k" * 256), ("tab", "a\tb"))
    ),
    Row("F14 bytes", "POST", "/v1/jobs", 422, "metadata_too_large", form(
        ('Content-Disposition: form-data; name="metadata"', json.dumps({"a": "x" * 20_000}).encode()), (FILE, letter())
    ), CUT),
    Row("F14 labels", "POST", "/v1/jobs", 422, "metadata_too_large", form(
        ('Content-Disposition: form-data; name="metadata"', json.dumps({str(n): "" for n in range(1_000)}).encode()),
        (FILE, letter()),
    ), CUT),
    *(
        Row(f"G1 {url}", "POST", "/v1/webhooks", 422, "webhook_url_invalid", json.dumps({"url": url}).encode(), JSON)
        for url in ("javascript:alert(1)", "https://", "https://user:pass@example.com/", "ftp://example.com/x", "nonsense")
    ),
    *(
        Row(f"G2 {host}", "POST", "/v1/webhooks", 422, "url_forbidden_address",
            json.dumps({"url": f"https://{host}/"}).encode(), JSON)
        for host in ("127.0.0.1", "[::1]", "0", "2130706433", "0x7f.1", "[::ffff:169.254.169.254]", "100.64.0.1",
                     "169.254.169.254", "10.0.0.1", "192.168.1.1", "[64:ff9b::7f00:1]")
    ),
]  # fmt: skip


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
