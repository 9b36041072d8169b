"""Extraction over HTTP: with a language model, and by rules without one; kept, counted, and refused clearly."""

import io
import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from pydantic import SecretStr
from reportlab.pdfgen.canvas import Canvas

from pagemill.model import extraction
from pagemill.reading.extraction.chat import ChatConfig, ChatModel
from tests.chat_server import KEY, MODEL, ChatServer, chatting
from tests.mills import small_settings
from tests.samples import letter
from tests.servers import Served, served

SCHEMA = {
    "type": "object",
    "properties": {
        "invoice_number": {"type": "string"},
        "total": {"type": "number"},
        "due_date": {"type": "string"},
        "mood": {"type": "string"},
    },
}
ANSWER = {
    "record": {"invoice_number": "A-17", "total": 1190.6, "mood": "good"},
    "evidence": [
        {"pointer": "/invoice_number", "block": "p1-b1", "quote": "A-17"},
        {"pointer": "/total", "block": "p1-b9", "quote": "1,190.60"},
        {"pointer": "/mood", "block": "p1-b1", "quote": "We are in a good mood"},
    ],
}


def invoice() -> bytes:
    """An invoice of one page."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, (595, 842), invariant=True)
    lines = ("Invoice number: A-17", "Due date: 3 May 2026", "Total due: EUR 1,190.60")
    for place, line in enumerate(lines):
        canvas.drawString(60, 780 - 40 * place, line)
    canvas.save()
    return buffer.getvalue()


@pytest.fixture(scope="module")
def chat() -> Iterator[ChatServer]:
    """A language model."""
    with chatting(json.dumps(ANSWER)) as running:
        yield running


@pytest.fixture(scope="module")
def clever(tmp_path_factory: pytest.TempPathFactory, chat: ChatServer) -> Iterator[Served]:
    """A server with a language model."""
    changes = {
        "llm_url": chat.url,
        "llm_key": SecretStr(KEY),
        "llm_model": MODEL,
        "provider_call_prices": "llm=0.25",
        "slots": 1,
        "kept_slots": 0,
    }
    with served(small_settings(tmp_path_factory.mktemp("clever"), **changes)) as server:
        yield server


def extract(server: Served, job: dict[str, Any], **body: object) -> httpx.Response:
    """Ask for values of a job."""
    return server.http.post(f"/v1/jobs/{job['id']}/extract", json={"schema": SCHEMA, **body})


def test_a_model_is_asked_once_and_its_values_are_verified(clever: Served, chat: ChatServer) -> None:
    job = clever.finished(invoice(), filename="invoice.pdf")
    answer = extract(clever, job)
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert (found["engine"], found["valid"], found["record"]) == (MODEL, True, ANSWER["record"])
    grounded = {one["pointer"]: one["grounded"] for one in found["values"]}
    assert grounded == {"/invoice_number": True, "/total": True, "/mood": False}
    assert all((one["box"] is not None) == one["grounded"] for one in found["values"])
    assert found["cost"] == {"calls": 1, "prompt_tokens": 100, "completion_tokens": 7, "price": 0.25}
    assert extract(clever, job).json() == found
    assert len(chat.requests) == 1
    [today] = clever.http.get("/v1/usage").json()["usage"]
    assert (today["remote_calls"], today["price"]) == (1, 0.25)


def test_trouble_of_the_model_is_told_with_what_to_do(clever: Served, chat: ChatServer) -> None:
    job = clever.finished(letter("Dear model,"), filename="letter.pdf")
    kept, chat.replies = chat.replies, [429]
    answer = extract(clever, job)
    assert (answer.status_code, answer.json()["code"]) == (503, "model_unavailable")
    chat.replies = [404]
    answer = extract(clever, job)
    assert (answer.status_code, answer.json()["code"]) == (502, "model_failed")
    assert "PAGEMILL_LLM_URL" in answer.text
    assert KEY not in answer.text
    # What failed is not kept, and neither is an answer that fits no schema.
    chat.replies = ["[]"]
    assert extract(clever, job).json()["valid"] is False
    chat.replies = kept
    assert extract(clever, job).json()["valid"] is True


def test_rules_fill_what_they_can_without_a_model(busy: Served) -> None:
    job = busy.finished(invoice(), filename="invoice.pdf")
    found = extract(busy, job).json()
    assert found["engine"] == "rules"
    assert found["record"] == {"invoice_number": "A-17", "total": 1190.6, "due_date": "2026-05-03"}
    assert all(one["grounded"] and one["box"] for one in found["values"])
    assert [one.split(":")[0] for one in found["not_supported"]] == ["/mood"]
    assert found["cost"]["calls"] == 0


def nested(depth: int) -> dict[str, object]:
    """Properties in properties."""
    made: dict[str, object] = {}
    for _ in range(depth):
        made = {"a": {"type": "object", "properties": made}}
    return made


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string"},
        {"type": "object"},
        {"type": "object", "properties": {"a": {"type": "nothing"}}},
        {"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:9/x"}}},
        {"type": "object", "properties": {"a": {"$dynamicRef": "file:///etc/hostname"}}},
        {"type": "object", "properties": {"a": {"items": [{"$recursiveRef": "#"}]}}},
        {"type": "object", "properties": {"pattern": {"type": "string", "pattern": "(a+)+$"}}},
        {"type": "object", "properties": {}, "patternProperties": {"(a+)+$": {}}},
        {"type": "object", "properties": nested(30)},
        {"type": "object", "properties": {f"p{number}": {"title": "x" * 100} for number in range(1_000)}},
    ],
)
def test_schemas_that_can_not_be_used_are_refused(busy: Served, schema: dict[str, object]) -> None:
    job = busy.finished(letter(), filename="letter.pdf")
    answer = extract(busy, job, schema=schema)
    assert (answer.status_code, answer.json()["code"]) == (422, "validation_error")
    assert "/schema" in answer.text


def test_values_asked_for_with_the_document_come_with_its_result(clever: Served, chat: ChatServer) -> None:
    chat.replies = [json.dumps(ANSWER)]
    order = json.dumps({"schema": SCHEMA, "instructions": "Be exact."})
    job = clever.finished(invoice(), filename="asked.pdf", extract=order)
    assert (job["warnings"], job["options"]["extract"]["instructions"]) == ([], "Be exact.")
    found = clever.http.get(f"/v1/jobs/{job['id']}/enrichments/extraction").json()
    assert (found["engine"], found["record"]) == (MODEL, ANSWER["record"])
    assert {one["pointer"]: one["grounded"] for one in found["values"]}["/mood"] is False
    assert (job["cost"]["remote_calls"], job["cost"]["price"]) == (1, 0.25)


@pytest.mark.parametrize("reply", [429, 404, "no JSON at all"])
def test_a_model_that_fails_costs_a_warning_and_never_the_document(
    clever: Served, chat: ChatServer, reply: str | int
) -> None:
    chat.replies = [reply]
    job = clever.finished(letter(f"Dear {reply},"), enrich="names", filename="letter.pdf")
    assert (job["status"], job["warnings"]) == ("completed", ["enrichment_failed"])
    assert f"Dear {reply}" in clever.http.get(f"/v1/jobs/{job['id']}/text").text


def test_names_of_persons_and_places_are_among_the_entities_if_the_document_has_them(
    clever: Served, chat: ChatServer
) -> None:
    names = [
        {"type": "person", "name": "Anna Berg", "block": "p1-b1"},
        {"type": "place", "name": "Atlantis", "block": "p1-b1"},
        {"type": "weather", "name": "Anna Berg", "block": "p1-b1"},
    ]
    chat.replies = [json.dumps({"names": names})]
    job = clever.finished(letter("Dear Anna Berg,"), enrich="names", filename="letter.pdf")
    assert job["warnings"] == []
    kept = clever.http.get(f"/v1/jobs/{job['id']}/enrichments/names").json()
    assert [(one["text"], one["grounded"]) for one in kept["entities"]] == [
        ("Anna Berg", True),
        ("Atlantis", False),
    ]
    entities = clever.http.get(f"/v1/jobs/{job['id']}/entities").json()["entities"]
    [person] = [one for one in entities if one["type"] == "person"]
    assert (person["value"], person["page"], len(person["box"])) == ("Anna Berg", 1, 4)
    assert not [one for one in entities if one["type"] == "place"]


def test_rules_serve_what_is_asked_for_with_a_document_too(busy: Served) -> None:
    job = busy.finished(invoice(), filename="invoice.pdf", extract=json.dumps({"schema": SCHEMA}))
    found = busy.http.get(f"/v1/jobs/{job['id']}/enrichments/extraction").json()
    assert (job["warnings"], found["engine"], found["record"]["total"]) == ([], "rules", 1190.6)
    for wrong in ("no json", "{}", '{"schema": {"type": "string"}}'):
        answer = busy.http.post("/v1/jobs", params={"extract": wrong}, content=invoice())
        assert (answer.status_code, answer.json()["code"]) == (422, "validation_error")
        assert "/extract" in answer.text


def test_that_a_server_knows_no_schemas_is_remembered_for_all_requests() -> None:
    with chatting(json.dumps({"a": 1}), knows_schemas=False) as server:
        models = [ChatModel(ChatConfig(server.url, MODEL, KEY)) for _ in range(2)]
        for model in models:
            model.ask([{"role": "user", "content": "?"}], {"type": "object"})
            model.close()
        assert [one["response_format"]["type"] for one in server.requests] == ["json_object"] * 2
        assert [model.use.calls for model in models] == [1, 1]


def test_what_was_extracted_by_another_version_is_not_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    order = extraction.ExtractionOrder(SCHEMA)
    before = order.key("rules")
    monkeypatch.setattr(extraction, "EXTRACTOR_VERSION", extraction.EXTRACTOR_VERSION + 1)
    assert order.key("rules") != before
