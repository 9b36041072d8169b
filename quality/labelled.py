"""Documents of which people have labelled every line."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import orjson
import pypdfium2
from numpy.typing import NDArray

from pagemill.model.pages import Box
from quality.corpus import Document
from quality.engines import Reading
from quality.metrics.calibration import page_outcomes
from quality.metrics.layout import (
    APART,
    AnswerBlock,
    TrueLine,
    answer_blocks,
    layout_tallies,
    page_blocks,
    word_tallies,
)
from quality.results import Scored

# Of the most common causes of a lost word, so many say enough.
MOST_LOST = 30
# Letters at places that differ by less, in points, are one.
SAME_PLACE = 0.7


def labelled(document: Document, reading: Reading) -> Iterator[Scored]:
    """The pages of a document, each with the tallies of its lines and words."""
    pages = orjson.loads(document.truths[0].text())["pages"]
    laid = {page.number: page for page in reading.laid}
    with pypdfium2.PdfDocument(document.path, document.password) as pdf:
        for page in pages:
            lines = true_lines(pdf[page["number"] - 1], page["lines"])
            number = page["number"]
            answer = reading.pages[number - 1] if number <= len(reading.pages) else ""
            if number not in laid:
                yield _scored(document, number, lines, answer, answer_blocks(answer))
                continue
            scored = _scored(document, number, lines, answer, page_blocks(laid[number]))
            yield replace(scored, outcomes=page_outcomes(laid[number], lines))


def _scored(
    document: Document, number: int, lines: Sequence[TrueLine], answer: str, blocks: Sequence[AnswerBlock]
) -> Scored:
    body = [word for line in lines if line.role not in APART for word in line.text.split()]
    kept, lost = word_tallies(body, answer)
    tallies = {**layout_tallies(lines, blocks), **kept}
    truth = "\n".join(f"{line.role}: {line.text}" for line in lines)
    scores = {"heading_f1": tallies["heading_f1"].f1}
    return Scored(
        scores, truth, answer, document.group, number, tallies=tallies, remarks={"lost": lost[:MOST_LOST]}
    )


def true_lines(page: pypdfium2.PdfPage, rows: Sequence[Mapping[str, Any]]) -> list[TrueLine]:
    """The labelled lines with their text, in reading order."""
    letters = Letters(page)
    # Running lines may have no place in the order.
    ordered = sorted(rows, key=lambda row: (row["order"] is None, row["order"]))
    return [
        TrueLine(line_text(letters, row), row["role"], row["paragraph"], Box(*row["box"])) for row in ordered
    ]


def line_text(letters: "Letters", row: Mapping[str, Any]) -> str:
    """The text of a labelled line: as it is labelled, else the letters in its box."""
    return str(row["text"]) if "text" in row else letters.inside(Box(*row["box"]))


class Letters:
    """The printed letters of a page, each once: some programs print a letter several times to make it bold."""

    def __init__(self, page: pypdfium2.PdfPage) -> None:
        textpage, height = page.get_textpage(), page.get_height()
        self.text = textpage.get_text_range()
        count = min(len(self.text), textpage.count_chars())
        boxes = np.array([textpage.get_charbox(at) for at in range(count)]).reshape(-1, 4)
        self._boxes, self._height = boxes, height
        self._x = (boxes[:, 0] + boxes[:, 2]) / 2
        self._y = height - (boxes[:, 1] + boxes[:, 3]) / 2
        self._first = self._printed_first(boxes)

    def _printed_first(self, boxes: NDArray[np.float64]) -> NDArray[np.bool_]:
        seen: set[tuple[str, int, int]] = set()
        first = np.zeros(len(boxes), bool)
        for at, box in enumerate(boxes):
            letter, x, y = self.text[at], round(box[0] / SAME_PLACE), round(box[1] / SAME_PLACE)
            if letter.isspace():
                continue
            first[at] = not any((letter, x + a, y + b) in seen for a in (-1, 0, 1) for b in (-1, 0, 1))
            seen.add((letter, x, y))
        return first

    def inside(self, box: Box) -> str:
        """The text of the letters whose middles are in a box, with spaces where there are some between them."""
        words = [text.replace("\ufffe", "").replace("\x02", "") for text, _ in self.words(box)]
        return " ".join(filter(None, words))

    def words(self, box: Box) -> list[tuple[str, Box]]:
        """The words whose letters have their middles in a box, each with the box around its letters."""
        places = np.flatnonzero(
            self._first
            & (np.abs(self._x - box.x - box.width / 2) <= box.width / 2 + 1)
            & (np.abs(self._y - box.y - box.height / 2) <= box.height / 2)
        )
        parts = np.split(places, np.flatnonzero(np.diff(places) > 1) + 1) if len(places) else []
        return [("".join([self.text[at] for at in part]), self._around(part)) for part in parts]

    def _around(self, places: NDArray[np.intp]) -> Box:
        left, bottom = self._boxes[places, :2].min(axis=0)
        right, top = self._boxes[places, 2:].max(axis=0)
        return Box(float(left), float(self._height - top), float(right - left), float(top - bottom))
