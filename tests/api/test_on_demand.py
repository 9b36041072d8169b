"""Artifacts that are made when somebody asks for them."""

import csv
import hashlib
import io
import json
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pypdfium2
import pytest
from PIL import Image

from pagemill.model.formats import DOCX, XLSX
from tests.api.test_http import problem
from tests.mills import small_settings
from tests.pictures import corners, encoded, illustrated
from tests.samples import encrypted, letter, trial_pages
from tests.servers import Served, served
from tests.waiting import wait_for

FILES = {
    "markdown_det": ("text/markdown; charset=utf-8", b"<!-- page 1", "det.md"),
    "blocks.jsonl": ("application/x-ndjson", b'{"page":1,"id":"p1-b1"', "blocks.jsonl"),
    "document.docx": (DOCX, b"PK", "docx"),
    "chunks": ("application/x-ndjson", b'{"id":"c1"', "chunks.jsonl"),
    "entities": ("application/json", b'{"schema":"pagemill/entities@1"', "entities.json"),
    "facts": ("application/json", b'{"schema":"pagemill/facts@1"', "facts.json"),
    "parts": ("application/json", b'{"schema":"pagemill/parts@1"', "parts.json"),
    "chunks?by=page&size=64&overlap=8": ("application/x-ndjson", b'{"id":"c1"', "chunks.jsonl"),
    "layout.pdf": ("application/pdf", b"%PDF-", "layout.pdf"),
    "searchable.pdf": ("application/pdf", b"%PDF-", "searchable.pdf"),
    "tables.xlsx": (XLSX, b"PK", "tables.xlsx"),
    "archive.zip": ("application/zip", b"PK", "archive.zip"),
    "tables/p1-b5.csv": ("text/csv; charset=utf-8", b"Name,Sum\r\n", "p1-b5.csv"),
    "images/p2-b3.png": ("image/png", b"\x89PNG", "p2-b3.png"),
}
LISTS = ("artifacts", "tables", "images")
DRAWN = ("layout.pdf", "searchable.pdf", "archive.zip", "pages/1/image")


@pytest.fixture(scope="module")
def done(busy: Served) -> dict[str, Any]:
    """A finished job with figures and tables."""
    return busy.finished(illustrated(2), filename="book.pdf")


def get(server: Served, job: dict[str, Any], path: str, **headers: str) -> httpx.Response:
    """Get something that belongs to a job."""
    return server.http.get(f"/v1/jobs/{job['id']}/{path}", headers=headers)


@pytest.mark.parametrize("path", list(FILES))
def test_an_artifact_is_made_when_it_is_asked_for(busy: Served, done: dict[str, Any], path: str) -> None:
    media_type, start, filename = FILES[path]
    answer = get(busy, done, path)
    assert (answer.status_code, answer.headers["content-type"]) == (200, media_type)
    assert answer.content.startswith(start)
    shown = (
        "inline" if media_type.startswith(("text/markdown", "image/", "application/json")) else "attachment"
    )
    assert answer.headers["content-disposition"].startswith(f'{shown}; filename="book.{filename}"')
    assert answer.headers["content-security-policy"].startswith("sandbox;")
    again = get(busy, done, path, **{"if-none-match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert get(busy, done, path).content == answer.content
    part = get(busy, done, path, range="bytes=0-3")
    assert (part.status_code, part.content) == (206, answer.content[:4])


@pytest.mark.parametrize("path", [path for path in FILES if not path.startswith("images")])
def test_the_tag_of_a_made_file_is_its_hash(busy: Served, done: dict[str, Any], path: str) -> None:
    answer = get(busy, done, path)
    assert answer.headers["etag"] == f'"{hashlib.sha256(answer.content).hexdigest()}"'


def test_what_can_be_had_is_listed_with_what_was_made(busy: Served) -> None:
    job = busy.finished(illustrated(1), filename="fresh.pdf", reuse="false")
    listed = {one["name"]: one for one in get(busy, job, "artifacts").json()["artifacts"]}
    assert set(listed) == {
        "markdown",
        "json",
        "text",
        "html",
        "markdown_det",
        "chunks",
        "entities",
        "facts",
        "parts",
        "line_labels",
        "tables",
        "blocks",
        "docx",
        "images",
        "layout",
        "searchable",
        "pdfa",
        "view",
        "archive",
    }
    assert listed["markdown"]["size_bytes"] > 0
    assert listed["layout"] == {
        "name": "layout",
        "media_type": "application/pdf",
        "size_bytes": None,
        "link": f"/v1/jobs/{job['id']}/layout.pdf",
    }
    size = len(busy.http.get(listed["layout"]["link"]).content)
    listed = {one["name"]: one for one in get(busy, job, "artifacts").json()["artifacts"]}
    assert listed["layout"]["size_bytes"] == size
    assert all(busy.http.get(one["link"]).status_code == 200 for one in listed.values())


def test_chunks_are_cut_as_the_query_says(busy: Served, done: dict[str, Any]) -> None:
    whole = [json.loads(line) for line in get(busy, done, "chunks?by=page").text.splitlines()]
    assert [one["pages"] for one in whole] == [[1], [2]]
    small = [json.loads(line) for line in get(busy, done, "chunks?by=page&size=32").text.splitlines()]
    assert len(small) > 2
    assert max(one["tokens"] for one in small) <= 32


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("by=word", "by"),
        ("size=31", "size"),
        ("size=9000", "size"),
        ("size=x", "size"),
        ("size=64&overlap=33", "overlap"),
    ],
)
def test_chunks_that_can_not_be_cut_are_refused(
    busy: Served, done: dict[str, Any], query: str, field: str
) -> None:
    refused = problem(get(busy, done, f"chunks?{query}"), 422, "validation_error")
    assert field in str(refused["errors"])


def test_tables_are_listed_and_served_one_by_one(busy: Served, done: dict[str, Any]) -> None:
    first, second = get(busy, done, "tables").json()["tables"]
    assert (first["name"], first["page"], first["rows"], first["columns"]) == ("p1-b5.csv", 1, 4, 2)
    text = busy.http.get(second["link"]).text
    assert list(csv.reader(io.StringIO(text)))[1] == ["Ada", "'=1+1"]


def test_figures_are_listed_and_served_one_by_one(busy: Served, done: dict[str, Any]) -> None:
    first, _ = get(busy, done, "images").json()["images"]
    assert (first["name"], first["page"]) == ("p1-b3.png", 1)
    assert first["caption"] == "Figure 1: Two corners of a sheet."
    image = Image.open(io.BytesIO(busy.http.get(first["link"]).content))
    assert image.size == pytest.approx((833, 556), abs=4)


@pytest.mark.parametrize(
    "path",
    [
        "images/p1-b1.png",
        "images/p9-b1.png",
        "images/x",
        "images/..%2f..%2fdocument.json",
        "images/p1-b3.png.part",
        "tables/p1-b1.csv",
        "tables/tables.xlsx",
        "tables/..%2fdocument.json",
        "tables/p1-b5.png",
    ],
)
def test_a_file_that_there_is_not_is_not_found(busy: Served, done: dict[str, Any], path: str) -> None:
    problem(get(busy, done, path), 404, "not_found")


@pytest.mark.parametrize("path", [*FILES, *LISTS])
def test_an_unfinished_job_tells_where_it_stands(idle: Served, path: str) -> None:
    job = idle.submit(letter())
    answer = get(idle, job, path)
    assert (answer.status_code, answer.json()["status"]) == (202, "pending")
    assert int(answer.headers["retry-after"]) >= 1


@pytest.mark.parametrize("path", [*(path for path in FILES if path != "chunks"), "tables", "images"])
def test_what_is_made_from_the_json_needs_it(busy: Served, path: str) -> None:
    job = busy.finished(illustrated(1), formats="text")
    assert "JSON" in str(problem(get(busy, job, path), 404, "artifact_not_made")["detail"])


@pytest.mark.parametrize("path", [*FILES, *LISTS])
def test_what_is_made_is_not_sent_to_those_who_do_not_take_it(
    busy: Served, done: dict[str, Any], path: str
) -> None:
    problem(get(busy, done, path, accept="audio/mpeg"), 406, "not_acceptable")


def test_markdown_refers_to_the_images_if_they_are_asked_for(busy: Served, done: dict[str, Any]) -> None:
    assert "images/" not in get(busy, done, "markdown").text
    job = busy.finished(illustrated(2), formats="markdown,html,images")
    reference = "![Figure 1: Two corners of a sheet.](images/p1-b3.png)"
    assert reference in get(busy, job, "markdown").text
    assert get(busy, job, "images/p1-b3.png").status_code == 200
    assert '<img src="images/p1-b3.png" alt="Figure 1' in get(busy, job, "html").text


@pytest.mark.parametrize("path", DRAWN)
def test_what_is_drawn_of_an_encrypted_document_needs_its_password(busy: Served, path: str) -> None:
    job = busy.finished(encrypted(user="a b"), password="a b")
    told = problem(get(busy, job, path), 422, "password_required")
    assert "Document-Password" in str(told["detail"])
    problem(get(busy, job, path, **{"document-password": "wrong"}), 422, "password_incorrect")
    assert get(busy, job, path, **{"document-password": "a%20b"}).status_code == 200
    assert get(busy, job, "markdown_det").status_code == 200


@pytest.mark.parametrize("path", DRAWN)
def test_what_is_drawn_of_an_image_is_drawn_for_those_who_took_its_result_over(
    busy: Served, path: str
) -> None:
    picture = encoded(corners(), "PNG")
    busy.finished(picture)
    again = busy.finished(picture)
    assert again["reused"]
    assert get(busy, again, path).status_code == 200


def test_the_layout_has_the_pages_of_the_document(busy: Served, done: dict[str, Any]) -> None:
    with pypdfium2.PdfDocument(get(busy, done, "layout.pdf").content) as layout:
        assert len(layout) == 2
        assert "p2-b1 heading" in layout[1].get_textpage().get_text_range()


def test_the_archive_holds_everything(busy: Served, done: dict[str, Any]) -> None:
    with zipfile.ZipFile(io.BytesIO(get(busy, done, "archive.zip").content)) as packed:
        assert {"document.md", "document.json", "layout.pdf", "tables.xlsx", "images/p1-b3.png"} <= set(
            packed.namelist()
        )


def test_a_removed_job_leaves_nothing_that_was_made(busy: Served) -> None:
    job = busy.finished(illustrated(1), filename="gone.pdf", reuse="false")
    get(busy, job, "layout.pdf")
    busy.http.delete(f"/v1/jobs/{job['id']}")
    problem(get(busy, job, "layout.pdf"), 410, "gone")


@pytest.mark.parametrize("path", ["layout.pdf", "pages/1/image"])
def test_what_is_made_of_a_job_that_is_deleted_meanwhile_is_gone(tmp_path: Path, path: str) -> None:
    settings = small_settings(tmp_path / "mill")
    with served(settings) as server, ThreadPoolExecutor(1) as callers:
        job = server.finished(letter("Dear deleted one,"))
        before = server.files()
        server.submit(trial_pages(["TRIAL:sleep:2"]), providers="trial")
        wait_for(lambda: len(server.mill.press.keys()) == 1)
        asked = callers.submit(get, server, job, path)
        wait_for(lambda: len(server.mill.press.keys()) == 2)
        assert server.http.delete(f"/v1/jobs/{job['id']}").status_code == 204
        wait_for(lambda: not before & server.files())
        problem(asked.result(), 410, "gone")
