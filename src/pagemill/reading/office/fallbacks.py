"""Second readers, for a file that the first one refuses as damaged; the warning says which of them has read it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pagemill.errors import PagemillError
from pagemill.model.pages import OFFICE
from pagemill.reading.office.flow import Flow, flow_pages
from pagemill.reading.office.opening import DAMAGE, FlowPages, Pages
from pagemill.reading.office.reading_limits import MAX_PACKAGE_BYTES

READ_BY_ANYDOC = "read_by_anydoc"
READ_BY_PAGEMILL = "read_by_pagemill"
# What our own readers read first, and anydoc reads as well.
ANYDOC_KINDS = ("docx", "pptx", "xlsx", "xlsb", "xls", "odp", "ods")


@dataclass(frozen=True, slots=True)
class SecondReading:
    """What a second reader made of a file, and the warning that says which one it was."""

    pages: Pages
    warning: str


def second_reading(path: str, kind: str | None) -> SecondReading | None:
    """The document as another reader has it; None if there is none, or it finds no words either."""
    if Path(path).stat().st_size > MAX_PACKAGE_BYTES:
        return None
    read, warning = (
        (_OWN[kind], READ_BY_PAGEMILL)
        if kind in _OWN
        else (lambda one: _by_anydoc(one, kind), READ_BY_ANYDOC)
    )
    try:
        pages = read(path)
    except (PagemillError, RecursionError, *DAMAGE):
        return None
    return SecondReading(pages, warning) if _says_something(pages) else None


def _says_something(pages: Pages) -> bool:
    return any(page.blocks for page in pages.pages(range(1, pages.total_pages + 1)))


def _by_anydoc(path: str, kind: str | None) -> Pages:
    import anydoc

    from pagemill.reading.office.anydoc_blocks import read_anydoc

    raw = Path(path).read_bytes()
    known = kind or anydoc.format_from_bytes(raw)
    return _flowing(read_anydoc(raw, known) if known in ANYDOC_KINDS else Flow())


def _slides_of_records(path: str) -> Pages:
    from pagemill.reading.office.ppt import pages_of_records
    from pagemill.reading.office.ppt_records import read_ppt_deck

    return pages_of_records(read_ppt_deck(path))


def _flowing(flow: Flow) -> FlowPages:
    return FlowPages(flow_pages(flow, OFFICE))


def _odt(path: str) -> Pages:
    from pagemill.reading.office.plain_readers import odt_flow

    return _flowing(odt_flow(path))


def _epub(path: str) -> Pages:
    from pagemill.reading.office.plain_readers import epub_flow

    return _flowing(epub_flow(path))


# What anydoc reads first, and readers of our own as well.
_OWN: dict[str | None, Callable[[str], Pages]] = {"ppt": _slides_of_records, "odt": _odt, "epub": _epub}
