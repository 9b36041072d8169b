"""Opening a document: how many pages it has, whether it can be read, and what to warn about."""

import ctypes
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from pagemill.errors import (
    DocumentError,
    EncryptionUnsupported,
    NoPages,
    PageOutOfRange,
    PasswordIncorrect,
    PasswordRequired,
    PdfCorrupt,
    TooManyPages,
)
from pagemill.model.document_facts import DocumentFacts
from pagemill.model.options import page_ranges, within
from pagemill.model.visits import Runs
from pagemill.reading.pdf.packed_streams import check_packed_streams
from pagemill.reading.pdf.raw_scan import ODD_PAGE_SIZE, Hints, hints

STANDARD_HANDLER = "Standard"
# The error of a file that is not there, which no document of ours is.
NO_REASON = pdfium.FPDF_ERR_FILE
PASSWORD_ADVICE = (
    "The document is encrypted, and its password is not kept after the job. "
    "Send it again, in the header Document-Password."
)
Describe = Callable[[pypdfium2.PdfDocument, str], DocumentFacts | None]
# Most texts are short: they are asked for once, and a longer one again with its size.
SHORT_BYTES = 512
_SHORT_TEXT = (ctypes.c_ushort * (SHORT_BYTES // 2))()
XFA_FORMS = (pdfium.FORMTYPE_XFA_FULL, pdfium.FORMTYPE_XFA_FOREGROUND)


@dataclass(frozen=True, slots=True)
class Inspection:
    """A document that can be opened; the file may hold more pages than it counts."""

    total_pages: int
    warnings: tuple[str, ...]
    page_objects: int = 0
    labels_circle: bool = False
    facts: DocumentFacts | None = None


def inspect(path: str, password: str | None, describe: Describe | None = None) -> Inspection:
    """Open the document, and have it described while it is open; a DocumentError says why it can't be."""
    seen = hints(path)
    if seen.packed_twice:
        check_packed_streams(path)
    with open_pdf(path, password, seen) as document:
        total = len(document)
        found = document_warnings(document)
        # Labels that lead in a circle crash PDFium; the document is described once they are mended.
        facts = describe(document, path) if describe and not seen.labels_circle else None
    if total == 0:
        raise NoPages
    warnings = tuple(dict.fromkeys((*seen.warnings, *found)))
    return Inspection(total, warnings, seen.page_objects, seen.labels_circle, facts)


def open_pdf(path: str, password: str | None, seen: Hints | None = None) -> pypdfium2.PdfDocument:
    """The document, to be closed by the caller."""
    try:
        return _load(path, password)
    except pypdfium2.PdfiumError as error:
        raise refusal(reason_of(path, password), password, seen or hints(path)) from error


def _load(path: str, password: str | None) -> pypdfium2.PdfDocument:
    """The document; given a path, pypdfium2 would look for links in it, which takes as long as loading a letter."""
    if not os.path.isfile(path):
        raise FileNotFoundError(path)
    raw = pdfium.FPDF_LoadDocument(os.fsencode(path), None if password is None else password.encode())
    if pdfium.FPDF_GetPageCount(raw) < 1:
        raise pypdfium2.PdfiumError("the document can't be loaded", err_code=pdfium.FPDF_GetLastError())
    return pypdfium2.PdfDocument(raw)


def opened_again(path: str, password: str | None) -> pypdfium2.PdfDocument:
    """As `opened`, for drawing from a document when its job may have ended and its password is not kept."""
    try:
        return open_pdf(path, password)
    except PasswordRequired as error:
        raise PasswordRequired(PASSWORD_ADVICE) from error


def check_lock(path: str, password: str | None) -> None:
    """PasswordRequired or PasswordIncorrect if that is why nothing of a document can be read."""
    with suppress(EncryptionUnsupported, NoPages, PdfCorrupt):
        open_pdf(path, password).close()


def reason_of(path: str, password: str | None) -> int | None:
    """PDFium's reason for not opening a document, NO_REASON if it gives none.

    It keeps the reason of an earlier failure where it has none of its own, so that is overwritten first.
    """
    pdfium.FPDF_LoadDocument(b"", None)
    try:
        _load(path, password).close()
    except pypdfium2.PdfiumError as error:
        return int(error.err_code)
    return None


def refusal(code: int | None, password: str | None, seen: Hints) -> DocumentError:
    """Why PDFium did not open a document, in our words."""
    if seen.security not in (None, STANDARD_HANDLER) or code == pdfium.FPDF_ERR_SECURITY:
        return EncryptionUnsupported()
    if code == pdfium.FPDF_ERR_PASSWORD or (code == NO_REASON and seen.security):
        return PasswordIncorrect() if password else PasswordRequired()
    return NoPages() if seen.pageless else PdfCorrupt()


def document_warnings(document: pypdfium2.PdfDocument) -> list[str]:
    """What PDFium knows about the whole document without reading pages."""
    checks = (
        ("active_content", pdfium.FPDFDoc_GetJavaScriptActionCount(document.raw) > 0),
        ("embedded_files", document.count_attachments() > 0),
        ("xfa_unsupported", document.get_formtype() in XFA_FORMS),
    )
    return [code for code, found in checks if found]


def page_size(document: pypdfium2.PdfDocument, page: int) -> tuple[float, float]:
    """Width and height of a page in points, without loading it."""
    size = pdfium.FS_SIZEF()
    pdfium.FPDF_GetPageSizeByIndexF(document.raw, page - 1, ctypes.byref(size))
    return size.width, size.height


def text_of(read: Callable[[Any, int], int]) -> str:
    """A text that PDFium writes into a buffer and tells the size of; half characters, which others stumble over, are left out."""
    size = read(_SHORT_TEXT, SHORT_BYTES)
    if size <= SHORT_BYTES:
        return bytes(_SHORT_TEXT)[:size].decode("utf-16-le", "ignore").rstrip("\0")
    buffer = (ctypes.c_ushort * (size // 2))()
    read(buffer, size)
    return bytes(buffer).decode("utf-16-le", "ignore").rstrip("\0")


def attachment_name(attachment: pypdfium2.PdfAttachment) -> str:
    """What a file in a document is called."""
    return text_of(partial(pdfium.FPDFAttachment_GetName, attachment.raw))


def too_large(path: str, password: str | None, pages: Sequence[int], largest_points: float) -> set[int]:
    """The pages with a side longer than that; only a document that looks odd is asked."""
    if ODD_PAGE_SIZE not in hints(path).warnings:
        return set()
    with open_pdf(path, password) as document:
        return {page for page in pages if max(page_size(document, page)) > largest_points}


def select_existing(total: int, ranges: str | None, max_pages: int) -> tuple[Runs, tuple[str, ...]]:
    """The asked pages that exist, and a warning if some don't."""
    runs = tuple(page_ranges(ranges)) if ranges else ((1, total),)
    there = within(runs, 1, total)
    if not there:
        raise PageOutOfRange(f"the document has {total} pages, none of them among {ranges}")
    count = sum(last - first + 1 for first, last in there)
    if count > max_pages:
        raise TooManyPages.because(
            f"{count} pages are more than the {max_pages} that are allowed.", max_pages=max_pages
        )
    return there, ("pages_beyond_end",) if runs[-1][1] > total else ()
