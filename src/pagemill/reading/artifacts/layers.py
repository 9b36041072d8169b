"""A PDF whose pages get one more layer each, appended to the file as the format allows: everything else stays as it is.

PDFium could draw on pages too, but looks through the whole document for each of them.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path

import pypdf
from pypdf.errors import PyPdfError
from pypdf.generic import ArrayObject, DictionaryObject, IndirectObject, NameObject

from pagemill.errors import PageUnreadable
from pagemill.reading.artifacts.disarm import disarm
from pagemill.reading.artifacts.pdf_writer import PdfObjects, packed_stream
from pagemill.reading.artifacts.placing import ShownPage
from pagemill.reading.artifacts.stored import Original
from pagemill.reading.pdf.pdf_text import serialise

# PDFium's flag for a copy without encryption.
WITHOUT_SECURITY = 3
TAIL_BYTES = 4_096
START = re.compile(rb"startxref\s+(\d+)\s+%%EOF\s*$")
IDENTITY = re.compile(rb"/ID\s*\[\s*<([0-9A-Fa-f]*)>\s*<([0-9A-Fa-f]+)>\s*\]")
# What a page is taken for that does not say how large it is.
LETTER = (0.0, 0.0, 612.0, 792.0)
TRAILER_KEYS = ("/Root", "/Info", "/ID")


class Layers(PdfObjects):
    """Adds layers to a copy of a document."""

    def __init__(self, file: Path) -> None:
        self._reader = pypdf.PdfReader(file)
        super().__init__(file.open("r+b"), first=int(str(self._reader.trailer["/Size"])))
        self._table_at = self._last_table()
        self._opening = self.add(packed_stream(b"q\n"))

    def _last_table(self) -> int:
        """Where the last cross-reference is; what is added follows it."""
        size = self._out.seek(0, 2)
        self._out.seek(max(size - TAIL_BYTES, 0))
        found = START.search(self._out.read())
        if found is None:
            raise PageUnreadable("the document can't be drawn on")
        return int(found[1])

    def sheet(self, number: int) -> ShownPage | None:
        """The page that is to be drawn on; None if it is not there."""
        if not 1 <= number <= len(self._reader.pages):
            return None
        page = self._reader.pages[number - 1]
        outer = sides(page, "/MediaBox") or LETTER
        inner = sides(page, "/CropBox") or outer
        left, bottom = max(inner[0], outer[0]), max(inner[1], outer[1])
        right, top = min(inner[2], outer[2]), min(inner[3], outer[3])
        shown = (left, bottom, right, top) if left < right and bottom < top else outer
        rotation = page.get("/Rotate", 0)
        return ShownPage(*shown, int(rotation) % 360 if isinstance(rotation, int | float) else 0)

    def draw(self, number: int, content: bytes, fonts: Mapping[str, int]) -> None:
        """Draw on a page, over all that is there, with fonts by name and object."""
        page = self._reader.pages[number - 1]
        own = DictionaryObject(page)
        own[NameObject("/Contents")] = self._contents(page, self.add(packed_stream(b"Q\n" + content)))
        own[NameObject("/Resources")] = self._resources(page, fonts)
        reference = page.indirect_reference
        if reference is None:
            raise PageUnreadable(f"page {number} can't be drawn on")
        self.add(serialise(own), reference.idnum)

    def close(self) -> None:
        """Write where the new objects are."""
        start = self._out.tell()
        self._out.write(b"xref\n")
        for run in runs(sorted(self._places)):
            self._out.write(b"%d %d\n" % (run[0], len(run)))
            self._out.writelines(b"%010d 00000 n \n" % self._places[number] for number in run)
        trailer = b" ".join(
            b"%s %s" % (key.encode(), serialise(self._reader.trailer.raw_get(key)))
            for key in TRAILER_KEYS
            if key in self._reader.trailer
        )
        self._out.write(
            b"trailer\n<</Size %d /Prev %d %s>>\nstartxref\n%d\n%%%%EOF\n"
            % (self._next, self._table_at, trailer, start)
        )
        self._out.close()
        self._reader.close()

    def _contents(self, page: DictionaryObject, layer: int) -> ArrayObject:
        """The streams of a page between two that keep its settings from the new layer."""
        there = page.raw_get("/Contents") if "/Contents" in page else ArrayObject()
        resolved = there.get_object()
        streams = list(resolved) if isinstance(resolved, ArrayObject) else [there]
        return ArrayObject([self._reference(self._opening), *streams, self._reference(layer)])

    def _resources(self, page: DictionaryObject, fonts: Mapping[str, int]) -> DictionaryObject:
        """The resources of a page and the fonts of the new layer; what others share is left alone."""
        resources = _copy_pages(page.get("/Resources"))
        known = _copy_pages(resources.get("/Font"))
        known.update({NameObject(f"/{name}"): self._reference(number) for name, number in fonts.items()})
        resources[NameObject("/Font")] = known
        return resources

    def _reference(self, number: int) -> IndirectObject:
        return IndirectObject(number, 0, self._reader)


@contextmanager
def copy_with_layers(original: Original, file: Path, sha256: str | None) -> Iterator[Layers]:
    """A copy of the document to draw on, without anything that could act.

    The same document with the same layers gives the same bytes.
    """
    with original.open_pdf() as document, file.open("wb") as out:
        document.save(out, flags=WITHOUT_SECURITY)
    settle_identity(file, (sha256 or "0" * 64).encode())
    try:
        disarm(file)
        layers = Layers(file)
        yield layers
        layers.close()
    except (PyPdfError, RecursionError) as error:
        raise PageUnreadable("the document is too damaged to be drawn on") from error


def settle_identity(file: Path, digest: bytes) -> None:
    """Put a fixed name into the trailer in place of the random one that PDFium gives to each copy."""
    with file.open("r+b") as out:
        start = max(out.seek(0, 2) - TAIL_BYTES, 0)
        out.seek(start)
        found = list(IDENTITY.finditer(out.read()))
        for group in (1, 2) if found else ():
            first, last = found[-1].span(group)
            out.seek(start + first)
            out.write((digest * 4)[: last - first])


def sides(page: DictionaryObject, name: str) -> tuple[float, float, float, float] | None:
    """Left, bottom, right and top of one of a page's boxes; None if it is missing or makes no sense."""
    box = page.get(name)
    found = box.get_object() if isinstance(box, IndirectObject) else box
    try:
        left, bottom, right, top = (float(side.get_object()) for side in found)  # type: ignore[union-attr]
    except (TypeError, ValueError, AttributeError):
        return None
    left, right, bottom, top = min(left, right), max(left, right), min(bottom, top), max(bottom, top)
    return (left, bottom, right, top) if left < right and bottom < top else None


def runs(numbers: list[int]) -> Iterator[list[int]]:
    """Sorted numbers in runs of neighbours."""
    for _, run in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        yield [number for _, number in run]


def _copy_pages(value: object) -> DictionaryObject:
    resolved = value.get_object() if isinstance(value, IndirectObject) else value
    return DictionaryObject(resolved) if isinstance(resolved, DictionaryObject) else DictionaryObject()
