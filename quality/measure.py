"""Engines read documents, and what they read is scored."""

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path

from PIL import Image, ImageSequence
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from pagemill.model.file_types import is_office
from quality.categories import SCORERS
from quality.corpus import Document
from quality.engines import Engine, Reading, attempted
from quality.results import Result
from quality.unseen import Unseen

POINTS_PER_INCH = 72.0
# What a scan without a word on it usually has.
USUAL_DPI = 200.0
# Below this, what a picture says of its resolution is a default of the software that wrote it.
LEAST_DPI = 96.0
ROUTING_ONLY = "long_doc"


def measured(
    engine: Engine, documents: Sequence[Document], folder: Path, unseen: Unseen | None = None
) -> Iterator[Result]:
    """The engine's results; the first document is read once more before, so that no start is measured.

    With `unseen`, each document is read by models that were trained without it.
    """
    fit = [document for document in documents if engine.tells_routes or document.category != ROUTING_ONLY]
    for document in fit[:1]:
        attempted(engine, as_pdf(document.path, folder), document.password)
    for document in fit:
        with unseen.weights(document) if unseen else nullcontext():
            reading = attempted(engine, as_pdf(document.path, folder), document.password)
        yield from scored(engine, document, reading)


def scored(engine: Engine, document: Document, reading: Reading) -> Iterator[Result]:
    """What one reading is worth."""
    for one in SCORERS[document.category](document, reading):
        spent = reading.spent.share(one.pages / max(len(reading.pages), 1))
        route = reading.routes[one.page - 1] if one.page <= len(reading.routes) else None
        yield Result(engine.name, document, one, spent, reading.failure, route)


def as_pdf(path: Path, folder: Path) -> Path:
    """The document itself, or a PDF with its pictures on its pages, as not every engine takes pictures."""
    if path.suffix.lower() == ".pdf" or is_office(path.name):
        return path
    target = folder / f"{path.name}.pdf"
    if not target.exists():
        canvas = Canvas(str(target))
        with Image.open(path) as picture:
            for frame in ImageSequence.Iterator(picture):
                _put(canvas, frame)
        canvas.save()
    return target


def _put(canvas: Canvas, frame: Image.Image) -> None:
    own = float(frame.info.get("dpi", (0, 0))[0])
    scale = POINTS_PER_INCH / (own if own >= LEAST_DPI else USUAL_DPI)
    width, height = frame.width * scale, frame.height * scale
    canvas.setPageSize((width, height))
    canvas.drawImage(ImageReader(frame.convert("RGB")), 0, 0, width, height)
    canvas.showPage()
