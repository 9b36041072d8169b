"""Pages and blocks made by hand, for what needs no PDF."""

from collections.abc import Sequence
from pathlib import Path

from pagemill.model.pages import Block, Box, Cell, FormField, Kind, Page, Rows
from pagemill.reading.document.join import Joined, PagesAtHand, join
from pagemill.reading.writers import Facts

FORMATS = ("markdown", "json", "text", "html")


def page(number: int, *blocks: Block, fields: tuple[FormField, ...] = ()) -> Page:
    """A page of A4 with blocks."""
    return Page(number, 595, 842, "made", blocks, fields=fields)


def paragraph(name: str, text: str, top: float = 400, size: float = 11.0, **more: object) -> Block:
    """A paragraph in the middle of a page, or where `top` says."""
    return Block(name, Kind.PARAGRAPH, Box(72, top, 450, 20), text, font_size=size, **more)  # type: ignore[arg-type]


def heading(name: str, text: str, size: float, level: int = 1, top: float = 300) -> Block:
    """A heading of some size."""
    return Block(name, Kind.HEADING, Box(72, top, 300, size), text, level=level, font_size=size)


def list_item(name: str, text: str, level: int = 0, marker: str = "-") -> Block:
    """An item of a list; a marker other than a dash makes it ordered."""
    return Block(name, Kind.LIST_ITEM, None, text, level=level, marker=marker, ordered=marker != "-")


def rows(*texts: Sequence[str]) -> Rows:
    """Rows of a table."""
    return tuple(tuple(Cell(text) for text in row) for row in texts)


def table(name: str, body: Rows, header: Sequence[str] = (), left: float = 72) -> Block:
    """A table between the margins of the page."""
    return Block(
        name, Kind.TABLE, Box(left, 100, 450, 600), header=tuple(Cell(text) for text in header), rows=body
    )


def joined(folder: Path, *pages: Page, keep_running: bool = False) -> Joined:
    """The join of pages at hand."""
    folder.mkdir(exist_ok=True)
    return join(PagesAtHand(pages), Facts(len(pages)), FORMATS, folder, keep_running=keep_running)


def markdown(folder: Path, *blocks: Block, fields: tuple[FormField, ...] = ()) -> str:
    """The Markdown of one page."""
    joined(folder, page(1, *blocks, fields=fields))
    return (folder / "document.md").read_text()


def html(folder: Path, *blocks: Block) -> str:
    """The HTML of one page."""
    joined(folder, page(1, *blocks))
    return (folder / "document.html").read_text()
