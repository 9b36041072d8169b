"""The words in the images of an office file, recognised and put after their figures."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy

from pagemill.errors import DocumentCorrupt, ImageTooLarge, PageUnreadable
from pagemill.model.pages import Block, Kind, Page
from pagemill.model.visits import ReadAnswer, ScanRequest
from pagemill.reading.layout import laid_out
from pagemill.reading.ocr.recogniser import Recogniser
from pagemill.reading.ocr.scan import recognise_picture
from pagemill.reading.office.chain import OfficeChain, opened_office
from pagemill.reading.office.embedded import embedded_image
from pagemill.reading.page.page_files import write_pages
from pagemill.reading.providers.chain import ReadableDocument
from pagemill.reading.providers.installed import recogniser
from pagemill.reading.recognition.scans import MOST_PICTURES, SURE_IN_PICTURE
from pagemill.reading.sources.recognised import recognised_sheet
from pagemill.reading.writers.figures import has_image

# Smaller images are icons and bullets.
LEAST_SIDE = 32
ROLE = "image_text"


def recognise_images(request: ScanRequest) -> ReadAnswer:
    """Read the pages of a chunk with the words of their images, into its page file."""
    document = opened_office(request.path, request.password, request.tracked_changes, request.rendered)
    assert document is not None, "only office files come here"
    reader = ImageWords(request, document, [recogniser(name) for name in request.recognisers])
    tally = write_pages(reader.pages(), request.scratch)
    return ReadAnswer(tally.pages, tuple(tally.failed), tuple(tally.warnings), document.seconds)


@dataclass(slots=True)
class ImageWords:
    """Reads the images of a document; an image that is shown again is not read again."""

    request: ScanRequest
    document: OfficeChain
    engines: Sequence[Recogniser]
    known: dict[str, list[Block]] = field(default_factory=dict)

    def pages(self) -> Iterator[Page]:
        """Each page with the words of its images."""
        source = ReadableDocument(self.request.path, self.request.password)
        for number in self.request.pages:
            for page in self.document.read(source, [number], [number]):
                yield self.with_words(page)

    def with_words(self, page: Page) -> Page:
        """A page with the words of its images after them; the blocks that it had keep their ids."""
        blocks: list[Block] = []
        count, read = len(page.blocks), 0
        for block in page.blocks:
            blocks.append(block)
            if not has_image(block) or read == MOST_PICTURES or not self.engines:
                continue
            read += 1
            for words in self.words_of(block):
                count += 1
                blocks.append(replace(words, id=f"p{page.number}-b{count}", origin=block.origin))
        return replace(page, blocks=tuple(blocks)) if count > len(page.blocks) else page

    def words_of(self, figure: Block) -> list[Block]:
        """The words of an image as blocks without a place; none of one that can't be decoded."""
        part = figure.origin.part if figure.origin else None
        if part is None:
            return []
        if part not in self.known:
            try:
                self.known[part] = self.recognise_image(part)
            except (PageUnreadable, DocumentCorrupt, ImageTooLarge):
                self.known[part] = []
        return self.known[part]

    def recognise_image(self, part: str) -> list[Block]:
        """What the first engine of the chain reads in an image."""
        image = embedded_image(self.request.path, part, self.request.password)
        if min(image.size) < LEAST_SIDE:
            return []
        pixels = numpy.asarray(image.convert("RGBA").convert("RGB"))
        scan = recognise_picture(pixels, self.engines[0], self.request.languages)
        lines = [line for line in scan.lines if line.confidence >= SURE_IN_PICTURE]
        if not lines:
            return []
        found = laid_out(recognised_sheet(lines, scan.width, scan.height, scan.strokes))
        return [as_image_text(block) for block in found if block.kind is not Kind.FIGURE]


def as_image_text(block: Block) -> Block:
    """A block of an image: it has no place on the page, and what looks like a heading heads nothing there."""
    header = tuple(replace(cell, box=None) for cell in block.header)
    rows = tuple(tuple(replace(cell, box=None) for cell in row) for row in block.rows)
    kind, level = (Kind.PARAGRAPH, None) if block.kind is Kind.HEADING else (block.kind, block.level)
    return replace(block, kind=kind, level=level, box=None, header=header, rows=rows, role=ROLE)
