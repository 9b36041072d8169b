"""A document's way through the visits, as the steps take it."""

from dataclasses import dataclass
from pathlib import Path

import orjson

from pagemill.model.pages import Block, Page
from pagemill.model.visits import (
    PAGES_FILE,
    JoinAnswer,
    JoinRequest,
    OpenAnswer,
    OpenRequest,
    ReadAnswer,
    ReadRequest,
    Runs,
)
from pagemill.reading.page.page_json import page_from
from pagemill.reading.visits import join_pages, open_document, read_pages

FORMATS = ("markdown", "json", "text", "html")
CHAIN = ("liteparse", "pdfium")


@dataclass(frozen=True)
class Outcome:
    """The artifacts of a document in a folder."""

    folder: Path
    opened: OpenAnswer
    joined: JoinAnswer

    @property
    def markdown(self) -> str:
        """document.md"""
        return (self.folder / "document.md").read_text()

    @property
    def text(self) -> str:
        """document.txt"""
        return (self.folder / "document.txt").read_text()

    @property
    def html(self) -> str:
        """document.html"""
        return (self.folder / "document.html").read_text()

    @property
    def json(self) -> bytes:
        """document.json"""
        return (self.folder / "document.json").read_bytes()

    def pages(self) -> list[Page]:
        """The pages in document.json."""
        return [page_from(orjson.dumps(row)) for row in orjson.loads(self.json)["pages"]]

    def blocks(self) -> list[Block]:
        """All blocks in document.json."""
        return [block for page in self.pages() for block in page.blocks]

    def files(self) -> dict[str, bytes]:
        """All artifacts by name."""
        return {name: (self.folder / name).read_bytes() for name in self.joined.artifacts}


def stored(folder: Path, pdf: bytes) -> str:
    """The document as a file."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "in.pdf"
    path.write_bytes(pdf)
    return str(path)


def opened(
    folder: Path,
    pdf: bytes,
    *,
    password: str | None = None,
    pages: str | None = None,
    max_pages: int = 20_000,
    providers: tuple[str, ...] = CHAIN,
    formats: tuple[str, ...] = FORMATS,
    keep_running_headers: bool = False,
    join_at_once: bool = True,
) -> OpenAnswer:
    """The first visit of a document."""
    request = OpenRequest(
        path=stored(folder, pdf),
        scratch=str(folder),
        max_pages=max_pages,
        providers=providers,
        password=password,
        pages=pages,
        formats=formats,
        keep_running_headers=keep_running_headers,
        join_at_once=join_at_once,
    )
    return OpenAnswer.from_bytes(open_document(request.to_bytes()))


def at_once(
    folder: Path, pdf: bytes, *, keep_running_headers: bool = False, pages: str | None = None
) -> Outcome:
    """A short document's whole way in one visit."""
    answer = opened(folder, pdf, keep_running_headers=keep_running_headers, pages=pages)
    assert answer.result is not None
    return Outcome(folder, answer, answer.result)


def read_chunk(
    folder: Path,
    opened_as: OpenAnswer,
    run: tuple[int, int],
    *,
    single: bool = False,
    providers: tuple[str, ...] = CHAIN,
) -> tuple[str, ReadAnswer]:
    """The visit that reads a chunk; its page file and its answer."""
    scratch = folder / f"chunk-{run[0]}"
    scratch.mkdir(exist_ok=True)
    request = ReadRequest(
        path=str(folder / "in.pdf"),
        scratch=str(scratch),
        total_pages=opened_as.total_pages,
        first=run[0],
        last=run[1],
        providers=providers,
        pages=opened_as.pages,
        single=single,
    )
    return str(scratch / PAGES_FILE), ReadAnswer.from_bytes(read_pages(request.to_bytes()))


def in_chunks(folder: Path, pdf: bytes, chunks: Runs | None = None) -> Outcome:
    """A document's way in chunks; where it is cut is ours to say."""
    answer = opened(folder, pdf, join_at_once=False)
    files = tuple(read_chunk(folder, answer, run)[0] for run in chunks or answer.cuts)
    request = JoinRequest(files, str(folder), FORMATS, answer.total_pages, warnings=answer.warnings)
    return Outcome(folder, answer, JoinAnswer.from_bytes(join_pages(request.to_bytes())))


def cut(total: int, size: int) -> Runs:
    """A document cut every so many pages."""
    return tuple((first, min(first + size - 1, total)) for first in range(1, total + 1, size))
