"""The command on a small corpus that is made here."""

import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from PIL import Image

from quality.corpus import Document, documents
from quality.engines import BareLiteParse, Reading, Spent, attempted
from quality.measure import as_pdf, measured, scored
from quality.ours import Pagemill
from quality.peers import Peer
from quality.results import summaries
from quality.synthetic import made

ROOT = Path(__file__).parents[2]
TABLE = {"tables": [{"cells_r0_r1_c0_c1_text": [[0, 0, 0, 0, "a"], [0, 0, 1, 1, "b"]]}]}


def row(file: str, category: str, kind: str, truth: str, quality: str = "exact") -> dict[str, object]:
    """A line of the manifest."""
    told = {"file": truth, "kind": kind, "quality": quality}
    return {"file": file, "category": category, "source": "made (here)", "truth": [told]}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Two made documents: one with its Markdown, the same twice as the pages of another."""
    [first, *_] = made(tmp_path, each=1)
    truth = first.truths[0]
    pages = [{"page": 1, "scanned": False, "markdown": truth.text()}]
    (tmp_path / "pages.json").write_text(json.dumps({"pages": pages}))
    (tmp_path / "tables.json").write_text(json.dumps(TABLE))
    rows = [
        row(first.name, "pdf_md_truth", "markdown", truth.path.name),
        row(first.name, "pdf_md_truth", "markdown", truth.path.name, "engine snapshot"),
        row(first.name, "multipage_truth", "pages_markdown_json", "pages.json"),
        row(first.name, "pdf_table_truth", "tables_json", "tables.json"),
        row(first.name, "pdf_real", "markdown", truth.path.name),
    ]
    (tmp_path / "manifest.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    return tmp_path


@pytest.mark.process
def test_the_command_prints_a_line_per_engine_and_category_and_writes_a_report(corpus: Path) -> None:
    report = corpus / "report"
    command = [
        sys.executable,
        "-m",
        "quality",
        str(corpus),
        "--engine",
        "pagemill-fast",
        "--engine",
        "liteparse",
    ]
    ended = subprocess.run(
        [*command, "--per-document", "--report", str(report)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    lines = [json.loads(line) for line in ended.stdout.splitlines()]
    figures = {(line["engine"], line["category"]): line for line in lines if "category" in line}
    assert {category for engine, category in figures if engine == "liteparse"} == {
        "pdf_md_truth",
        "multipage_truth",
        "pdf_table_truth",
    }
    assert figures["pagemill-fast", "pdf_md_truth"]["nid"] > 0.8
    assert figures["pagemill-fast", "routing"]["needless"] == 0.0
    assert len([line for line in lines if "document" in line]) == 6
    assert "<img" in (report / "index.html").read_text()
    assert list((report / "images").glob("*.png"))


def test_only_trusted_truths_count_unless_all_are_asked_for(corpus: Path) -> None:
    assert len(documents(corpus, ["pdf_md_truth"])) == 1
    assert len(documents(corpus, ["pdf_md_truth"], untrusted=True)) == 2
    assert len(documents(corpus, ["pdf_md_truth"], limit=1, untrusted=True)) == 1


def test_a_source_is_known_without_its_remarks(corpus: Path) -> None:
    [document] = documents(corpus, ["pdf_table_truth"])
    assert document.source == "made"


def test_a_document_that_an_engine_dies_of_scores_nothing(tmp_path: Path) -> None:
    (tmp_path / "truth.md").write_text("# Title\n\ntext")
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"not a PDF")
    reading = attempted(Pagemill(), broken)
    assert reading.failure
    assert reading.markdown == ""


def test_every_page_of_a_document_has_its_share_of_the_time(corpus: Path) -> None:
    [document] = documents(corpus, ["multipage_truth"])
    reading = Reading(("one", "two"), "one two", Spent(3.0, 2.0))
    [result] = scored(BareLiteParse(), document, reading)
    assert result.spent == Spent(1.5, 1.0)


def test_groups_are_told_where_there_are_several(tmp_path: Path) -> None:
    pages = made(tmp_path, each=1)[-2:]
    results = list(measured(BareLiteParse(), pages, tmp_path))
    assert [line.get("group") for line in summaries(results)] == [None, "headings", "lists"]


def test_a_picture_is_given_to_engines_as_a_pdf(tmp_path: Path) -> None:
    frames = [Image.new("L", (400, 200), 255), Image.new("L", (400, 200), 255)]
    frames[0].save(tmp_path / "scan.tif", save_all=True, append_images=frames[1:], dpi=(200, 200))
    document = Document("scan.tif", tmp_path / "scan.tif", "scan_truth", "made")
    path = as_pdf(document.path, tmp_path)
    reading = BareLiteParse().read(path)
    assert len(reading.pages) == 2
    assert as_pdf(path, tmp_path) == path


def test_a_peer_that_can_t_be_loaded_is_told_as_a_failure(tmp_path: Path) -> None:
    environment = tmp_path / "pdf-inspector"
    (environment / "bin").mkdir(parents=True)
    (environment / "bin" / "python").symlink_to(sys.executable)
    (environment / ".ready").write_text("pdf-inspector")
    with closing(Peer("pdf-inspector", tmp_path)) as peer:
        readings = [attempted(peer, tmp_path / name) for name in ("one.pdf", "two.pdf")]
    assert [reading.failure for reading in readings] == [
        "ModuleNotFoundError: No module named 'pdf_inspector'"
    ] * 2


def test_a_peer_that_dies_is_told_as_a_failure(tmp_path: Path) -> None:
    environment = tmp_path / "pymupdf4llm"
    (environment / "bin").mkdir(parents=True)
    (environment / "bin" / "python").symlink_to("/bin/true")
    (environment / ".ready").write_text("pymupdf>=2")
    with closing(Peer("pymupdf4llm", tmp_path)) as peer:
        assert "did not answer" in str(attempted(peer, tmp_path / "one.pdf").failure)
