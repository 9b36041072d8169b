"""Takes everything out of a PDF that could act: scripts, programs to start, forms to send, embedded files.

Works on a copy that PDFium has saved: every object is written out in plain, with its names in plain, and the table at
the end says where each begins. A copy without anything that could act stays as it is. Otherwise it is written once
more, with the entries taken out and without the objects that only they led to.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

import pypdf
from pypdf.generic import ArrayObject, DictionaryObject, IndirectObject, NameObject, PdfObject, StreamObject

from pagemill.reading.pdf.pdf_text import serialise

# Actions, and entries that hold actions, scripts, files or media.
ACTIONS = frozenset(
    "/JavaScript /Launch /SubmitForm /ImportData /GoToR /GoToE /Rendition /Movie /Sound"
    " /RichMediaExecute /GoTo3DView".split()
)
ENTRIES = frozenset(
    "/JS /JavaScript /AA /OpenAction /EF /EmbeddedFiles /AF /FS /XFA /RichMediaContent /RichMediaSettings /3DD /Movie"
    " /Sound /Rendition /Renditions /Collection /Requirements /URLS /Perms".split()
)
EMBEDDED = "/EmbeddedFile"
# Links that lead to web pages and mail stay.
HARMLESS_LINK = re.compile(r"(https?|mailto):", re.IGNORECASE)
WORDS = re.compile(
    rb"/(?:%s|URI)(?![A-Za-z0-9])"
    % b"|".join(sorted(name[1:].encode() for name in ACTIONS | ENTRIES | {EMBEDDED}))
)
REFERENCE = re.compile(rb"(\d+)\s+(\d+)\s+R(?![A-Za-z])")
TAIL_BYTES = 4_096
HEAD_BYTES = 65_536
STREAM = re.compile(rb">>\s*stream\r?\n")


def disarm(file: Path) -> None:
    """Write the file once more without what could act, if there is anything."""
    harmless = file.with_suffix(".harmless")
    with PlainObjects(file) as objects:
        objects.clean([number for number in objects.places if WORDS.search(objects.head(number))])
        if not objects.cleaned:
            return
        with harmless.open("wb") as out:
            objects.write(out)
    harmless.replace(file)


class PlainObjects:
    """The objects of a copy that PDFium has saved; never more than one of them is in memory."""

    def __init__(self, file: Path) -> None:
        self._file = file.open("rb")
        self._reader = pypdf.PdfReader(file)
        size_bytes = self._file.seek(0, 2)
        tail = self._read(max(size_bytes - TAIL_BYTES, 0), size_bytes)
        self._table_at = int(tail[tail.rindex(b"startxref") :].split()[1])
        table = self._read(self._table_at, size_bytes)
        self._trailer = table[table.index(b"trailer") : table.rindex(b"startxref")].strip()
        self.cleaned: dict[int, bytes] = {}
        self.places = dict(self._find_places())

    def __enter__(self) -> "PlainObjects":
        return self

    def __exit__(self, *_: object) -> None:
        self._reader.close()
        self._file.close()

    def head(self, number: int) -> bytes:
        """An object without what is in its stream."""
        start, end = self.places[number]
        found = self.cleaned.get(number) or self._read(start, min(end, start + HEAD_BYTES))
        stream = STREAM.search(found)
        if stream is not None:
            return found[: stream.end()]
        return found if number in self.cleaned or end - start <= HEAD_BYTES else self._read(start, end)

    def clean(self, numbers: list[int]) -> None:
        """Take out of these objects whatever could act."""
        for number in numbers:
            found = self._reader.get_object(number)
            before = b"null" if found is None else serialise(found)
            after = b"null" if found is None else serialise(clean_object(found))
            if after != before:
                self.cleaned[number] = b"%d 0 obj\n%s\nendobj\n" % (number, after)

    def write(self, out: BinaryIO) -> None:
        """Write all objects that the document still leads to."""
        out.write(self._read(0, min(start for start, _ in self.places.values())))
        offsets: dict[int, int] = {}
        for number in sorted(self._reachable()):
            offsets[number] = out.tell()
            out.writelines(self._pieces(number))
        table_at, size = out.tell(), max(offsets, default=0) + 1
        out.write(b"xref\n0 %d\n" % size)
        out.writelines(
            b"%010d 00000 n \n" % offsets[number] if number in offsets else b"0000000000 65535 f \n"
            for number in range(size)
        )
        out.write(b"%s\nstartxref\n%d\n%%%%EOF\n" % (self._trailer, table_at))

    def _find_places(self) -> Iterator[tuple[int, tuple[int, int]]]:
        starts = sorted(
            (offset, number)
            for of_generation in self._reader.xref.values()
            for number, offset in of_generation.items()
            if offset
        )
        for (start, number), (end, _) in pairwise([*starts, (self._table_at, 0)]):
            yield number, (start, end)

    def _pieces(self, number: int) -> Iterator[bytes]:
        if number in self.cleaned:
            yield self.cleaned[number]
            return
        start, end = self.places[number]
        for piece in range(start, end, HEAD_BYTES):
            yield self._read(piece, min(piece + HEAD_BYTES, end))

    def _reachable(self) -> set[int]:
        """The objects that the trailer leads to."""
        found: set[int] = set()
        stack = references(self._trailer)
        while stack:
            number = stack.pop()
            if number not in found and number in self.places:
                found.add(number)
                stack |= references(self.head(number))
        return found

    def _read(self, start: int, end: int) -> bytes:
        self._file.seek(start)
        return self._file.read(end - start)


def references(text: bytes) -> set[int]:
    """The numbers of the objects that a text refers to; one too many does no harm."""
    return {int(number) for number, _ in REFERENCE.findall(text)}


def clean_object(found: PdfObject) -> PdfObject:
    """An object without what could act; what it refers to is looked at by itself."""
    if isinstance(found, ArrayObject):
        return ArrayObject(part if isinstance(part, IndirectObject) else clean_object(part) for part in found)
    if not isinstance(found, DictionaryObject):
        return found
    if found.get("/Type") == EMBEDDED:
        return DictionaryObject()
    kept = {} if is_acting(found) else {name: found.raw_get(name) for name in found if name not in ENTRIES}
    harmless = {
        name: value if isinstance(value, IndirectObject) else clean_object(value)
        for name, value in kept.items()
    }
    if isinstance(found, StreamObject):
        found.clear()
        found.update(harmless)
        return found
    return DictionaryObject(harmless)


def is_acting(found: DictionaryObject) -> bool:
    """Whether a dictionary is an action that does more than turn to a page or follow a web link."""
    kind = found.get("/S")
    if kind == "/URI":
        return not HARMLESS_LINK.match(str(found.get("/URI", "")))
    return isinstance(kind, NameObject) and kind in ACTIONS
