"""Search over HTTP, from the client and on the command line, in documents that were really read."""

from collections.abc import Iterator
from typing import Any

import pytest
from typer.testing import CliRunner

from pagemill.client import Client
from pagemill.desk.search_indexing import index_waiting, reindex
from pagemill.entrypoints.cli.app import app
from tests.api.test_http import problem
from tests.mills import shared_settings, wait_for
from tests.samples import letter
from tests.servers import Served, served


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that has read a letter."""
    with served(shared_settings(tmp_path_factory.mktemp("search"), slots=1)) as opened:
        yield opened


@pytest.fixture(scope="module")
def read(server: Served) -> dict[str, Any]:
    """A letter that was read."""
    return server.finished(
        letter("Dear Quixote,"), filename="quixote.pdf", metadata='{"tags": "knight, spain"}'
    )


def hits(server: Served, **query: str) -> list[dict[str, Any]]:
    """What is found."""
    answer = server.http.get("/v1/search", params=query)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["hits"]
    return found


def test_what_was_read_is_found_with_its_page_and_box(server: Served, read: dict[str, Any]) -> None:
    [hit] = hits(server, q="QUIXOTE")
    assert (hit["job_id"], hit["filename"], hit["page"]) == (read["id"], "quixote.pdf", 1)
    [start, end] = hit["highlights"][0]
    assert hit["snippet"][start:end] == "Quixote"
    page = server.http.get(f"/v1/jobs/{read['id']}/pages/1").json()
    blocks = {block["id"]: block for block in page["blocks"]}
    [box] = hit["boxes"]
    assert "Quixote" in blocks[box["block"]]["text"]
    assert box["box"] == blocks[box["block"]]["box"]


def test_filters_narrow_the_search(server: Served, read: dict[str, Any]) -> None:
    assert hits(server, q="quixote", tag="spain")
    assert not hits(server, q="quixote", tag="france")
    assert hits(server, q="quixote", metadata="tags:knight, spain", job_id=read["id"], type="application/pdf")
    assert not hits(server, q="quixote", created_before="2001-01-01T00:00:00Z")
    assert not hits(server, q="quixote", collection="none")


def test_a_new_revision_takes_the_place_of_the_former(server: Served) -> None:
    job = server.finished(letter("Dear Dulcinea,"), filename="dulcinea.pdf")
    [before] = hits(server, q="dulcinea")
    server.http.post(f"/v1/jobs/{job['id']}/retry", json={"only": "all"})
    wait_for(lambda: server.http.get(f"/v1/jobs/{job['id']}").json()["revision"] == 2)
    [after] = hits(server, q="dulcinea")
    assert after == before


def test_a_document_that_was_there_already_is_found_as_the_newest_job(server: Served) -> None:
    first = server.finished(letter("Dear Rocinante,"))
    second = server.finished(letter("Dear Rocinante,"))
    assert second["reused"]
    assert [hit["job_id"] for hit in hits(server, q="rocinante")] == [second["id"]]
    server.http.delete(f"/v1/jobs/{second['id']}")
    assert [hit["job_id"] for hit in hits(server, q="rocinante")] == [first["id"]]
    server.http.delete(f"/v1/jobs/{first['id']}")
    assert not hits(server, q="rocinante")
    # What was deleted is not used again, before its files are removed either.
    third = server.finished(letter("Dear Rocinante,"))
    assert not third["reused"]
    assert [hit["job_id"] for hit in hits(server, q="rocinante")] == [third["id"]]


def test_everything_can_be_indexed_again(server: Served, read: dict[str, Any]) -> None:
    before = hits(server, q="quixote")
    assert reindex(server.mill.db) >= 1
    index_waiting(server.mill)
    assert hits(server, q="quixote") == before
    assert before[0]["job_id"] == read["id"]


@pytest.mark.parametrize(
    "query", ["", "?q=", "?q=-x", "?q=...", "?q=a&metadata=nope", "?q=a&limit=0", "?q=" + "+".join("a" * 40)]
)
def test_a_query_that_asks_for_nothing_is_refused(server: Served, query: str) -> None:
    problem(server.http.get(f"/v1/search{query}"), 422, "validation_error")


@pytest.mark.parametrize(
    "query",
    [
        '"',
        "NEAR(a b)",
        "a' OR 1=1 --",
        "col:x",
        "a\x00b",
        "* ^ ( ) + : {}",
        "a AND OR NOT b",
        "\\",
        "%",
        "§ab",
    ],
)
def test_signs_of_query_languages_are_only_signs(server: Served, query: str) -> None:
    answer = server.http.get("/v1/search", params={"q": f"nothing {query}"})
    assert answer.status_code == 200
    assert answer.json()["matched"] == "any" or not answer.json()["hits"]


def test_metadata_whose_name_has_a_colon_can_be_searched_for(server: Served) -> None:
    job = server.finished(letter("Dear Clavileno,"), metadata='{"a:b": "c:d"}')
    with Client(server.url) as client:
        [hit] = client.search("clavileno", metadata={"a:b": "c:d"}).hits
        assert hit.job_id == job["id"]
        assert client.search("clavileno", metadata={"a:b": "c"}).hits == ()
    assert hits(server, q="clavileno", metadata="a\\:b:c:d")
    assert hits(server, q="clavileno", metadata="a:b:c:d") == []


@pytest.mark.usefixtures("read")
def test_the_client_and_the_command_line_search(server: Served) -> None:
    with Client(server.url) as client:
        found = client.search('"dear quixote"')
        assert [hit.filename for hit in found.hits] == ["quixote.pdf"]
        assert client.search("quixote", metadata={"tags": "other"}).hits == ()
    ran = CliRunner().invoke(app, ["search", "quixote", "--server", server.url])
    assert ran.exit_code == 0
    assert "quixote.pdf, page 1" in ran.stdout
    assert CliRunner().invoke(app, ["search", "nowhere", "--server", server.url]).exit_code == 1


def test_labels_are_given_with_a_document_and_changed_at_any_time(server: Served) -> None:
    job = server.finished(
        letter("Dear label,"), tags="paid, march,paid", collection="bills", metadata='{"a": "b"}'
    )
    assert job["metadata"] == {"a": "b", "tags": "paid, march", "collection": "bills"}
    path = f"/v1/jobs/{job['id']}"
    changed = server.http.patch(path, json={"tags": ["april"], "metadata": {"a": None, "c": "d"}}).json()
    assert changed["metadata"] == {"tags": "april", "collection": "bills", "c": "d"}
    assert changed["version"] > job["version"]
    found = server.http.get("/v1/search", params={"q": "label", "tag": "april"}).json()["hits"]
    assert {hit["job_id"] for hit in found} == {job["id"]}
    assert server.http.get("/v1/search", params={"q": "label", "tag": "paid"}).json()["hits"] == []
    listed = server.http.get(
        "/v1/jobs", params={"tag": "april", "collection": "bills", "counts": True}
    ).json()
    assert [one["id"] for one in listed["jobs"]] == [job["id"]]
    assert listed["counts"]["completed"] == 1
    assert server.http.get("/v1/jobs", params={"tag": "paid"}).json()["jobs"] == []
    cleared = server.http.patch(path, json={"tags": None, "collection": None, "metadata": {"c": None}}).json()
    assert cleared["metadata"] == {}
    assert server.http.patch(path, json={"tags": []}).json()["version"] == cleared["version"]
    kinds = [
        one["type"]
        for one in server.http.get(f"{path}/events", headers={"accept": "application/json"}).json()["events"]
    ]
    assert kinds.count("job.labelled") == 2


@pytest.mark.parametrize(
    ("body", "code", "pointer"),
    [
        ({"tags": ["a,b"]}, "validation_error", "/tags"),
        ({"collection": "x" * 101}, "validation_error", "/collection"),
        ({"colour": "red"}, "validation_error", "/colour"),
        ({"metadata": {"a": 1}}, "validation_error", "/metadata/a"),
        ({"metadata": {"a": "x" * 17_000}}, "metadata_too_large", None),
    ],
)
def test_labels_that_cant_be_are_refused(
    server: Served, body: object, code: str, pointer: str | None
) -> None:
    job = server.submit(letter("Dear label,"))
    answer = server.http.patch(f"/v1/jobs/{job['id']}", json=body)
    assert (answer.status_code, answer.json()["code"]) == (422, code)
    if pointer:
        assert pointer in {fault["pointer"] for fault in answer.json()["errors"]}
    assert server.http.get(f"/v1/jobs/{job['id']}").json()["metadata"] == {}


def test_labels_from_the_client_and_the_command_line(server: Served, read: dict[str, Any]) -> None:
    with Client(server.url) as client:
        job = client.label(read["id"], collection="novels", metadata={"century": "17"})
        assert (job.metadata["collection"], job.metadata["century"]) == ("novels", "17")
        assert [one.id for one in client.jobs(collection="novels")] == [read["id"]]
        assert "collection" not in client.label(read["id"], collection="").metadata
    words = ["label", read["id"], "--tag", "knight", "--tag", "spain", "--server", server.url]
    ran = CliRunner().invoke(app, words)
    assert (ran.exit_code, ran.stdout) == (0, "century: 17\ntags: knight, spain\n")
    bare = server.finished(letter("Dear nameless,"))["id"]
    assert (
        CliRunner().invoke(app, ["label", bare, "--server", server.url]).stderr == "The job has no labels.\n"
    )


def test_collections_and_tags_are_listed_with_their_counts(server: Served) -> None:
    for greeting in ("Dear first,", "Dear second,"):
        server.finished(
            letter(greeting), tags="counted, rare" if "first" in greeting else "counted", collection="lists"
        )
    with Client(server.url) as client:
        found = client.labels()
    assert [one.jobs for one in found.collections if one.name == "lists"] == [2]
    assert {one.name: one.jobs for one in found.tags if one.name in ("counted", "rare")} == {
        "counted": 2,
        "rare": 1,
    }
    ran = CliRunner().invoke(app, ["labels", "--server", server.url])
    assert ran.exit_code == 0
    assert "2  tag         counted" in ran.stdout


def test_search_by_meaning_needs_vectors(server: Served) -> None:
    problem(server.http.get("/v1/search?q=grain&mode=hybrid"), 409, "vectors_not_offered")
    problem(server.http.get("/v1/search?q=grain&mode=magic"), 422, "validation_error")
    ran = CliRunner().invoke(app, ["search", "grain", "--mode", "vector", "--server", server.url])
    assert ran.exit_code != 0
