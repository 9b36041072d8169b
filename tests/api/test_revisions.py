"""A document read again with other options, and the way back to the result before."""

from typing import Any

import pytest

from tests import samples
from tests.api.test_http import problem
from tests.api.test_reading_again import page_of, read
from tests.servers import Served
from tests.waiting import wait_for

pytestmark = pytest.mark.mill


def revisions_of(server: Served, job_id: str) -> list[dict[str, Any]]:
    """The revisions of a job."""
    found: list[dict[str, Any]] = server.http.get(f"/v1/jobs/{job_id}/revisions").json()["revisions"]
    return found


def retry(server: Served, job_id: str, **body: object) -> dict[str, Any]:
    """The job after it was read again."""
    answer = server.http.post(f"/v1/jobs/{job_id}/retry", json=body)
    assert answer.status_code == 202, answer.text
    return server.ended(job_id)


def restore(server: Served, job_id: str, revision: int) -> dict[str, Any]:
    """The job after one of its revisions was restored."""
    answer = server.http.post(f"/v1/jobs/{job_id}/revisions/{revision}/restore")
    assert answer.status_code == 200, answer.text
    job: dict[str, Any] = answer.json()
    return job


@pytest.fixture
def scan(server: Served) -> str:
    """A finished job of two pages, of which the second is a scan that was not recognised."""
    document = samples.photographed(samples.report(2), [2])
    job = server.finished(document, providers="liteparse,pdfium,sure", ocr="off", reuse="false")
    return str(job["id"])


def test_a_document_is_read_again_with_other_options(server: Served, scan: str) -> None:
    assert page_of(server, scan, 2)["provider"] != "sure"
    done = retry(server, scan, ocr="force", mode="accurate", languages=["de", "en"])
    assert (done["status"], done["revision"]) == ("completed", 2)
    options = done["options"]
    assert (options["ocr"], options["mode"], options["languages"]) == ("force", "accurate", ["de", "en"])
    assert page_of(server, scan, 2)["provider"] == "sure"


def test_options_that_are_left_out_stay_as_they_were(server: Served, scan: str) -> None:
    done = retry(server, scan, mode="accurate")
    assert (done["options"]["ocr"], done["options"]["mode"]) == ("off", "accurate")
    assert retry(server, scan)["options"] == done["options"]


def test_one_page_is_read_again_with_other_options_and_the_others_stay(server: Served, scan: str) -> None:
    first = page_of(server, scan, 1)
    status, _ = read(server, scan, 2, ocr="auto")
    assert status == 202
    done = server.ended(scan)
    assert (done["status"], done["revision"], done["options"]["ocr"]) == ("completed", 2, "auto")
    assert page_of(server, scan, 2)["provider"] == "sure"
    assert page_of(server, scan, 1) == first


def test_revisions_are_listed_compared_and_restored(server: Served, scan: str) -> None:
    before = page_of(server, scan, 2)
    markdown = server.http.get(f"/v1/jobs/{scan}/markdown").text
    retry(server, scan, ocr="auto")
    listed = revisions_of(server, scan)
    assert [(one["revision"], one["current"]) for one in listed] == [(2, True), (1, False)]
    assert [one["options"]["ocr"] for one in listed] == ["auto", "off"]
    earlier = server.http.get(f"/v1/jobs/{scan}/pages/2", params={"revision": 1})
    assert earlier.json() == before
    assert server.http.get(f"/v1/jobs/{scan}/pages/2", params={"revision": 2}).json() == page_of(
        server, scan, 2
    )
    restored = restore(server, scan, 1)
    assert (restored["status"], restored["revision"], restored["options"]["ocr"]) == ("completed", 3, "off")
    assert page_of(server, scan, 2) == before
    assert server.http.get(f"/v1/jobs/{scan}/markdown").text == markdown
    assert [one["revision"] for one in revisions_of(server, scan)] == [3, 2, 1]
    assert restore(server, scan, 2)["options"]["ocr"] == "auto"
    assert page_of(server, scan, 2)["provider"] == "sure"
    events = server.http.get(f"/v1/jobs/{scan}/events", headers={"accept": "application/json"}).json()
    facts = [event["facts"] for event in events["events"] if event["type"] == "job.restored"]
    assert facts == [{"revision": 3, "restored": 1}, {"revision": 4, "restored": 2}]


def test_restoring_the_present_revision_changes_nothing(server: Served, scan: str) -> None:
    before = server.http.get(f"/v1/jobs/{scan}").json()
    assert restore(server, scan, 1) == before


def test_a_job_whose_last_run_failed_is_brought_back(server: Served, scan: str) -> None:
    read(server, scan, 2, provider="failing")
    assert server.ended(scan)["status"] == "failed"
    restored = restore(server, scan, 1)
    assert (restored["status"], restored["error"], restored["revision"]) == ("completed", None, 2)
    assert retry(server, scan)["status"] == "completed"


def test_what_can_not_be_restored_is_refused(server: Served, scan: str) -> None:
    for revision in ("7", "0", "x"):
        answer = server.http.post(f"/v1/jobs/{scan}/revisions/{revision}/restore")
        problem(answer, 404, "not_found")
    problem(server.http.get(f"/v1/jobs/{scan}/pages/1", params={"revision": 7}), 404, "not_found")
    answer = server.http.post(f"/v1/jobs/{scan}/retry", json={"languages": ["klingon"]})
    assert "languages" in str(problem(answer, 422, "validation_error"))
    server.http.delete(f"/v1/jobs/{scan}")
    problem(server.http.get(f"/v1/jobs/{scan}/revisions"), 410, "gone")


def test_a_reused_result_can_be_restored_after_the_job_that_made_it_is_gone(server: Served) -> None:
    document = samples.letter("Dear heir,")
    maker = server.finished(document, filename="maker.pdf")
    heir = server.finished(document, filename="heir.pdf")
    assert heir["reused"]
    before = page_of(server, heir["id"], 1)
    status, refused = read(server, heir["id"], 1, mode="accurate")
    assert (status, refused["code"]) == (409, "nothing_to_retry")
    retry(server, heir["id"], mode="accurate")
    server.http.delete(f"/v1/jobs/{maker['id']}")
    wait_for(lambda: not any(maker["document"]["id"] in str(file) for file in server.files()))
    restore(server, heir["id"], 1)
    assert page_of(server, heir["id"], 1) == before
