"""Data sets in the common form."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from train.made.typeset import CHROMIUM
from train.truth import Piece, TruePage, read_pieces

COURT, PAPERS, STUDIES, BENCHMARK, OFFICE, MADE = "court", "papers", "studies", "benchmark", "office", "made"
# Documents of one's own, with the lines that the service found in them.
OWN, LINE_LABELS = "own", ".line_labels.json"
# Running lines may have no place in the order.
LAST = 100_000
_COLLECTIONS = {
    "publaynet_multi_column_train": PAPERS,
    "one_column_train-cejil_staging": COURT,
    "multi_column_train-deeplearning_paper": STUDIES,
    "one_column_train-deeplearning_paper": STUDIES,
}


def rows_of(corpus: Path, category: str) -> Iterator[dict[str, Any]]:
    """The rows of the manifest of a category; none if there is no manifest."""
    manifest = corpus / "manifest.jsonl"
    for line in manifest.read_bytes().splitlines() if manifest.exists() else ():
        row = orjson.loads(line)
        if row["category"] == category:
            yield row


def collection_of(group: str) -> str:
    """The source that a group of labelled documents belongs to."""
    return _COLLECTIONS.get(group, group)


def labelled_pages(corpus: Path) -> Iterator[TruePage]:
    """Pages whose lines people have labelled."""
    for row in rows_of(corpus, "layout_truth"):
        collection = collection_of(str(row["group"]))
        truth = orjson.loads((corpus / row["truth"][0]["file"]).read_bytes())
        for page in truth["pages"]:
            pieces = tuple(_piece(line) for line in page["lines"])
            yield TruePage(corpus / str(row["file"]), page["number"], collection, str(row["file"]), pieces)


def own_pages(folder: Path) -> Iterator[TruePage]:
    """Pages of documents that are in a folder beside their line labels, as NAME.pdf and NAME.line_labels.json."""
    for path in sorted(folder.glob(f"*{LINE_LABELS}")):
        document = path.with_name(f"{path.name.removesuffix(LINE_LABELS)}.pdf")
        for page in orjson.loads(path.read_bytes())["pages"]:
            pieces = tuple(_piece(line) for line in page["lines"])
            yield TruePage(document, page["number"], OWN, document.stem, pieces)


def _piece(line: dict[str, Any]) -> Piece:
    left, top, width, height = line["box"]
    order = LAST if line["order"] is None else line["order"]
    return Piece(left, top, left + width, top + height, line["role"], line["paragraph"], order)


def benchmark_pages(corpus: Path) -> Iterator[TruePage]:
    """Pages whose true Markdown is known."""
    for row in rows_of(corpus, "pdf_md_truth"):
        markdown = (corpus / row["truth"][0]["file"]).read_text("utf-8")
        yield TruePage(corpus / str(row["file"]), 1, BENCHMARK, str(row["group"]), markdown=markdown)


def office_pages(folder: Path) -> Iterator[TruePage]:
    """Pages of office files, rendered."""
    for path in sorted(folder.glob("*.json")):
        for number, pieces in enumerate(read_pieces(path), 1):
            yield TruePage(path.with_suffix(".pdf"), number, OFFICE, path.stem, pieces)


def made_pages(folder: Path) -> Iterator[TruePage]:
    """Pages that were made, each kind from each typesetter a collection of its own."""
    for path in sorted(folder.glob("*.json")):
        kind = "-".join(path.stem.split("-")[:-2])
        for number, pieces in enumerate(read_pieces(path), 1):
            # Chromium leaves notes where they are marked, where no reader expects them.
            known = [
                piece for piece in pieces if not (kind.startswith(CHROMIUM) and piece.role == "footnote")
            ]
            yield TruePage(path.with_suffix(".pdf"), number, f"{MADE}-{kind}", path.stem, tuple(known))
