"""What was made of a document: pages, artifacts and images."""

import asyncio
import hashlib
from typing import Any

import httpx
import pytest
from starlette.types import Message

from pagemill.adapters.blobs.base import TROUBLES
from pagemill.desk.contents import artifact
from pagemill.entrypoints.api.artifacts.files import PIECE_BYTES, BlobFile, ByteRange, FileResponse
from pagemill.entrypoints.wire.responses import HEAD_ONLY
from pagemill.mill import DEFAULT_TENANT
from tests.api.test_http import problem
from tests.samples import letter, report, trial_pages
from tests.servers import Served
from tests.waiting import wait_for

TYPES = {
    "markdown": "text/markdown; charset=utf-8",
    "text": "text/plain; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "result": "application/json",
}


@pytest.fixture(scope="module")
def done(busy: Served) -> dict[str, Any]:
    """A finished job of a few pages."""
    return busy.finished(report(5), filename="Jahres\u00adbericht “2026”.pdf")


def get(server: Served, job: dict[str, Any], path: str, **headers: str) -> httpx.Response:
    """Get something that belongs to a job."""
    return server.http.get(f"/v1/jobs/{job['id']}/{path}", headers=headers)


@pytest.mark.parametrize("name", list(TYPES))
def test_an_artifact_is_served_whole(busy: Served, done: dict[str, Any], name: str) -> None:
    answer = get(busy, done, name)
    assert (answer.status_code, answer.headers["content-type"]) == (200, TYPES[name])
    assert answer.headers["etag"] == f'"{hashlib.sha256(answer.content).hexdigest()}"'
    assert int(answer.headers["content-length"]) == len(answer.content)
    assert answer.headers["content-disposition"].startswith('inline; filename="Jahresbericht _2026_.')
    assert "filename*=UTF-8''Jahresbericht%20%E2%80%9C2026%E2%80%9D." in answer.headers["content-disposition"]
    head = busy.http.head(f"/v1/jobs/{done['id']}/{name}")
    assert (head.content, head.headers["content-length"]) == (b"", answer.headers["content-length"])


def test_of_a_file_whose_head_is_asked_for_no_more_is_read(busy: Served) -> None:
    writer = busy.mill.blobs.writer("documents/00/large")
    writer.write(bytes(3 * PIECE_BYTES))
    writer.commit()
    sent: list[str] = []

    async def send(message: Message) -> None:
        sent.append(message["type"])

    async def receive() -> Message:
        raise AssertionError("nobody asks for the body of a request")

    file = BlobFile("documents/00/large", 3 * PIECE_BYTES, "tag", "text/plain", "large.txt")
    answer = FileResponse(busy.mill.blobs, file, ByteRange(0, 3 * PIECE_BYTES - 1), 200, {})
    asyncio.run(answer({HEAD_ONLY: True}, receive, send))
    assert sent == ["http.response.start"]
    busy.mill.blobs.remove("documents/00/large")


def test_a_large_file_with_a_wrong_byte_is_cut_before_its_end(busy: Served) -> None:
    stored = bytes(2 * PIECE_BYTES)
    writer = busy.mill.blobs.writer("documents/00/damaged")
    writer.write(stored[:-1] + b"x")
    writer.commit()
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        raise AssertionError("nobody asks for the body of a request")

    sha256 = hashlib.sha256(stored).hexdigest()
    file = BlobFile("documents/00/damaged", len(stored), "tag", "text/plain", "damaged.txt", sha256=sha256)
    answer = FileResponse(busy.mill.blobs, file, ByteRange(0, len(stored) - 1), 200, {})
    before = TROUBLES["WrongBytes"]
    asyncio.run(answer({}, receive, send))
    assert [len(one.get("body", b"")) for one in sent] == [0, PIECE_BYTES, 0]
    assert TROUBLES["WrongBytes"] == before + 1
    busy.mill.blobs.remove("documents/00/damaged")


def test_a_small_file_with_a_wrong_byte_is_not_sent(busy: Served) -> None:
    job = busy.finished(letter("Dear damage,"))
    assert get(busy, job, "markdown").headers["repr-digest"].startswith("sha-256=:")
    with busy.mill.blobs.local(artifact(busy.mill, DEFAULT_TENANT, job["id"], "markdown").key) as path:
        whole = path.read_bytes()
        path.write_bytes(b"?" + whole[1:])
        problem(get(busy, job, "markdown"), 410, "stored_file_missing")
        part = get(busy, job, "markdown", range="bytes=1-4")
        assert (part.status_code, part.content) == (206, whole[1:5])
        path.write_bytes(whole)
    assert get(busy, job, "markdown").content == whole


def test_a_document_whose_result_was_found_damaged_is_read_again(busy: Served) -> None:
    job = busy.finished(letter("Dear twice,"))
    assert busy.finished(letter("Dear twice,"))["reused"]
    with busy.mill.blobs.local(artifact(busy.mill, DEFAULT_TENANT, job["id"], "markdown").key) as path:
        path.write_bytes(b"?" + path.read_bytes()[1:])
    problem(get(busy, job, "markdown"), 410, "stored_file_missing")
    again = busy.finished(letter("Dear twice,"))
    assert (again["reused"], b"Dear twice," in get(busy, again, "markdown").content) == (False, True)


def test_html_is_served_so_that_nothing_in_it_can_run(busy: Served, done: dict[str, Any]) -> None:
    policy = get(busy, done, "html").headers["content-security-policy"]
    assert policy == "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def test_an_artifact_that_is_known_is_not_sent_again(busy: Served, done: dict[str, Any]) -> None:
    tag = get(busy, done, "markdown").headers["etag"]
    again = get(busy, done, "markdown", **{"if-none-match": tag})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    assert get(busy, done, "markdown", **{"if-none-match": "garbage"}).status_code == 200


@pytest.mark.parametrize(
    ("asked", "part"),
    [
        ("bytes=0-9", slice(0, 10)),
        ("bytes=5-", slice(5, None)),
        ("bytes=-7", slice(-7, None)),
        ("bytes=3-99999999", slice(3, None)),
    ],
)
def test_a_part_of_an_artifact_is_served(busy: Served, done: dict[str, Any], asked: str, part: slice) -> None:
    whole = get(busy, done, "result").content
    answer = get(busy, done, "result", range=asked)
    assert (answer.status_code, answer.content) == (206, whole[part])
    start, stop, _ = part.indices(len(whole))
    assert answer.headers["content-range"] == f"bytes {start}-{stop - 1}/{len(whole)}"


@pytest.mark.parametrize("asked", ["bytes=99999999-", "bytes=-0"])
def test_a_range_past_the_end_is_refused(busy: Served, done: dict[str, Any], asked: str) -> None:
    size = len(get(busy, done, "markdown").content)
    answer = get(busy, done, "markdown", range=asked)
    problem(answer, 416, "range_not_satisfiable")
    assert answer.headers["content-range"] == f"bytes */{size}"


@pytest.mark.parametrize("asked", ["garbage", "bytes=", "bytes=5-2", "bytes=0-1,3-4", "lines=1-2", "bytes=-"])
def test_a_range_that_is_none_is_ignored(busy: Served, done: dict[str, Any], asked: str) -> None:
    assert get(busy, done, "markdown", range=asked).status_code == 200


def test_a_range_of_another_version_is_ignored(busy: Served, done: dict[str, Any]) -> None:
    tag = get(busy, done, "markdown").headers["etag"]
    assert get(busy, done, "markdown", range="bytes=0-1", **{"if-range": tag}).status_code == 206
    assert get(busy, done, "markdown", range="bytes=0-1", **{"if-range": '"old"'}).status_code == 200


def test_the_result_of_an_unfinished_job_is_where_it_stands(idle: Served) -> None:
    job = idle.submit(letter())
    for name in TYPES:
        answer = get(idle, job, name)
        assert (answer.status_code, answer.json()["status"]) == (202, "pending")
        assert int(answer.headers["retry-after"]) >= 1
    told = problem(get(idle, job, "pages/1"), 409, "page_not_ready")
    assert told["retryable"] is True


@pytest.mark.parametrize(("name", "media_type"), [(name, TYPES[name].partition(";")[0]) for name in TYPES])
def test_an_artifact_is_not_sent_to_those_who_do_not_take_it(
    busy: Served, idle: Served, done: dict[str, Any], name: str, media_type: str
) -> None:
    waiting = idle.submit(letter())
    for accept in ("application/xml", "image/*", f"{media_type};q=0", f"*/*, {media_type};q=0"):
        for server, job in ((busy, done), (idle, waiting)):
            told = problem(get(server, job, name, accept=accept), 406, "not_acceptable")
            assert told["offered"] == [media_type]
    for accept in ("*/*", f"{media_type.partition('/')[0]}/*", media_type, "application/xml, */*;q=0.1", ""):
        assert get(busy, done, name, accept=accept).status_code == 200
        assert get(idle, waiting, name, accept=accept).status_code == 202


def test_an_image_is_not_sent_to_those_who_do_not_take_it(busy: Served, done: dict[str, Any]) -> None:
    told = problem(
        get(busy, done, "pages/1/image?dpi=20&format=webp", accept="image/png"), 406, "not_acceptable"
    )
    assert told["offered"] == ["image/webp"]
    for accept in ("image/webp", "image/*", "*/*"):
        assert get(busy, done, "pages/1/image?dpi=20&format=webp", accept=accept).status_code == 200


def test_a_format_that_was_not_asked_for_is_not_there(busy: Served) -> None:
    job = busy.finished(letter("Dear reader of text,"), formats="text")
    told = problem(get(busy, job, "markdown"), 404, "artifact_not_made")
    assert told["made"] == ["text"]
    assert get(busy, job, "text").status_code == 200


def test_pages_are_listed_with_their_states(busy: Served, done: dict[str, Any]) -> None:
    told = get(busy, done, "pages?first=2&limit=3").json()
    assert [(page["number"], page["state"]) for page in told["pages"]] == [(n, "final") for n in (2, 3, 4)]
    assert told["total"] == 5
    problem(get(busy, done, "pages?first=0"), 422, "validation_error")


def test_a_page_is_served_alone(busy: Served, done: dict[str, Any]) -> None:
    answer = get(busy, done, "pages/3")
    assert (answer.status_code, answer.json()["number"]) == (200, 3)
    assert answer.headers["pagemill-page-state"] == "final"
    again = get(busy, done, "pages/3", **{"if-none-match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    "number",
    [
        "0",
        "6",
        "-1",
        "x",
        "1.5",
        "9" * 10,
        "9" * 30,
        "9" * 5_000,
        "0" * 11 + "1" * 14,
        "0" * 11 + "1" * 5_000,
        "٣",
    ],
)
def test_a_page_that_is_not_there_is_not_found(busy: Served, done: dict[str, Any], number: str) -> None:
    problem(get(busy, done, f"pages/{number}"), 404, "not_found")
    problem(get(busy, done, f"pages/{number}/image"), 404, "not_found")


def test_a_page_is_readable_before_the_document_is_done(server: Served) -> None:
    job = server.submit(report(400))
    wait_for(lambda: get(server, job, "pages/1").status_code == 200)
    answer = get(server, job, "pages/1")
    assert answer.json()["number"] == 1
    if answer.headers["pagemill-page-state"] == "draft":
        assert get(server, job, "pages").json()["pages"][0]["state"] == "draft" or (
            server.http.get(f"/v1/jobs/{job['id']}").json()["status"] == "completed"
        )


@pytest.mark.parametrize(
    ("form", "magic"), [("png", b"\x89PNG"), ("jpeg", b"\xff\xd8\xff"), ("webp", b"RIFF")]
)
def test_a_page_is_drawn(busy: Served, done: dict[str, Any], form: str, magic: bytes) -> None:
    answer = get(busy, done, f"pages/2/image?format={form}&dpi=40")
    assert (answer.status_code, answer.headers["content-type"]) == (200, f"image/{form}")
    assert answer.content.startswith(magic)
    assert get(busy, done, f"pages/2/image?format={form}&dpi=40").content == answer.content
    larger = get(busy, done, f"pages/2/image?format={form}&dpi=80")
    assert len(larger.content) > len(answer.content)


@pytest.mark.parametrize("query", ["dpi=0", "dpi=100000", "dpi=x", "format=gif", "format=../x"])
def test_an_image_that_is_not_offered_is_refused(busy: Served, done: dict[str, Any], query: str) -> None:
    problem(get(busy, done, f"pages/1/image?{query}"), 422, "validation_error")


def test_a_document_of_odd_text_is_served_like_any_other(busy: Served) -> None:
    job = busy.finished(trial_pages(["<script>alert(1)</script>"]))
    assert "<script>" not in get(busy, job, "html").text
