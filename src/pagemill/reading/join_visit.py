"""Pages become the artifacts of a document, and what is known of it the answer of the visit."""

import time
from collections.abc import Sequence
from pathlib import Path

from pagemill.errors import (
    BY_CODE,
    InternalError,
    PagemillError,
    PageTimeout,
    PageUnreadable,
    PdfCorrupt,
    Timeout,
)
from pagemill.model.document_facts import DocumentFacts, short_facts
from pagemill.model.visits import JoinAnswer, JoinRequest
from pagemill.model.work import PageFailure
from pagemill.reading.document.join import PageSource, join
from pagemill.reading.self_description import facts_of
from pagemill.reading.writers import Facts


def join_source(
    source: PageSource, request: JoinRequest, document_facts: DocumentFacts | None = None
) -> JoinAnswer:
    """Write the artifacts of a document from its pages; raises why if none of them could be read."""
    started = time.perf_counter()
    if document_facts is None and request.path:
        document_facts = facts_of(request.path, request.password)
    facts = Facts(request.total_pages, request.sha256, request.warnings, document_facts=document_facts)
    joined = join(
        source,
        facts,
        request.formats,
        Path(request.scratch),
        keep_running=request.keep_running_headers,
        typography=request.typography,
    )
    if joined.pages == len(joined.failed):
        raise nothing_read(joined.failed)
    seconds = {"join": time.perf_counter() - started}
    return JoinAnswer(
        artifacts=joined.artifacts,
        pages=joined.pages,
        failed=joined.failed,
        warnings=joined.warnings,
        seconds=seconds,
        to_check=joined.to_check,
        facts=short_facts(document_facts),
    )


def nothing_read(failed: Sequence[PageFailure]) -> PagemillError:
    """What to say of a document no page of which could be read."""
    if not failed or failed[0].code == PageUnreadable.code:
        return PdfCorrupt("none of the document's pages can be read")
    if failed[0].code == PageTimeout.code:
        return Timeout()
    return BY_CODE.get(failed[0].code, InternalError)(failed[0].message)
