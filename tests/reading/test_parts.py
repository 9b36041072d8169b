"""Types of documents by rules, with reasons, and the documents in a stack of pages."""

import io
from pathlib import Path
from typing import Any

import numpy
import orjson
import pytest
import zxingcpp
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from pagemill.model.artifacts import MakeRequest
from pagemill.model.pages import Page
from pagemill.model.visits import OpenRequest, SplitRequest
from pagemill.reading.artifacts.parts import PageSigns, split_stack
from pagemill.reading.artifacts.splitting import split_pdf
from pagemill.reading.facts.classifying import PageEvidence, TypeSign, classify, evidence_of
from pagemill.reading.facts.key_values import find_key_values
from pagemill.reading.visits import make_artifact, open_document
from tests.reading.made import heading, page, paragraph

# A stack: an invoice of two numbered pages with an empty back between them, a separator, a letter, an empty page, a quote.
STACK: tuple[tuple[str, ...], ...] = (
    ("Invoice", "Invoice number: A-17", "Total due: EUR 12.50", "Page 1 of 2"),
    (),
    ("The list of things goes on", "Page 2 of 2"),
    ("CODE",),
    ("Dear reader,", "all went well with the mill and the grain."),
    (),
    ("Quotation", "We offer flour.", "1/1"),
)


def stack() -> bytes:
    """The pages of the stack as a PDF."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, (595, 842), invariant=True)
    code = zxingcpp.write_barcode_to_image(
        zxingcpp.create_barcode("PATCH T", zxingcpp.BarcodeFormat.Code128), scale=3
    )
    for lines in STACK:
        for place, line in enumerate(lines):
            if line == "CODE":
                canvas.drawImage(ImageReader(Image.fromarray(numpy.asarray(code))), 100, 500, 300, 80)
            else:
                canvas.setFont("Helvetica", 20 if place == 0 and len(line) < 12 else 11)
                canvas.drawString(60, 780 - 60 * place, line)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What is suggested for the stack."""
    folder: Path = tmp_path_factory.mktemp("stack")
    path = folder / "stack.pdf"
    path.write_bytes(stack())
    open_document(OpenRequest(str(path), str(folder), 10, ("liteparse", "pdfium")).to_bytes())
    make_artifact(
        MakeRequest("parts", str(folder / "document.json"), None, str(folder), str(path)).to_bytes()
    )
    found: dict[str, Any] = orjson.loads((folder / "parts.json").read_bytes())
    return found


def test_a_stack_is_split_where_documents_begin(parts: dict[str, Any]) -> None:
    assert [(one["first_page"], one["last_page"], one["type"]["name"]) for one in parts["parts"]] == [
        (1, 3, "invoice"),
        (5, 5, "letter"),
        (7, 7, "quote"),
    ]
    reasons = [one["reasons"][0] for one in parts["parts"]]
    assert reasons == ["the stack begins", "after a page with the code 'PATCH T'", "after an empty page"]


def kind_of(*pages: Page) -> tuple[str, tuple[str, ...]]:
    """The type of a document and why."""
    found = classify(evidence_of(one, find_key_values(one)) for one in pages)
    return found.name, found.reasons


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Rechnung Nr. 2026-17", "invoice"),
        ("FACTURE", "invoice"),
        ("Gutschrift", "credit_note"),
        ("Scontrino", "receipt"),
        ("Lieferschein", "delivery_note"),
        ("Mietvertrag", "contract"),
        ("Kontoauszug", "bank_statement"),
        ("Curriculum vitae", "resume"),
        ("Oferta", "quote"),
        ("The history of invoices in the middle ages", "unknown"),
        ("Summary", "unknown"),
    ],
)
def test_a_title_tells_the_type_in_ten_languages(title: str, name: str) -> None:
    assert kind_of(page(1, heading("p1-b1", title, 20, top=60)))[0] == name


def test_labels_alone_are_not_enough_for_a_type() -> None:
    name, reasons = kind_of(page(1, paragraph("p1-b1", "Total due: 12.50 EUR")))
    assert (name, reasons) == ("unknown", ("no title or label of a known type",))


def test_what_two_types_speak_for_is_unknown() -> None:
    name, reasons = kind_of(
        page(1, heading("p1-b1", "Quotation", 20, top=60), heading("p1-b2", "Delivery note", 20, top=90))
    )
    assert name == "unknown"
    assert reasons == ("as much speaks for quote as for delivery_note",)


def test_a_stack_is_split_where_the_type_changes() -> None:
    def signs(number: int, kind: str, printed: int = 0) -> PageSigns:
        evidence = PageEvidence((), (TypeSign(kind, 0.9, kind),))
        return PageSigns(number, evidence, False, None, printed, None)

    found = split_stack([signs(1, "invoice"), signs(2, "invoice"), signs(3, "letter")])
    assert [(one.first_page, one.last_page) for one in found] == [(1, 2), (3, 3)]
    assert found[1].reasons == ("the type changes from invoice to letter",)
    # A page number that goes on counts more.
    assert len(split_stack([signs(1, "invoice", 1), signs(2, "letter", 2)])) == 1


def test_a_stack_is_split_up_to_so_many_bytes(tmp_path: Path) -> None:
    (tmp_path / "stack.pdf").write_bytes(stack())
    parts = ((1, 3), (5, 5), (7, 7))

    def split(most_bytes: int) -> tuple[list[str], bool]:
        scratch = tmp_path / f"scratch-{most_bytes}"
        scratch.mkdir()
        answer = split_pdf(
            SplitRequest(
                path=str(tmp_path / "stack.pdf"),
                scratch=str(scratch),
                parts=parts,
                stem="stack",
                most_files=10,
                most_bytes=most_bytes,
            )
        )
        found = [one.file for one in answer.files]
        assert sorted(file.name for file in scratch.iterdir()) == sorted(found)
        return found, answer.more

    everything, more = split(10_000_000)
    assert (len(everything), more) == (3, False)
    first = (tmp_path / "scratch-10000000" / everything[0]).stat().st_size
    assert split(first) == (everything[:1], True)
