"""document.det.md: Markdown that says of every block where it is.

Each page begins with `<!-- page 3 [595.28,841.89] -->`. A comment such as `<!-- block p3-b2 heading [72,90,300,18] -->`
is on the line before its block, or behind a list item; a block that goes on after a page break names the further
places, as in `… [72,700,450,60] page 4 [72,72,450,20] -->`.
"""

from pathlib import Path

from pagemill.model.formats import ON_DEMAND
from pagemill.model.pages import Block, Box, Page
from pagemill.reading.writers.markdown import MarkdownWriter


class MarkedMarkdownWriter(MarkdownWriter):
    """Writes document.det.md."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, name=ON_DEMAND["markdown_det"].file, with_images=True)

    def _start(self, pieces: list[str], page: Page) -> None:
        self._put(pieces, f"<!-- page {page.number} [{page.width:g},{page.height:g}] -->")

    def _before(self, block: Block) -> str:
        return f"{marker(block)}\n"

    def _after(self, block: Block) -> str:
        return f" {marker(block)}"


def marker(block: Block) -> str:
    """The comment that says what a block is and where it is."""
    parts = "".join(f" page {part.page} {place(part.box)}" for part in block.parts)
    return f"<!-- block {block.id} {block.kind.value} {place(block.box)}{parts} -->"


def place(box: Box | None) -> str:
    """A box in brackets; empty ones where there is none."""
    return f"[{box.x:g},{box.y:g},{box.width:g},{box.height:g}]" if box else "[]"
