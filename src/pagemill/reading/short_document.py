"""The short path: a document of one chunk is read and joined in the visit that opens it.

Most documents take it. `visits.open_document` calls `read_short_document` with what it has opened; `plan` asks for it
by `join_at_once`, and `steps.short_document` makes of its answer the rows that the long path leaves behind.
"""

from dataclasses import replace

from pypdfium2 import PdfDocument

from pagemill.model.document_facts import DocumentFacts
from pagemill.model.pages import Page
from pagemill.model.visits import JoinRequest, OpenAnswer, OpenRequest
from pagemill.reading.document.join import PagesAtHand
from pagemill.reading.join_visit import join_source
from pagemill.reading.office.chain import OfficeChain
from pagemill.reading.page.page_files import write_pages
from pagemill.reading.page_budget import limit_pages
from pagemill.reading.providers.chain import Chain, ReadableDocument, text_chain
from pagemill.reading.recognition.handing import Wish
from pagemill.reading.self_description import describe_document
from pagemill.reading.windows import WINDOW_PAGES, batches


def read_short_document(
    request: OpenRequest, opened: OpenAnswer, office: OfficeChain | None, document_facts: DocumentFacts | None
) -> OpenAnswer:
    """The answer with the result in it; without one if pages must be handed on to others, so that the long path follows."""
    limit_pages(sum(last - first + 1 for first, last in opened.pages), request.page_seconds)
    chain = office or text_chain(request.providers)
    pages = read_all(request, opened, chain)
    if pages is None:
        return opened
    if office:
        opened = replace(opened, warnings=tuple(dict.fromkeys((*opened.warnings, *office.warnings()))))
    joined = join_source(PagesAtHand(pages), join_request(request, opened), document_facts)
    # A run that reads one page again takes over the others from here; a document of one page has no others.
    if opened.total_pages > 1:
        write_pages(pages, request.scratch)
    return replace(opened, seconds={**opened.seconds, **chain.seconds, **joined.seconds}, result=joined)


def read_all(request: OpenRequest, opened: OpenAnswer, chain: Chain | OfficeChain) -> list[Page] | None:
    """The pages; None as soon as one of them must be handed on."""
    wish = Wish(request.ocr, request.mode, request.able, printed=not isinstance(chain, OfficeChain))
    source, pages = ReadableDocument(request.path, request.password), list[Page]()
    for together, wanted in batches(opened.total_pages, opened.pages, *opened.cuts[0]):
        for page in chain.read(source, together, wanted):
            if wish.hands_on(page):
                return None
            pages.append(wish.with_warning(page))
    return pages


def join_request(request: OpenRequest, opened: OpenAnswer) -> JoinRequest:
    """What joins the pages that were just read."""
    return JoinRequest(
        files=(),
        scratch=request.scratch,
        formats=request.formats,
        total_pages=opened.total_pages,
        warnings=opened.warnings,
        keep_running_headers=request.keep_running_headers,
        sha256=request.sha256,
        typography=request.typography,
        path=request.path if request.describe else None,
        password=request.password,
    )


def describe_short(document: PdfDocument, path: str) -> DocumentFacts | None:
    """What a document says of itself if it will be read in the same visit; a longer one is described by the join."""
    return describe_document(document, path) if len(document) <= WINDOW_PAGES else None
