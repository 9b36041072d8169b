"""Files that a Word document takes in as they are (altChunk): web pages, texts, RTF and other Word documents."""

import io

from pagemill.errors import DocumentCorrupt
from pagemill.model.pages import Block
from pagemill.model.sniffing import media_type_of
from pagemill.reading.office.charset import decode
from pagemill.reading.office.docx.runs import RunContext
from pagemill.reading.office.package import Package

EMBEDDED = "embedded_files"
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def inserted_blocks(source: RunContext, relation_id: str | None) -> list[Block]:
    """The blocks of an inserted file; one of another format is only mentioned in the warnings."""
    if source.is_inserted:
        source.package.warn(EMBEDDED)
        return []
    part = source.package.target(source.part, relation_id)
    if part is None or not source.package.has(part):
        return []
    try:
        return _read_inserted(source, source.package.read(part))
    except DocumentCorrupt:
        source.package.warn(EMBEDDED)
        return []


def _read_inserted(source: RunContext, raw: bytes) -> list[Block]:
    from pagemill.reading.office.anydoc_blocks import read_anydoc
    from pagemill.reading.office.docx.document import docx_flow
    from pagemill.reading.office.mail import read_mhtml
    from pagemill.reading.office.plain_text import paragraphs
    from pagemill.reading.office.web_pages import read_html

    match media_type_of(raw) or "text/plain":
        case "text/html":
            return read_html(decode(raw)).blocks
        case "multipart/related":
            return read_mhtml(raw, source.package.warnings).blocks
        case "text/plain":
            return paragraphs(decode(raw)).blocks
        case "application/rtf":
            return read_anydoc(raw, "rtf").blocks
        case kind if kind == WORD:
            left = source.package.max_package_bytes - source.package.unpacked
            inner = Package(io.BytesIO(raw), max_package_bytes=left, warnings=source.package.warnings)
            return docx_flow(inner, source.changes, is_inserted=True).blocks
    source.package.warn(EMBEDDED)
    return []
