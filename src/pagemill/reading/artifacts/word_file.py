"""document.docx: the document for word processors, with styles, lists, real tables, links and images.

The body is written page by page into the package; only the links and the names of images are kept to its end. The same
document gives the same bytes.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from html import escape
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from pagemill.errors import DocumentCorrupt, ImageTooLarge, PageUnreadable
from pagemill.model.artifacts import MadeFile
from pagemill.model.file_types import is_office
from pagemill.model.formats import ON_DEMAND
from pagemill.model.pages import Kind, Page
from pagemill.reading.artifacts import figures, word_parts
from pagemill.reading.artifacts.stored import Original, appearing, made_file
from pagemill.reading.artifacts.word_blocks import Links, block_xml, picture_xml
from pagemill.reading.office.embedded import embedded_image
from pagemill.reading.stored_document import StoredDocument
from pagemill.reading.writers.figures import captions, has_image

if TYPE_CHECKING:
    from PIL.Image import Image

# The first day that the format knows.
DATE = (1980, 1, 1, 0, 0, 0)
# Larger images make the file slow to open; at 150 dots per inch this is a page.
LONGEST_SIDE = 1_800
UNDRAWABLE = (PageUnreadable, DocumentCorrupt, ImageTooLarge)


class FigureImages(Protocol):
    """Where the images of figures come from."""

    def images_of(self, page: Page) -> Iterator[tuple[str, "Image"]]:
        """The images of a page's figures by the ids of their blocks."""
        ...


@dataclass(frozen=True, slots=True)
class EmbeddedImages:
    """Images that are files inside of the document."""

    original: Original

    def images_of(self, page: Page) -> Iterator[tuple[str, "Image"]]:
        """The images of a page's figures by the ids of their blocks; those that can't be decoded are left out."""
        for block in figures.figures_of(page):
            part = block.origin.part if block.origin else None
            with suppress(*UNDRAWABLE):
                yield block.id, embedded_image(self.original.path, part or "", self.original.password)


@dataclass(slots=True)
class PageImages:
    """Images that are cut out of printed pages."""

    original: Original

    def images_of(self, page: Page) -> Iterator[tuple[str, "Image"]]:
        """The images of a page's figures by the ids of their blocks; none of a page that can't be drawn."""
        found = figures.figures_of(page)
        if not found:
            return
        with suppress(*UNDRAWABLE), self.original.open_pdf() as pdf:
            drawn = figures.upright(pdf, page)
            yield from ((block.id, drawn.crop_to(block)) for block in found)


@dataclass(slots=True)
class WordFile:
    """A package that grows: images while the body is written to a file of its own, everything else at the end."""

    package: ZipFile
    images: FigureImages
    links: Links = field(default_factory=Links)

    def page_xml(self, page: Page) -> Iterator[str]:
        """The blocks of a page."""
        pictures = dict(self._pictures(page))
        for block in page.blocks:
            if block.id in pictures:
                yield pictures[block.id]
            elif block.kind is not Kind.FIGURE or not has_image(block):
                yield from block_xml(block, self.links)

    def _pictures(self, page: Page) -> Iterator[tuple[str, str]]:
        known = captions(page.blocks)
        texts = {block.id: known.get(block.id) or block.text for block in page.blocks}
        for block_id, image in self.images.images_of(page):
            target = f"media/{block_id}.png"
            small = image if max(image.size) <= LONGEST_SIDE else _shrink(image)
            out = BytesIO()
            small.save(out, "PNG")
            self.add(f"word/{target}", out.getvalue(), ZIP_STORED)
            number = self.links.add_image(target)
            yield block_id, picture_xml(number, small.size, texts.get(block_id, ""))

    def add(self, name: str, content: bytes, compression: int = ZIP_DEFLATED) -> None:
        """Add a part."""
        self.package.writestr(_entry(name, compression), content)

    def add_file(self, name: str, file: Path) -> None:
        """Add a part that is in a file."""
        with file.open("rb") as source, self.package.open(_entry(name), "w", force_zip64=True) as out:
            while piece := source.read(1 << 16):
                out.write(piece)


def make_docx(document: StoredDocument, original: Original, folder: Path) -> tuple[MadeFile, ...]:
    """Write the document as a package for word processors."""
    file, facts = folder / ON_DEMAND["docx"].file, document.facts()
    source = (EmbeddedImages if is_office(original.path) else PageImages)(original)
    with appearing(file) as part, ZipFile(part, "w") as package, _body_file(folder) as body:
        made = WordFile(package, source)
        with body.open("w", encoding="utf-8") as out:
            out.write(word_parts.BODY_HEAD)
            for page in document.pages():
                out.writelines(made.page_xml(page))
            out.write(word_parts.BODY_END)
        made.add("[Content_Types].xml", word_parts.CONTENT_TYPES.encode())
        made.add("_rels/.rels", word_parts.PACKAGE_RELATIONS.encode())
        made.add("docProps/core.xml", word_parts.core_properties(escape(facts.title or "")).encode())
        made.add("word/styles.xml", word_parts.styles().encode())
        made.add("word/numbering.xml", word_parts.numbering(made.links.lists).encode())
        made.add("word/_rels/document.xml.rels", made.links.relations_xml().encode())
        made.add_file("word/document.xml", body)
    return (made_file(file),)


@contextmanager
def _body_file(folder: Path) -> Iterator[Path]:
    with ExitStack() as stack:
        body = folder / "document.body.xml"
        stack.callback(body.unlink, missing_ok=True)
        yield body


def _entry(name: str, compression: int = ZIP_DEFLATED) -> ZipInfo:
    entry = ZipInfo(name, DATE)
    entry.compress_type = compression
    return entry


def _shrink(image: "Image") -> "Image":
    small = image.copy()
    small.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    return small
