"""Scans that are made of documents whose text is known."""

from pathlib import Path

import numpy
import orjson
import pypdfium2
import pytest
from PIL import Image
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from quality.corpus import Document
from quality.labelled import labelled
from quality.metrics.layout import TrueLine
from quality.ours import Pagemill
from quality.scanned import made_scans
from quality.scanned.page_images import flowing_text
from quality.scanned.pictures import WEARS, draw_picture
from quality.scanned.slides import is_latin
from quality.scanned.typeset import plain_paragraphs
from quality.unseen import Unseen

PROSE = """The harbour lay quiet below the town
while the lanterns burned along the bridge
and the ferry waited for the evening mail
until the last of the travellers had come.""".splitlines()
TOP, SIZE, STEP = 700, 11, 14


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A corpus of one labelled page: a heading and two paragraphs."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    canvas, lines = Canvas(str(folder / "page.pdf"), A4, invariant=True), []
    rows = [("Evening at the harbour", "heading", 0, 740, 18)]
    for at, text in enumerate([*PROSE, *PROSE[::-1]]):
        rows.append((text, "text", 1 + at // 4, TOP - at * STEP - (40 if at > 3 else 0), SIZE))
    for order, (text, role, paragraph, baseline, size) in enumerate(rows):
        canvas.setFont("Helvetica", size)
        canvas.drawString(72, baseline, text)
        box = [70, A4[1] - baseline - size, canvas.stringWidth(text, "Helvetica", size) + 4, size * 1.4]
        lines.append({"box": box, "role": role, "order": order, "paragraph": paragraph})
    canvas.save()
    (folder / "page.json").write_bytes(orjson.dumps({"pages": [{"number": 1, "lines": lines}]}))
    truth = {"file": "page.json", "kind": "line_labels_json", "quality": "human"}
    row = {"file": "page.pdf", "category": "layout_truth", "group": "letters", "truth": [truth]}
    (folder / "manifest.jsonl").write_bytes(orjson.dumps(row))
    return folder


@pytest.fixture
def scan(corpus: Path, tmp_path: Path) -> Document:
    """Its only page as a scan with a layer of words."""
    [document] = made_scans(corpus, tmp_path, ["ocr_layers"], None, 1)
    return document


def test_a_labelled_page_becomes_a_picture_over_unseen_words(scan: Document) -> None:
    with pypdfium2.PdfDocument(scan.path) as pdf:
        page = pdf[0]
        kinds = {type(each).__name__ for each in page.get_objects()}
        assert "PdfImage" in kinds
        assert "while the lanterns burned" in page.get_textpage().get_text_range()


@pytest.mark.mill
def test_its_labels_hold_for_what_is_read_on_it(scan: Document) -> None:
    reading = Pagemill(ocr="off").read(scan.path)
    assert reading.laid[0].reason == "ocr_layer_good"
    [scored] = labelled(scan, reading)
    assert scored.tallies["heading_f1"].f1 == 1.0
    assert scored.tallies["order"].f1 == 1.0


def test_it_is_read_by_models_that_have_not_seen_the_page(scan: Document, tmp_path: Path) -> None:
    assert Unseen(tmp_path).fold(scan) == Unseen(tmp_path).fold(
        Document("page.pdf", scan.path, "layout_truth", "", group="letters")
    )


def test_another_run_makes_the_same_scan(corpus: Path, scan: Document, tmp_path: Path) -> None:
    [again] = made_scans(corpus, tmp_path / "again", ["ocr_layers"], None, 1)
    assert seen(again.path) == seen(scan.path)


def seen(path: Path) -> tuple[str, list[tuple[float, ...]], bytes]:
    """The words of the first page of a PDF, where their letters are, and its picture."""
    with pypdfium2.PdfDocument(path) as pdf:
        page = pdf[0]
        words = page.get_textpage()
        boxes = [words.get_charbox(at) for at in range(words.count_chars())]
        return words.get_text_range(), boxes, page.render().to_pil().tobytes()


def test_pictures_have_the_resolution_and_the_grains_that_are_asked_for(corpus: Path, tmp_path: Path) -> None:
    clean, worn = WEARS[0], WEARS[1]
    paths = [draw_picture(corpus / "page.pdf", 1, wear, tmp_path / str(wear.dpi)) for wear in (clean, worn)]
    assert [path.suffix for path in paths] == [".png", ".jpg"]
    with Image.open(paths[0]) as picture:
        assert picture.width == pytest.approx(A4[0] * clean.dpi / 72, abs=2)
        corner = numpy.asarray(picture.convert("L"))[:40, :40]
    with Image.open(paths[1]) as picture:
        grains = numpy.asarray(picture.convert("L"))[:40, :40]
    assert corner.std() == 0
    assert grains.std() > 2


def test_words_that_are_broken_at_the_end_of_a_line_are_put_together() -> None:
    lines = [
        TrueLine("The har-", "text", 1),
        TrueLine("bour lay", "text", 1),
        TrueLine("Quiet", "heading", 2),
    ]
    assert flowing_text(lines) == "The harbour lay Quiet"


def test_only_plain_paragraphs_of_a_usual_length_are_set() -> None:
    plain = "The ferry carries the letters of the town to the island in the har-\nbour. " * 4
    found = list(plain_paragraphs(f"# A heading\n\n{plain}\n\nShort.\n\n| a | table |\n"))
    assert found == [" ".join(plain.replace("har-\nbour", "harbour").split())]


def test_slides_in_other_scripts_are_told_apart() -> None:
    assert is_latin("Über die Brücke, 1879")
    assert not is_latin("הכנה לבחינת הבגרות, lab")
