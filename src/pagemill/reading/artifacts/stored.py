"""The document that a finished one was read from, and files that are made of both."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path

import pypdfium2

from pagemill.model.artifacts import MadeFile
from pagemill.model.ids import new_id
from pagemill.reading.pdf.inspection import opened_again
from pagemill.reading.stored_document import StoredDocument
from pagemill.reading.writers.base import Ending, Writer


@dataclass(frozen=True, slots=True)
class Original:
    """The document that was read, and its password."""

    path: str
    password: str | None = None

    def open_pdf(self) -> pypdfium2.PdfDocument:
        """The document, to be closed by the caller."""
        return opened_again(self.path, self.password)


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
