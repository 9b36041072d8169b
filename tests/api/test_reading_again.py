"""One page read again over HTTP, and the chain of providers that a request may name."""

from typing import Any

import pytest

from tests import samples
from tests.api.test_http import problem
from tests.pictures import frames, written
from tests.servers import Served

pytestmark = pytest.mark.mill


def read(server: Served, job_id: str, page: int, **body: object) -> tuple[int, dict[str, object]]:
    """The answer to a request to read a page again."""
    answer = server.http.post(f"/v1/jobs/{job_id}/pages/{page}/read", json=body)
    return answer.status_code, answer.json()


def finished(server: Served, document: bytes, **options: str) -> dict[str, Any]:
    """The job of a document after its end; no result of another test is taken over."""
    return server.finished(document, reuse="false", **options)


def retried(server: Served, job_id: str) -> dict[str, Any]:
    """The job after its failed pages were read again."""
    assert server.http.post(f"/v1/jobs/{job_id}/retry", json={"only": "failed"}).status_code == 202
    return server.ended(job_id)


def page_of(server: Served, job_id: str, number: int) -> dict[str, Any]:
    """A page of a job."""
    page: dict[str, Any] = server.http.get(f"/v1/jobs/{job_id}/pages/{number}").json()
    return page


def test_a_page_is_read_again_with_the_named_provider(server: Served) -> None:
    job = finished(server, samples.photographed(samples.report(2), [1]), providers="liteparse,pdfium,unsure")
    status, again = read(server, job["id"], 1, provider="sure")
    assert (status, again["run"]) == (202, 2)
    done = server.http.get(f"/v1/jobs/{job['id']}?wait=30").json()
    assert (done["status"], done["revision"]) == ("completed", 2)
    assert server.http.get(f"/v1/jobs/{job['id']}/pages/1").json()["provider"] == "sure"


def test_a_request_without_a_body_says_what_is_missing(server: Served) -> None:
    job = finished(server, samples.letter("Dear body,"))
    answer = server.http.post(f"/v1/jobs/{job['id']}/pages/1/read")
    told = problem(answer, 422, "validation_error")
    assert "provider" in str(told)


def test_a_provider_that_is_unknown_or_not_set_up_is_refused_with_the_reason(server: Served) -> None:
    job = finished(server, samples.letter("Dear provider,"))
    assert "not one of" in str(read(server, job["id"], 1, provider="nobody"))
    status, told = read(server, job["id"], 1, provider="vlm")
    assert status == 422
    assert "PAGEMILL_VLM_URL" in str(told)


def test_a_page_that_is_not_there_is_not_found(server: Served) -> None:
    job = finished(server, samples.letter("Dear absent page,"))
    assert read(server, job["id"], 2, provider="sure")[0] == 404


def test_providers_that_are_not_set_up_are_passed_over_unless_nobody_is_left(server: Served) -> None:
    job = finished(server, samples.letter("Dear chain,"), providers="liteparse,vlm")
    assert job["status"] == "completed"
    file = {"file": ("a.pdf", samples.letter("Dear nobody,"))}
    answer = server.http.post("/v1/jobs", files=file, data={"providers": "vlm,mistral"})
    assert "PAGEMILL_VLM_URL" in str(problem(answer, 422, "validation_error"))


def test_a_page_of_a_result_that_was_taken_over_is_read_again(server: Served) -> None:
    paper = samples.report(70)
    first = finished(server, paper)
    second = server.finished(paper)
    assert second["reused"]
    assert read(server, second["id"], 2, provider="pdfium")[0] == 202
    done = server.http.get(f"/v1/jobs/{second['id']}?wait=30").json()
    assert (done["status"], done["error"]) == ("completed", None)
    assert server.http.get(f"/v1/jobs/{second['id']}/pages/2").json()["provider"] == "pdfium"
    assert server.http.get(f"/v1/jobs/{first['id']}/pages/2").json()["provider"] == "liteparse"


def test_a_page_of_an_image_whose_result_was_taken_over_is_read_again(server: Served) -> None:
    scans = frames(written(["The first frame"]), written(["The second frame"]))
    finished(server, scans)
    second = server.finished(scans)
    assert second["reused"]
    assert read(server, second["id"], 2, provider="sure")[0] == 202
    assert server.ended(second["id"])["error"] is None
    assert page_of(server, second["id"], 2)["provider"] == "sure"


def test_a_provider_that_fails_takes_nothing_from_the_former_result(server: Served) -> None:
    job = finished(server, samples.photographed(samples.report(2), [1]), providers="liteparse,pdfium,sure")
    read(server, job["id"], 1, provider="failing")
    failed = server.ended(job["id"])
    assert (failed["status"], failed["error"]["page"], failed["revision"]) == ("failed", 1, 1)
    assert page_of(server, job["id"], 1)["provider"] == "sure"


@pytest.mark.parametrize("provider", ["failing", "dying"])
def test_text_is_no_answer_of_a_provider_that_was_named_and_fails(server: Served, provider: str) -> None:
    job = finished(server, samples.report(2), ocr="force", providers="liteparse,sure")
    read(server, job["id"], 1, provider=provider)
    failed = server.ended(job["id"])
    assert (failed["status"], failed["error"]["page"], failed["revision"]) == ("failed", 1, 1)
    assert provider in failed["error"]["message"]
    assert failed["failed_pages"] == []
    assert page_of(server, job["id"], 1)["provider"] == "sure"


def test_a_page_that_a_named_provider_could_not_read_is_none_of_the_failed_pages(server: Served) -> None:
    trial = samples.trial_pages(["", "TRIAL:error"])
    job = finished(server, trial, providers="trial")
    read(server, job["id"], 1, provider="failing")
    assert [page["page"] for page in server.ended(job["id"])["failed_pages"]] == [2]
    again = retried(server, job["id"])
    assert (again["status"], again["revision"]) == ("completed", 2)
    assert [page["page"] for page in again["failed_pages"]] == [2]
    assert page_of(server, job["id"], 1)["provider"] == "trial"


def test_there_is_nothing_to_retry_in_a_result_without_failed_pages(server: Served) -> None:
    job = finished(server, samples.report(2))
    read(server, job["id"], 1, provider="failing")
    assert server.ended(job["id"])["status"] == "failed"
    answer = server.http.post(f"/v1/jobs/{job['id']}/retry", json={"only": "failed"})
    problem(answer, 409, "nothing_to_retry")


def test_a_locked_document_is_not_read_again_without_its_password(server: Served) -> None:
    job = finished(server, samples.encrypted(user="open"), password="open")
    for path, how in (("retry", {}), ("pages/1/read", {"provider": "pdfium"})):
        answer = server.http.post(f"/v1/jobs/{job['id']}/{path}", json=how)
        problem(answer, 422, "password_required")
    # Neither the job nor its result has changed.
    assert server.http.get(f"/v1/jobs/{job['id']}").json() == job
    assert page_of(server, job["id"], 1)["provider"] == "liteparse"
    read(server, job["id"], 1, provider="pdfium", password="open")
    assert server.ended(job["id"])["status"] == "completed"
    assert page_of(server, job["id"], 1)["provider"] == "pdfium"


def test_a_warning_goes_with_the_page_that_it_was_about(server: Served) -> None:
    scan = samples.photographed(samples.report(2), [1])
    job = finished(server, scan, ocr="off", pages="1-9")
    assert job["warnings"] == ["no_text", "ocr_needed", "pages_beyond_end"]
    read(server, job["id"], 1, provider="sure")
    assert server.ended(job["id"])["warnings"] == ["pages_beyond_end"]
    assert server.http.get(f"/v1/jobs/{job['id']}/result").json()["warnings"] == ["pages_beyond_end"]


def test_a_page_is_shown_as_it_was_while_it_is_read_again(server: Served) -> None:
    job = finished(server, samples.report(3))
    before = page_of(server, job["id"], 2)
    read(server, job["id"], 2, provider="slow")
    assert page_of(server, job["id"], 2) == before
    assert server.ended(job["id"])["revision"] == 2


def test_pages_that_were_read_again_are_kept_when_failed_ones_are_retried(server: Served) -> None:
    trial = samples.trial_pages(["", "TRIAL:error", "TRIAL:error"])
    job = finished(server, trial, providers="trial")
    read(server, job["id"], 2, provider="pdfium")
    assert [page["page"] for page in server.ended(job["id"])["failed_pages"]] == [3]
    assert [page["page"] for page in retried(server, job["id"])["failed_pages"]] == [3]
    assert page_of(server, job["id"], 2)["provider"] == "pdfium"


def test_failed_pages_are_retried_after_a_run_that_was_cancelled(server: Served) -> None:
    job = finished(server, samples.trial_pages(["", "TRIAL:error"]), providers="trial")
    read(server, job["id"], 1, provider="slow")
    assert server.http.post(f"/v1/jobs/{job['id']}/cancel").json()["status"] == "cancelled"
    again = retried(server, job["id"])
    assert (again["status"], [page["page"] for page in again["failed_pages"]]) == ("completed", [2])
