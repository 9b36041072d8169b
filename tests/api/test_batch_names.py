"""Names of documents in a batch: as an archive has them, and as options for single ones are given."""

import json
import unicodedata
from pathlib import Path

import pytest

from pagemill.entrypoints.api.batches.receiving import keys_by_place
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
    names = ["a.pdf", "2", "a.pdf", "März.pdf"]
    decomposed = unicodedata.normalize("NFD", "März.pdf")
    assert keys_by_place(["a.pdf", "2"], names) == {0: "a.pdf", 2: "a.pdf", 1: "2"}
    assert keys_by_place([f"in/{decomposed}", "1"], names) == {3: f"in/{decomposed}", 0: "1"}
    with pytest.raises(ValidationFailed):
        keys_by_place(["1", "3", "a.pdf"], names)


@pytest.mark.parametrize(
    ("own", "pointer"),
    [
        ({"x1.pdf": {"pages": "last"}}, "/items/x1.pdf/pages"),
        ({"2": {"ocr": "often"}}, "/items/2/ocr"),
        ({"x0.pdf": {"pagse": "1"}}, "/items/x0.pdf/pagse"),
        ({"x0.pdf": "1"}, "/items/x0.pdf"),
        (["1"], "/items"),
    ],
)
def test_a_wrong_option_in_a_form_is_pointed_at_with_its_document(
    server: Served, own: object, pointer: str
) -> None:
    answer = server.http.post("/v1/batches", files=files_of(letters(2, "x")), data={"items": json.dumps(own)})
    assert answer.status_code == 422
    assert [one["pointer"] for one in answer.json()["errors"]] == [pointer]
    assert answer.json()["detail"].startswith(pointer[1:])


def test_a_wrong_option_in_a_list_of_urls_is_pointed_at_with_its_document(server: Served) -> None:
    urls = [{"url": "https://example.org/a.pdf"}, {"url": "https://example.org/b.pdf", "pages": "last"}]
    answer = server.http.post("/v1/batches", json={"items": urls})
    assert answer.status_code == 422
    assert [one["pointer"] for one in answer.json()["errors"]] == ["/items/1/pages"]
