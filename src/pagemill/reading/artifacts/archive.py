"""archive.zip: everything that can be made of a document, in one file.

Entries are written one after the other as they are made, with the same date in every archive. The Markdown and HTML in
it refer to the images beside them. What can't be drawn, because the document is damaged, is left out.
"""

import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from pagemill.errors import DocumentCorrupt, ImageTooLarge, PageUnreadable
from pagemill.model.artifacts import IMAGES_FOLDER, TABLES_FOLDER, MadeFile
from pagemill.model.file_types import is_office
from pagemill.model.formats import ARTIFACT_NAMES, ON_DEMAND
from pagemill.model.pages import Block
from pagemill.model.passages import PassageOptions
from pagemill.reading.artifacts import figures, overlay, searchable, tables
from pagemill.reading.artifacts.stored import Original, appearing, made_file, write_files
from pagemill.reading.office.embedded import embedded_image
from pagemill.reading.stored_document import StoredDocument
from pagemill.reading.tokenizer import Tokenizer
from pagemill.reading.writers.base import Writer
from pagemill.reading.writers.chunks import ChunksWriter
from pagemill.reading.writers.entities import EntitiesWriter
from pagemill.reading.writers.html_writer import HtmlWriter
from pagemill.reading.writers.markdown import MarkdownWriter
from pagemill.reading.writers.markdown_det import MarkedMarkdownWriter
from pagemill.reading.writers.text import TextWriter

# The first day that the format knows.
DATE = (1980, 1, 1, 0, 0, 0)
FILE_MODE = 0o644
# What is compressed already gets no smaller.
STORED = {".png", ".pdf", ".xlsx"}


class Archive:
    """A ZIP that grows file by file."""

    def __init__(self, packed: ZipFile, scratch: Path) -> None:
        self._packed = packed
        self.scratch = scratch

    def take(self, file: Path, name: str) -> None:
        """Pack a file under a name."""
        with file.open("rb") as source, self.open_entry(name) as entry:
            shutil.copyfileobj(source, entry)

    def move(self, files: Iterable[MadeFile], folder: str = "") -> None:
        """Pack files of the scratch folder and remove them."""
        for made_one in files:
            self.take(self.scratch / made_one.name, f"{folder}{made_one.name}")
            (self.scratch / made_one.name).unlink()

    def open_entry(self, name: str) -> IO[bytes]:
        """A new entry to write to."""
        entry = ZipInfo(name, DATE)
        entry.compress_type = ZIP_STORED if Path(name).suffix in STORED else ZIP_DEFLATED
        entry.external_attr = FILE_MODE << 16
        return self._packed.open(entry, "w", force_zip64=True)


def make_archive(
    document: StoredDocument, original: Original, folder: Path, tokenizer: Tokenizer | None = None
) -> tuple[MadeFile, ...]:
    """Make everything and pack it."""
    file = folder / ON_DEMAND["archive"].file
    with appearing(file) as part, TemporaryDirectory(dir=folder) as scratch, ZipFile(part, "w") as packed:
        archive = Archive(packed, Path(scratch))
        archive.take(Path(document.document_json), ARTIFACT_NAMES["json"])
        for writer in writers(archive.scratch, tokenizer):
            archive.move(write_files(document, writer))
        if not is_office(original.path):
            pack_printed(document, original, archive)
        pack_tables(document, archive)
        (pack_embedded if is_office(original.path) else pack_images)(document, original, archive)
    return (made_file(file),)


def pack_printed(document: StoredDocument, original: Original, archive: Archive) -> None:
    """Pack what is drawn onto the pages of a document."""
    with suppress(PageUnreadable):
        archive.move(overlay.make_layout(document, original, archive.scratch))
    with suppress(PageUnreadable):
        if any(page.lines for page in document.pages()):
            archive.move(searchable.make_searchable(document, original, archive.scratch))


def pack_embedded(document: StoredDocument, original: Original, archive: Archive) -> None:
    """Pack the images that are files inside of the document."""
    for page in document.pages():
        for block in figures.figures_of(page):
            part = block.origin.part if block.origin else None
            with suppress(PageUnreadable, DocumentCorrupt, ImageTooLarge):
                image = embedded_image(original.path, part or "", original.password)
                with archive.open_entry(f"{IMAGES_FOLDER}/{block.id}.png") as entry:
                    image.save(entry, "PNG")


def writers(folder: Path, tokenizer: Tokenizer | None) -> Iterator[Writer]:
    """The writers of all texts, with references to images, one at a time."""
    yield MarkdownWriter(folder, with_images=True)
    yield MarkedMarkdownWriter(folder)
    yield TextWriter(folder)
    yield ChunksWriter(folder, PassageOptions(), tokenizer)
    yield EntitiesWriter(folder)
    yield HtmlWriter(folder, with_images=True)


def pack_tables(document: StoredDocument, archive: Archive) -> None:
    """Pack each table and the workbook, if there are tables."""
    file = archive.scratch / ON_DEMAND["tables"].file
    with tables.workbook(file) as book:
        for table in tables.find_tables(document):
            book.add(table)
            archive.move([tables.write_csv(table, archive.scratch)], f"{TABLES_FOLDER}/")
    if book.count:
        archive.move([made_file(file)])


def pack_images(document: StoredDocument, original: Original, archive: Archive) -> None:
    """Pack the images of all figures, each page drawn once."""
    with original.open_pdf() as pdf:
        for page in document.pages():
            blocks = figures.figures_of(page)
            if blocks:
                with suppress(PageUnreadable):
                    pack_figures(figures.upright(pdf, page), blocks, archive)


def pack_figures(drawn: figures.Drawn, blocks: Iterable[Block], archive: Archive) -> None:
    """Pack the figures of one page."""
    for block in blocks:
        with archive.open_entry(f"{IMAGES_FOLDER}/{block.id}.png") as entry:
            drawn.crop_to(block).save(entry, "PNG")
