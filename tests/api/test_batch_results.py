"""The results of a batch while its jobs change: what is gone is left out, what is lost is not."""

import io
import json
import zipfile
from collections.abc import Iterator
from typing import Any

import pytest

from pagemill.desk import contents
from pagemill.entrypoints.api.batches.results import result_lines
from pagemill.errors import StoredFileMissing
from pagemill.model.tenants import DEFAULT_TENANT
from tests.api.batch_bodies import files_of, letters
from tests.api.test_batches import ended, items_of
from tests.mills import small_settings
from tests.servers import Served, served


@pytest.fixture(scope="module")
def batching(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that reads batches and does not sweep."""
    with served(small_settings(tmp_path_factory.mktemp("results"), slots=1, sweep_seconds=600)) as server:
        yield server


def test_what_is_removed_while_its_batch_is_sent_is_left_out(batching: Served) -> None:
    made = batching.http.post("/v1/batches", files=files_of(letters(3, "leaving"))).json()
    ended(batching, made["id"])
    mill, removed = batching.mill, items_of(batching, made["id"])[1]["job_id"]
    key = contents.artifact(mill, DEFAULT_TENANT, removed, "markdown").key
    lines = result_lines(mill, DEFAULT_TENANT, made["id"], "markdown")
    found = [json.loads(next(lines))]
    assert batching.http.delete(f"/v1/jobs/{removed}").is_success
    (mill.settings.data_dir / "blobs" / key).unlink()
    found += [json.loads(line) for line in lines]
    assert [one["content"] is None for one in found] == [False, True, False]
    assert [one["name"] for one in found] == ["leaving1.pdf", "leaving2.pdf", "leaving3.pdf"]


def test_a_result_whose_file_is_lost_is_not_left_out_silently(batching: Served) -> None:
    made = batching.http.post("/v1/batches", files=files_of(letters(1, "lost"))).json()
    ended(batching, made["id"])
    mill, job_id = batching.mill, items_of(batching, made["id"])[0]["job_id"]
    key = contents.artifact(mill, DEFAULT_TENANT, job_id, "markdown").key
    (mill.settings.data_dir / "blobs" / key).unlink()
    with pytest.raises(StoredFileMissing):
        list(result_lines(mill, DEFAULT_TENANT, made["id"], "markdown"))


def test_a_batch_is_given_in_formats_that_are_made_on_demand(batching: Served) -> None:
    documents = [*letters(2, "made"), ("program.pdf", b"\x7fELF"), ("notes.txt", b"Dear notes,")]
    batch_id = batching.http.post("/v1/batches", files=files_of(documents)).json()["id"]
    ended(batching, batch_id)
    files: list[str | None] = []
    told: list[dict[str, Any]] = []
    for form, first in (("chunks", "0001-made1.jsonl"), ("searchable", "0001-made1.pdf")):
        answer = batching.http.get(f"/v1/batches/{batch_id}/archive.zip", params={"format": form})
        assert answer.status_code == 200, answer.text
        with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
            told = [json.loads(line) for line in archive.read("items.ndjson").splitlines()]
            files = [one["file"] for one in told]
            assert (files[0], files[2]) == (first, None)
            assert archive.read(first).startswith(b"%PDF" if form == "searchable" else b"{")
    # A text has no pages that words could be put behind.
    assert (files[3], told[3]["status"]) == (None, "completed")
    assert told[3]["error"]["code"]
    for form, kind in (("chunks", list), ("entities", dict), ("markdown_det", str)):
        answer = batching.http.get(f"/v1/batches/{batch_id}/results.ndjson", params={"format": form})
        found = [json.loads(line)["content"] for line in answer.text.splitlines()]
        assert [isinstance(one, kind) for one in found] == [True, True, False, True], form
    for path, form in (("archive.zip", "images"), ("results.ndjson", "docx")):
        refused = batching.http.get(f"/v1/batches/{batch_id}/{path}", params={"format": form})
        assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, "/format")
