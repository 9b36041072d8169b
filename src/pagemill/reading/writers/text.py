"""document.txt: plain text in reading order."""

from pathlib import Path

from pagemill.model.formats import ARTIFACT_NAMES
from pagemill.model.pages import Block, Kind, Page
from pagemill.model.work import WrittenArtifact
from pagemill.reading.writers.base import Ending, Facts, HashedFile
from pagemill.reading.writers.fields import unprinted_fields

TICKED = {True: "yes", False: "no"}


class TextWriter:
    """Writes document.txt: blocks apart by an empty line, cells by tabs."""

    def __init__(self, folder: Path) -> None:
        self._file = HashedFile(folder, ARTIFACT_NAMES["text"])
        self._between = b""
        self._in_list = False

    def open(self, _: Facts) -> None:
        """Plain text has no head."""

    def page(self, page: Page) -> None:
        """Write the words of a page."""
        for block in page.blocks:
            if text := block_words(block):
                self._put(text, in_list=block.kind is Kind.LIST_ITEM)
        for field in unprinted_fields(page):
            self._put(
                f"{field.name}: {field.value if field.checked is None else TICKED[field.checked]}",
                in_list=True,
            )

    def close(self, _: Ending) -> dict[str, WrittenArtifact]:
        """End the last line."""
        self._file.write(b"\n" if self._between else b"")
        return self._file.close()

    def _put(self, text: str, *, in_list: bool) -> None:
        close = in_list and self._in_list
        self._file.write((b"\n" if close else self._between) + text.encode())
        self._between, self._in_list = b"\n\n", in_list


def block_words(block: Block) -> str:
    """All words of a block."""
    if block.kind is Kind.TABLE:
        rows = (block.header, *block.rows) if block.header else block.rows
        return "\n".join("\t".join(" ".join(cell.text.split()) for cell in row) for row in rows)
    if block.kind is Kind.LIST_ITEM:
        return f"{'  ' * (block.level or 0)}{block.marker or '-'} {block.text}"
    if block.kind is Kind.FIGURE:
        return f"[Image: {block.text}]" if block.origin and block.text else ""
    return block.text
