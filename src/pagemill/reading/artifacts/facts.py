"""facts.json: from what was read of a document, from the pictures of its pages, and from the XML that it carries."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

import orjson
import pypdfium2

from pagemill.errors import PagemillError
from pagemill.model.artifacts import MadeFile
from pagemill.model.fact_types import Barcode, CheckBox, DocumentValues, KeyValue, Signature
from pagemill.model.file_types import PDF, ReadAs, type_of_file
from pagemill.model.formats import ON_DEMAND
from pagemill.model.pages import CorrectedFact, Page
from pagemill.reading.artifacts.figures import upright
from pagemill.reading.artifacts.stored import Original, appearing, made_file
from pagemill.reading.corrections.corrected_facts import correct_pairs
from pagemill.reading.facts.barcodes import find_barcodes
from pagemill.reading.facts.check_boxes import find_check_boxes
from pagemill.reading.facts.e_invoice import read_invoice
from pagemill.reading.facts.key_values import find_key_values
from pagemill.reading.facts.segments import Segment, segments_of
from pagemill.reading.facts.signatures import find_signatures
from pagemill.reading.pdf.inspection import attachment_name, opened_again
from pagemill.reading.stored_document import StoredDocument

SCHEMA = "pagemill/facts@1"
# Larger files are no invoices.
MOST_XML_BYTES = 20_000_000


def make_facts(document: StoredDocument, original: Original, folder: Path) -> tuple[MadeFile, ...]:
    """facts.json."""
    corrected = list[tuple[int, CorrectedFact]]()
    values = read_facts(noting_corrections(document.pages(), corrected), original)
    row = facts_row(values)
    row["key_values"] = correct_pairs(row["key_values"], corrected)
    file = folder / ON_DEMAND["facts"].file
    with appearing(file) as part:
        part.write_bytes(orjson.dumps({"schema": SCHEMA, **row}))
    return (made_file(file),)


def noting_corrections(pages: Iterable[Page], corrected: list[tuple[int, CorrectedFact]]) -> Iterator[Page]:
    """The pages as they go by, while what people say of their facts is noted."""
    for page in pages:
        corrected += [(page.number, one) for one in page.corrected_facts]
        yield page


def facts_row(values: DocumentValues) -> dict[str, Any]:
    """Facts as JSON; boxes are lists of numbers, and what is not known is left out."""
    return {
        "e_invoice": values.e_invoice,
        "key_values": [row_of(one) for one in values.key_values],
        "check_boxes": [row_of(one) for one in values.check_boxes],
        "barcodes": [row_of(one) for one in values.barcodes],
        "signatures": [row_of(one) for one in values.signatures],
    }


def row_of(fact: KeyValue | CheckBox | Barcode | Signature) -> dict[str, Any]:
    """One fact as JSON."""
    boxes = {name: getattr(fact, name) for name in ("box", "label_box") if hasattr(fact, name)}
    row = asdict(fact) | {name: box.sides if box else None for name, box in boxes.items()}
    return {name: value for name, value in row.items() if value is not None}


def read_facts(pages: Iterable[Page], original: Original) -> DocumentValues:
    """The facts of a document whose pages go by one at a time."""
    kind = type_of_file(original.path)
    is_printed = kind is not None and kind.read_as is not ReadAs.OFFICE
    key_values: list[KeyValue] = []
    check_boxes: list[CheckBox] = []
    barcodes: list[Barcode] = []
    with ExitStack() as stack:
        pdf = stack.enter_context(opened_again(original.path, original.password)) if is_printed else None
        for page in pages:
            segments = segments_of(pdf, page)
            key_values += find_key_values(page, segments)
            boxes, codes = look_at(pdf, page, segments)
            check_boxes += boxes
            barcodes += codes
        invoices = attached_invoices(pdf) if pdf else own_invoice(original)
        e_invoice = next(invoices, None)
    signatures = find_signatures(original.path, original.password) if is_pdf(original.path) else []
    return DocumentValues(
        tuple(key_values), tuple(check_boxes), tuple(barcodes), tuple(signatures), e_invoice
    )


def look_at(
    pdf: pypdfium2.PdfDocument | None, page: Page, segments: list[Segment]
) -> tuple[list[CheckBox], list[Barcode]]:
    """The check boxes and barcodes of a page; without its picture if it can't be drawn."""
    if pdf is None or page.error is not None:
        return find_check_boxes(page), []
    try:
        drawn = upright(pdf, page)
    except PagemillError:
        return find_check_boxes(page, segments), []
    boxes = find_check_boxes(page, segments, drawn.image, drawn.scale)
    return boxes, list(find_barcodes(drawn.image, page.number, drawn.scale))


def is_pdf(path: str) -> bool:
    """Whether a stored document is a PDF."""
    kind = type_of_file(path)
    return kind is not None and kind.media_type == PDF


def attached_invoices(pdf: pypdfium2.PdfDocument) -> Iterator[dict[str, object]]:
    """The invoices among the files that are attached to a PDF."""
    for place in range(pdf.count_attachments()):
        attached = pdf.get_attachment(place)
        if attachment_name(attached).lower().endswith(".xml"):
            try:
                raw = bytes(attached.get_data())
            except pypdfium2.PdfiumError:
                continue
            if len(raw) <= MOST_XML_BYTES and (invoice := read_invoice(raw)):
                yield {"file": attachment_name(attached), **invoice}


def own_invoice(original: Original) -> Iterator[dict[str, object]]:
    """The invoice that a document is itself."""
    path = Path(original.path)
    if path.suffix == ".xml" and path.stat().st_size <= MOST_XML_BYTES:
        invoice = read_invoice(path.read_bytes())
        if invoice:
            yield {"file": None, **invoice}
