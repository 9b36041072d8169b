"""What the press is asked to do: each visit takes a request and gives an answer, both as small JSON."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from functools import wraps
from pathlib import Path

from pagemill.errors import (
    StoredFileMissing,
    storage_trouble,
)
from pagemill.model.artifacts import CopyRequest, MakeAnswer, MakeRequest
from pagemill.model.corrections import CorrectionRequest
from pagemill.model.enriching import BUILT_IN, EnrichRequest
from pagemill.model.file_types import is_office
from pagemill.model.formats import ON_DEMAND
from pagemill.model.pages import NOT_RENDERED, Page
from pagemill.model.visits import (
    JoinRequest,
    OpenAnswer,
    OpenRequest,
    ReadAnswer,
    ReadRequest,
    RenderRequest,
    ScanRequest,
    SplitRequest,
    UnpackRequest,
)
from pagemill.reading.join_visit import join_source
from pagemill.reading.office.chain import OfficeChain, opened_office
from pagemill.reading.page.page_files import PageFiles, write_pages
from pagemill.reading.pdf.inspection import Inspection, check_lock, inspect, select_existing
from pagemill.reading.pdf.page_tree import reachable_pages
from pagemill.reading.pdf.raw_scan import hints
from pagemill.reading.pdf.render import render
from pagemill.reading.providers.chain import Chain, ReadableDocument, text_chain
from pagemill.reading.recognition.handing import Wish
from pagemill.reading.short_document import describe_short, read_short_document
from pagemill.reading.windows import batches, cuts


def reports_disk_trouble(visit: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    """A visit whose trouble with the disk is reported as ours, not as the document's."""

    @wraps(visit)
    def reporting(argument: bytes) -> bytes:
        try:
            return visit(argument)
        except FileNotFoundError as error:
            raise StoredFileMissing() from error
        except OSError as error:
            if error.errno is None:
                raise
            raise storage_trouble(error) from error

    return reporting


@reports_disk_trouble
def open_document(argument: bytes) -> bytes:
    """Open, count and cut a document; a short one takes the short path if that is asked."""
    request = OpenRequest.from_bytes(argument)
    started = time.perf_counter()
    office = opened_office(request.path, request.password, request.tracked_changes, request.rendered)
    describe = describe_short if request.join_at_once and request.describe else None
    found = office.inspection() if office else inspect(request.path, request.password, describe)
    if found.page_objects <= found.total_pages and not found.labels_circle:
        return _answer_opened(request, found, office, started).to_bytes()
    with reachable_pages(request, found.page_objects) as mended:
        if mended is not request:
            found = inspect(mended.path, mended.password, describe)
            found = replace(found, warnings=tuple(dict.fromkeys((*found.warnings, "repaired"))))
        return _answer_opened(mended, found, office, started).to_bytes()


def _answer_opened(
    request: OpenRequest, found: Inspection, office: OfficeChain | None, started: float
) -> OpenAnswer:
    """What is known of a document that can be opened, and its result if it took the short path."""
    pages, beyond = select_existing(found.total_pages, request.pages, request.max_pages)
    chunks = cuts(found.total_pages, pages)
    unrendered = (NOT_RENDERED,) if office and request.render and not request.rendered else ()
    warnings = (*found.warnings, *beyond, *unrendered)
    opened = OpenAnswer(found.total_pages, pages, chunks, warnings, {"open": time.perf_counter() - started})
    if request.join_at_once and len(chunks) == 1:
        return read_short_document(request, opened, office, found.facts)
    return opened


@reports_disk_trouble
def read_pages(argument: bytes) -> bytes:
    """Read a chunk into pages.jsonl."""
    request = ReadRequest.from_bytes(argument)
    office = opened_office(request.path, request.password, request.tracked_changes, request.rendered)
    if office and request.rendered and office.document.total_pages != request.total_pages:
        # It was rendered only after it had been cut.
        office = opened_office(request.path, request.password, request.tracked_changes)
    if office:
        return _read(request, office).to_bytes()
    with reachable_pages(request, request.last) as mended:
        return _read(mended, None).to_bytes()


def _read(request: ReadRequest, office: OfficeChain | None) -> ReadAnswer:
    chain = office or text_chain(request.providers)
    wish = Wish(request.ocr, request.mode, request.able, printed=office is None)
    handed: list[int] = []
    tally = write_pages(_handing(_pages(request, chain), wish, handed), request.scratch, handed)
    answer = ReadAnswer(tally.pages, tuple(tally.failed), tuple(tally.warnings), chain.seconds, tuple(handed))
    return _check_password(request, answer)


@reports_disk_trouble
def read_scans(argument: bytes) -> bytes:
    """Run OCR on some pages, and write them to pages.jsonl."""
    # Only here, because most children never need it and it takes a while to load.
    from pagemill.reading.office.image_words import recognise_images
    from pagemill.reading.recognition.recognise import recognise_chunk

    request = ScanRequest.from_bytes(argument)
    if is_office(request.path):
        return recognise_images(request).to_bytes()
    with reachable_pages(request, max(request.pages, default=0)) as mended:
        return _check_password(mended, recognise_chunk(mended)).to_bytes()


@reports_disk_trouble
def join_pages(argument: bytes) -> bytes:
    """Make the artifacts of a document from its page files."""
    request = JoinRequest.from_bytes(argument)
    return join_source(PageFiles(request.files, request.failed), request).to_bytes()


@reports_disk_trouble
def render_page(argument: bytes) -> bytes:
    """Draw one page as an image."""
    request = RenderRequest.from_bytes(argument)
    with reachable_pages(request, request.page) as mended:
        return render(mended).to_bytes()


@reports_disk_trouble
def make_artifact(argument: bytes) -> bytes:
    """Make an artifact that is made on demand."""
    # Only now, because most children of the press never make one.
    from pagemill.reading.artifacts import make_files

    request = MakeRequest.from_bytes(argument)
    if not ON_DEMAND[request.name].drawn or is_office(request.path):
        return make_files(request).to_bytes()
    with reachable_pages(request, hints(request.path).page_objects) as mended:
        return make_files(mended).to_bytes()


@reports_disk_trouble
def enrich_document(argument: bytes) -> bytes:
    """Have an enricher add to a finished document."""
    from pagemill.reading.artifacts import MAKERS
    from pagemill.reading.artifacts.stored import Original
    from pagemill.reading.enricher import run_enricher
    from pagemill.reading.stored_document import StoredDocument

    request = EnrichRequest.from_bytes(argument)
    document, folder = StoredDocument(request.document_json, request.index), Path(request.scratch)
    if request.name not in BUILT_IN:
        return MakeAnswer(run_enricher(request.name, document, folder)).to_bytes()
    is_pdf = bool(request.path) and not is_office(request.path)
    mending = reachable_pages(request, hints(request.path).page_objects) if is_pdf else nullcontext(request)
    with mending as mended:
        original = Original(mended.path, mended.password)
        return MakeAnswer(MAKERS[request.name](document, original, folder)).to_bytes()


@reports_disk_trouble
def unpack_files(argument: bytes) -> bytes:
    """Take the files out of a document."""
    from pagemill.reading.office.unpacking import unpack

    return unpack(UnpackRequest.from_bytes(argument)).to_bytes()


@reports_disk_trouble
def correct_document(argument: bytes) -> bytes:
    """Write a finished document again, with corrections."""
    from pagemill.reading.corrections.correcting import correct_document as correct

    return correct(CorrectionRequest.from_bytes(argument)).to_bytes()


def embed_texts(argument: bytes) -> bytes:
    """Vectors of texts by the model of this machine, one after the other."""
    import orjson

    from pagemill.reading.embedding.minilm import embed
    from pagemill.reading.embedding.packing import pack_rows

    return b"".join(pack_rows(embed(orjson.loads(argument))))


@reports_disk_trouble
def split_document(argument: bytes) -> bytes:
    """Write the documents of a stack of scans into files of their own."""
    from pagemill.reading.artifacts.splitting import split_pdf

    return split_pdf(SplitRequest.from_bytes(argument)).to_bytes()


@reports_disk_trouble
def copy_image(argument: bytes) -> bytes:
    """Make a PDF of an image, as the working copy that is read."""
    from pagemill.reading.images import working_copy

    working_copy(CopyRequest.from_bytes(argument))
    return b""


def _pages(request: ReadRequest, chain: Chain | OfficeChain) -> Iterator[Page]:
    source = ReadableDocument(request.path, request.password)
    for together, wanted in batches(request.total_pages, request.selection(), request.first, request.last):
        if request.single:
            for page in wanted:
                yield from chain.read(source, [page], [page])
        else:
            yield from chain.read(source, together, wanted)


def _check_password(request: ReadRequest | ScanRequest, answer: ReadAnswer) -> ReadAnswer:
    """The answer, unless nothing was read because the password is missing, which is no fault of the pages."""
    if answer.failed and len(answer.failed) == answer.pages_read and not is_office(request.path):
        check_lock(request.path, request.password)
    return answer


def _handing(pages: Iterable[Page], wish: Wish, handed: list[int]) -> Iterator[Page]:
    """The pages as they go by, while those that are handed on are noted."""
    for page in pages:
        if wish.hands_on(page):
            handed.append(page.number)
        yield wish.with_warning(page)
