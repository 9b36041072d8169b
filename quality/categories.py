"""What is measured on each category of documents."""

import csv
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from statistics import fmean

import orjson

from quality.corpus import OFFICE, Document, Truth
from quality.engines import Reading
from quality.labelled import labelled
from quality.metrics.cells import Spot, Spots, adjacency_f1, cell_f1, concerned, from_rows, spots_of, squeezed
from quality.metrics.headings import mhs
from quality.metrics.letters import cer, letters_nid
from quality.metrics.office import score as office_score
from quality.metrics.office import truth_of as office_truth
from quality.metrics.order import nid, nid_unstyled
from quality.metrics.tables import teds, teds_structure
from quality.results import Scored
from quality.scanned.ocr_layers import CATEGORY as OCR_LAYERS
from quality.scanned.page_images import CATEGORY as PAGE_IMAGES

SCANNED, DIGITAL = "scanned", "digital"
MARKDOWN = "markdown"
# Truths of this kind have every table of a document, the others some on one page.
COMPLETE = "tables_json"


def markdown_scores(truth: str, answer: str) -> dict[str, float | None]:
    """NID, TEDS, TEDS-S and MHS, and overall: the mean of NID, TEDS and MHS as far as there are."""
    scores = {
        "nid": nid(truth, answer),
        "nid_unstyled": nid_unstyled(truth, answer),
        "teds": teds(truth, answer),
        "teds_s": teds_structure(truth, answer),
        "mhs": mhs(truth, answer),
    }
    counted = [score for name in ("nid", "teds", "mhs") if (score := scores[name]) is not None]
    return {"overall": fmean(counted) if counted else None, **scores}


def whole(document: Document, reading: Reading) -> Iterator[Scored]:
    """A document with one true Markdown file."""
    truth = document.truths[0].text()
    scores = markdown_scores(truth, reading.markdown)
    yield Scored(scores, truth, reading.markdown, document.source, pages=len(reading.pages))


def tables(document: Document, reading: Reading) -> Iterator[Scored]:
    """A document of which the tables are known."""
    truth = document.truths[0]
    right = true_tables(truth)
    if truth.kind == COMPLETE:
        found = spots_of(reading.markdown)
    else:
        found = concerned(right, [spots_of(page) for page in reading.pages])
    scores = {"cell_f1": cell_f1(right, found), "adjacency_f1": adjacency_f1(right, found)}
    told = "\n\n".join(table_text(table) for table in right)
    yield Scored(scores, told, reading.markdown, document.source, pages=len(reading.pages))


def table_text(table: Spots) -> str:
    """A table for people: a line for each row."""
    rows: dict[int, list[str]] = {}
    for spot in sorted(table, key=lambda spot: (spot.top, spot.left)):
        rows.setdefault(spot.top, []).append(spot.text)
    return "\n".join(" | ".join(row) for row in rows.values())


def true_tables(truth: Truth) -> list[Spots]:
    """The tables of a truth."""
    if truth.kind == "table_csv":
        return [from_rows(csv.reader(truth.text().splitlines(keepends=True)))]
    told = orjson.loads(truth.text())
    if truth.kind == "tables_rows_json":
        return [from_rows(rows) for rows in told["tables_rows"]]
    return [
        tuple(
            Spot(top, bottom, left, right, squeezed(text))
            for top, bottom, left, right, text in table["cells_r0_r1_c0_c1_text"]
        )
        for table in told["tables"]
    ]


def scan(document: Document, reading: Reading) -> Iterator[Scored]:
    """A picture of a page; where the truth is Markdown, tables and headings count as well."""
    truth = document.truths[0].text()
    scores = letter_scores(truth, reading.markdown)
    if document.truths[0].kind == MARKDOWN:
        scores |= {"teds": teds(truth, reading.markdown), "mhs": mhs(truth, reading.markdown)}
    yield Scored(scores, truth, reading.markdown, document.source, pages=len(reading.pages))


def letter_scores(truth: str, answer: str) -> dict[str, float | None]:
    """CER and NID of the letters alone."""
    return {"cer": cer(truth, answer), "nid": letters_nid(truth, answer)}


def page_image(document: Document, reading: Reading) -> Iterator[Scored]:
    """A picture of a page of some kind: how much of its text is there, in order."""
    truth = document.truths[0].text()
    scores = {"similarity": letters_nid(truth, reading.markdown)}
    yield Scored(scores, truth, reading.markdown, document.source, pages=len(reading.pages))


def pagewise(document: Document, reading: Reading) -> Iterator[Scored]:
    """A document with a truth for each of its pages."""
    for row in orjson.loads(document.truths[0].text())["pages"]:
        number, truth = row["page"], row["markdown"]
        answer = reading.pages[number - 1] if number <= len(reading.pages) else ""
        group = SCANNED if row["scanned"] else DIGITAL
        yield Scored(letter_scores(truth, answer), truth, answer, group, number)


def office(document: Document, reading: Reading) -> Iterator[Scored]:
    """An office file, beside what its own XML says."""
    words = next((truth.text() for truth in document.truths if truth.kind == "text"), None)
    found = office_score(office_truth(document.path), words, reading.markdown)
    group = document.path.suffix.removeprefix(".")
    yield Scored(asdict(found), words or "", reading.markdown, group, pages=max(len(reading.pages), 1))


def unscored(_: Document, reading: Reading) -> Iterator[Scored]:
    """The pages of a document of which only the route is of interest."""
    for number, answer in enumerate(reading.pages, 1):
        yield Scored({}, "", answer, DIGITAL, number)


Scorer = Callable[[Document, Reading], Iterator[Scored]]
SCORERS: Mapping[str, Scorer] = {
    "pdf_md_truth": whole,
    "layout_truth": labelled,
    "pdf_table_truth": tables,
    "scan_truth": scan,
    "multipage_truth": pagewise,
    "long_doc": unscored,
    OFFICE: office,
    PAGE_IMAGES: page_image,
    OCR_LAYERS: labelled,
    "synthetic": whole,
}
CORPUS_CATEGORIES = tuple(name for name in SCORERS if name != "synthetic")
