"""Requests that are wrong as HTTP or as requests to us, with the answer that each must get."""

import base64
import hashlib
import json
from dataclasses import dataclass, field

from tests.bad_inputs.conftest import MAX_BYTES
from tests.samples import letter

JSON = {"content-type": "application/json"}
PDF = {"content-type": "application/pdf"}
CUT = {"content-type": "multipart/form-data; boundary=cut"}
UNKNOWN = "0199a3c4-7d50-7b10-8c11-0d6a52f7e9aa"
RETRY = f"/v1/jobs/{UNKNOWN}/retry"
FILE = 'Content-Disposition: form-data; name="file"; filename="a.pdf"'
ARCHIVE = 'Content-Disposition: form-data; name="archive"; filename="a.zip"'


def form(*parts: tuple[str, bytes], end: bytes = b"--cut--\r\n") -> bytes:
    """A multipart body: the head and the content of each part."""
    return b"".join(b"--cut\r\n" + head.encode() + b"\r\n\r\n" + body + b"\r\n" for head, body in parts) + end


def field_head(name: str) -> str:
    """The head of the part of a form that is a field."""
    return f'Content-Disposition: form-data; name="{name}"'


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
    Row(
        "A4", "POST", RETRY, 415, "unsupported_media_type", b'{"only": "all"}', {"content-type": "text/plain"}
    ),
    Row("A5", "POST", RETRY, 400, "invalid_json", b'{"a":', JSON),
    Row("A6 NaN", "POST", RETRY, 400, "invalid_json", b'{"only": NaN}', JSON),
    Row("A6 Infinity", "POST", RETRY, 400, "invalid_json", b'{"only": Infinity}', JSON),
    Row("A6 twice", "POST", RETRY, 400, "invalid_json", b'{"only": "all", "only": "failed"}', JSON),
    Row("A7", "POST", RETRY, 400, "invalid_json", b"[" * 100_000, JSON),
    Row("A8", "POST", RETRY, 413, "content_too_large", b" " * 20_000_000, JSON),
    Row("A9 bytes", "POST", RETRY, 400, "invalid_encoding", b'{"only": "\xff"}', JSON),
    Row("A9 UTF-16", "POST", RETRY, 400, "invalid_encoding", '{"only": "all"}'.encode("utf-16"), JSON),
    Row("A9 surrogate", "POST", RETRY, 400, "invalid_encoding", b'{"only": "\\ud800"}', JSON),
    Row(
        "A9 UTF-16 without a mark",
        "POST",
        RETRY,
        400,
        "invalid_encoding",
        '{"only": "all"}'.encode("utf-16-le"),
        JSON,
    ),
    Row(
        "A9 UTF-32 without a mark",
        "POST",
        RETRY,
        400,
        "invalid_encoding",
        '{"only": "all"}'.encode("utf-32-be"),
        JSON,
    ),
    *(
        Row(
            f"A6 {name} in a form",
            "POST",
            path,
            400,
            "invalid_json",
            form((field_head(name), text), (FILE, letter())),
            CUT,
        )
        for path, name, text in (
            ("/v1/jobs", "metadata", b'{"a": "1", "a": "2"}'),
            (
                "/v1/jobs",
                "extract",
                b'{"schema": {"type": "object", "type": "object", "properties": {"a": {}}}}',
            ),
            ("/v1/batches", "items", b'{"a.pdf": {"pages": "1", "pages": "2"}}'),
        )
    ),
    Row(
        "A7 in a form",
        "POST",
        "/v1/jobs",
        400,
        "invalid_json",
        form((field_head("metadata"), b'{"a":' * 990 + b"1" + b"}" * 990), (FILE, letter())),
        CUT,
    ),
    Row(
        "B22 twice",
        "POST",
        "/v1/uploads",
        400,
        "bad_request",
        headers={
            "tus-resumable": "1.0.0",
            "upload-length": "5",
            "upload-metadata": "filename YQ==,filename Yg==",
        },
    ),
    Row("A10", "POST", "/v1/webhooks", 422, "validation_error", b'{"callbak_url": "x"}', JSON),
    Row("A11 float", "GET", "/v1/jobs?limit=1e400", 422, "validation_error"),
    Row("A11 long", "GET", f"/v1/jobs?limit={2**64}", 422, "validation_error"),
    Row("A13", "GET", "/v1/jobs?filename=" + "x" * 9_000, 414, "uri_too_long"),
    Row(
        "A19 document", "POST", "/v1/jobs", 415, "unsupported_media_type", b"x", {"content-encoding": "gzip"}
    ),
    Row("A19 JSON", "POST", RETRY, 415, "unsupported_media_type", b"x", {**JSON, "content-encoding": "gzip"}),
    Row("A21", "GET", "/v1/jobs/{job}", 200, headers={"if-none-match": "garbage"}),
    Row(
        "A22",
        "GET",
        "/v1/jobs/{job}/markdown",
        416,
        "range_not_satisfiable",
        headers={"range": "bytes=999999-"},
    ),
    Row("A23 host", "GET", "/v1/jobs", 400, "bad_host", headers={"host": "evil.example"}),
    *(
        Row(f"A23 host {host}", "GET", "/v1/jobs", 400, "bad_host", headers={"host": host})
        for host in ("127.0.0.1:8080@evil", "[::1]evil", "127.0.0.1:evil", "localhost:1:2")
    ),
    Row("A22 far", "GET", "/v1/jobs/{job}/markdown", 206, headers={"range": f"bytes=0-{'9' * 19}"}),
    Row("A23 forwarded", "GET", "/v1/jobs", 200, headers={"x-forwarded-host": "evil.example"}),
    Row("A24 HEAD", "HEAD", "/v1/jobs/{job}", 200),
    Row("A24 OPTIONS", "OPTIONS", "/v1/jobs/{job}/cancel", 204),
    Row(
        "B1",
        "POST",
        "/v1/jobs",
        422,
        "file_missing",
        form(('Content-Disposition: form-data; name="ocr"', b"auto")),
        CUT,
    ),
    Row("B2", "POST", "/v1/jobs", 422, "too_many_files", form((FILE, letter()), (FILE, letter())), CUT),
    Row("B3", "POST", "/v1/jobs", 422, "file_empty", form((FILE, b"")), CUT),
    Row("B3 raw", "POST", "/v1/jobs", 422, "file_empty", b"", PDF),
    Row("B3 archive", "POST", "/v1/batches", 422, "file_empty", form((ARCHIVE, b"")), CUT),
    Row(
        "B3 archive and file",
        "POST",
        "/v1/batches",
        422,
        "file_empty",
        form((ARCHIVE, b""), (FILE, letter())),
        CUT,
    ),
    Row(
        "B3 two archives",
        "POST",
        "/v1/batches",
        422,
        "too_many_files",
        form((ARCHIVE, b""), (ARCHIVE, b"")),
        CUT,
    ),
    Row(
        "B3 raw archive",
        "POST",
        "/v1/batches",
        422,
        "archive_invalid",
        b"",
        {"content-type": "application/zip"},
    ),
    Row("B4 too large", "POST", "/v1/jobs", 413, "file_too_large", letter() + b"\n" * MAX_BYTES, PDF),
    Row(
        "B10",
        "POST",
        "/v1/jobs",
        400,
        "invalid_multipart",
        form((FILE, letter())),
        {"content-type": "multipart/form-data"},
    ),
    Row("B10 unfinished", "POST", "/v1/jobs", 400, "invalid_multipart", form((FILE, letter()), end=b""), CUT),
    Row(
        "B11 preamble",
        "POST",
        "/v1/jobs",
        400,
        "invalid_multipart",
        b"x" * 1_900_000 + form((FILE, letter())),
        CUT,
    ),
    Row(
        "B11 part headers",
        "POST",
        "/v1/jobs",
        400,
        "invalid_multipart",
        b"--cut\r\n" + b"X: y\r\n" * 100_000,
        CUT,
    ),
    Row(
        "B13",
        "POST",
        "/v1/jobs",
        400,
        "digest_mismatch",
        letter(),
        {**PDF, "content-digest": digest(b"other")},
    ),
    Row(
        "B15",
        "POST",
        "/v1/jobs?filename=a.pdf",
        415,
        "unsupported_file_type",
        b"<html><body>Not found</body></html>",
        PDF,
    ),
    Row("B15 text", "POST", "/v1/jobs?filename=A.PDF", 415, "unsupported_file_type", b"potato salad", PDF),
    Row(
        "B15 picture",
        "POST",
        "/v1/jobs?filename=a.jpg",
        415,
        "unsupported_file_type",
        b'{"error": "expired"}',
        PDF,
    ),
    Row(
        "B15 without a name",
        "POST",
        "/v1/jobs",
        202,
        None,
        b"<html><body><p>Words of a page</p></body></html>",
        PDF,
    ),
    Row(
        "B13 nothing",
        "POST",
        "/v1/jobs",
        400,
        "digest_mismatch",
        letter(),
        {**PDF, "content-digest": "sha-256=::"},
    ),
    Row("A9 zero", "POST", RETRY, 400, "invalid_encoding", b'{"only": "\\u0000"}', JSON),
    Row(
        "A6 escaped twice",
        "POST",
        RETRY,
        400,
        "invalid_json",
        b'{"only": "all", "\\u006fnly": "failed"}',
        JSON,
    ),
    Row("A10 boolean", "POST", RETRY, 422, "validation_error", b'{"render": 0}', JSON),
    Row(
        "A10 number",
        "POST",
        "/v1/webhooks",
        422,
        "validation_error",
        b'{"url": "https://a.b/", "progress_pages": "5"}',
        JSON,
    ),
    Row(
        "A10 truth",
        "POST",
        "/v1/webhooks",
        422,
        "validation_error",
        b'{"url": "https://a.b/", "progress_pages": true}',
        JSON,
    ),
    Row("A10 nothing", "PATCH", "/v1/jobs/{job}", 422, "validation_error"),
    Row("A10 unseen", "POST", "/v1/keys", 422, "validation_error", '{"name": "a\u202eb"}'.encode(), JSON),
    Row("A10 query", "GET", "/v1/jobs?lmit=1", 422, "validation_error"),
    Row("F6 far", "POST", "/v1/jobs?pages=1-999999999", 422, "validation_error", letter(), PDF),
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
    *(
        Row(f"F7 limit {limit}", "GET", f"/v1/jobs?limit={limit}", 422, "validation_error")
        for limit in (0, -1, 10**9)
    ),
    *(
        Row(
            f"F8 {name}",
            "POST",
            "/v1/jobs",
            400,
            "idempotency_key_invalid",
            letter(),
            {**PDF, "idempotency-key": key},
        )
        for name, key in (("empty", ""), ("long", "k" * 256), ("tab", "a\tb"))
    ),
    Row(
        "F14 bytes",
        "POST",
        "/v1/jobs",
        422,
        "metadata_too_large",
        form(
            ('Content-Disposition: form-data; name="metadata"', json.dumps({"a": "x" * 20_000}).encode()),
            (FILE, letter()),
        ),
        CUT,
    ),
    Row(
        "F14 labels",
        "POST",
        "/v1/jobs",
        422,
        "metadata_too_large",
        form(
            (
                'Content-Disposition: form-data; name="metadata"',
                json.dumps({str(n): "" for n in range(1_000)}).encode(),
            ),
            (FILE, letter()),
        ),
        CUT,
    ),
    *(
        Row(
            f"G1 {url}",
            "POST",
            "/v1/webhooks",
            422,
            "webhook_url_invalid",
            json.dumps({"url": url}).encode(),
            JSON,
        )
        for url in (
            "javascript:alert(1)",
            "https://",
            "https://user:pass@example.com/",
            "ftp://example.com/x",
            "nonsense",
        )
    ),
    *(
        Row(
            f"G2 {host}",
            "POST",
            "/v1/webhooks",
            422,
            "url_forbidden_address",
            json.dumps({"url": f"https://{host}/"}).encode(),
            JSON,
        )
        for host in (
            "127.0.0.1",
            "[::1]",
            "0",
            "2130706433",
            "0x7f.1",
            "[::ffff:169.254.169.254]",
            "100.64.0.1",
            "169.254.169.254",
            "10.0.0.1",
            "192.168.1.1",
            "[64:ff9b::7f00:1]",
        )
    ),
]
