"""Writes a PDF of its own from the first object to the last, so that nothing of another file gets into it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Protocol

# Readers and programs that copy files take it for binary by these bytes.
HEADER = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"


class PdfObjects(Protocol):
    """Somewhere that objects of a PDF can be added to."""

    def reserve(self) -> int:
        """The number of an object that is added later."""
        ...

    def add(self, body: bytes, number: int | None = None) -> int:
        """Add an object; its number."""
        ...


class PdfWriter:
    """A PDF that is written object by object; only where they are is kept in memory."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._places: list[int] = [0]
        self._out.write(HEADER)

    def reserve(self) -> int:
        """The number of an object that is added later."""
        self._places.append(0)
        return len(self._places) - 1

    def add(self, body: bytes, number: int | None = None) -> int:
        """Add an object; its number."""
        own = self.reserve() if number is None else number
        self._places[own] = self._out.tell()
        self._out.write(b"%d 0 obj\n%s\nendobj\n" % (own, body))
        return own

    def close(self, catalog: int, identity: bytes) -> None:
        """Write where all objects are, and what names the file: hexadecimal digits."""
        start = self._out.tell()
        self._out.write(b"xref\n0 %d\n0000000000 65535 f \n" % len(self._places))
        self._out.writelines(b"%010d 00000 n \n" % place for place in self._places[1:])
        self._out.write(
            b"trailer\n<</Size %d /Root %d 0 R /ID [<%s> <%s>]>>\nstartxref\n%d\n%%%%EOF\n"
            % (len(self._places), catalog, identity, identity, start)
        )


@contextmanager
def written_pdf(file: Path) -> Iterator[PdfWriter]:
    """A PDF to write into a file; the caller closes it with its catalog."""
    with file.open("wb") as out:
        yield PdfWriter(out)
