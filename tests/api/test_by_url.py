"""Documents that are named by their URL: fetched once, after the answer, and never from where they must not come."""

import io
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pagemill.db import jobs
from pagemill.entrypoints.api.upload.json_options import JsonSubmission, RequestedOptions
from pagemill.entrypoints.api.upload.options import OPTION_NAMES
from tests.http_receivers import Answered, HttpReceiver, Received, receiving_http
from tests.mills import small_settings
from tests.samples import letter
from tests.servers import Served, served
from tests.waiting import wait_for
from tests.walking import files_below

LOCAL = "127.0.0.0/8"
MAX_BYTES = 300_000
TOKEN = "Bearer of-the-archive-7391"
PATIENCE_SECONDS = 60
AS_JSON = {"accept": "application/json"}


def endless() -> Iterator[bytes]:
    """A body that never ends."""
    yield b"%PDF-1.7\n"
    while True:
        yield b"x" * 65_536


def dawdling() -> Iterator[bytes]:
    """A body that comes a byte at a time."""
    yield b"%PDF-1.7\n"
    for _ in range(600):
        time.sleep(0.1)
        yield b"x"


def packed_letters() -> bytes:
    """A ZIP archive of two documents."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in ("ada", "bob"):
            archive.writestr(f"{name}.pdf", letter(f"Dear {name},"))
    return packed.getvalue()


def answer(received: Received) -> Answered:
    """What the archive has under each path."""
    path = received.path.partition("?")[0]
    count = sum(one.path == received.path for one in archive_requests)
    archive_requests.append(received)
    match path.split("/")[1:]:
        case ["letters", name]:
            return Answered(body=letter(f"Dear {name},"))
        case ["download"]:
            shown = "attachment; filename*=UTF-8''r%C3%A9sum%C3%A9.pdf"
            return Answered(headers={"content-disposition": shown}, body=letter("Dear download,"))
        case ["private", name]:
            allowed = received.headers.get("authorization") == TOKEN
            return Answered(body=letter(f"Dear {name},")) if allowed else Answered(401)
        case ["moved", name]:
            return Answered(302, {"location": f"/letters/{name}"})
        case ["elsewhere"]:
            return Answered(
                302, {"location": f"http://localhost:{received.headers['host'].rpartition(':')[2]}/private/x"}
            )
        case ["loop"]:
            return Answered(302, {"location": "/loop"})
        case ["inside"]:
            return Answered(302, {"location": "http://169.254.169.254/latest/meta-data/"})
        case ["busy"]:
            return Answered(503)
        case ["late"] if count == 0:
            return Answered(503)
        case ["late"]:
            return Answered(body=letter("Dear patience,"))
        case ["endless"]:
            return Answered(pieces=endless)
        case ["dawdling"]:
            return Answered(pieces=dawdling)
        case ["packed"]:
            return Answered(body=packed_letters())
        case ["program"]:
            return Answered(body=b"\x7fELF\x02\x01\x01" + bytes(64))
        case ["empty"]:
            return Answered()
    return Answered(404)


archive_requests: list[Received] = []


@pytest.fixture(scope="module")
def archive() -> Iterator[HttpReceiver]:
    """A server that has documents."""
    with receiving_http(answer) as receiver:
        yield receiver


@pytest.fixture(scope="module")
def fetching(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that may fetch from this machine."""
    limits = {
        "outbound_allow": LOCAL,
        "max_file_bytes": MAX_BYTES,
        "fetch_timeout_seconds": 1.5,
        "fetch_redirects": 3,
        "retry_base_seconds": 0.01,
        "slots": 1,
    }
    with served(small_settings(tmp_path_factory.mktemp("fetching"), **limits)) as server:
        yield server


def submit(server: Served, url: str, **asked: object) -> dict[str, Any]:
    """Name a document by its URL and return its job."""
    response = server.http.post("/v1/jobs", json={"url": url, **asked})
    assert response.status_code == 202, response.text
    job: dict[str, Any] = response.json()
    return job


def requests_for(path: str) -> list[Received]:
    """The requests for a path that reached the archive."""
    return [one for one in archive_requests if one.path.partition("?")[0] == path]


def test_a_document_is_fetched_after_the_answer_and_only_once(
    fetching: Served, archive: HttpReceiver
) -> None:
    job = submit(fetching, f"{archive.url}/letters/anna.pdf?signature=secret", formats=["markdown"])
    assert (job["stage"], job["lane"]) == ("fetch", "fetch")
    assert job["status"] in ("pending", "processing")
    assert job["document"]["source_url"] == f"{archive.url}/letters/anna.pdf"
    done = fetching.ended(job["id"])
    assert (done["status"], done["document"]["filename"]) == ("completed", "anna.pdf")
    assert done["document"]["size_bytes"]
    assert len(done["document"]["sha256"]) == 64
    assert done["seconds"]["fetch"] > 0
    assert "Dear anna.pdf," in fetching.http.get(f"/v1/jobs/{job['id']}/markdown").text
    events = [
        one["type"]
        for one in fetching.http.get(f"/v1/jobs/{job['id']}/events", headers=AS_JSON).json()["events"]
    ]
    assert events[:3] == ["job.accepted", "job.started", "job.fetched"]
    [request] = requests_for("/letters/anna.pdf")
    assert request.path.endswith("?signature=secret")


def test_the_server_of_a_document_may_name_it_but_the_caller_comes_first(
    fetching: Served, archive: HttpReceiver
) -> None:
    named = submit(fetching, f"{archive.url}/download")
    own = submit(fetching, f"{archive.url}/download", filename="mine.pdf")
    assert fetching.ended(named["id"])["document"]["filename"] == "résumé.pdf"
    assert fetching.ended(own["id"])["document"]["filename"] == "mine.pdf"


def test_headers_reach_the_server_are_kept_encrypted_and_are_erased(
    fetching: Served, archive: HttpReceiver
) -> None:
    job = submit(fetching, f"{archive.url}/private/ledger.pdf", headers={"Authorization": TOKEN}, reuse=False)
    assert fetching.ended(job["id"])["status"] == "completed"
    [request] = requests_for("/private/ledger.pdf")
    assert (request.headers["authorization"], request.headers["user-agent"]) == (TOKEN, "pagemill")
    stored = b"".join(path.read_bytes() for path in files_below(fetching.mill.settings.data_dir))
    assert TOKEN.encode() not in stored
    left = fetching.mill.db.read(lambda conn: jobs.source_of(conn, "default", job["id"]))
    assert left == (None, None)


def test_headers_are_not_sent_to_another_server(fetching: Served, archive: HttpReceiver) -> None:
    job = submit(fetching, f"{archive.url}/elsewhere", headers={"Authorization": TOKEN})
    done = fetching.ended(job["id"])
    assert done["error"]["code"] == "fetch_failed"
    assert "headers" in done["error"]["message"]
    assert ["authorization" in one.headers for one in requests_for("/private/x")] == [False]


def test_redirects_are_followed(fetching: Served, archive: HttpReceiver) -> None:
    job = submit(fetching, f"{archive.url}/moved/berta.pdf")
    done = fetching.ended(job["id"])
    assert (done["status"], done["document"]["filename"]) == ("completed", "berta.pdf")


@pytest.mark.parametrize(
    ("path", "code", "times"),
    [
        ("/nothing", "fetch_failed", 1),
        ("/busy", "fetch_failed", 3),
        ("/dawdling", "fetch_timeout", 3),
        ("/endless", "file_too_large", 1),
        ("/loop", "too_many_redirects", 4),
        ("/inside", "url_forbidden_address", 1),
        ("/program", "unsupported_file_type", 1),
        ("/empty", "file_empty", 1),
    ],
)
def test_what_can_t_be_had_fails_with_its_code_and_leaves_nothing(
    fetching: Served, archive: HttpReceiver, path: str, code: str, times: int
) -> None:
    before = fetching.files()
    done = fetching.ended(submit(fetching, f"{archive.url}{path}")["id"])
    assert (done["status"], done["error"]["code"], done["error"]["stage"]) == ("failed", code, "fetch")
    assert len(requests_for(path)) == times
    assert fetching.files() <= before


def test_a_server_that_is_busy_at_first_is_asked_again(fetching: Served, archive: HttpReceiver) -> None:
    done = fetching.ended(submit(fetching, f"{archive.url}/late")["id"])
    assert (done["status"], done["counters"]["errors"]) == ("completed", 1)


def test_a_name_of_an_internal_address_fails_the_job_and_reaches_nobody(busy: Served) -> None:
    with receiving_http(host="0.0.0.0") as listener:
        for host in ("localhost", "LOCALHOST", "localhost."):
            done = busy.ended(submit(busy, f"http://{host}:{listener.port}/")["id"])
            assert done["error"]["code"] == "url_forbidden_address"
        assert not listener.requests


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("file:///etc/passwd", "url_scheme_not_allowed"),
        ("gopher://example.com/", "url_scheme_not_allowed"),
        ("ftp://example.com/a.pdf", "url_scheme_not_allowed"),
        ("", "url_scheme_not_allowed"),
        ("http://", "url_invalid"),
        ("http://user:word@example.com/", "url_invalid"),
        ("http://example.com/\r\nX-Injected: 1", "url_invalid"),
        ("http://127.0.0.1/", "url_forbidden_address"),
        ("http://[::1]/", "url_forbidden_address"),
        ("http://0/", "url_forbidden_address"),
        ("http://2130706433/", "url_forbidden_address"),
        ("http://0x7f.1/", "url_forbidden_address"),
        ("http://[::ffff:169.254.169.254]/", "url_forbidden_address"),
        ("http://100.64.0.1/", "url_forbidden_address"),
        ("http://metadata.google.internal/", "url_forbidden_address"),
    ],
)
def test_a_url_whose_spelling_is_enough_is_refused_at_once(idle: Served, url: str, code: str) -> None:
    before = idle.jobs()
    response = idle.http.post("/v1/jobs", json={"url": url})
    assert (response.status_code, response.json()["code"]) == (422, code)
    assert idle.jobs() == before
    wait_for(lambda: code in {one["code"] for one in idle.refusals()})


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/url"),
        ({"url": 7}, "/url"),
        ({"url": "https://example.com/", "callbak_url": "x"}, "/callbak_url"),
        ({"url": "https://example.com/", "pages": "5-2"}, "/pages"),
        ({"url": "https://example.com/", "formats": ["word"]}, "/formats"),
        ({"url": "https://example.com/", "headers": {"Host": "inside"}}, "/headers/Host"),
        ({"url": "https://example.com/", "headers": {"X": "a\r\nY: b"}}, "/headers/X"),
        ({"url": "https://example.com/", "headers": {f"X-{n}": "a" for n in range(21)}}, "/headers"),
    ],
)
def test_a_body_that_is_wrong_points_at_what_is(idle: Served, body: dict[str, object], pointer: str) -> None:
    response = idle.http.post("/v1/jobs", json=body)
    assert (response.status_code, response.json()["code"]) == (422, "validation_error")
    assert pointer in [fault["pointer"] for fault in response.json()["errors"]]


def test_a_document_that_is_declared_as_json_is_taken_for_a_request_and_refused(idle: Served) -> None:
    answer = idle.http.post("/v1/jobs", content=letter(), headers={"content-type": "application/json"})
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_encoding")


def test_every_option_of_a_form_can_be_given_as_json() -> None:
    assert {*RequestedOptions.model_fields, "upload_id"} == OPTION_NAMES
    assert set(JsonSubmission.model_fields) == {*RequestedOptions.model_fields, "url", "headers"}


def test_a_repeated_request_finds_the_job_of_the_first(idle: Served) -> None:
    headers = {"idempotency-key": "by-url-1"}
    first = idle.http.post("/v1/jobs", json={"url": "https://example.com/a.pdf"}, headers=headers)
    again = idle.http.post("/v1/jobs", json={"url": "https://example.com/a.pdf"}, headers=headers)
    other = idle.http.post("/v1/jobs", json={"url": "https://example.com/b.pdf"}, headers=headers)
    assert (again.status_code, again.json()["id"]) == (202, first.json()["id"])
    assert again.headers["idempotent-replayed"] == "true"
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")


def test_the_result_of_the_same_bytes_is_used_again(fetching: Served, archive: HttpReceiver) -> None:
    first = fetching.ended(submit(fetching, f"{archive.url}/letters/clara.pdf")["id"])
    second = fetching.ended(submit(fetching, f"{archive.url}/letters/clara.pdf")["id"])
    third = fetching.ended(submit(fetching, f"{archive.url}/letters/clara.pdf", reuse=False)["id"])
    assert [job["reused"] for job in (first, second, third)] == [False, True, False]
    assert fetching.http.get(f"/v1/jobs/{second['id']}/markdown").text.strip()


def test_a_failed_fetch_can_be_retried(fetching: Served, archive: HttpReceiver) -> None:
    job = fetching.ended(submit(fetching, f"{archive.url}/nothing?again")["id"])
    again = fetching.http.post(f"/v1/jobs/{job['id']}/retry").json()
    assert (again["stage"], again["run"]) == ("fetch", 2)
    assert again["status"] in ("pending", "processing")
    assert fetching.ended(job["id"])["error"]["code"] == "fetch_failed"


def test_a_cancelled_fetch_is_given_up(fetching: Served, archive: HttpReceiver) -> None:
    before = len(requests_for("/dawdling"))
    job = submit(fetching, f"{archive.url}/dawdling?cancelled")
    wait_for(lambda: len(requests_for("/dawdling")) > before)
    assert fetching.http.post(f"/v1/jobs/{job['id']}/cancel").status_code == 202
    assert fetching.ended(job["id"])["status"] == "cancelled"
    wait_for(lambda: not fetching.mill.engines.stops)
    assert len(requests_for("/dawdling")) == before + 1


def test_an_archive_is_fetched_and_its_documents_are_read(fetching: Served, archive: HttpReceiver) -> None:
    job = submit(fetching, f"{archive.url}/packed")
    wait_for(lambda: fetching.http.get(f"/v1/jobs/{job['id']}").json()["status"] == "completed")
    shown = fetching.http.get(f"/v1/jobs/{job['id']}").json()
    assert shown["options"]["embedded_files"] == "process"

    def children() -> list[tuple[str, str]]:
        found = fetching.http.get(f"/v1/jobs/{job['id']}/children").json()["children"]
        return [(one["name"], one["status"]) for one in found]

    wait_for(lambda: children() == [("ada.pdf", "completed"), ("bob.pdf", "completed")])


def test_a_fetched_document_counts_towards_the_space_of_its_tenant(tmp_path: Path) -> None:
    """Its size is not known when its job is made, so that is looked at when it is here."""
    bodies = [letter(f"Dear guest {number},") for number in (1, 2)]
    most = len(bodies[0]) + len(bodies[1]) - 1
    settings = small_settings(
        tmp_path, slots=1, kept_slots=0, fetch_slots=1, outbound_allow=LOCAL, max_tenant_bytes=most
    )
    with (
        receiving_http(lambda got: Answered(body=bodies[int(got.path[-1]) - 1])) as source,
        served(settings) as full,
    ):
        first = full.http.post("/v1/jobs", json={"url": f"{source.url}/1"}).json()["id"]
        wait_for(lambda: full.http.get(f"/v1/jobs/{first}").json()["status"] == "completed", PATIENCE_SECONDS)
        second = full.http.post("/v1/jobs", json={"url": f"{source.url}/2"}).json()["id"]
        wait_for(lambda: full.http.get(f"/v1/jobs/{second}").json()["status"] == "failed", PATIENCE_SECONDS)
        error = full.http.get(f"/v1/jobs/{second}").json()["error"]
        assert (error["code"], error["retryable"]) == ("quota_exceeded", True)
        assert len(source.requests) == 2, "a full space is no reason to fetch it again"
        documents = list((tmp_path / "blobs" / "documents").rglob("*.pdf"))
        assert [path.stat().st_size for path in documents] == [len(bodies[0])]
        assert full.http.delete(f"/v1/jobs/{first}").status_code == 204
        assert full.http.post(f"/v1/jobs/{second}/retry", json={}).status_code == 202
        wait_for(
            lambda: full.http.get(f"/v1/jobs/{second}").json()["status"] == "completed", PATIENCE_SECONDS
        )
