"""A finished document as it is stored, page by page, and the document that it was read from."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path

import orjson
import pypdfium2

from pagemill.model.artifacts import MadeFile
from pagemill.model.ids import new_id
from pagemill.model.page_index import RECORD, find_page, index_from
from pagemill.model.pages import Page
from pagemill.reading.inspect import opened_again
from pagemill.reading.page_json import page_from
from pagemill.reading.writers.base import Ending, Facts, Writer

INDEX_RECORDS = 1_024


@dataclass(frozen=True, slots=True)
class Original:
    """The document that was read, and its password."""

    path: str
    password: str | None = None

    def opened(self) -> pypdfium2.PdfDocument:
        """The document, to be closed by the caller."""
        return opened_again(self.path, self.password)


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """document.json and the index beside it, if it has one; never more than a page of it is in memory."""

    document_json: str
    index: str | None

    def pages(self) -> Iterator[Page]:
        """All pages in order."""
        with open(self.document_json, "rb") as file:
            for _, offset, length in self._records():
                file.seek(offset)
                yield page_from(file.read(length))

    def page(self, number: int) -> Page | None:
        """One page, or None if the document has no such page."""
        with open(self.document_json, "rb") as file:
            index = Path(self.index).read_bytes() if self.index else index_from(file)
            place = find_page(index, number)
            if place is None:
                return None
            file.seek(place[0])
            return page_from(file.read(place[1]))

    def facts(self) -> Facts:
        """What is known of the document as a whole, which stands before the first page."""
        with open(self.document_json, "rb") as file:
            head = orjson.loads(file.readline().rstrip() + b"]}")["document"]
        return Facts(head["total_pages"], head["sha256"], title=head["title"])

    def _records(self) -> Iterator[tuple[int, int, int]]:
        with open(self.index or self.document_json, "rb") as file:
            if self.index is None:
                yield from RECORD.iter_unpack(index_from(file))
                return
            while piece := file.read(RECORD.size * INDEX_RECORDS):
                yield from RECORD.iter_unpack(piece)


def write_files(document: StoredDocument, writer: Writer) -> tuple[MadeFile, ...]:
    """The files that a writer makes of a stored document."""
    writer.open(document.facts())
    for page in document.pages():
        writer.page(page)
    made = writer.close(Ending((), ()))
    return tuple(MadeFile(name, file.size_bytes, file.sha256) for name, file in made.items())


@contextmanager
def appearing(file: Path) -> Iterator[Path]:
    """A path to write to; what was written appears under the file's own name when it is whole."""
    # Two that make the same file at once must not write into the same one.
    part = file.with_name(f"{file.name}.{new_id()}.part")
    try:
        yield part
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)


def made_file(file: Path) -> MadeFile:
    """The name, size and hash of a file that was made."""
    with file.open("rb") as opened_file:
        return MadeFile(file.name, file.stat().st_size, file_digest(opened_file, "sha256").hexdigest())
