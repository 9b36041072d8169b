"""document.txt: plain text in reading order."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pagemill.model.formats import ARTIFACT_NAMES
from pagemill.model.pages import Block, FormField, Kind, Page
from pagemill.model.work import WrittenArtifact
from pagemill.reading.writers.base import Ending, Facts, HashedFile
from pagemill.reading.writers.fields import unprinted_fields
from pagemill.reading.writers.figures import figure_words

TICKED = {True: "yes", False: "no"}


class BodyPart(NamedTuple):
    """A block or a form field of the plain text, and what separates it from the one before."""

    separator: str
    text: str
    page: int
    block: Block | None = None
    field: FormField | None = None


class BodyText:
    """The plain text of a document, part by part: blocks apart by an empty line, cells by tabs.

    Several writers may ask for the same page one after the other.
    """

    def __init__(self) -> None:
        self._separator, self._in_list = "", False
        self._page: Page | None = None
        self._parts: list[BodyPart] = []

    def parts(self, page: Page) -> list[BodyPart]:
        """The parts of the next page, or of the page that was asked for last."""
        if page is not self._page:
            self._page, self._parts = page, list(self._new_parts(page))
        return self._parts

    def _new_parts(self, page: Page) -> Iterator[BodyPart]:
        for block in page.blocks:
            if text := block_words(block):
                yield BodyPart(
                    self._next(in_list=block.kind is Kind.LIST_ITEM), text, page.number, block=block
                )
        for field in unprinted_fields(page):
            value = field.value if field.checked is None else TICKED[field.checked]
            yield BodyPart(self._next(in_list=True), f"{field.shown_name}: {value}", page.number, field=field)

    def _next(self, *, in_list: bool) -> str:
        separator = "\n" if in_list and self._in_list else self._separator
        self._separator, self._in_list = "\n\n", in_list
        return separator


class TextWriter:
    """Writes document.txt."""

    def __init__(self, folder: Path, body: BodyText | None = None) -> None:
        self._file = HashedFile(folder, ARTIFACT_NAMES["text"])
        self._body = body or BodyText()

    def open(self, _: Facts) -> None:
        """Plain text has no head."""

    def page(self, page: Page) -> None:
        """Write the words of a page."""
        for part in self._body.parts(page):
            self._file.write(f"{part.separator}{part.text}".encode())

    def close(self, _: Ending) -> dict[str, WrittenArtifact]:
        """End the last line."""
        self._file.write(b"\n" if self._file.size_bytes else b"")
        return self._file.close()


def block_words(block: Block) -> str:
    """All words of a block."""
    if block.kind is Kind.TABLE:
        return "\n".join("\t".join(" ".join(cell.text.split()) for cell in row) for row in block.all_rows)
    if block.kind is Kind.LIST_ITEM:
        return f"{'  ' * (block.level or 0)}{block.marker or '-'} {block.text}"
    if block.kind is Kind.FIGURE:
        return figure_words(block)
    return block.text
