"""Data sets in the common form."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from train.made.typeset import CHROMIUM
from train.truth import Piece, TruePage, read_pieces

COURT, PAPERS, STUDIES, BENCHMARK, MADE = "court", "papers", "studies", "benchmark", "made"
# Running lines may have no place in the order.
LAST = 100_000
_COLLECTIONS = {
    "publaynet_multi_column_train": PAPERS,
    "one_column_train-cejil_staging": COURT,
    "multi_column_train-deeplearning_paper": STUDIES,
    "one_column_train-deeplearning_paper": STUDIES,
}


def rows_of(corpus: Path, category: str) -> Iterator[dict[str, Any]]:
    """The rows of the manifest of a category."""
    for line in (corpus / "manifest.jsonl").read_bytes().splitlines():
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


def _piece(line: dict[str, Any]) -> Piece:
    left, top, width, height = line["box"]
    order = LAST if line["order"] is None else line["order"]
    return Piece(left, top, left + width, top + height, line["role"], line["paragraph"], order)


def benchmark_pages(corpus: Path) -> Iterator[TruePage]:
    """Pages whose true Markdown is known."""
    for row in rows_of(corpus, "pdf_md_truth"):
        markdown = (corpus / row["truth"][0]["file"]).read_text("utf-8")
        yield TruePage(corpus / str(row["file"]), 1, BENCHMARK, str(row["group"]), markdown=markdown)


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
