"""Documents of which people have labelled every line."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson
import pypdfium2

from quality.corpus import Document
from quality.engines import Reading
from quality.metrics.layout import APART, TrueLine, layout_tallies, word_tallies
from quality.results import Scored

# Of the most common causes of a lost word, so many say enough.
MOST_LOST = 30


def labelled(document: Document, reading: Reading) -> Iterator[Scored]:
    """The pages of a document, each with the tallies of its lines and words."""
    pages = orjson.loads(document.truths[0].text())["pages"]
    with pypdfium2.PdfDocument(document.path, document.password) as pdf:
        for page in pages:
            lines = true_lines(pdf[page["number"] - 1], page["lines"])
            number = page["number"]
            answer = reading.pages[number - 1] if number <= len(reading.pages) else ""
            yield _scored(document, number, lines, answer)


def _scored(document: Document, number: int, lines: Sequence[TrueLine], answer: str) -> Scored:
    body = [word for line in lines if line.role not in APART for word in line.text.split()]
    kept, lost = word_tallies(body, answer)
    tallies = {**layout_tallies(lines, answer), **kept}
    truth = "\n".join(f"{line.role}: {line.text}" for line in lines)
    scores = {"heading_f1": tallies["heading_f1"].f1}
    return Scored(
        scores, truth, answer, document.group, number, tallies=tallies, remarks={"lost": lost[:MOST_LOST]}
    )


def true_lines(page: pypdfium2.PdfPage, rows: Sequence[Mapping[str, Any]]) -> list[TrueLine]:
    """The labelled lines with their text, in reading order."""
    text, height = page.get_textpage(), page.get_height()
    # Running lines may have no place in the order.
    ordered = sorted(rows, key=lambda row: (row["order"] is None, row["order"]))
    return [TrueLine(_text(text, height, row["box"]), row["role"], row["paragraph"]) for row in ordered]


def _text(text: pypdfium2.PdfTextPage, height: float, box: Sequence[float]) -> str:
    left, top, width, high = box
    bounded = text.get_text_bounded(left - 1, height - top - high, left + width + 1, height - top)
    return str(bounded).replace("\r", " ").replace("\n", " ").replace("\ufffe", "").strip()
