"""A service with a tokenizer: chunks are counted by it wherever they are handed out, and the search index is not."""

import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pagemill.desk import on_demand
from pagemill.errors import Refused
from pagemill.mill import DEFAULT_TENANT
from pagemill.reading.tokenizer import Tokenizer
from pagemill.wiring import open_mill
from tests.api.test_push import pushed, submit
from tests.mills import finished, hand_in, small_settings
from tests.pictures import illustrated
from tests.reading.tokenizers_made import byte_pairs, save_tokenizer
from tests.samples import letter
from tests.servers import Served, served

Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a tokenizer, for the data and for results that are pushed."""
    made = tmp_path_factory.mktemp("exact")
    save_tokenizer(byte_pairs(), made)
    return made


@pytest.fixture(scope="module")
def exact(folder: Path) -> Iterator[Served]:
    """A server with a tokenizer."""
    settings = small_settings(
        folder / "data", tokenizer=str(folder / "tokenizer.json"), push_prefixes=f"file://{folder}/out"
    )
    with served(settings) as server:
        yield server


@pytest.fixture(scope="module")
def job_id(exact: Served) -> str:
    """A finished job."""
    return str(exact.finished(illustrated(2), filename="book.pdf")["id"])


def rows_of(text: str | bytes) -> Rows:
    """The chunks in lines of JSON."""
    return [json.loads(line) for line in text.splitlines()]


def check_counts(rows: Rows, size: int) -> None:
    """AssertionError if the tokens are not those that the tokenizer counts, or too many."""
    counter = Tokenizer(byte_pairs())
    assert rows
    assert [one["tokens"] for one in rows] == [counter.count(one["embed_text"]) for one in rows]
    assert {one["tokens_by"] for one in rows} == {"tokenizer"}
    assert max(one["tokens"] for one in rows) <= size


@pytest.mark.parametrize(
    ("query", "size"), [("", 400), ("?size=64", 64), ("?by=page&size=100&overlap=20", 100)]
)
def test_chunks_are_counted_by_the_tokenizer(exact: Served, job_id: str, query: str, size: int) -> None:
    answer = exact.http.get(f"/v1/jobs/{job_id}/chunks{query}")
    assert answer.status_code == 200, answer.text
    check_counts(rows_of(answer.text), size)
    assert exact.http.get(f"/v1/jobs/{job_id}/chunks{query}").content == answer.content


def test_the_list_of_artifacts_has_the_size_of_what_is_handed_out(exact: Served, job_id: str) -> None:
    size = len(exact.http.get(f"/v1/jobs/{job_id}/chunks").content)
    listed = exact.http.get(f"/v1/jobs/{job_id}/artifacts").json()["artifacts"]
    assert next(one["size_bytes"] for one in listed if one["name"] == "chunks") == size


def test_the_chunks_of_an_archive_are_those_of_the_service(exact: Served, job_id: str) -> None:
    packed = exact.http.get(f"/v1/jobs/{job_id}/archive.zip").content
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        found = archive.read("chunks.jsonl")
    assert found == exact.http.get(f"/v1/jobs/{job_id}/chunks").content


def test_chunks_that_are_pushed_are_counted_by_the_tokenizer(exact: Served, folder: Path) -> None:
    job = submit(exact, letter("Dear counter,"), f"file://{folder}/out", formats="json,chunks")
    assert pushed(exact, job)["state"] == "delivered"
    check_counts(rows_of((folder / "out" / job / "chunks.jsonl").read_bytes()), 400)


def test_two_ways_of_counting_are_kept_apart(folder: Path, tmp_path: Path) -> None:
    settings = small_settings(tmp_path, tokenizer=str(folder / "tokenizer.json"))
    with open_mill(settings) as mill:
        job = hand_in(mill, letter("Dear both,")).job_id
        finished(mill, job)
        plain = replace(mill, tokenizer=None)
        searched = on_demand.searched_chunks(mill, DEFAULT_TENANT, job, mill.press)
        counted, estimated, counted_again = (
            on_demand.artifact(one, DEFAULT_TENANT, job, "chunks", press=mill.press)
            for one in (mill, plain, mill)
        )
        assert estimated == searched != counted == counted_again
        with mill.blobs.open(searched.key) as file:
            assert {one["tokens_by"] for one in rows_of(file.read())} == {"estimate"}
        with mill.blobs.open(counted.key) as file:
            check_counts(rows_of(file.read()), 400)


def test_a_service_does_not_start_with_a_tokenizer_that_is_missing(tmp_path: Path) -> None:
    settings = small_settings(tmp_path, tokenizer=str(tmp_path / "none.json"))
    with (
        pytest.raises(Refused, match="PAGEMILL_TOKENIZER names a file that can't be read"),
        open_mill(settings),
    ):
        pass
