"""Enriching: added before a document is published, and again later; what fails costs a warning, never the document."""

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import Connection

from pagemill.db.chunks import claims_where
from pagemill.db.schema import chunks
from pagemill.desk.commands import drop_lost_claims
from pagemill.desk.enrichments import enricher_needs
from pagemill.failure_records import record_set_back
from pagemill.failures import set_back_for_error, set_back_for_good
from pagemill.model.work import Claim, DocumentJoined
from pagemill.reading import enricher
from pagemill.reading.enricher_contract import EnricherContract
from pagemill.steps.enrich import record_start, to_enrich
from tests import trial_enrichers
from tests.http_receivers import receiving_http
from tests.mills import small_settings
from tests.samples import letter, report, text_pages
from tests.servers import Served, served
from tests.waiting import wait_for
from tests.webhooks.around import LOCAL


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with the enrichers of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in trial_enrichers.ENVIRONMENT.items():
            patch.setenv(name, value)
        enricher._points.cache_clear()
        try:
            folder = tmp_path_factory.mktemp("enrich")
            with served(small_settings(folder, slots=1, kept_slots=0, outbound_allow=LOCAL)) as running:
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
    return server.ended(answer.json()["id"])


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


def test_the_log_says_that_names_need_a_language_model(server: Served) -> None:
    job = submit(server, letter("Dear Dulcinea,"), "names,words")
    assert job["warnings"] == ["enrichment_failed"]
    log = server.http.get(f"/v1/jobs/{job['id']}/events", headers={"accept": "application/json"}).json()
    [made] = [event["facts"] for event in log["events"] if event["type"] == "job.enriched"]
    assert (made["enriched"], made["failed"], made["codes"]) == ("words", "names", "model_not_configured")


def test_a_published_result_is_enriched_again_without_being_read(server: Served) -> None:
    job = submit(server, report(4), "words", filename="report.pdf")
    asked = {"q": server.http.get(f"/v1/jobs/{job['id']}/text").text.split()[0], "job_id": job["id"]}
    found = server.http.get("/v1/search", params=asked).json()["total"]
    again = server.http.post(f"/v1/jobs/{job['id']}/enrich", json={"enrich": ["facts", "entities"]})
    assert again.status_code == 202, again.text
    done = server.ended(job["id"], revision=2)
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


ENDLESS = {"enrich": ["hanging"]}


def enriching(server: Served, job_id: str) -> dict[str, Any]:
    """A job once the enricher is at work on it that never ends."""

    def look() -> dict[str, Any] | None:
        last = events_of(server, {"id": job_id})[-1]
        job: dict[str, Any] = server.http.get(f"/v1/jobs/{job_id}").json()
        is_at_work = last["type"] == "job.enriching" and "hanging" in last["facts"]["enrich"]
        return job if job["status"] == "processing" and is_at_work else None

    found = wait_for(look)
    assert found is not None
    return found


def cancelled_in_mid_work(server: Served, job_id: str) -> dict[str, Any]:
    """What a cancel answers while an enricher is at work that never ends."""

    enriching(server, job_id)
    answer = server.http.post(f"/v1/jobs/{job_id}/cancel")
    assert answer.status_code == 202, answer.text
    job: dict[str, Any] = answer.json()
    return job


def events_of(server: Served, job: dict[str, Any]) -> list[dict[str, Any]]:
    """What happened to a job."""
    url = f"/v1/jobs/{job['id']}/events"
    found: list[dict[str, Any]] = server.http.get(url, headers={"accept": "application/json"}).json()[
        "events"
    ]
    return found


def test_the_log_says_when_an_enrichment_begins_and_ends(server: Served) -> None:
    job = submit(server, letter("Dear Emil,"), "words,raising,facts")
    kinds = [one["type"] for one in events_of(server, job)]
    assert kinds == ["job.accepted", "job.started", "job.enriching", "job.enriched", "job.completed"]
    begin, end = events_of(server, job)[2:4]
    assert begin["facts"] == {"enrich": "words,raising,facts", "run": 1}
    assert (end["facts"]["enriched"], end["facts"]["failed"]) == ("words,facts", "raising")
    assert end["facts"]["codes"] == "enrichment_failed"
    assert end["facts"]["seconds"] == job["seconds"]["enrich"]
    assert server.http.post(f"/v1/jobs/{job['id']}/enrich", json={"enrich": ["words"]}).status_code == 202
    again = server.ended(job["id"], revision=2)
    added_since = events_of(server, again)[len(kinds) :]
    assert [one["type"] for one in added_since] == ["job.retried", *kinds[1:]]
    assert added_since[0]["facts"] == {"enrich": "words", "run": 2}
    assert added_since[3]["facts"] == {
        "enriched": "words",
        "seconds": again["seconds"]["enrich"],
        "run": 2,
    }
    # Nothing of the kind is said of a document that nothing is added to.
    plain = submit(server, letter("Dear Franz,"), "")
    assert [one["type"] for one in events_of(server, plain)] == [kinds[0], kinds[1], kinds[-1]]


def test_a_job_says_that_it_is_being_enriched(server: Served) -> None:
    asked = {"enrich": "hanging"}
    job = server.http.post("/v1/jobs", content=letter("Please hang on a bit,"), params=asked).json()
    assert enriching(server, job["id"])["stage"] == "enrich"
    # What is joined again after a set-back is not being enriched.
    [claim] = server.mill.db.read(lambda conn: held_by(conn, job["id"]))
    again = set_back_for_error(claim, server.mill.caps, "x", "It did not work out.", retryable=True)
    server.mill.db.write(lambda tx: record_set_back(tx, again))
    drop_lost_claims(server.mill)
    assert server.http.get(f"/v1/jobs/{job['id']}").json()["stage"] == "plan"
    assert cancelled_in_mid_work(server, job["id"])["status"] == "cancelled"


def test_a_claim_that_was_lost_notes_no_enrichment(server: Served) -> None:
    asked = {"enrich": "hanging"}
    job = server.http.post("/v1/jobs", content=letter("Please hang on, lost one,"), params=asked).json()
    enriching(server, job["id"])
    [claim] = server.mill.db.read(lambda conn: held_by(conn, job["id"]))
    joined = DocumentJoined(
        replace(claim, fence=claim.fence - 1),
        "",
        {},
        1,
        1,
        failed=(),
        warnings=(),
        seconds={},
        fingerprint="",
    )
    assert to_enrich([joined]) == [joined]
    server.mill.db.write(lambda tx: record_start(tx, [joined]))
    kinds = [one["type"] for one in events_of(server, job)]
    assert kinds.count("job.enriching") == 1
    assert cancelled_in_mid_work(server, job["id"])["status"] == "cancelled"


def test_all_pages_stay_counted_while_a_result_is_added_to(server: Served) -> None:
    job = submit(server, text_pages([["Please hang on,"], ["on both pages."]]), "words")
    assert server.http.post(f"/v1/jobs/{job['id']}/enrich", json=ENDLESS).status_code == 202
    busy = enriching(server, job["id"])
    assert (busy["processed_pages"], busy["total_pages"]) == (2, 2)
    cancelled_in_mid_work(server, job["id"])


def test_a_cancelled_enrichment_leaves_the_finished_job_as_it_was(server: Served) -> None:
    with receiving_http() as receiver:
        to = {"webhook_url": receiver.url, "webhook_events": "job.completed,job.cancelled"}
        job = submit(server, letter("Please hang on,"), "words", **to)
        assert server.http.post(f"/v1/jobs/{job['id']}/enrich", json=ENDLESS).status_code == 202
        left = cancelled_in_mid_work(server, job["id"])
        told = (
            "status",
            "stage",
            "revision",
            "options",
            "total_pages",
            "processed_pages",
            "warnings",
            "error",
        )
        assert {name: left[name] for name in told} == {name: job[name] for name in told}
        assert left["finished_at"] > job["finished_at"]
        assert job["id"] in {one["id"] for one in server.http.get("/v1/jobs?status=completed").json()["jobs"]}
        assert server.http.get(f"/jobs/{job['id']}").json()["task_status"] == "SUCCESS"
        assert server.http.get(f"/files/{job['id']}").json()["full_text"]
        # The run has one end, which has the facts of the result.
        last = events_of(server, job)[-1]
        facts = {"run": 2, "pages": 1, "failed_pages": [], "cancelled": "enrich"}
        assert (last["type"], last["facts"]) == ("job.completed", facts)
        wait_for(lambda: len(receiver.requests) > 1)
        sent = [json.loads(body) for body in receiver.bodies()]
        first, second = sorted(sent, key=lambda one: int(one["data"]["run"]))
        assert [one["type"] for one in (first, second)] == ["job.completed"] * 2
        assert [one["data"]["status"] for one in (first, second)] == ["completed"] * 2
        assert (second["data"]["run"], second["data"]["revision"]) == (2, 1)
    # It has ended, and can be worked on like any other.
    again = server.http.post(f"/v1/jobs/{job['id']}/cancel")
    assert (again.status_code, again.json()["code"]) == (409, "job_terminal")
    assert server.http.post(f"/v1/jobs/{job['id']}/enrich", json={"enrich": ["facts"]}).status_code == 202
    assert added(server, server.ended(job["id"], revision=2), "facts")["schema"] == "pagemill/facts@1"


def test_a_cancelled_enrichment_after_a_correction_leaves_the_corrected_result(server: Served) -> None:
    job = submit(server, letter("Dear Clara,"), "hanging")
    block = server.http.get(f"/v1/jobs/{job['id']}/pages/1").json()["blocks"][0]["id"]
    changes = [{"block": block, "text": "Please hang on, the zyzzyva comes."}]
    url = f"/v1/jobs/{job['id']}/corrections"
    assert server.http.post(url, json={"revision": 1, "blocks": changes}).status_code == 200
    left = cancelled_in_mid_work(server, job["id"])
    assert (left["status"], left["revision"], left["options"]) == ("completed", 2, job["options"])
    assert "zyzzyva" in server.http.get(f"/v1/jobs/{job['id']}/text").text
    changes = [{"block": block, "text": "Dear Dora,"}]
    assert server.http.post(url, json={"revision": 2, "blocks": changes}).status_code == 200
    assert added(server, server.ended(job["id"], revision=4), "hanging")["words"] > 5


def test_a_cancelled_enrichment_by_a_rule_leaves_the_result_that_the_rule_was_about(server: Served) -> None:
    rule = {
        "name": "Endless",
        "when": {"entities": [{"type": "amount", "at_least": 700}]},
        "then": {"options": ENDLESS, "tags": ["dear"]},
    }
    made = server.http.post("/v1/rules", json=rule)
    assert made.status_code == 201, made.text
    try:
        job = server.submit(text_pages([["Please hang on, it costs EUR 777.00."]]))
        left = cancelled_in_mid_work(server, job["id"])
    finally:
        server.http.delete(f"/v1/rules/{made.json()['id']}").raise_for_status()
    assert (left["status"], left["revision"], left["run"]) == ("completed", 1, 2)
    assert (left["metadata"], left["options"]["enrich"]) == ({"tags": "dear"}, ["entities"])
    kinds = [one["type"] for one in events_of(server, job)]
    assert kinds.index("job.published") < kinds.index("job.retried") < kinds.index("job.completed")
    assert kinds[-1] == "job.completed"


def test_a_batch_counts_an_item_whose_enrichment_was_cancelled_as_completed(server: Served) -> None:
    files = [("files", ("a.pdf", letter("Please hang on in a batch,"), "application/pdf"))]
    batch = server.http.post("/v1/batches", files=files).json()

    def look() -> dict[str, Any]:
        found: dict[str, Any] = server.http.get(f"/v1/batches/{batch['id']}").json()
        return found

    wait_for(lambda: look()["status"] == "completed")
    [item] = server.http.get(f"/v1/batches/{batch['id']}/items").json()["items"]
    assert server.http.post(f"/v1/jobs/{item['job_id']}/enrich", json=ENDLESS).status_code == 202
    answer = server.http.post(f"/v1/batches/{batch['id']}/cancel")
    assert answer.status_code == 202, answer.text
    assert (look()["status"], look()["counts"]["completed"], look()["processed_pages"]) == ("completed", 1, 1)
    # There is nothing to be read again.
    assert server.http.post(f"/v1/batches/{batch['id']}/retry").json()["code"] == "nothing_to_retry"


def held_by(conn: Connection, job_id: str) -> list[Claim]:
    """The claims that are held on a job's work."""
    return claims_where(conn, (chunks.c.job_id == job_id) & (chunks.c.state == "running"))


def test_an_enrichment_whose_workers_vanish_costs_a_warning(server: Served) -> None:
    job = submit(server, letter("Please hang on once more,"), "words")
    assert server.http.post(f"/v1/jobs/{job['id']}/enrich", json=ENDLESS).status_code == 202
    [claim] = wait_for(lambda: server.mill.db.read(lambda conn: held_by(conn, job["id"])))
    lost = set_back_for_good(claim, "worker_lost", "The worker vanished.", retryable=True)
    server.mill.db.write(lambda tx: record_set_back(tx, lost))
    drop_lost_claims(server.mill)
    left = server.http.get(f"/v1/jobs/{job['id']}").json()
    assert (left["status"], left["revision"], left["warnings"]) == ("completed", 1, ["enrichment_failed"])
    assert left["error"] is None
    assert added(server, left, "words")["words"] > 5
