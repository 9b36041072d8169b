"""Corrections over HTTP: what a reviewer changes is the next revision, in all artifacts and in the index."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import httpx
import pytest
from sqlalchemy import select

from pagemill.db import results
from pagemill.db.database import Database, Tx
from pagemill.db.schema import jobs
from pagemill.desk import corrections
from pagemill.errors import DatabaseUnavailable, RevisionConflict, TooManyCorrections
from tests import samples
from tests.api.test_http import problem
from tests.servers import Served
from tests.waiting import wait_for
from train.data_sets import own_pages

pytestmark = pytest.mark.mill
T = TypeVar("T")


@pytest.fixture
def job(server: Served) -> dict[str, Any]:
    """A report of two pages that was read: headings, paragraphs and a table."""
    return server.finished(samples.report(2), filename="report.pdf", reuse="false")


def correct(server: Served, job: dict[str, Any], **body: object) -> httpx.Response:
    """Send a correction of the revision that the job has."""
    return server.http.post(f"/v1/jobs/{job['id']}/corrections", json={"revision": job["revision"], **body})


def corrected(server: Served, job: dict[str, Any], **body: object) -> dict[str, Any]:
    """The job after a correction."""
    answer = correct(server, job, **body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def blocks_of(server: Served, job: dict[str, Any], page: int = 1) -> list[dict[str, Any]]:
    """The blocks of a page."""
    found: list[dict[str, Any]] = server.http.get(f"/v1/jobs/{job['id']}/pages/{page}").json()["blocks"]
    return found


def text_of(server: Served, job: dict[str, Any], route: str) -> str:
    """An artifact of a job."""
    answer = server.http.get(f"/v1/jobs/{job['id']}/{route}")
    assert answer.status_code == 200, answer.text
    return answer.text


def first_of(blocks: list[dict[str, Any]], kind: str) -> dict[str, Any]:
    """The first block of a kind."""
    return next(block for block in blocks if block["kind"] == kind)


def test_a_corrected_text_is_in_every_artifact_and_in_the_index(server: Served, job: dict[str, Any]) -> None:
    paragraph = first_of(blocks_of(server, job), "paragraph")
    change = {"block": paragraph["id"], "text": "The zyzzyva costs 1.250,00 EUR."}
    done = corrected(server, job, blocks=[change], author="Anna", note="seen on paper")
    assert (done["status"], done["revision"]) == ("completed", 2)
    for route in ("markdown", "text", "html", "result", "chunks", "blocks.jsonl", "entities", "markdown_det"):
        assert "zyzzyva" in text_of(server, job, route) or "1.250,00" in text_of(server, job, route), route
        assert paragraph["text"] not in text_of(server, job, route), route
    assert "1250.00" in text_of(server, job, "entities")
    [hit] = server.http.get("/v1/search", params={"q": "zyzzyva"}).json()["hits"]
    assert (hit["job_id"], hit["boxes"][0]["block"]) == (job["id"], paragraph["id"])
    [listed] = server.http.get(f"/v1/jobs/{job['id']}/corrections").json()["corrections"]
    assert (listed["author"], listed["note"], listed["revision"]) == ("Anna", "seen on paper", 2)
    assert listed["blocks"] == [change]
    assert listed["created_at"] >= job["created_at"]
    logged = server.http.get("/v1/events", params={"limit": 1000}).json()["events"]
    [event] = [one for one in logged if one["type"] == "job.corrected" and one["job_id"] == job["id"]]
    assert (event["facts"]["revision"], event["facts"]["changes"]) == (2, 1)
    assert "zyzzyva" not in json.dumps(event)


def test_kind_order_and_cells_are_corrected(server: Served) -> None:
    job = server.finished(samples.report(3), reuse="false")
    before = blocks_of(server, job, 3)
    table = first_of(before, "table")
    heading, paragraph = first_of(before, "heading"), first_of(before[4:], "paragraph")
    done = corrected(
        server,
        job,
        blocks=[
            {"block": paragraph["id"], "kind": "heading", "level": 3},
            {"block": table["id"], "cells": [{"row": 1, "column": 1, "text": "forty-two"}], "after": None},
            {"block": heading["id"], "after": paragraph["id"]},
        ],
    )
    after = blocks_of(server, done, 3)
    names = [block["id"] for block in after]
    assert names[0] == table["id"]
    assert names.index(heading["id"]) == names.index(paragraph["id"]) + 1
    changed = next(block for block in after if block["id"] == paragraph["id"])
    assert (changed["kind"], changed["level"]) == ("heading", 3)
    assert after[0]["rows"][0][1]["text"] == "forty-two"
    [listed, *_] = server.http.get(f"/v1/jobs/{job['id']}/tables").json()["tables"]
    assert "forty-two" in server.http.get(listed["link"]).text
    assert f"### {paragraph['text'].split()[0]}" in text_of(server, job, "markdown")
    removed = corrected(server, done, blocks=[{"block": paragraph["id"], "remove": True}])
    assert paragraph["id"] not in [block["id"] for block in blocks_of(server, removed, 3)]
    assert len(server.http.get(f"/v1/jobs/{job['id']}/corrections").json()["corrections"]) == 2


def test_facts_are_corrected(server: Served) -> None:
    job = server.finished(
        samples.text_pages([["Invoice number: 4711", "Total: 99,50 EUR on 3 May 2026"]]), reuse="false"
    )
    entities = json.loads(text_of(server, job, "entities"))["entities"]
    amount = next(one for one in entities if one["type"] == "amount")
    date = next(one for one in entities if one["type"] == "date")
    said = {"page": 1, "type": "amount", "text": amount["text"], "block": amount["block"], "value": "99.05"}
    new = {"page": 1, "type": "organisation", "text": "Invoice", "value": "Mill Ltd"}
    gone = {"page": 1, "type": "date", "text": date["text"], "remove": True}
    done = corrected(server, job, facts=[said, gone, new])
    after = json.loads(text_of(server, done, "entities"))["entities"]
    assert [(one["value"], one["corrected"]) for one in after if one["type"] == "amount"] == [("99.05", True)]
    assert not [one for one in after if one["type"] == "date"]
    assert [one["value"] for one in after if one["type"] == "organisation"] == ["Mill Ltd"]
    pairs = json.loads(text_of(server, done, "facts"))["key_values"]
    number = next(one for one in pairs if one["text"] == "4711")
    told = {"page": 1, "type": number["label"], "text": "4711", "value": "4712"}
    last = corrected(server, done, facts=[told])
    pairs = json.loads(text_of(server, last, "facts"))["key_values"]
    assert next(one for one in pairs if one["text"] == "4711")["value"] == "4712"


BILL = [["Invoice number: 4711", "", "Total: 99,50 EUR", "", "IBAN: DE89 3704 0044 0532 0130 00"]]


def total_of(server: Served, job: dict[str, Any]) -> dict[str, Any]:
    """The total among the pairs of a document."""
    pairs: list[dict[str, Any]] = json.loads(text_of(server, job, "facts"))["key_values"]
    return next(one for one in pairs if one.get("name") == "total")


def test_a_corrected_amount_reaches_the_pair_and_what_is_extracted_by_rules(server: Served) -> None:
    job = server.finished(samples.text_pages(BILL), reuse="false")
    printed = total_of(server, job)
    said = {"page": 1, "type": "amount", "text": "99,50 EUR", "value": "99.05"}
    job = corrected(server, job, facts=[said])
    assert total_of(server, job) == {**printed, "value": "99.05", "corrected": True}
    schema = {"type": "object", "properties": {"total": {"type": "number"}}}
    found = server.http.post(f"/v1/jobs/{job['id']}/extract", json={"schema": schema}).json()
    assert found["record"] == {"total": 99.05}
    # The other way round: a corrected total is that of the amount as well.
    job = corrected(
        server, job, facts=[{"page": 1, "type": "total", "text": printed["text"], "value": "98.05"}]
    )
    entities = json.loads(text_of(server, job, "entities"))["entities"]
    assert [one["value"] for one in entities if one["type"] == "amount"] == ["98.05"]
    assert not [one for one in entities if one["type"] == "total"]


def test_corrected_words_take_the_place_of_the_print_in_facts(server: Served) -> None:
    job = server.finished(samples.text_pages(BILL), reuse="false")
    block = next(one for one in blocks_of(server, job) if "99,50" in one["text"])
    text = block["text"].replace("99,50", "77,70")
    job = corrected(server, job, blocks=[{"block": block["id"], "text": text}])
    assert total_of(server, job)["value"] == "77.70"
    gone = corrected(server, job, blocks=[{"block": block["id"], "remove": True}])
    pairs = json.loads(text_of(server, gone, "facts"))["key_values"]
    assert not [one for one in pairs if one.get("name") == "total"]


def test_corrected_values_are_checked(server: Served) -> None:
    job = server.finished(samples.text_pages(BILL), reuse="false")
    iban = "DE89 3704 0044 0532 0130 00"
    for kind, wrong in (
        ("date", "2026-02-30"),
        ("due_date", "tomorrow"),
        ("amount", "99,05"),
        ("total", "much"),
        ("iban", "4711"),
        ("vat_id", "none"),
        ("email", "anna at mill"),
    ):
        fact = {"page": 1, "type": kind, "text": "x", "value": wrong}
        answer = correct(server, job, facts=[fact])
        assert (answer.status_code, answer.json()["code"]) == (422, "correction_invalid"), fact
    for value, valid in (("DE02 1203 0000 0000 2020 51", True), ("DE03 1203 0000 0000 2020 51", False)):
        job = corrected(server, job, facts=[{"page": 1, "type": "iban", "text": iban, "value": value}])
        [found] = [
            one for one in json.loads(text_of(server, job, "entities"))["entities"] if one["type"] == "iban"
        ]
        assert (found["value"], found["valid"]) == (value.replace(" ", ""), valid)


def test_an_older_revision_is_not_corrected_and_a_correction_is_undone(
    server: Served, job: dict[str, Any]
) -> None:
    block = first_of(blocks_of(server, job), "paragraph")
    done = corrected(server, job, blocks=[{"block": block["id"], "text": "Changed once."}])
    conflict = correct(server, job, blocks=[{"block": block["id"], "text": "Changed twice."}])
    problem(conflict, 409, "revision_conflict")
    assert "revision 2" in conflict.json()["detail"]
    server.http.post(f"/v1/jobs/{job['id']}/revisions/1/restore")
    assert blocks_of(server, job) != blocks_of(server, done) or "Changed" not in text_of(server, job, "text")
    assert "Changed once" not in text_of(server, job, "markdown")
    assert server.http.get(f"/v1/jobs/{job['id']}/corrections").json() == {"corrections": []}
    assert not server.http.get("/v1/search", params={"q": '"Changed once"'}).json()["hits"]


def test_a_corrected_result_is_never_given_to_another_job(server: Served) -> None:
    document = samples.letter("Dear corrector,")
    first = server.finished(document)
    block = blocks_of(server, first)[0]["id"]
    corrected(server, first, blocks=[{"block": block, "text": "Dear forger,"}])
    second = server.finished(document)
    assert "forger" not in text_of(server, second, "markdown")
    assert "forger" in text_of(server, first, "markdown")


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"block": "p9-b1", "text": "x"}, "page 9"),
        ({"block": "p1-b99", "text": "x"}, "no block p1-b99"),
        ({"block": "p1-b1", "after": "p1-b99"}, "p1-b1 can't be put behind p1-b99"),
        ({"block": "p1-b1", "after": "p1-b1"}, "p1-b1 can't be put behind p1-b1"),
        ({"block": "p1-b1", "cells": [{"row": 0, "column": 0, "text": "x"}]}, "p1-b1 is no table"),
        ({"block": "p1-b2", "level": 4}, "p1-b2"),
    ],
)
def test_what_can_not_be_corrected_is_named(server: Served, change: dict[str, object], named: str) -> None:
    job = server.finished(samples.letter())
    refused = correct(server, job, blocks=[change])
    assert named in str(problem(refused, 422, "correction_invalid")["detail"])
    assert server.http.get(f"/v1/jobs/{job['id']}").json()["revision"] == job["revision"]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"blocks": [{"block": "x", "text": "y"}]},
        {"blocks": [{"block": "p1-b1", "kind": "table"}]},
        {"facts": [{"page": 1, "type": "date", "text": "3 May"}]},
    ],
)
def test_what_is_no_correction_is_refused(server: Served, body: dict[str, object]) -> None:
    job = server.finished(samples.letter())
    problem(correct(server, job, **body), 422, "validation_error")


def test_a_deleted_job_leaves_no_file_of_its_corrections(server: Served, job: dict[str, Any]) -> None:
    block = first_of(blocks_of(server, job), "paragraph")
    corrected(server, job, blocks=[{"block": block["id"], "text": "A secret correction."}])
    mill = server.mill
    [prefix] = mill.db.read(
        lambda conn: [
            kept.prefix
            for kept in [results.one(conn, "default", str(server_result(server, job["id"])))]
            if kept is not None
        ]
    )
    assert prefix.endswith(".corrected")
    assert mill.blobs.size(f"{prefix}/corrections.json")
    server.http.delete(f"/v1/jobs/{job['id']}")
    wait_for(lambda: mill.blobs.size(f"{prefix}/corrections.json") is None)
    assert not server.http.get("/v1/search", params={"q": '"secret correction"'}).json()["hits"]


def server_result(server: Served, job_id: str) -> str | None:
    """The id of the present result of a job."""
    found: str | None = server.mill.db.read(
        lambda conn: conn.scalar(select(jobs.c.result_id).where(jobs.c.id == job_id))
    )
    return found


def test_the_lines_of_a_corrected_document_are_training_data(
    server: Served, job: dict[str, Any], tmp_path: Any
) -> None:
    paragraph = first_of(blocks_of(server, job), "paragraph")
    done = corrected(server, job, blocks=[{"block": paragraph["id"], "kind": "caption"}])
    raw = text_of(server, done, "line_labels")
    first, second = json.loads(raw)["pages"]
    roles = {line["role"] for line in first["lines"]}
    assert {"heading", "caption", "list_item", "text"} <= roles
    assert [line["order"] for line in first["lines"]] == list(range(len(first["lines"])))
    assert second["number"] == 2
    (tmp_path / "mine.pdf").write_bytes(samples.report(2))
    (tmp_path / "mine.line_labels.json").write_text(raw)
    pages = list(own_pages(tmp_path))
    assert [(page.number, page.collection, page.group) for page in pages] == [
        (1, "own", "mine"),
        (2, "own", "mine"),
    ]
    assert {piece.role for piece in pages[0].pieces} == roles


class BrokenConnection:
    """A database whose connection ends after a commit, before the answer arrives."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self.read, self.now = db.read, db.now

    def write(self, work: Callable[[Tx], T]) -> T:
        """Commit, and never say so."""
        self._db.write(work)
        raise DatabaseUnavailable


def changed_text(job: dict[str, Any], text: str) -> corrections.Correction:
    """A correction of the first block."""
    return corrections.Correction(job["revision"], [{"block": "p1-b1", "text": text}], [], "Anna", "key")


def test_files_stay_when_nobody_knows_whether_a_correction_was_stored(server: Served) -> None:
    job, mill = server.finished(samples.letter("Dear unknown,"), reuse="false"), server.mill
    broken: Any = BrokenConnection(mill.db)
    with pytest.raises(DatabaseUnavailable):
        corrections.correct(
            replace(mill, db=broken), "default", job["id"], changed_text(job, "Dear known,"), mill.press
        )
    assert "Dear known," in text_of(server, job, "markdown")
    # One that is refused leaves nothing.
    before = server.files()
    with pytest.raises(RevisionConflict):
        corrections.correct(mill, "default", job["id"], changed_text(job, "Dear late one,"), mill.press)
    assert server.files() == before


def test_only_so_many_corrected_revisions_are_kept(server: Served) -> None:
    job, mill = server.finished(samples.letter("Dear many,"), reuse="false"), server.mill
    small = replace(mill, settings=mill.settings.model_copy(update={"max_corrections": 2}))
    for text in ("Dear one,", "Dear two,"):
        corrections.correct(small, "default", job["id"], changed_text(job, text), mill.press)
        job["revision"] += 1
    # Restoring the first makes no room, for the others are still kept.
    server.http.post(f"/v1/jobs/{job['id']}/revisions/1/restore")
    job = server.http.get(f"/v1/jobs/{job['id']}").json()
    before = server.files()
    with pytest.raises(TooManyCorrections):
        corrections.correct(small, "default", job["id"], changed_text(job, "Dear three,"), mill.press)
    assert server.files() == before


def test_what_was_asked_for_beside_the_reading_is_made_again(server: Served) -> None:
    order = json.dumps({"schema": {"type": "object", "properties": {"iban": {"type": "string"}}}})
    job = server.finished(samples.letter("Dear splitter,"), split="suggest", extract=order, reuse="false")
    answer = corrected(server, job, blocks=[{"block": "p1-b1", "text": "Dear joiner,"}])
    assert answer["revision"] >= 2
    done = server.http.get(f"/v1/jobs/{job['id']}", params={"wait": 60}).json()
    assert (done["status"], done["revision"]) == ("completed", 3)
    log = server.http.get(f"/v1/jobs/{job['id']}/events", headers={"accept": "application/json"}).json()
    [again] = [one["facts"] for one in log["events"] if one["type"] == "job.retried"]
    assert again == {"enrich": "parts,extraction", "corrected": 2, "run": 2}
    assert "Dear joiner," in text_of(server, job, "markdown")
    stored = server.mill.db.read(
        lambda conn: results.one(conn, "default", str(server_result(server, job["id"])))
    )
    assert stored is not None
    assert {"enriched-extraction.json", "parts.json", "corrections.json"} <= set(stored.artifacts)
    assert len(server.http.get(f"/v1/jobs/{job['id']}/corrections").json()["corrections"]) == 1
