"""What `pagemill convert` and `pagemill result` write beside plain text."""

import zipfile
from pathlib import Path

import pytest

from tests import pictures, samples
from tests.cli.around import Shell


@pytest.fixture
def book(shell: Shell) -> Path:
    """A document with figures and tables."""
    path = shell.folder / "my book.pdf"
    path.write_bytes(pictures.illustrated(2))
    return path


def made(folder: Path) -> set[str]:
    """The files in an output folder, without the state in it."""
    files = (path for path in folder.rglob("*") if path.is_file() and ".pagemill" not in path.parts)
    return {str(path.relative_to(folder)) for path in files}


def test_every_artifact_is_written_beside_the_others(shell: Shell, book: Path) -> None:
    asked = "markdown,markdown_det,chunks,tables,images,layout,searchable,archive"
    ran = shell.run("convert", book, "-o", "out", "--format", asked)
    assert ran.returncode == 0, ran.stdout
    assert made(shell.folder / "out") == {
        "my book.md",
        "my book.det.md",
        "my book.chunks.jsonl",
        "my book.layout.pdf",
        "my book.searchable.pdf",
        "my book.zip",
        "my book.tables.xlsx",
        "my book.tables/p1-b5.csv",
        "my book.tables/p2-b5.csv",
        "my book.images/p1-b3.png",
        "my book.images/p2-b3.png",
    }
    assert "](my%20book.images/p1-b3.png)" in (shell.folder / "out" / "my book.md").read_text()
    assert zipfile.is_zipfile(shell.folder / "out" / "my book.zip")


def test_a_name_that_begins_with_figures_stays_whole_in_references(shell: Shell, book: Path) -> None:
    dated = book.rename(book.with_name("2024 book.pdf"))
    shell.run("convert", str(dated), "-o", "out", "--format", "markdown,images")
    assert "](2024%20book.images/p1-b3.png)" in (shell.folder / "out" / "2024 book.md").read_text()


def test_without_images_the_text_does_not_speak_of_them(shell: Shell, book: Path) -> None:
    shell.run("convert", book, "-o", "out", "--format", "markdown,layout")
    assert made(shell.folder / "out") == {"my book.md", "my book.layout.pdf"}
    assert "images/" not in (shell.folder / "out" / "my book.md").read_text()


def test_what_is_drawn_of_an_encrypted_document_uses_the_password(shell: Shell) -> None:
    (shell.folder / "secret.pdf").write_bytes(samples.encrypted(user="open"))
    shell.run("convert", "secret.pdf", "-o", "out", "--format", "layout", "--password", "open")
    assert made(shell.folder / "out") == {"secret.layout.pdf"}


def test_images_are_converted_like_documents(shell: Shell) -> None:
    folder = shell.folder / "scans"
    folder.mkdir()
    (folder / "a.tiff").write_bytes(pictures.frames(*[pictures.corners()] * 2))
    (folder / "a.png").write_bytes(pictures.encoded(pictures.corners(), "PNG"))
    ran = shell.run("convert", folder, "-o", "out", "--ocr", "off")
    assert ran.returncode == 0, ran.stdout
    assert made(shell.folder / "out") == {"a.md", "a.tiff.md"}
    assert "2 documents converted, 3 pages" in ran.stdout


def test_a_result_is_fetched_in_any_form(client_shell: Shell) -> None:
    (client_shell.folder / "book.pdf").write_bytes(pictures.illustrated())
    job_id = client_shell.run("submit", "book.pdf", "--wait").stdout.strip()
    for name, start in (
        ("layout", b"%PDF-"),
        ("archive", b"PK"),
        ("tables", b"PK"),
        ("markdown_det", b"<!--"),
    ):
        ran = client_shell.run("result", job_id, "--format", name, "-o", name)
        assert ran.returncode == 0, ran.stderr
        assert (client_shell.folder / name).read_bytes().startswith(start)
    client_shell.run("result", job_id, "--format", "images", "-o", "figures")
    assert [path.name for path in (client_shell.folder / "figures").iterdir()] == ["p1-b3.png"]
    assert "folder" in client_shell.run("result", job_id, "--format", "images").stderr
