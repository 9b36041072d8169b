"""Writes a PDF of its own from the first object to the last, so that nothing of another file gets into it."""

import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

# Readers and programs that copy files take it for binary by these bytes.
HEADER = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"


class PdfObjects:
    """Objects of a PDF, written one after the other; only where they are is kept in memory."""

    def __init__(self, out: BinaryIO, first: int) -> None:
        self._out = out
        self._places: dict[int, int] = {}
        self._next = first

    def reserve(self) -> int:
        """The number of an object that is added later."""
        self._next += 1
        return self._next - 1

    def add(self, body: bytes, number: int | None = None) -> int:
        """Add an object; its number."""
        own = self.reserve() if number is None else number
        self._places[own] = self._out.tell()
        self._out.write(b"%d 0 obj\n%s\nendobj\n" % (own, body))
        return own


class PdfWriter(PdfObjects):
    """A PDF that is written from its first object on."""

    def __init__(self, out: BinaryIO) -> None:
        super().__init__(out, first=1)
        out.write(HEADER)

    def add_tree(self, pages: Sequence[int], number: int) -> None:
        """Add the list of all pages."""
        kids = b" ".join(b"%d 0 R" % page for page in pages)
        self.add(b"<</Type /Pages /Count %d /Kids [%s]>>" % (len(pages), kids), number)

    def close(self, catalog: int, identity: bytes = b"") -> None:
        """Write where all objects are, and what names the file, if anything does: hexadecimal digits."""
        start = self._out.tell()
        self._out.write(b"xref\n0 %d\n0000000000 65535 f \n" % self._next)
        self._out.writelines(b"%010d 00000 n \n" % self._places[number] for number in range(1, self._next))
        named = b" /ID [<%s> <%s>]" % (identity, identity) if identity else b""
        entries = b"/Size %d /Root %d 0 R%s" % (self._next, catalog, named)
        self._out.write(b"trailer\n<<%s>>\nstartxref\n%d\n%%%%EOF\n" % (entries, start))


def plain_stream(content: bytes, entries: bytes = b"") -> bytes:
    """A stream object whose content is written as it is."""
    return b"<</Length %d %s>>\nstream\n%s\nendstream" % (len(content), entries, content)


def packed_stream(content: bytes, entries: bytes = b"") -> bytes:
    """A stream object whose content is packed."""
    return plain_stream(zlib.compress(content), b"/Filter /FlateDecode %s" % entries)


@contextmanager
def written_pdf(file: Path) -> Iterator[PdfWriter]:
    """A PDF to write into a file; the caller closes it with its catalog."""
    with file.open("wb") as out:
        yield PdfWriter(out)
