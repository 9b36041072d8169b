"""Names of documents in a batch: as an archive has them, and as options for single ones are given."""

import json
import unicodedata
from pathlib import Path

import pytest

from pagemill.entrypoints.api.batches.receiving import options_by_place
from pagemill.entrypoints.api.upload.json_options import RequestedOptions
from pagemill.errors import ValidationFailed
from tests.api.batch_bodies import files_of, letters, unmarked_archive
from tests.api.test_batches import items_of
from tests.samples import letter
from tests.servers import Served


def test_names_in_a_zip_archive_are_read_in_the_encoding_that_they_are_in(server: Served) -> None:
    names = ["Ümlaut 日本.pdf", "März.pdf", "Größe.pdf", "plain.pdf"]
    each = json.dumps({"Ümlaut 日本.pdf": {"metadata": {"found": "yes"}}})
    packed = unmarked_archive([(name, letter(f"Dear {name},")) for name in names], "März.pdf", "Größe.pdf")
    files = {"archive": ("a.zip", packed, "application/zip")}
    answer = server.http.post("/v1/batches", files=files, data={"items": each})
    assert answer.status_code == 202, answer.text
    items = items_of(server, answer.json()["id"])
    assert [one["name"] for one in items] == names
    first = server.http.get(f"/v1/jobs/{items[0]['job_id']}").json()
    assert first["metadata"] == {"found": "yes"}


@pytest.mark.parametrize("key", ["nosuch.pdf", "0", "3", "01", "", "x/y~z.pdf"])
def test_options_for_what_is_no_document_of_the_batch_are_refused(server: Served, key: str) -> None:
    before = documents_of(server)
    each = json.dumps({"x1.pdf": {"pages": "1"}, key: {"pages": "1"}})
    answer = server.http.post("/v1/batches", files=files_of(letters(2, "x")), data={"items": each})
    assert (answer.status_code, answer.json()["code"]) == (422, "validation_error")
    shown = key.replace("~", "~0").replace("/", "~1")
    assert [one["pointer"] for one in answer.json()["errors"]] == [f"/items/{shown}"]
    assert documents_of(server) <= before


def documents_of(server: Served) -> set[Path]:
    """The files of documents; results of earlier ones may still be written."""
    return {path for path in server.files() if "results" not in path.parts}


def test_options_of_a_document_are_found_by_its_name_before_its_number() -> None:
    first, second, third = (
        RequestedOptions(pages="1"),
        RequestedOptions(pages="2"),
        RequestedOptions(pages="3"),
    )
    names = ["a.pdf", "2", "a.pdf", "März.pdf"]
    decomposed = unicodedata.normalize("NFD", "März.pdf")
    assert options_by_place({"a.pdf": first, "2": second}, names) == {0: first, 2: first, 1: second}
    assert options_by_place({f"in/{decomposed}": third, "1": first}, names) == {3: third, 0: first}
    with pytest.raises(ValidationFailed):
        options_by_place({"1": second, "3": third, "a.pdf": first}, names)
