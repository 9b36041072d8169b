"""One page read again over HTTP, and the chain of providers that a request may name."""

from tests import samples
from tests.api.test_http import problem
from tests.servers import Served


def read(server: Served, job_id: str, page: int, **body: object) -> tuple[int, dict[str, object]]:
    """The answer to a request to read a page again."""
    answer = server.http.post(f"/v1/jobs/{job_id}/pages/{page}/read", json=body)
    return answer.status_code, answer.json()


def test_a_page_is_read_again_with_the_named_provider(server: Served) -> None:
    job = server.finished(samples.photographed(samples.report(2), [1]), providers="liteparse,pdfium,unsure")
    status, again = read(server, job["id"], 1, provider="sure")
    assert (status, again["run"]) == (202, 2)
    done = server.http.get(f"/v1/jobs/{job['id']}?wait=30").json()
    assert (done["status"], done["revision"]) == ("completed", 2)
    assert server.http.get(f"/v1/jobs/{job['id']}/pages/1").json()["provider"] == "sure"


def test_a_request_without_a_body_says_what_is_missing(server: Served) -> None:
    job = server.finished(samples.letter("Dear body,"))
    answer = server.http.post(f"/v1/jobs/{job['id']}/pages/1/read")
    told = problem(answer, 422, "validation_error")
    assert "provider" in str(told)


def test_a_provider_that_is_unknown_or_not_set_up_is_refused_with_the_reason(server: Served) -> None:
    job = server.finished(samples.letter("Dear provider,"))
    assert "not one of" in str(read(server, job["id"], 1, provider="nobody"))
    status, told = read(server, job["id"], 1, provider="vlm")
    assert status == 422
    assert "PAGEMILL_VLM_URL" in str(told)


def test_a_page_that_is_not_there_is_not_found(server: Served) -> None:
    job = server.finished(samples.letter("Dear absent page,"))
    assert read(server, job["id"], 2, provider="sure")[0] == 404


def test_providers_that_are_not_set_up_are_passed_over_unless_nobody_is_left(server: Served) -> None:
    job = server.finished(samples.letter("Dear chain,"), providers="liteparse,vlm")
    assert job["status"] == "completed"
    file = {"file": ("a.pdf", samples.letter("Dear nobody,"))}
    answer = server.http.post("/v1/jobs", files=file, data={"providers": "vlm,mistral"})
    assert "PAGEMILL_VLM_URL" in str(problem(answer, 422, "validation_error"))


def test_a_page_of_a_result_that_was_taken_over_is_read_again(server: Served) -> None:
    paper = samples.report(300)
    first = server.finished(paper)
    second = server.finished(paper)
    assert second["reused"]
    assert read(server, second["id"], 2, provider="pdfium")[0] == 202
    done = server.http.get(f"/v1/jobs/{second['id']}?wait=30").json()
    assert (done["status"], done["error"]) == ("completed", None)
    assert server.http.get(f"/v1/jobs/{second['id']}/pages/2").json()["provider"] == "pdfium"
    assert server.http.get(f"/v1/jobs/{first['id']}/pages/2").json()["provider"] == "liteparse"
