"""Documents at the door: what is taken, what is refused, and that nothing is left of what was refused."""

import base64
import hashlib
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.api.conftest import MAX_BYTES
from tests.api.test_http import problem
from tests.samples import letter
from tests.servers import Served, status_of, talk
from tests.timing import can_take_less_than, cpu_seconds_of
from tests.waiting import wait_for

PDF = {"content-type": "application/pdf"}


@pytest.fixture(autouse=True)
def nothing_left(idle: Served) -> Iterator[None]:
    """After each test there is exactly one document for each job that was made."""
    files, jobs = idle.files(), idle.jobs()
    yield
    assert len(idle.files() - files) == len(idle.jobs() - jobs)


def sized(size_bytes: int) -> bytes:
    """A document of that size."""
    document = letter()
    return document + b"\n" * (size_bytes - len(document))


def form(server: Served, *parts: tuple[str, Any], **headers: str) -> httpx.Response:
    """Hand in a multipart form."""
    return server.http.post("/v1/jobs", files=list(parts), headers=headers)


def multipart(server: Served, body: bytes, boundary: bytes = b"cut") -> httpx.Response:
    """Hand in a multipart body written by hand."""
    headers = {"content-type": f"multipart/form-data; boundary={boundary.decode()}"}
    return server.http.post("/v1/jobs", content=body, headers=headers)


def part(name: str, value: bytes, more: str = "") -> bytes:
    """One part of a multipart body."""
    return f'--cut\r\nContent-Disposition: form-data; name="{name}"{more}\r\n\r\n'.encode() + value + b"\r\n"


END = b"--cut--\r\n"


def test_a_document_is_taken_as_a_form(idle: Served) -> None:
    fields = {
        "pages": "1-3,7",
        "formats": "json,markdown",
        "priority": "-3",
        "metadata": '{"a": "b"}',
        "reuse": "no",
    }
    answer = idle.http.post("/v1/jobs", files={"file": ("a b.pdf", letter())}, data=fields)
    assert answer.status_code == 202
    job = answer.json()
    assert answer.headers["location"] == f"/v1/jobs/{job['id']}"
    assert answer.headers["retry-after"] == "1"
    assert job["document"]["filename"] == "a b.pdf"
    assert job["document"]["sha256"] == hashlib.sha256(letter()).hexdigest()
    assert job["document"]["media_type"] == "application/pdf"
    assert job["options"]["formats"] == ["json", "markdown"]
    assert (job["options"]["pages"], job["priority"], job["metadata"]) == ("1-3,7", -3, {"a": "b"})
    assert idle.http.get(answer.headers["location"]).json()["document"] == job["document"]


def test_a_document_is_taken_as_a_raw_body(idle: Served) -> None:
    for headers in (PDF, {"content-type": "application/octet-stream"}, {}):
        query = "filename=r.pdf&formats=text&formats=html&expires_in=60&keep_running_headers=true"
        answer = idle.http.post(f"/v1/jobs?{query}", content=letter(), headers=headers)
        job = answer.json()
        assert (answer.status_code, job["document"]["filename"]) == (202, "r.pdf")
        assert job["options"]["formats"] == ["text", "html"]
        assert job["options"]["keep_running_headers"] is True


def test_what_arrives_is_what_is_stored(idle: Served) -> None:
    document = sized(200_000)
    before = idle.files()
    form(idle, ("file", ("a.pdf", document)), ("priority", (None, "1")))
    (file,) = idle.files() - before
    assert file.read_bytes() == document


def test_a_form_without_a_file_is_refused(idle: Served) -> None:
    problem(multipart(idle, part("pages", b"1") + END), 422, "file_missing")
    problem(multipart(idle, END), 422, "file_missing")
    problem(multipart(idle, b""), 422, "file_missing")
    problem(idle.http.post("/v1/jobs"), 422, "file_missing")


def test_two_files_are_refused(idle: Served) -> None:
    problem(form(idle, ("file", ("a.pdf", letter())), ("file", ("b.pdf", letter()))), 422, "too_many_files")
    problem(form(idle, ("file", ("a.pdf", letter())), ("other", ("b.pdf", letter()))), 422, "too_many_files")


def test_a_file_in_another_part_is_pointed_at(idle: Served) -> None:
    told = problem(form(idle, ("a/document", ("a.pdf", letter()))), 422, "validation_error")
    assert told["errors"][0]["pointer"] == "/a~1document"  # type: ignore[index]


def test_an_empty_file_is_refused(idle: Served) -> None:
    problem(form(idle, ("file", ("a.pdf", b""))), 422, "file_empty")
    problem(idle.http.post("/v1/jobs", content=b"", headers=PDF), 422, "file_empty")


def test_a_file_of_exactly_the_limit_is_taken_and_one_byte_more_is_not(idle: Served) -> None:
    for document, status in ((sized(MAX_BYTES), 202), (sized(MAX_BYTES + 1), 413)):
        for answer in (
            idle.http.post("/v1/jobs", content=document, headers=PDF),
            idle.http.post("/v1/jobs", content=iter([document[:1000], document[1000:]]), headers=PDF),
            form(idle, ("file", ("a.pdf", document))),
        ):
            assert answer.status_code == status
            if status == 413:
                assert problem(answer, 413, "file_too_large")["max_bytes"] == MAX_BYTES


def test_an_endless_upload_is_refused_at_the_byte(idle: Served) -> None:
    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        while True:
            sent += 1
            yield sized(20_000)

    problem(idle.http.post("/v1/jobs", content=endless(), headers=PDF), 413, "file_too_large")
    assert sent < 5_000


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("../../etc/passwd", "passwd"),
        ("..\\..\\x.pdf", "x.pdf"),
        ("/abs/olute.pdf", "olute.pdf"),
        ("C:\\Users\\me\\r.pdf", "r.pdf"),
        ("a\x00b\r\nSet-Cookie: c.pdf", "abSet-Cookie: c.pdf"),
        ("\x1b[31mred\u202efdp.exe", "[31mredfdp.exe"),
        ("x" * 10_000 + ".pdf", "x" * 251 + ".pdf"),
        ("", "document.pdf"),
        ("...", "document.pdf"),
        (" ", "document.pdf"),
        ("\u200b\u202e", "document.pdf"),
        ("CON", "document.pdf"),
        ("nul.pdf", "document.pdf"),
        ("📄 Übersicht.pdf", "📄 Übersicht.pdf"),
        ("U\u0308bersicht.pdf", "Übersicht.pdf"),
        ('quo"te;.pdf', 'quo"te;.pdf'),
    ],
)
def test_a_file_name_is_made_harmless(idle: Served, sent: str, shown: str) -> None:
    # The longest would not fit into an address.
    if len(sent) < 3_000:
        answer = idle.http.post("/v1/jobs", params={"filename": sent}, content=letter(), headers=PDF)
        assert (answer.status_code, answer.json()["document"]["filename"]) == (202, shown)
    answer = multipart(idle, part("filename", sent.encode()) + part("file", letter()) + END)
    assert (answer.status_code, answer.json()["document"]["filename"]) == (202, shown)


def test_a_file_name_in_a_part_is_made_harmless(idle: Served) -> None:
    long = "x" * 10_000
    body = part("file", letter(), f'; filename="../../\x1bpässwd{long}.pdf"') + END
    assert multipart(idle, body).json()["document"]["filename"].startswith("pässwdxxx")


@pytest.mark.parametrize(
    "content_type",
    ["multipart/form-data", "multipart/form-data; boundary=", f"multipart/form-data; boundary={'x' * 100}"],
)
def test_a_form_without_a_proper_boundary_is_refused(idle: Served, content_type: str) -> None:
    answer = idle.http.post("/v1/jobs", content=b"--x--", headers={"content-type": content_type})
    problem(answer, 400, "invalid_multipart")


@pytest.mark.parametrize(
    "body",
    [
        b"no boundary at all",
        b"--cut\r\n",
        part("file", letter()),
        b"--cut\r\nno colon\r\n\r\nx\r\n" + END,
        b"--cut\r\nContent-Disposition: form-data\r\n\r\nx\r\n" + END,
        b"--cut\r\nX: y\r\n\r\nx\r\n" + END,
        b"".join(part("pages", b"") for _ in range(100)) + END,
        b"--cut\r\n" + b"X: y\r\n" * 1000,
        b"--cut\r\nX: " + b"y" * 100_000,
    ],
)
def test_a_broken_form_is_refused(idle: Served, body: bytes) -> None:
    problem(multipart(idle, body), 400, "invalid_multipart")


@pytest.mark.parametrize(
    "body",
    [
        b"x" * 50_000_000,
        b"\r\n" * 25_000_000,
        b"--cut\r\n" + b"X: y\r\n" * 1_000_000,
        part("file", letter()) + END + b"x" * 50_000_000,
    ],
    ids=["preamble", "newlines", "headers", "epilogue"],
)
def test_a_form_that_is_all_wrapping_is_refused_quickly(idle: Served, body: bytes) -> None:
    answers: list[httpx.Response] = []
    assert can_take_less_than(2, lambda: cpu_seconds_of(lambda: answers.append(multipart(idle, body))))
    assert {answer.status_code for answer in answers} <= {400, 413}


def test_a_boundary_of_a_hundred_kilobytes_is_refused(idle: Served) -> None:
    head = b"POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\nContent-Type: multipart/form-data; boundary="
    assert status_of(talk(idle.port, head + b"x" * 100_000 + b"\r\n\r\n--x--\r\n\r\n")) == 431


def test_a_digest_is_checked(idle: Served) -> None:
    good = f"sha-256=:{base64.b64encode(hashlib.sha256(letter()).digest()).decode()}:"
    bad = f"sha-256=:{base64.b64encode(hashlib.sha256(b'').digest()).decode()}:"
    right, wrong = (
        (good, f"md5=:AAAA:, {good}", "md5=:AAAA:"),
        (bad, "sha-256=:?:", "sha-256=0f0f", "sha-256="),
    )
    for digest, status in [*((one, 202) for one in right), *((one, 400) for one in wrong)]:
        raw = idle.http.post("/v1/jobs", content=letter(), headers={**PDF, "content-digest": digest})
        assert raw.status_code == status, digest
        in_form = form(idle, ("file", ("a.pdf", letter())), **{"content-digest": digest})
        assert in_form.status_code == status, digest
    answer = idle.http.post("/v1/jobs", content=letter(), headers={**PDF, "content-digest": bad})
    problem(answer, 400, "digest_mismatch")


def test_the_digest_of_a_form_may_be_that_of_the_whole_body(idle: Served) -> None:
    request = idle.http.build_request("POST", "/v1/jobs", files={"file": ("a.pdf", letter())})
    digest = base64.b64encode(hashlib.sha256(request.read()).digest()).decode()
    request.headers["content-digest"] = f"sha-256=:{digest}:"
    assert idle.http.send(request).status_code == 202


@pytest.mark.parametrize(
    ("content", "detected"),
    [
        (b"\0asm\x01\0\0\0" + b"\0" * 2000, None),
        (b"\x7fELF\x02\x01\x01" + b"\0" * 2000, None),
        (b"MZ\x90\0" + b"\0" * 2000, None),
        (b"PK\x03\x04" + b"\0" * 2000, "application/zip"),
        (bytes(range(256)) * 40, None),
        (b"\0", None),
    ],
    ids=["wasm", "elf", "exe", "zip", "random", "one byte"],
)
def test_the_bytes_decide_what_a_document_is(idle: Served, content: bytes, detected: str | None) -> None:
    for answer in (
        idle.http.post("/v1/jobs?filename=a.pdf", content=content, headers=PDF),
        form(idle, ("file", ("a.pdf", content, "application/pdf"))),
    ):
        told = problem(answer, 415, "unsupported_file_type")
        assert told["detected"]
        assert detected is None or told["detected"] == detected


def test_a_wrong_type_is_refused_before_all_of_it_has_arrived(idle: Served) -> None:
    head = b"POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 200000\r\n\r\n"
    assert status_of(talk(idle.port, head + b"\0" * 10_000)) == 415


@pytest.mark.parametrize("content_type", ["text/x-python", "application/x-www-form-urlencoded", "x"])
def test_a_declared_type_that_is_no_document_is_refused(idle: Served, content_type: str) -> None:
    answer = idle.http.post("/v1/jobs", content=letter(), headers={"content-type": content_type})
    assert "application/pdf" in problem(answer, 415, "unsupported_media_type")["accepted"]  # type: ignore[operator]


def test_a_compressed_body_is_refused(idle: Served) -> None:
    answer = idle.http.post("/v1/jobs", content=letter(), headers={**PDF, "content-encoding": "gzip"})
    problem(answer, 415, "unsupported_media_type")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("pages", "5-2"),
        ("pages", "0"),
        ("pages", "1-9999999999"),
        ("pages", "1,,2"),
        ("pages", "one"),
        ("pages", ",".join(["1"] * 257)),
        ("pages", "1" + " " * 1_000),
        ("formats", "odt"),
        ("formats", "markdown,"),
        ("providers", "nobody"),
        ("priority", "11"),
        ("priority", "1e2"),
        ("priority", "99999999999999999999"),
        ("expires_in", "0"),
        ("expires_in", "-5"),
        ("expires_in", "nan"),
        ("expires_in", "1e400"),
        ("reuse", "perhaps"),
        ("typography", "latin"),
        ("keep_running_headers", "2"),
        ("metadata", "{"),
        ("metadata", "[]"),
        ("metadata", '{"a": 1}'),
        ("metadata", "[" * 10_000),
        ("password", "x" * 1_025),
        ("callbak_url", "x"),
    ],
)
def test_an_option_that_is_wrong_is_pointed_at(idle: Served, name: str, value: str) -> None:
    answers = [multipart(idle, part("file", letter()) + part(name, value.encode()) + END)]
    if len(value) < 5_000:
        answers.append(idle.http.post("/v1/jobs", params={name: value}, content=letter(), headers=PDF))
    for answer in answers:
        told = problem(answer, 422, "validation_error")
        assert [fault["pointer"] for fault in told["errors"]] == [f"/{name}"]  # type: ignore[attr-defined]


def test_every_wrong_option_is_told_at_once(idle: Served) -> None:
    answer = idle.http.post(
        "/v1/jobs?pages=0&priority=x&foo=1&reuse=true&reuse=false", content=letter(), headers=PDF
    )
    pointers = {fault["pointer"] for fault in answer.json()["errors"]}
    assert pointers == {"/pages", "/priority", "/foo", "/reuse"}


def test_options_that_are_left_empty_ask_for_nothing(idle: Served) -> None:
    body = part("file", letter()) + part("pages", b"") + part("password", b"") + part("metadata", b"") + END
    job = multipart(idle, body).json()
    assert (job["options"]["pages"], job["metadata"]) == (None, {})


def test_too_much_metadata_is_refused(idle: Served) -> None:
    many = "{" + ",".join(f'"{number}": ""' for number in range(1_000)) + "}"
    large = '{"a": "' + "x" * 1_000_000 + '"}'
    for text in (many, large[:60_000] + '"}', large):
        answer = multipart(idle, part("metadata", text.encode()) + part("file", letter()) + END)
        problem(answer, 422, "metadata_too_large")


def test_a_field_that_is_no_text_or_far_too_long_is_refused(idle: Served) -> None:
    problem(multipart(idle, part("pages", b"\xff") + part("file", letter()) + END), 422, "validation_error")
    problem(
        multipart(idle, part("pages", b"1" * 70_000) + part("file", letter()) + END), 422, "validation_error"
    )


def test_a_password_is_shown_nowhere(idle: Served) -> None:
    job = idle.submit(letter(), password="open sesame")
    shown = (
        idle.http.get(f"/v1/jobs/{job['id']}").text + idle.http.get("/v1/events", params={"limit": 1000}).text
    )
    assert "sesame" not in shown


@pytest.mark.parametrize("key", ["", "x" * 256, "ключ", "a\tb"])
def test_an_idempotency_key_that_is_none_is_refused(idle: Served, key: str) -> None:
    headers = [("idempotency-key", key.encode()), ("content-type", b"application/pdf")]
    answer = idle.http.post("/v1/jobs", content=letter(), headers=headers)  # type: ignore[arg-type]
    problem(answer, 400, "idempotency_key_invalid")


def test_the_same_request_with_the_same_key_makes_one_job(idle: Served) -> None:
    headers = {**PDF, "idempotency-key": "same"}
    first = idle.http.post("/v1/jobs?filename=a.pdf", content=letter(), headers=headers)
    again = idle.http.post("/v1/jobs?filename=a.pdf", content=letter(), headers=headers)
    assert (again.status_code, again.content) == (first.status_code, first.content)
    assert again.headers["location"] == first.headers["location"]
    assert again.headers["idempotent-replayed"] == "true"
    assert "idempotent-replayed" not in first.headers


def test_another_request_with_the_same_key_is_refused(idle: Served) -> None:
    headers = {**PDF, "idempotency-key": "other"}
    idle.http.post("/v1/jobs", content=letter(), headers=headers)
    problem(
        idle.http.post("/v1/jobs", content=letter("Hello,"), headers=headers), 422, "idempotency_key_reused"
    )
    other = idle.http.post("/v1/jobs?pages=1", content=letter(), headers=headers)
    problem(other, 422, "idempotency_key_reused")


def test_every_refusal_is_in_the_log(idle: Served) -> None:
    form(idle, ("file", ("../evil\x1b.pdf", b"\x7fELF" + bytes(5_000))))
    told = {"code": "unsupported_file_type", "filename": "evil.pdf", "size_bytes": 5_004, "path": "/v1/jobs"}
    # Those of other tests may still be on their way as well.
    wait_for(
        lambda: [refusal for refusal in idle.refusals() if refusal.get("filename") == "evil.pdf"] == [told]
    )
