"""Questions: answered with citations that are verified, streamed, refused when nothing supports an answer, and counted."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from pydantic import SecretStr
from typer.testing import CliRunner

from pagemill.desk import questions
from pagemill.desk.extraction import stored_document
from pagemill.desk.on_demand import finished_job
from pagemill.desk.usage import show_usage
from pagemill.entrypoints.cli.app import app
from pagemill.errors import NotFound
from pagemill.model.document_filters import DocumentFilter
from pagemill.model.enriching import EXTRACTION, NAMES
from pagemill.model.options import ReadingOptions
from pagemill.model.states import Step
from pagemill.remote_pages import Interrupted
from pagemill.steps.own_enrichers import run_own_enricher
from tests.chat_server import KEY, MODEL, ChatServer, chatting
from tests.mills import small_settings
from tests.samples import text_pages
from tests.servers import Served, served
from tests.steps.test_document_budget import a_claim
from tests.waiting import wait_for

LINE = "The parcel of Mr Kowalski arrives on 14 June at gate 27."
GOOD = "QUOTES:\n[1] arrives on 14 June\n[1] gate 27\nANSWER: On 14 June, at gate 27 [1]."
ASK = "When does the parcel arrive?"


@pytest.fixture(scope="module")
def chat() -> Iterator[ChatServer]:
    """A language model."""
    with chatting(GOOD) as running:
        yield running


@pytest.fixture(autouse=True)
def _as_usual(chat: ChatServer) -> None:
    """Each test begins with a model that answers well."""
    chat.replies, chat.counts_streams = [GOOD], True
    chat.requests.clear()


@pytest.fixture(scope="module")
def clever(tmp_path_factory: pytest.TempPathFactory, chat: ChatServer) -> Iterator[Served]:
    """A server with a language model."""
    changes = {"llm_url": chat.url, "llm_key": SecretStr(KEY), "llm_model": MODEL}
    settings = small_settings(
        tmp_path_factory.mktemp("asked"), provider_call_prices="llm=0.25", slots=1, kept_slots=0, **changes
    )
    with served(settings) as server:
        yield server


@pytest.fixture(scope="module")
def job(clever: Served) -> dict[str, Any]:
    """A document that says when a parcel comes."""
    return clever.finished(text_pages([[LINE]]), filename="parcel.pdf", collection="mail", enrich="class")


def ask(server: Served, **body: object) -> httpx.Response:
    """Ask, and take the answer as a whole."""
    return server.http.post("/v1/ask", json={"question": ASK, **body})


def calls_of(server: Served, job: dict[str, Any]) -> int:
    """How many calls to the model were counted for the tenant of a job."""
    today, day = datetime.now(UTC).date(), timedelta(days=1)
    return sum(row.remote_calls for row in show_usage(server.mill, job["tenant"], today - day, today + day))


def stream(server: Served, **body: object) -> list[tuple[str, dict[str, Any]]]:
    """Ask, and take the answer as it comes: the names of the events with their data."""
    headers = {"accept": "text/event-stream"}
    answer = server.http.post("/v1/ask", json={"question": ASK, **body}, headers=headers)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/event-stream")
    lines = [block.split("\n") for block in answer.text.strip().split("\n\n")]
    return [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in lines]


def test_an_answer_cites_what_the_document_has_with_its_boxes(clever: Served, job: dict[str, Any]) -> None:
    before = clever.http.get("/v1/usage").json()["usage"]
    found = ask(clever, job_id=job["id"]).json()
    assert (found["answered"], found["answer"]) == (True, "On 14 June, at gate 27 [1].")
    assert [one["quote"] for one in found["citations"]] == ["arrives on 14 June", "gate 27"]
    assert all(one["job_id"] == job["id"] and one["page"] == 1 for one in found["citations"])
    assert all(len(one["boxes"][0]["box"]) == 4 for one in found["citations"])
    assert (found["unverified_quotes"], found["unsupported_numbers"]) == ([], [])
    assert found["cost"] == {"calls": 1, "prompt_tokens": 100, "completion_tokens": 7, "price": 0.25}
    [after] = clever.http.get("/v1/usage").json()["usage"]
    assert after["remote_calls"] == (before[0]["remote_calls"] if before else 0) + 1


def test_documents_are_asked_by_collection_and_class(
    clever: Served, chat: ChatServer, job: dict[str, Any]
) -> None:
    found = ask(clever, collection="mail", **{"class": job["classification"]["name"]}).json()
    assert [one["job_id"] for one in found["citations"]] == [job["id"]] * 2
    assert LINE in chat.requests[-1]["messages"][1]["content"]
    # Nothing is asked of a model that nothing was found for.
    nothing = ask(clever, collection="elsewhere").json()
    assert (nothing["answered"], nothing["cost"]["calls"]) == (False, 0)
    assert "words of the question" in nothing["reason"]
    assert len(chat.requests) == 1


def test_a_stream_brings_the_answer_in_pieces_and_then_as_a_whole(
    clever: Served, job: dict[str, Any]
) -> None:
    events = stream(clever, job_id=job["id"])
    assert [name for name, _ in events[-2:]] == ["delta", "answer"]
    text = "".join(data["text"] for name, data in events if name == "delta")
    assert text.strip() == events[-1][1]["answer"] == "On 14 June, at gate 27 [1]."
    assert len(events) > 3


@pytest.mark.parametrize(
    "reply",
    [
        "NO ANSWER",
        "QUOTES:\n[1] the parcel was lost at sea\nANSWER: It was lost [1].",
        "QUOTES:\n[1] on\nANSWER: Tomorrow [1].",
        "It comes tomorrow, believe me.",
        "QUOTES:\n[1] arrives on 14 June\n",
    ],
)
def test_what_nothing_supports_is_refused_and_never_shown(
    clever: Served, chat: ChatServer, job: dict[str, Any], reply: str
) -> None:
    chat.replies = [reply]
    [(name, found)] = stream(clever, job_id=job["id"])
    assert (name, found["answered"], found["answer"], found["citations"]) == ("answer", False, None, [])
    assert "support" in found["reason"]
    assert found["cost"]["calls"] == 1


def test_false_quotes_and_numbers_beside_true_ones_are_named(
    clever: Served, chat: ChatServer, job: dict[str, Any]
) -> None:
    chat.replies = ["QUOTES:\n[1] at gate 27\n[1] costs 99 euros\nANSWER: At gate 27, for 99 euros [1]."]
    found = ask(clever, job_id=job["id"]).json()
    assert found["answered"] is True
    assert (found["unverified_quotes"], found["unsupported_numbers"]) == (["costs 99 euros"], ["99"])


def test_a_citation_has_the_number_that_the_answer_refers_to_it_by(
    clever: Served, chat: ChatServer, job: dict[str, Any]
) -> None:
    chat.replies = ["QUOTES:\n[7] at gate 27\nANSWER: At gate 27 [7], as always [3]."]
    found = ask(clever, job_id=job["id"]).json()
    assert [(one["number"], one["page"]) for one in found["citations"]] == [(7, 1)]
    assert found["uncited_numbers"] == [3]


def test_the_command_line_warns_of_what_nothing_supports(
    clever: Served, chat: ChatServer, job: dict[str, Any]
) -> None:
    chat.replies = ["QUOTES:\n[1] at gate 27\n[1] costs 99 euros\nANSWER: At gate 27 [1], for 99 euros [2]."]
    shown = CliRunner().invoke(app, ["ask", ASK, "--job", job["id"], "--server", clever.url])
    assert shown.exit_code == 0, shown.output
    for words in ("numbers of the answer: 99", "nothing was quoted of: [2]", "quoted as: costs 99 euros"):
        assert words in shown.output


def test_trouble_of_the_model_is_answered_with_what_to_do(
    clever: Served, chat: ChatServer, job: dict[str, Any]
) -> None:
    headers = {"accept": "text/event-stream"}
    for replies, status, code in (
        ([429], 503, "model_unavailable"),
        ([500], 503, "model_unavailable"),
        ([404], 502, "model_failed"),
        (["NONSENSE, which is no JSON"], 502, "model_failed"),
        (["BREAK"], 502, "model_failed"),
    ):
        chat.replies = list(replies)
        for form in ({}, headers):
            answer = clever.http.post("/v1/ask", json={"question": ASK, "job_id": job["id"]}, headers=form)
            assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text
            assert KEY not in answer.text
    # What broke off after it had begun is an event of the stream.
    chat.replies = [GOOD[:60] + "NONSE" if len(GOOD[:60]) % 5 == 0 else GOOD]
    events = stream(clever, job_id=job["id"])
    assert (events[-1][0], events[-1][1]["code"]) == ("error", "model_failed")


def test_a_model_that_is_busy_for_a_moment_or_counts_nothing_is_asked_again(
    clever: Served, chat: ChatServer, job: dict[str, Any]
) -> None:
    chat.replies = [429, GOOD]
    assert ask(clever, job_id=job["id"]).json()["answered"] is True
    chat.replies, chat.counts_streams = [GOOD], False
    found = ask(clever, job_id=job["id"]).json()
    assert (found["answered"], found["cost"]["calls"], found["cost"]["prompt_tokens"]) == (True, 1, 0)


def test_a_model_that_nobody_listens_to_is_asked_for_no_more(
    clever: Served, chat: ChatServer, job: dict[str, Any]
) -> None:
    chat.replies = [GOOD + "word " * 400_000]
    before, called = chat.broken_off, calls_of(clever, job)
    asked = {"question": ASK, "job_id": job["id"]}
    headers = {"accept": "text/event-stream"}
    with clever.http.stream("POST", "/v1/ask", json=asked, headers=headers) as answer:
        assert answer.status_code == 200
        next(answer.iter_bytes())
    wait_for(lambda: chat.broken_off == before + 1)
    wait_for(lambda: calls_of(clever, job) == called + 1)


def test_a_model_is_asked_nothing_more_for_a_claim_that_was_taken_away(
    clever: Served, chat: ChatServer, job: dict[str, Any]
) -> None:
    claim = replace(a_claim(Step.ENRICH, None), options=ReadingOptions(extract='{"schema": {}}'))
    done = finished_job(clever.mill, job["tenant"], job["id"])
    with stored_document(clever.mill, done) as document:
        for name in (NAMES, EXTRACTION):
            clever.mill.engines.stop_of(claim.key).set()
            with pytest.raises(Interrupted):
                run_own_enricher(clever.mill, claim, name, document, {"entities": {"entities": []}})
    assert chat.requests == []


def test_results_by_a_model_and_by_rules_are_never_taken_for_each_other(clever: Served) -> None:
    by_rules = replace(clever.mill, settings=clever.mill.settings.model_copy(update={"llm_url": ""}))
    plain, asked = ReadingOptions(), ReadingOptions(extract='{"schema": {}}')
    for options, is_same in (
        (plain, True),
        (asked, False),
        (replace(plain, enrich=(NAMES,)), False),
        (replace(plain, enrich=("entities",)), True),
    ):
        prints = {mill.result_fingerprint("0", options) for mill in (clever.mill, by_rules)}
        assert (len(prints) == 1) is is_same, options


def test_control_characters_of_a_model_do_not_reach_the_terminal(
    clever: Served, chat: ChatServer, job: dict[str, Any]
) -> None:
    chat.replies = [GOOD.replace("On 14", "\x1b[2JOn 14")]
    shown = CliRunner().invoke(app, ["ask", ASK, "--job", job["id"], "--server", clever.url])
    assert shown.exit_code == 0, shown.output
    assert "On 14 June" in shown.output
    assert "\x1b" not in shown.output


def test_without_a_model_or_a_job_the_error_says_what_to_do(busy: Served, clever: Served) -> None:
    answer = ask(busy)
    assert (answer.status_code, answer.json()["code"]) == (409, "model_not_configured")
    assert "PAGEMILL_LLM_URL" in answer.text
    assert ask(clever, job_id="no-id").status_code == 404
    assert ask(clever, question="").status_code == 422


def test_documents_of_others_are_never_asked(clever: Served, job: dict[str, Any]) -> None:
    with pytest.raises(NotFound):
        questions.find_sources(clever.mill, DocumentFilter("stranger", job_id=job["id"]), ASK)
    assert questions.find_sources(clever.mill, DocumentFilter("stranger"), ASK) == []
    assert questions.find_sources(clever.mill, DocumentFilter(job["tenant"]), ASK) != []


@pytest.mark.usefixtures("job")
def test_a_long_question_is_looked_for_by_as_many_words_as_a_query_has(clever: Served) -> None:
    """As a question may have 2,000 characters, it has more words than a query."""
    question = "When does the parcel arrive? " + " ".join(f"word{number}" for number in range(200))
    answer = ask(clever, question=question, collection="mail")
    assert (answer.status_code, answer.json()["answered"]) == (200, True)
