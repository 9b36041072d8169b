"""What the press is asked to do: each visit takes a request and gives an answer, both as small JSON."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import wraps
from pathlib import Path

from pagemill.errors import (
    BY_CODE,
    InternalError,
    PagemillError,
    PageTimeout,
    PageUnreadable,
    PdfCorrupt,
    StoredFileMissing,
    Timeout,
    storage_trouble,
)
from pagemill.model.pages import Page
from pagemill.model.visits import (
    PAGES_FILE,
    JoinAnswer,
    JoinRequest,
    OpenAnswer,
    OpenRequest,
    ReadAnswer,
    ReadRequest,
    RenderRequest,
)
from pagemill.model.work import FailedPage
from pagemill.reading.chain import Chain, Source
from pagemill.reading.inspect import inspect, selected
from pagemill.reading.join import PageFiles, PagesAtHand, PageSource, Tally, join
from pagemill.reading.page_json import page_bytes
from pagemill.reading.providers import load
from pagemill.reading.render import render
from pagemill.reading.windows import batches, cuts
from pagemill.reading.writers import Facts


def stored(visit: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    """A visit whose trouble with the disk is told as ours, not as the document's."""

    @wraps(visit)
    def told(argument: bytes) -> bytes:
        try:
            return visit(argument)
        except FileNotFoundError as error:
            raise StoredFileMissing() from error
        except OSError as error:
            if error.errno is None:
                raise
            raise storage_trouble(error) from error

    return told


@stored
def open_document(argument: bytes) -> bytes:
    """Open, count and cut a document; a short one is read and joined as well if that is asked."""
    request = OpenRequest.from_bytes(argument)
    started = time.perf_counter()
    found = inspect(request.path, request.password)
    pages, beyond = selected(found.total_pages, request.pages, request.max_pages)
    chunks = cuts(found.total_pages, pages)
    opened = OpenAnswer(
        found.total_pages, pages, chunks, (*found.warnings, *beyond), {"open": time.perf_counter() - started}
    )
    if request.go_on and len(chunks) == 1:
        opened = _went_on(request, opened)
    return opened.to_bytes()


@stored
def read_pages(argument: bytes) -> bytes:
    """Read a chunk into pages.jsonl."""
    request = ReadRequest.from_bytes(argument)
    chain = Chain([load(name) for name in request.providers])
    tally = _write(_pages(request, chain), request.scratch)
    return ReadAnswer(tally.pages, tuple(tally.failed), tuple(tally.warnings), chain.seconds).to_bytes()


@stored
def join_pages(argument: bytes) -> bytes:
    """Make the artifacts of a document from its page files."""
    request = JoinRequest.from_bytes(argument)
    answer = _joined(PageFiles(request.files, request.failed), request)
    return answer.to_bytes()


@stored
def render_page(argument: bytes) -> bytes:
    """Draw one page as an image."""
    return render(RenderRequest.from_bytes(argument)).to_bytes()


def _went_on(request: OpenRequest, opened: OpenAnswer) -> OpenAnswer:
    """The whole journey of a short document in one visit."""
    chain = Chain([load(name) for name in request.providers])
    pages: list[Page] = []
    for together, wanted in batches(opened.total_pages, opened.pages, *opened.cuts[0]):
        pages.extend(chain.read(Source(request.path, request.password), together, wanted))
    joined = _joined(PagesAtHand(pages), _short_join(request, opened))
    _write(pages, request.scratch)
    return replace(opened, seconds={**opened.seconds, **chain.seconds, **joined.seconds}, result=joined)


def _short_join(request: OpenRequest, opened: OpenAnswer) -> JoinRequest:
    return JoinRequest(
        files=(),
        scratch=request.scratch,
        formats=request.formats,
        total_pages=opened.total_pages,
        warnings=opened.warnings,
        keep_running_headers=request.keep_running_headers,
        sha256=request.sha256,
    )


def _pages(request: ReadRequest, chain: Chain) -> Iterator[Page]:
    source = Source(request.path, request.password)
    for together, wanted in batches(request.total_pages, request.selection(), request.first, request.last):
        if request.single:
            for page in wanted:
                yield from chain.read(source, [page], [page])
        else:
            yield from chain.read(source, together, wanted)


def _write(pages: Iterable[Page], scratch: str) -> Tally:
    """Write the page file."""
    tally = Tally()
    with open(Path(scratch) / PAGES_FILE, "wb") as file:
        for page in pages:
            tally.add(page)
            file.write(page_bytes(page) + b"\n")
    return tally


def _joined(source: PageSource, request: JoinRequest) -> JoinAnswer:
    started = time.perf_counter()
    facts = Facts(request.total_pages, request.sha256, request.warnings)
    joined = join(
        source, facts, request.formats, Path(request.scratch), keep_running=request.keep_running_headers
    )
    if joined.pages == len(joined.failed):
        raise nothing_read(joined.failed)
    seconds = {"join": time.perf_counter() - started}
    return JoinAnswer(joined.artifacts, joined.pages, joined.failed, joined.warnings, seconds)


def nothing_read(failed: Sequence[FailedPage]) -> PagemillError:
    """What to say of a document no page of which could be read."""
    if not failed or failed[0].code == PageUnreadable.code:
        return PdfCorrupt("none of the document's pages can be read")
    if failed[0].code == PageTimeout.code:
        return Timeout()
    return BY_CODE.get(failed[0].code, InternalError)(failed[0].message)
