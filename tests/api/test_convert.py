"""One call for a document, what comes with a job in one answer, and pages as a stream of lines."""

import json
from typing import Any

import pytest

from tests import samples
from tests.servers import Served

PDF = {"content-type": "application/pdf"}
PATIENCE_SECONDS = 60


def convert(server: Served, document: bytes, query: str = "", **headers: str) -> Any:
    """The answer to a conversion in one call."""
    own = {name.replace("_", "-"): value for name, value in headers.items()}
    return server.http.post(f"/v1/convert{query}", content=document, headers=PDF | {"accept": "*/*"} | own)


def lines_of(server: Served, job_id: str, query: str = "") -> list[dict[str, Any]]:
    """The pages of a job, from the stream."""
    response = server.http.get(f"/v1/jobs/{job_id}/pages.ndjson{query}")
    assert (response.status_code, response.headers["content-type"]) == (200, "application/x-ndjson")
    return [json.loads(line) for line in response.text.splitlines()]


def test_a_document_comes_back_as_markdown_in_one_call(busy: Served) -> None:
    answer = convert(busy, samples.letter("Dear converter,"))
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/markdown; charset=utf-8")
    assert "Dear converter," in answer.text
    job = busy.http.get(answer.headers["location"]).json()
    assert job["status"] == "completed"


@pytest.mark.parametrize(
    ("query", "accept", "media_type"),
    [
        ("?format=html", "*/*", "text/html; charset=utf-8"),
        ("", "application/json", "application/json"),
        ("", "text/plain;q=0.9, text/html;q=0.1", "text/plain; charset=utf-8"),
        ("?format=tables", "*/*", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        ("?format=json&pages=1", "*/*", "application/json"),
    ],
)
def test_the_format_is_chosen_by_the_query_or_the_accept_header(
    busy: Served, query: str, accept: str, media_type: str
) -> None:
    answer = convert(busy, samples.report(2), query, accept=accept)
    assert (answer.status_code, answer.headers["content-type"]) == (200, media_type)


def test_a_form_is_converted_and_a_repeated_call_finds_its_job(busy: Served) -> None:
    def call() -> Any:
        return busy.http.post(
            "/v1/convert",
            params={"format": "text"},
            files={"file": ("a.pdf", samples.letter("Dear form,"), "application/pdf")},
            data={"reuse": "false"},
            headers={"idempotency-key": "convert-1"},
        )

    first, again = call(), call()
    assert (first.status_code, again.status_code) == (200, 200)
    assert "Dear form," in first.text
    assert first.headers["location"] == again.headers["location"]


def test_what_takes_longer_than_the_wait_is_answered_with_its_job(idle: Served) -> None:
    answer = convert(idle, samples.letter("Dear waiting,"), prefer="wait=0")
    assert answer.status_code == 202
    assert answer.headers["location"] == f"/v1/jobs/{answer.json()['id']}"
    assert answer.headers["retry-after"]
    assert answer.headers["preference-applied"] == "wait=0"


def test_a_document_that_fails_says_why(busy: Served) -> None:
    answer = convert(busy, samples.corrupt())
    assert (answer.status_code, answer.json()["code"]) == (409, "job_failed")
    assert answer.json()["error_code"] == "pdf_corrupt"
    assert answer.headers["location"].startswith("/v1/jobs/")


def test_a_format_that_there_is_not_is_refused_before_anything_is_stored(idle: Served) -> None:
    before = idle.jobs()
    unknown = convert(idle, samples.letter(), "?format=word")
    assert (unknown.status_code, unknown.json()["code"]) == (422, "validation_error")
    assert convert(idle, samples.letter(), accept="image/png").status_code == 406
    assert convert(idle, b"\x7fELF\x02\x01\x01" + bytes(64)).status_code == 415
    assert idle.jobs() == before


def test_what_is_asked_for_comes_with_the_job(busy: Served) -> None:
    job = busy.finished(samples.report(3))
    asked = "markdown,json,pages,events,artifacts"
    expanded = busy.http.get(f"/v1/jobs/{job['id']}", params={"expand": asked}).json()["expanded"]
    assert list(expanded) == asked.split(",")
    assert expanded["markdown"] == busy.http.get(f"/v1/jobs/{job['id']}/markdown").text
    assert len(expanded["json"]["pages"]) == 3
    assert [page["state"] for page in expanded["pages"]] == ["final"] * 3
    assert expanded["events"][-1]["type"] == "job.completed"
    assert "markdown" in {one["name"] for one in expanded["artifacts"]}


def test_what_comes_with_a_submission_that_waits(busy: Served) -> None:
    headers = PDF | {"prefer": f"wait={PATIENCE_SECONDS}"}
    answer = busy.http.post("/v1/jobs?expand=text", content=samples.letter("Dear one call,"), headers=headers)
    assert answer.status_code == 200
    assert "Dear one call," in answer.json()["expanded"]["text"]


def test_what_is_not_there_yet_is_null_and_what_can_t_be_expanded_is_refused(idle: Served) -> None:
    job = idle.submit(samples.letter())
    shown = idle.http.get(f"/v1/jobs/{job['id']}", params={"expand": "markdown,pages"}).json()
    assert shown["expanded"] == {"markdown": None, "pages": []}
    refused = idle.http.get(f"/v1/jobs/{job['id']}", params={"expand": "markdown,password"})
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, "/expand")
    assert idle.http.post("/v1/jobs?expand=secrets", content=samples.letter(), headers=PDF).status_code == 422
    assert "expanded" not in idle.http.get(f"/v1/jobs/{job['id']}").json()


def test_pages_are_streamed_as_lines(busy: Served) -> None:
    job = busy.finished(samples.report(40), ocr="off")
    pages = lines_of(busy, job["id"])
    assert [(page["number"], page["state"]) for page in pages] == [(n, "final") for n in range(1, 41)]
    alone = busy.http.get(f"/v1/jobs/{job['id']}/pages/33").json()
    assert pages[32] == {"state": "final", **alone}
    assert [page["number"] for page in lines_of(busy, job["id"], "?first=39")] == [39, 40]


def test_a_stream_follows_a_job_to_its_end(busy: Served) -> None:
    job = busy.submit(samples.report(70), ocr="off", pages="2-69", reuse="false")
    pages = lines_of(busy, job["id"], "?follow=true")
    assert [page["number"] for page in pages] == list(range(2, 70))
    assert {page["state"] for page in pages} <= {"draft", "final"}


def test_a_stream_of_a_job_without_pages_is_empty_and_of_none_a_problem(idle: Served, busy: Served) -> None:
    job = idle.submit(samples.letter())
    assert lines_of(idle, job["id"]) == []
    failed = busy.finished(samples.corrupt())
    assert lines_of(busy, failed["id"], "?follow=true") == []
    unknown = busy.http.get("/v1/jobs/0199a3c4-7d52-7c31-9a42-6f0f5b1c2d3e/pages.ndjson")
    assert unknown.status_code == 404
    only_text = busy.finished(samples.report(2), formats="text")
    refused = busy.http.get(f"/v1/jobs/{only_text['id']}/pages.ndjson")
    assert (refused.status_code, refused.json()["code"]) == (404, "artifact_not_made")
