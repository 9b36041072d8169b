"""The filters of documents are the same wherever documents are looked for: search, questions and the list of jobs."""

import inspect
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, get_type_hints

import pytest
from pydantic import SecretStr
from typer.main import get_command
from typer.testing import CliRunner

from pagemill.client import Client
from pagemill.client.filters import API_NAMES, DocumentFilters, ListFilters
from pagemill.entrypoints.api.jobs.routes import ListParameters
from pagemill.entrypoints.api.search.shapes import SearchParameters
from pagemill.entrypoints.api.understanding.ask import AskRequest
from pagemill.entrypoints.cli.app import app
from pagemill.model.document_filters import FILTERS
from tests.chat_server import KEY, MODEL, chatting
from tests.house.source import ROOT
from tests.mills import small_settings
from tests.samples import letter
from tests.servers import Served, served

REPLY = "QUOTES:\n[1] Dear Sancho\nANSWER: To Sancho [1]."
QUESTION = "Dear Sancho?"
NOT_A_FILTER = {"q", "mode", "offset", "limit", "question", "status", "filename", "sort", "counts", "cursor"}


@dataclass(frozen=True)
class Papers:
    """A server with two letters to one person, which differ in all that can be asked for."""

    server: Served
    first: dict[str, Any]
    second: dict[str, Any]


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Papers]:
    """Two letters on a server that has a language model."""
    with chatting(REPLY) as chat:
        model = {"llm_url": chat.url, "llm_key": SecretStr(KEY), "llm_model": MODEL}
        folder = tmp_path_factory.mktemp("filters")
        with served(small_settings(folder, slots=1, kept_slots=0, **model)) as server:
            first = server.finished(
                letter("Dear Sancho,"),
                filename="first.pdf",
                collection="novels",
                tags="squire,spain",
                metadata=json.dumps({"a:b": "c:d", "shelf": "3"}),
                enrich="class",
            )
            second = server.finished(
                b"# Sancho\n\nDear Sancho, again.\n",
                filename="second.md",
                tags="spain",
                metadata=json.dumps({"shelf": "3"}),
            )
            assert (first["status"], second["status"]) == ("completed", "completed")
            yield Papers(server, first, second)


# What is asked for, as the client takes it, and on the command line, with the letters that it lets through.
CHOICES: list[tuple[dict[str, Any], list[str], set[str]]] = [
    ({}, [], {"first", "second"}),
    ({"collection": "novels"}, ["--collection", "novels"], {"first"}),
    ({"tag": "spain"}, ["--tag", "spain"], {"first", "second"}),
    ({"tag": ("spain", "squire")}, ["--tag", "spain", "--tag", "squire"], {"first"}),
    ({"tag": ["spain", "knight"]}, ["--tag", "spain", "--tag", "knight"], set()),
    ({"metadata": {"shelf": "3"}}, ["--metadata", "shelf=3"], {"first", "second"}),
    (
        {"metadata": {"shelf": "3", "a:b": "c:d"}},
        ["--metadata", "shelf=3", "--metadata", "a:b=c:d"],
        {"first"},
    ),
    ({"document_class": "letter"}, ["--class", "letter"], {"first"}),
    ({"media_type": "application/pdf"}, ["--type", "application/pdf"], {"first"}),
    (
        {"media_type": "text/markdown", "tag": "squire"},
        ["--type", "text/markdown", "--tag", "squire"],
        set(),
    ),
    ({"created_before": "2001-01-01"}, ["--created-before", "2001-01-01"], set()),
    (
        {"created_after": "2001-01-01T00:00:00Z"},
        ["--created-after", "2001-01-01T00:00:00Z"],
        {"first", "second"},
    ),
]


@pytest.mark.parametrize(("filters", "_options", "expected"), CHOICES)
def test_lists_search_and_questions_of_the_client_go_by_the_same_filters(
    papers: Papers, filters: dict[str, Any], _options: list[str], expected: set[str]
) -> None:
    with Client(papers.server.url) as client:
        found = client.search("sancho", **filters).hits
        listed = list(client.jobs(**filters))
        answer = client.understanding.ask(QUESTION, **filters)
    assert {hit.filename.partition(".")[0] for hit in found} == expected
    assert {job.document.filename.partition(".")[0] for job in listed} == expected
    assert answer["answered"] is bool(expected)


@pytest.mark.parametrize(("_filters", "options", "expected"), CHOICES)
def test_the_commands_have_an_option_for_each_filter(
    papers: Papers, _filters: dict[str, Any], options: list[str], expected: set[str]
) -> None:
    at = ["--server", papers.server.url, "--json", *options]
    searched = CliRunner().invoke(app, ["search", "sancho", *at])
    assert searched.exit_code == (0 if expected else 1)
    assert {hit["filename"].partition(".")[0] for hit in json.loads(searched.stdout)["hits"]} == expected
    listed = json.loads(CliRunner().invoke(app, ["jobs", *at]).stdout)["jobs"]
    assert {job["document"]["filename"].partition(".")[0] for job in listed} == expected
    asked = CliRunner().invoke(app, ["ask", QUESTION, *at])
    assert (asked.exit_code, json.loads(asked.stdout)["answered"]) == (0 if expected else 1, bool(expected))


def test_one_job_can_be_searched_and_asked(papers: Papers) -> None:
    at = ["--server", papers.server.url, "--json", "--job", papers.second["id"]]
    [hit] = json.loads(CliRunner().invoke(app, ["search", "sancho", *at]).stdout)["hits"]
    assert hit["job_id"] == papers.second["id"]
    [cited] = json.loads(CliRunner().invoke(app, ["ask", QUESTION, *at]).stdout)["citations"]
    assert cited["job_id"] == papers.second["id"]


def test_matching_jobs_are_counted_by_status(papers: Papers) -> None:
    query: dict[str, Any] = {"type": "application/pdf", "tag": ["spain", "squire"], "counts": True}
    listed = papers.server.http.get("/v1/jobs", params=query).json()
    assert ([job["id"] for job in listed["jobs"]], listed["counts"]) == (
        [papers.first["id"]],
        {"completed": 1},
    )


@pytest.mark.parametrize("path", ["/v1/jobs", "/v1/search"])
def test_metadata_without_a_name_is_refused(papers: Papers, path: str) -> None:
    query = {"metadata": "shelf"} | ({"q": "sancho"} if path == "/v1/search" else {})
    answer = papers.server.http.get(path, params=query)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"] == "/metadata"


@pytest.mark.parametrize(
    ("query", "detail"),
    [
        ({"type": "pdf"}, "type: has to be a media type, such as application/pdf"),
        ({"type": "image/*"}, "type: has to be a media type, such as application/pdf"),
        ({"class": ""}, "class: is empty"),
        ({"collection": ""}, "collection: is empty"),
        ({"tag": ["spain", ""]}, "tag/1: is empty"),
        ({"tag": " , "}, "tag: is empty"),
        (
            {"created_after": "2026-01-02", "created_before": "2026-01-01T12:00:00Z"},
            "created_before: has to be later than created_after, or no job can match",
        ),
    ],
)
def test_a_filter_that_no_document_can_meet_is_refused(
    papers: Papers, query: dict[str, Any], detail: str
) -> None:
    listed = papers.server.http.get("/v1/jobs", params=query)
    searched = papers.server.http.get("/v1/search", params={"q": "sancho", **query})
    asked = papers.server.http.post("/v1/ask", json={"question": QUESTION, **query})
    for answer in (listed, searched):
        assert (answer.status_code, answer.json()["detail"]) == (422, detail)
    assert asked.status_code == 422, asked.text


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ({"metadata": ["shelf:3", "shelf:4"]}, "/metadata"),
        ({"metadata": [f"name{number}:1" for number in range(17)]}, "/metadata"),
        ({"tag": [",".join(f"t{number}" for number in range(33))]}, "/tag"),
        ({"tag": "nu\0ll"}, ""),
        ({"created_after": "soon"}, "/created_after"),
    ],
)
@pytest.mark.parametrize("path", ["/v1/jobs", "/v1/search"])
def test_what_no_document_can_have_is_refused(
    papers: Papers, path: str, query: dict[str, Any], pointer: str
) -> None:
    more = {"q": "sancho"} if path == "/v1/search" else {}
    answer = papers.server.http.get(path, params={**query, **more})
    assert (answer.status_code, answer.json()["code"]) == (422, "validation_error")
    assert answer.json()["errors"][0]["pointer"] == pointer
    if pointer == "/created_after":
        assert answer.json()["detail"].startswith("created_after: a time is written as in ")


def test_several_tags_may_be_in_one_text(papers: Papers) -> None:
    for tags, expected in (
        ("squire,spain", ["first"]),
        ("spain, squire", ["first"]),
        ("spain,knight", []),
        ("Squire", []),
    ):
        listed = papers.server.http.get("/v1/jobs", params={"tag": tags}).json()["jobs"]
        assert [job["document"]["filename"].partition(".")[0] for job in listed] == expected, tags


def test_the_collection_and_an_entry_of_that_name_must_both_match(papers: Papers) -> None:
    for entry, count in (("collection:novels", 1), ("collection:other", 0)):
        query = {"collection": "novels", "metadata": entry}
        assert len(papers.server.http.get("/v1/jobs", params=query).json()["jobs"]) == count


def test_metadata_on_the_command_line_needs_a_value(papers: Papers) -> None:
    ran = CliRunner().invoke(app, ["search", "x", "--metadata", "shelf", "--server", papers.server.url])
    assert ran.exit_code == 2
    assert "KEY=VALUE" in ran.stderr


def test_every_interface_has_every_filter() -> None:
    from pagemill.entrypoints.api.mcp.tools import HttpTools
    from pagemill.entrypoints.cli.remote.mcp_tools import DocumentTools

    of_lists = set(FILTERS) - {"job_id"}
    assert set(get_type_hints(DocumentFilters)) == set(FILTERS)
    assert set(get_type_hints(ListFilters)) == of_lists
    assert {name: API_NAMES.get(name, name) for name in FILTERS} == {
        name: one.query for name, one in FILTERS.items()
    }
    assert names_of(SearchParameters) == names_of(AskRequest) == {one.query for one in FILTERS.values()}
    assert names_of(ListParameters) == {FILTERS[name].query for name in of_lists}
    for tool in (HttpTools.search, DocumentTools.search):
        assert set(FILTERS) < set(inspect.signature(tool).parameters)
    options = {one.option for one in FILTERS.values()}
    assert options < options_of("search")
    assert options < options_of("ask")
    assert options - {"--job"} < options_of("jobs")


@pytest.mark.parametrize("name", FILTERS)
def test_a_filter_is_documented_with_its_names(name: str) -> None:
    page = (ROOT / "docs/how-to/search.md").read_text(encoding="utf-8")
    assert f"| `{FILTERS[name].query}" in page or f", `{FILTERS[name].query}`" in page
    assert f"`{FILTERS[name].option}" in page


def names_of(shape: type[SearchParameters | AskRequest | ListParameters]) -> set[str]:
    """The filters of a query or a body, by the names that they have there."""
    return {field.alias or name for name, field in shape.model_fields.items()} - NOT_A_FILTER


def options_of(name: str) -> set[str]:
    """The options of a command."""
    command: Any = get_command(app)
    return {option for one in command.commands[name].params for option in one.opts}
