"""What a PDF says of itself: title, authors, dates, bookmarks, page labels, attachments, and which standards it claims."""

import ctypes
import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from itertools import islice

import pypdfium2
import pypdfium2.raw as pdfium

from pagemill.errors import DocumentError
from pagemill.model.document_facts import Attachment, DocumentFacts, OutlineEntry
from pagemill.model.file_types import is_office
from pagemill.reading.office.office_facts import office_facts
from pagemill.reading.pdf.inspection import attachment_name, open_pdf, text_of
from pagemill.reading.pdf.raw_scan import hints

# Enough for any real document; what hostile ones have beyond that is left out.
MOST_BOOKMARKS, MOST_ATTACHMENTS, MOST_LABELS = 5_000, 1_000, 20_000
MOST_CHARACTERS = 1_000
MOST_AUTHORS = 100
# Metadata is not compressed in files that claim PDF/A, and it is near the beginning or the end.
LOOK_BYTES = 1 << 20

_DATE = re.compile(r"(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?\s*([Zz+-])?(\d\d)?'?(\d\d)?'?")
# An attribute, or an element that may have attributes of its own.
_PART = re.compile(rb"pdfaid:part(?:\s*=\s*[\"']|[^<>]{0,200}>)\s*(\d)")
_CONFORMANCE = re.compile(rb"pdfaid:conformance(?:\s*=\s*[\"']|[^<>]{0,200}>)\s*([ABUEFabuef])")
_CONTROL = re.compile(r"[\x00-\x1f\x7f\u202a-\u202e\u2066-\u2069]+")


def facts_of(path: str, password: str | None) -> DocumentFacts | None:
    """What a PDF or an office file says of itself; None if it can't be opened so."""
    if is_office(path):
        return office_facts(path, password)
    with suppress(DocumentError), open_pdf(path, password) as document:
        return describe_document(document, path)
    return None


def describe_document(document: pypdfium2.PdfDocument, path: str) -> DocumentFacts:
    """What an open document says of itself."""
    metadata = metadata_of(document)
    return DocumentFacts(
        title=clean(metadata.get("Title")),
        authors=authors_in(metadata.get("Author", "")),
        subject=clean(metadata.get("Subject")),
        keywords=clean(metadata.get("Keywords")),
        creator=clean(metadata.get("Creator")),
        producer=clean(metadata.get("Producer")),
        created_at=date_in(metadata.get("CreationDate", "")),
        modified_at=date_in(metadata.get("ModDate", "")),
        language=language_of(document),
        outline=tuple(islice(bookmarks(document), MOST_BOOKMARKS)),
        page_labels=None if hints(path).labels_circle else page_labels(document),
        attachments=tuple(islice(attachments(document), MOST_ATTACHMENTS)),
        tagged=document.is_tagged(),
        signed=pdfium.FPDF_GetSignatureCount(document.raw) > 0,
        pdf_a=claimed_standard(path),
    )


def metadata_of(document: pypdfium2.PdfDocument) -> dict[str, str]:
    """The entries of the document's dictionary of facts about itself; an entry that is not there is empty."""
    return {
        key: text_of(partial(pdfium.FPDF_GetMetaText, document.raw, key.encode()))
        for key in pypdfium2.PdfDocument.METADATA_KEYS
    }


def clean(text: str | None) -> str | None:
    """Text without control characters and marks that turn its direction, on one line; None if nothing is left."""
    return " ".join(_CONTROL.sub(" ", text or "").split())[:MOST_CHARACTERS] or None


def authors_in(text: str) -> tuple[str, ...]:
    """The authors in a field; a comma may be part of a name, so only semicolons divide."""
    names = (clean(part) for part in text.split(";")[:MOST_AUTHORS])
    return tuple(name for name in names if name)


def date_in(text: str) -> str | None:
    """A date of a PDF in ISO 8601, as exact as it is there; None if it makes no sense."""
    found = _DATE.fullmatch(text.strip())
    if found is None:
        return None
    year, month, day, hour, minute, second = (int(part) if part else None for part in found.groups()[:6])
    try:
        zone = zone_of(*found.groups()[6:])
        moment = datetime(
            int(year or 0), month or 1, day or 1, hour or 0, minute or 0, second or 0, tzinfo=zone
        )
    except ValueError:
        return None
    if hour is None:
        return f"{year:04d}" + "".join(f"-{part:02d}" for part in (month, day) if part is not None)
    return moment.isoformat().replace("+00:00", "Z")


def zone_of(sign: str | None, hours: str | None, minutes: str | None) -> timezone | None:
    """The time zone of a date; None if it has none."""
    if sign is None:
        return None
    if sign in "Zz":
        return UTC
    ahead = timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
    return timezone(ahead if sign == "+" else -ahead)


def language_of(document: pypdfium2.PdfDocument) -> str | None:
    """The language of the document as a whole."""
    language = text_of(partial(pdfium.FPDFCatalog_GetLanguage, document.raw))
    return clean(language) if len(language) < MOST_CHARACTERS // 2 else None


def bookmarks(document: pypdfium2.PdfDocument) -> Iterator[OutlineEntry]:
    """The outline, entry by entry."""
    for bookmark in document.get_toc():
        target = bookmark.get_dest()
        page = target.get_index() if target is not None else None
        yield OutlineEntry(
            clean(text_of(partial(pdfium.FPDFBookmark_GetTitle, bookmark.raw))) or "",
            bookmark.level + 1,
            None if page is None else page + 1,
        )


def page_labels(document: pypdfium2.PdfDocument) -> tuple[str, ...] | None:
    """What the pages are called; None where they are called by their numbers."""
    count = min(len(document), MOST_LABELS)
    labels = tuple(
        clean(text_of(partial(pdfium.FPDF_GetPageLabel, document.raw, index))) or "" for index in range(count)
    )
    plain = all(label in ("", str(number)) for number, label in enumerate(labels, 1))
    return None if plain else labels


def attachments(document: pypdfium2.PdfDocument) -> Iterator[Attachment]:
    """The files in the document, by name and size."""
    for index in range(document.count_attachments()):
        attachment = document.get_attachment(index)
        size = ctypes.c_ulong()
        pdfium.FPDFAttachment_GetFile(attachment.raw, None, 0, size)
        yield Attachment(clean(attachment_name(attachment)) or "", size.value)


def claimed_standard(path: str) -> str | None:
    """The level of PDF/A that the document claims, such as 2B; None if it claims none."""
    with open(path, "rb") as file:
        head = file.read(LOOK_BYTES)
        size = file.seek(0, 2)
        file.seek(max(len(head), size - LOOK_BYTES))
        look = head + file.read()
    part = _PART.search(look)
    if part is None:
        return None
    level = _CONFORMANCE.search(look)
    return (part[1] + (level[1].upper() if level else b"")).decode()
