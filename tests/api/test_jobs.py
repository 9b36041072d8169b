"""Jobs over HTTP: listed, looked at, cancelled, read again and deleted."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sqlalchemy import Connection

from pagemill.db.events import LogPosition
from pagemill.desk.queries import cursor_at
from pagemill.model.ids import new_id
from tests.api.test_http import problem
from tests.mills import small_settings
from tests.samples import encrypted, letter, report
from tests.servers import Served, served, served_idle


@pytest.fixture(scope="module")
def still(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that does nothing but answer: not even sweep."""
    settings = small_settings(tmp_path_factory.mktemp("still"), sweep_seconds=600)
    with served_idle(settings) as server:
        yield server


def test_a_finished_job_tells_everything(busy: Served) -> None:
    job = busy.finished(report(3), filename="r.pdf", reuse="false")
    assert (job["status"], job["total_pages"], job["processed_pages"]) == ("completed", 3, 3)
    assert (job["failed_pages"], job["error"], job["queue_position"]) == ([], None, None)
    assert job["seconds"]["accept"] > 0
    for name, link in job["links"].items():
        if name not in ("cancel", "retry"):
            assert busy.http.get(link).status_code == 200, name


def test_the_same_document_is_answered_from_the_result_that_is_there(busy: Served) -> None:
    first = busy.finished(letter("Dear twin,"))
    again = busy.submit(letter("Dear twin,"))
    assert (first["reused"], again["reused"], again["status"]) == (False, True, "completed")
    assert busy.submit(letter("Dear twin,"), reuse="false")["reused"] is False


def test_jobs_are_listed_newest_first_page_by_page(idle: Served) -> None:
    made = [idle.submit(letter(), filename=f"listed-{number}.pdf")["id"] for number in range(5)]
    found: list[str] = []
    cursor: str | None = None
    while True:
        params = {"filename": "LISTED-", "limit": "2"} | ({"cursor": cursor} if cursor else {})
        page = idle.http.get("/v1/jobs", params=params).json()
        found += [job["id"] for job in page["jobs"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert found == made[::-1]


def note_readers(server: Served, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The names of the threads that read from the database of a server from now on."""
    names: set[str] = set()
    read = server.mill.db.read

    def noted(query: Callable[[Connection], Any]) -> Any:
        names.add(threading.current_thread().name)
        return read(query)

    monkeypatch.setattr(server.mill.db, "read", noted)
    return names


@pytest.mark.parametrize("path", ["/v1/jobs?filename=x", "/v1/events?type=job.failed", "/v1/jobs/{}/pages"])
def test_a_list_that_may_take_long_does_not_hold_up_the_event_loop(
    still: Served, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = path.format(still.submit(letter())["id"])
    names = note_readers(still, monkeypatch)
    assert still.http.get(path).status_code == 200
    assert names
    assert {name.rpartition("_")[0] for name in names} == {"pagemill-block"}


def test_pages_may_be_many_ranges(idle: Served) -> None:
    pages = ",".join(["1"] * 256)
    assert idle.submit(letter(), pages=pages)["options"]["pages"] == pages


def test_jobs_are_listed_by_status(idle: Served) -> None:
    job_id = idle.submit(letter())["id"]
    idle.http.post(f"/v1/jobs/{job_id}/cancel")
    listed = idle.http.get("/v1/jobs", params={"status": "cancelled"}).json()["jobs"]
    assert job_id in {job["id"] for job in listed}
    assert {job["status"] for job in listed} == {"cancelled"}
    problem(idle.http.get("/v1/jobs", params={"status": "asleep"}), 422, "validation_error")


@pytest.mark.parametrize("cursor", ["x", "ä", "AAAA", "%00", "Z" * 5_000])
def test_a_cursor_that_we_did_not_give_out_is_refused(idle: Served, cursor: str) -> None:
    for path in ("/v1/jobs", "/v1/events"):
        problem(idle.http.get(path, params={"cursor": cursor}), 400, "invalid_cursor")


def test_an_unknown_id_and_a_word_that_is_none_are_answered_alike(idle: Served) -> None:
    answers = [
        idle.http.request(method, f"/v1/jobs/{job_id}{path}")
        for job_id in (new_id(), "x", "..", "%2e%2e", new_id().upper(), "'--")
        for method, path in (
            ("GET", ""),
            ("DELETE", ""),
            ("GET", "/events"),
            ("GET", "/pages"),
            ("GET", "/pages/1"),
            ("GET", "/result"),
            ("GET", "/markdown"),
            ("POST", "/cancel"),
            ("POST", "/retry"),
            ("GET", "/pages/1/image"),
        )
        if not job_id.startswith(".")
    ]
    assert len({answer.content for answer in answers}) == 1
    problem(answers[0], 404, "not_found")


def test_a_job_is_cancelled_once_and_cancelling_again_is_fine(idle: Served) -> None:
    path = f"/v1/jobs/{idle.submit(letter())['id']}/cancel"
    first, again = idle.http.post(path), idle.http.post(path)
    assert (first.status_code, again.status_code) == (202, 202)
    assert first.json()["status"] == again.json()["status"] == "cancelled"


def test_a_job_that_has_ended_is_not_cancelled(busy: Served) -> None:
    job = busy.finished(letter())
    told = problem(busy.http.post(f"/v1/jobs/{job['id']}/cancel"), 409, "job_terminal")
    assert told["retryable"] is False


def test_the_result_of_a_cancelled_job_is_a_conflict(idle: Served) -> None:
    job = idle.submit(letter())
    idle.http.post(f"/v1/jobs/{job['id']}/cancel")
    problem(idle.http.get(f"/v1/jobs/{job['id']}/markdown"), 409, "job_failed")


def test_a_job_is_read_again(busy: Served) -> None:
    path = f"/v1/jobs/{busy.finished(letter('Dear again,'))['id']}"
    for run, asked in enumerate(({}, {"json": {"only": "all"}}), start=2):
        answer = busy.http.post(f"{path}/retry", **asked)  # type: ignore[arg-type]
        # A worker may be quicker than the answer.
        assert (answer.status_code, answer.json()["run"]) == (202, run)
        assert busy.http.get(path, params={"wait": 30}).json()["status"] == "completed"
    problem(busy.http.post(f"{path}/retry", json={"only": "failed"}), 409, "nothing_to_retry")


def test_a_job_that_has_not_ended_is_not_read_again(idle: Served) -> None:
    job = idle.submit(letter())
    problem(idle.http.post(f"/v1/jobs/{job['id']}/retry"), 409, "job_active")


def test_an_encrypted_document_is_read_after_its_password_is_given(busy: Served) -> None:
    job = busy.finished(encrypted("open"))
    assert (job["status"], job["error"]["code"]) == ("failed", "password_required")
    told = problem(busy.http.get(f"/v1/jobs/{job['id']}/result"), 409, "job_failed")
    assert told["error"] == job["error"]
    busy.http.post(f"/v1/jobs/{job['id']}/retry", json={"password": "open"})
    assert busy.http.get(f"/v1/jobs/{job['id']}", params={"wait": 30}).json()["status"] == "completed"


def test_a_deleted_job_is_gone(busy: Served) -> None:
    job = busy.finished(letter("Dear nobody,"))
    assert busy.http.delete(f"/v1/jobs/{job['id']}").status_code == 204
    for method, path in (
        ("GET", ""),
        ("DELETE", ""),
        ("GET", "/result"),
        ("GET", "/pages"),
        ("POST", "/cancel"),
    ):
        problem(busy.http.request(method, f"/v1/jobs/{job['id']}{path}"), 410, "gone")
    assert job["id"] not in busy.jobs()


def test_a_job_that_is_known_is_not_sent_again(busy: Served) -> None:
    path = f"/v1/jobs/{busy.finished(letter())['id']}"
    tag = busy.http.get(path).headers["etag"]
    same = busy.http.get(path, headers={"if-none-match": f'"other", {tag}'})
    assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", tag)
    for header in ("garbage", '"unclosed', 'W/"0"', ""):
        assert busy.http.get(path, headers={"if-none-match": header}).status_code == 200
    assert busy.http.get(path, headers={"if-none-match": "*"}).status_code == 304


def test_the_log_holds_what_happened(busy: Served) -> None:
    job = busy.finished(letter("Dear log,"))
    events: list[dict[str, object]] = []
    cursor = ""
    while True:
        page = busy.http.get(
            "/v1/events", params={"limit": 1000} | ({"cursor": cursor} if cursor else {})
        ).json()
        if not page["events"]:
            break
        events += page["events"]
        cursor = page["next_cursor"]
    ours = [event["type"] for event in events if event["job_id"] == job["id"]]
    assert (ours[0], ours[-1]) == ("job.accepted", "job.completed")
    assert [event["id"] for event in events] == sorted(event["id"] for event in events)  # type: ignore[type-var]


def test_a_cursor_that_the_log_never_came_to_is_followed_by_all_that_it_has(busy: Served) -> None:
    busy.finished(letter("Dear restored log,"))
    whole = busy.http.get("/v1/events", params={"limit": 5}).json()
    future = {"cursor": cursor_at(LogPosition(0, 10**9)), "limit": "5"}
    assert busy.http.get("/v1/events", params=future).json() == whole
    of_type = busy.http.get("/v1/events", params=future | {"type": "job.completed"}).json()
    assert [event["type"] for event in of_type["events"]][:1] == ["job.completed"]
    place = whole["next_cursor"]
    while (page := busy.http.get("/v1/events", params={"limit": 1000, "cursor": place}).json())["events"]:
        place = page["next_cursor"]
    assert page["next_cursor"] == place, "the last cursor waits for what comes next"


def test_the_log_is_filtered_by_type(busy: Served) -> None:
    busy.finished(letter())
    query = "/v1/events?type=job.completed&type=job.failed&limit=1000"
    assert {event["type"] for event in busy.http.get(query).json()["events"]} <= {
        "job.completed",
        "job.failed",
    }
    problem(busy.http.get("/v1/events?type=job.sneezed"), 422, "validation_error")


SORTS = {
    "filename": ["Alpha.pdf", "beta.pdf", "gamma.pdf"],
    "-filename": ["gamma.pdf", "beta.pdf", "Alpha.pdf"],
    "pages": ["beta.pdf", "gamma.pdf", "Alpha.pdf"],
    "-pages": ["Alpha.pdf", "gamma.pdf", "beta.pdf"],
    "created": ["beta.pdf", "Alpha.pdf", "gamma.pdf"],
    "-created": ["gamma.pdf", "Alpha.pdf", "beta.pdf"],
}


@pytest.fixture(scope="module")
def three_jobs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with three finished jobs of 2, 9 and 5 pages."""
    with served(small_settings(tmp_path_factory.mktemp("three"))) as server:
        for name, pages in (("beta.pdf", 2), ("Alpha.pdf", 9), ("gamma.pdf", 5)):
            server.finished(report(pages), filename=name)
        yield server


@pytest.mark.parametrize("sort", [*SORTS, "size", "-size", "duration", "-duration"])
def test_jobs_are_listed_in_any_order_page_by_page(three_jobs: Served, sort: str) -> None:
    names: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        query = {"sort": sort, "limit": "1"} | ({"cursor": cursor} if cursor else {})
        found = three_jobs.http.get("/v1/jobs", params=query).json()
        names += [job["document"]["filename"] for job in found["jobs"]]
        cursor = found["next_cursor"]
    assert sorted(names) == sorted(SORTS["filename"])
    assert names == SORTS.get(sort, names)
    assert names == [
        job["document"]["filename"]
        for job in three_jobs.http.get("/v1/jobs", params={"sort": sort}).json()["jobs"]
    ]


def test_jobs_are_filtered_by_date_and_counted(three_jobs: Served) -> None:
    everything = three_jobs.http.get("/v1/jobs", params={"counts": "true"}).json()
    assert everything["counts"] == {"completed": 3}
    middle = everything["jobs"][1]["created_at"]
    later = three_jobs.http.get("/v1/jobs", params={"created_after": middle, "counts": "true"}).json()
    assert later["counts"]["completed"] == len(later["jobs"]) <= 2
    earlier = three_jobs.http.get("/v1/jobs", params={"created_before": middle}).json()
    assert len(earlier["jobs"]) + len(later["jobs"]) == 3
    assert "counts" not in earlier
    failed = three_jobs.http.get("/v1/jobs", params={"status": "failed", "counts": "true"}).json()
    assert (failed["jobs"], failed["counts"]) == ([], {"completed": 3})
    named = three_jobs.http.get("/v1/jobs", params={"filename": "ALPHA", "counts": "true"}).json()
    assert named["counts"] == {"completed": 1}


def test_a_cursor_of_another_order_is_refused(three_jobs: Served) -> None:
    cursor = three_jobs.http.get("/v1/jobs", params={"sort": "size", "limit": "1"}).json()["next_cursor"]
    for query in (
        {"sort": "pages", "cursor": cursor},
        {"cursor": cursor},
        {"sort": "size", "cursor": "WzFd"},
    ):
        problem(three_jobs.http.get("/v1/jobs", params=query), 400, "invalid_cursor")
    assert three_jobs.http.get("/v1/jobs", params={"sort": "weight"}).status_code == 422
