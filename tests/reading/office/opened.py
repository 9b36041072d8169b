"""Files opened as the press opens them."""

from pathlib import Path

from pagemill.model.pages import Block, Page
from pagemill.reading.office.opening import OfficeDocument, open_office


def opened(folder: Path, raw: bytes, password: str | None = None, changes: str = "final") -> OfficeDocument:
    """A file of these bytes, opened."""
    file = folder / "document"
    file.write_bytes(raw)
    return open_office(str(file), password, changes)


def pages(folder: Path, raw: bytes, changes: str = "final") -> list[Page]:
    """All pages of a file."""
    document = opened(folder, raw, changes=changes)
    return list(document.pages(range(1, document.total_pages + 1)))


def blocks(folder: Path, raw: bytes, changes: str = "final") -> list[Block]:
    """All blocks of a file."""
    return [block for page in pages(folder, raw, changes) for block in page.blocks]
