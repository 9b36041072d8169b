"""Labelled pages as scans that carry somebody's OCR layer: a picture, and unseen words in boxes as a recogniser gives them."""

import math
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import orjson
import pypdfium2
from reportlab.pdfgen.canvas import Canvas

from pagemill.model.pages import Box
from pagemill.reading.artifacts.glyphless import ADVANCE, UNITS, UnseenFont
from pagemill.reading.artifacts.layers import Layers
from quality.corpus import Document, Truth, documents
from quality.labelled import Letters, line_text
from quality.scanned.pictures import Wear, draw_picture

Placed = tuple[str, Box]
Turn = Callable[[float, float], str]

CATEGORY = "ocr_layers"
EACH = 14
WEAR = Wear(150, noise=6.0, jpeg_quality=50)
# By how many degrees pages lean, counter-clockwise; half of them are level.
LEANS = (0.0, 0.4, 0.0, -0.8)
# How far the sides of a word's box are off, in parts of its line's height.
WAVERING = 0.03
DEEP_LETTERS = re.compile(r"[gjpqyQ,;()\[\]{}|/@]")
FONT_NAME = "Unseen"


def make_layers(corpus: Path, folder: Path, limit: int | None, seed: int) -> list[Document]:
    """So many pages of each collection of labelled documents."""
    folder.mkdir(parents=True, exist_ok=True)
    found = documents(corpus, ["layout_truth"])
    count = min(limit or EACH, EACH)
    made: list[Document] = []
    for group in sorted({document.group for document in found}):
        pages = [one for document in found if document.group == group for one in _pages(document)]
        step = max(len(pages) // count, 1)
        chosen = pages[seed % step :: step][:count]
        made += [_layer_page(document, page, folder) for document, page in chosen]
    return made


def _pages(document: Document) -> Iterator[tuple[Document, Mapping[str, Any]]]:
    for page in orjson.loads(document.truths[0].text())["pages"]:
        yield document, page


def _layer_page(document: Document, page: Mapping[str, Any], folder: Path) -> Document:
    """One page as a document of its own, whose labels tell the text of each line."""
    name = f"{document.path.stem}-{page['number']}"
    path, labels = folder / f"{name}.pdf", folder / f"{name}.json"
    lean = random.Random(name).choice(LEANS)
    wear = replace(WEAR, skew_degrees=lean)
    picture = draw_picture(document.path, page["number"], wear, folder / name)
    with pypdfium2.PdfDocument(document.path) as pdf:
        drawn = pdf[page["number"] - 1]
        size, letters = drawn.get_size(), Letters(drawn)
    canvas = Canvas(str(path), size, invariant=True)
    canvas.drawImage(str(picture), 0, 0, *size)
    canvas.save()
    rows = [{**row, "text": line_text(letters, row)} for row in page["lines"]]
    turn = turn_about(size[0] / 2, size[1] / 2, lean)
    write_layer(path, size[1], [letters.words(Box(*row["box"])) for row in rows], turn, name)
    labels.write_bytes(orjson.dumps({"pages": [{"number": 1, "lines": rows}]}))
    truth = Truth(labels, "line_labels_json", "exact")
    return replace(document, path=path, category=CATEGORY, truths=(truth,), pages_of=document.category)


def turn_about(x: float, y: float, degrees: float) -> Turn:
    """What turns places about a point, counter-clockwise, as the six numbers of a text matrix."""
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))

    def turn(left: float, baseline: float) -> str:
        across, up = left - x, baseline - y
        at = x + across * cosine - up * sine, y + across * sine + up * cosine
        return f"{cosine:.5f} {sine:.5f} {-sine:.5f} {cosine:.5f} {at[0]:.2f} {at[1]:.2f}"

    return turn


def write_layer(path: Path, height: float, lines: Sequence[Sequence[Placed]], turn: Turn, seed: str) -> None:
    """Write the words of lines under the picture of a page, each stretched to the width of its box.

    The letters of a line have one size: the height of the line above its baseline, as OCRmyPDF has it, or in every second
    document that of the whole line in full points, as Tesseract has it.
    """
    layers, draw = Layers(path), random.Random(seed)
    font, size_of = UnseenFont(layers), draw.choice((above_baseline, in_full_points))
    content = ""
    for line in lines:
        words, baseline = waver_line(line, draw)
        size = size_of(words, baseline)
        content += "".join(
            [_word_operators(word, font, size, turn(word[1].x, height - baseline)) for word in words]
        )
    layers.draw(1, f"BT 3 Tr\n{content}ET\n".encode("ascii"), {FONT_NAME: font.number})
    font.close()
    layers.close()


def waver_line(line: Sequence[Placed], draw: random.Random) -> tuple[list[Placed], float]:
    """The words of a line in boxes that are as high as the line's, all of them a little off, and their baseline."""
    if not line:
        return [], 0.0
    top, bottom = min(box.y for _, box in line), max(box.bottom for _, box in line)
    shallow = [box.bottom for text, box in line if not DEEP_LETTERS.search(text)]
    waver = partial(draw.gauss, 0.0, WAVERING * (bottom - top))
    baseline = median(shallow or [bottom]) + waver()
    top, bottom = top + waver(), max(bottom + waver(), top + 2)
    words = [(text, box.x + waver(), box.right + waver()) for text, box in line]
    return [
        (text, Box(left, top, max(right - left, 0.5), bottom - top)) for text, left, right in words
    ], baseline


def above_baseline(words: Sequence[Placed], baseline: float) -> float:
    """The height of a line above its baseline."""
    return max([baseline - box.y for _, box in words], default=1.0)


def in_full_points(words: Sequence[Placed], _: float) -> float:
    """The height of a line without parts of points."""
    return float(round(max([box.height for _, box in words], default=1.0)))


def _word_operators(word: Placed, font: UnseenFont, size: float, place: str) -> str:
    """A word that is as wide as its box, and the space after it."""
    text, box = word[0].replace("\ufffe", "-").replace("\x02", "-"), word[1]
    stretch = 100 * box.width / (len(text) * ADVANCE / UNITS * size)
    return f"/{FONT_NAME} {size:.2f} Tf {stretch:.2f} Tz {place} Tm <{font.font_codes(text + ' ')}> Tj\n"
