"""Enriching: added before a document is published, and again later; what fails costs a warning, never the document."""

import os
from collections.abc import Iterator
from typing import Any

import pytest

from pagemill.desk.enrichments import enricher_needs
from pagemill.reading import enricher
from pagemill.reading.enricher_contract import EnricherContract
from tests import trial_enrichers
from tests.mills import small_settings
from tests.samples import letter, report
from tests.servers import Served, served
from tests.waiting import wait_for


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with the enrichers of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in trial_enrichers.ENVIRONMENT.items():
            patch.setenv(name, value)
        enricher._points.cache_clear()
        try:
            with served(small_settings(tmp_path_factory.mktemp("enrich"), slots=1, kept_slots=0)) as running:
                yield running
        finally:
            enricher._points.cache_clear()


class TestWords(EnricherContract):
    """The enricher of the tests keeps to what it has to."""

    def enricher(self) -> trial_enrichers.Words:
        """The one that counts words."""
        return trial_enrichers.Words()


def submit(server: Served, document: bytes, enrich: str, **more: str) -> dict[str, Any]:
    """A job that has ended, with what was asked for."""
    asked = {"enrich": enrich, **more}
    answer = server.http.post("/v1/jobs", content=document, params=asked, headers={"prefer": "wait=60"})
    assert answer.status_code in (201, 200, 202), answer.text
    return ended(server, answer.json()["id"])


def ended(server: Served, job_id: str, revision: int = 1) -> dict[str, Any]:
    """A job once it has ended with that revision."""

    def look() -> dict[str, Any]:
        job: dict[str, Any] = server.http.get(f"/v1/jobs/{job_id}").json()
        return job

    wait_for(lambda: look()["status"] == "completed" and look()["revision"] >= revision)
    return look()


def added(server: Served, job: dict[str, Any], name: str) -> Any:
    """What an enricher added."""
    answer = server.http.get(f"/v1/jobs/{job['id']}/enrichments/{name}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_what_is_asked_for_is_made_before_the_result_is_published(server: Served) -> None:
    job = submit(server, letter("Dear Anna,"), "entities,words,remote_words")
    assert job["warnings"] == []
    assert job["seconds"]["enrich"] > 0
    assert added(server, job, "words")["words"] > 5
    assert added(server, job, "words")["process"] != os.getpid()
    assert added(server, job, "remote_words")["process"] == os.getpid()
    assert added(server, job, "entities")["schema"] == "pagemill/entities@1"
    listed = {
        one["name"]: one for one in server.http.get(f"/v1/jobs/{job['id']}/artifacts").json()["artifacts"]
    }
    assert listed["entities"]["size_bytes"] is not None
    log = server.http.get(f"/v1/jobs/{job['id']}/events", headers={"accept": "application/json"}).json()
    assert log["events"][-1]["facts"]["enriched"] == "entities,words,remote_words"


def test_formats_without_json_are_enriched_too(server: Served) -> None:
    job = submit(server, letter("Dear Bert,"), "words", formats="text")
    assert added(server, job, "words")["words"] > 5


@pytest.mark.parametrize("failing", ["raising", "crashing", "missing"])
def test_an_enricher_that_fails_costs_a_warning_and_nothing_else(server: Served, failing: str) -> None:
    job = submit(server, letter(f"Dear {failing},"), f"{failing},words")
    assert job["warnings"] == ["enrichment_failed"]
    assert added(server, job, "words")["words"] > 5
    assert server.http.get(f"/v1/jobs/{job['id']}/enrichments/{failing}").status_code == 404
    assert f"Dear {failing}" in server.http.get(f"/v1/jobs/{job['id']}/text").text
    # What is not whole is not given to the next who asks for the same.
    assert submit(server, letter(f"Dear {failing},"), f"{failing},words")["reused"] is False


def test_a_published_result_is_enriched_again_without_being_read(server: Served) -> None:
    job = submit(server, report(4), "words", filename="report.pdf")
    asked = {"q": server.http.get(f"/v1/jobs/{job['id']}/text").text.split()[0], "job_id": job["id"]}
    found = server.http.get("/v1/search", params=asked).json()["total"]
    again = server.http.post(f"/v1/jobs/{job['id']}/enrich", json={"enrich": ["facts", "entities"]})
    assert again.status_code == 202, again.text
    done = ended(server, job["id"], revision=2)
    assert done["options"]["enrich"] == ["facts", "entities"]
    assert "extract" not in done["seconds"]
    assert done["processed_pages"] == done["total_pages"] == 4
    assert added(server, done, "facts")["schema"] == "pagemill/facts@1"
    # What was added before is part of the new revision as well.
    assert added(server, done, "words") == added(server, job, "words")
    revisions = server.http.get(f"/v1/jobs/{job['id']}/revisions").json()["revisions"]
    assert [one["options"].get("enrich") for one in revisions] == [["facts", "entities"], ["words"]]
    assert found > 0
    assert server.http.get("/v1/search", params=asked).json()["total"] == found


def test_names_that_are_not_known_are_refused(server: Served) -> None:
    answer = server.http.post("/v1/jobs?enrich=words,magic", content=letter())
    assert (answer.status_code, answer.json()["code"]) == (422, "validation_error")
    assert "chunks, entities, facts" in answer.text
    job = submit(server, letter(), "words")
    answer = server.http.post(f"/v1/jobs/{job['id']}/enrich", json={"enrich": ["magic"]})
    assert (answer.status_code, answer.json()["code"]) == (422, "validation_error")
    plain = submit(server, letter("Dear text,"), "", formats="text")
    answer = server.http.post(f"/v1/jobs/{plain['id']}/enrich", json={"enrich": ["words"]})
    assert (answer.status_code, answer.json()["code"]) == (404, "artifact_not_made")


def test_only_enrichers_from_packages_ask_something_of_a_worker() -> None:
    assert enricher_needs(("entities", "class")) is None
    assert enricher_needs(("entities", "counting", "failing")) == "chain enricher:counting,enricher:failing"
