"""One recogniser alone, with nothing before or after it: what the chain around it must not fall behind."""

from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy
import pypdfium2

from pagemill.model.pages import Line
from pagemill.reading.ocr.recogniser import Recogniser
from pagemill.reading.providers.installed import load
from quality.engines import Handless, Reading, now, since

DPI = 200
POINTS_PER_INCH = 72


@dataclass(frozen=True, slots=True)
class Single(Handless):
    """A recogniser on the plain picture of each page; its own order of lines stays if it has one."""

    name: str
    keeps_order: bool = False
    tells_routes: bool = False

    def read(self, path: Path, password: str | None = None) -> Reading:
        """The lines of each page."""
        started = now()
        recogniser = cast("Recogniser", load(self.name))
        with pypdfium2.PdfDocument(path, password) as document:
            pages = tuple(self._page(recogniser, page) for page in document)
        return Reading(pages, "\n\n".join(pages), since(started))

    def _page(self, recogniser: Recogniser, page: pypdfium2.PdfPage) -> str:
        picture = page.render(scale=DPI / POINTS_PER_INCH, rev_byteorder=True).to_pil().convert("RGB")
        lines = recogniser.recognise(numpy.asarray(picture), ())
        return "\n".join(line.text for line in (lines if self.keeps_order else by_rows(lines)))


def by_rows(lines: list[Line]) -> list[Line]:
    """Lines from top to bottom, and from left to right where they are beside each other."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.box.y + line.box.height / 2):
        middle = line.box.y + line.box.height / 2
        if rows and middle < rows[-1][0].box.bottom:
            rows[-1].append(line)
        else:
            rows.append([line])
    return [line for row in rows for line in sorted(row, key=lambda line: line.box.x)]
