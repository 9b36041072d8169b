"""Files that a Word document takes in as they are (altChunk): web pages and plain text."""

from pagemill.model.pages import Block
from pagemill.model.sniffing import media_type_of
from pagemill.reading.office.charset import decode
from pagemill.reading.office.docx.runs import RunContext

EMBEDDED = "embedded_files"


def inserted_blocks(source: RunContext, relation_id: str | None) -> list[Block]:
    """The blocks of an inserted file; one of another format is only mentioned in the warnings."""
    from pagemill.reading.office.mail import read_mhtml
    from pagemill.reading.office.plain_text import paragraphs
    from pagemill.reading.office.web_pages import read_html

    part = source.package.target(source.part, relation_id)
    if part is None or not source.package.has(part):
        return []
    raw = source.package.read(part)
    match media_type_of(raw) or "text/plain":
        case "text/html":
            return read_html(decode(raw)).blocks
        case "multipart/related":
            return read_mhtml(raw, source.package.warnings).blocks
        case "text/plain":
            return paragraphs(decode(raw)).blocks
    source.package.warn(EMBEDDED)
    return []
