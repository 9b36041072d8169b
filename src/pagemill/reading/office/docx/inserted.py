"""Files that a Word document takes in as they are (altChunk): web pages, texts, RTF and other Word documents."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from pagemill.errors import DocumentError, DocumentTooLarge
from pagemill.model.pages import Block, Kind
from pagemill.model.sniffing import media_type_of
from pagemill.reading.office.charset import decode
from pagemill.reading.office.docx.runs import RunContext
from pagemill.reading.office.opening import DAMAGE
from pagemill.reading.office.package import Package

EMBEDDED = "embedded_files"
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
# What an inserted file may raise without harm to the document around it. ArchiveBomb is none of them.
UNREADABLE = (DocumentError, DocumentTooLarge, RecursionError, *DAMAGE)


def inserted_blocks(source: RunContext, relation_id: str | None) -> list[Block]:
    """The blocks of an inserted file; one of another format is only mentioned in the warnings."""
    if source.is_inserted:
        source.package.warn(EMBEDDED)
        return []
    part = source.package.target(source.part, relation_id)
    if part is None or not source.package.has(part):
        return []
    try:
        return [_without_image(block) for block in _read_inserted(source, source.package.read(part))]
    except UNREADABLE:
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
            with _inner_package(source.package, raw) as inner:
                return docx_flow(inner, source.changes, is_inserted=True).blocks
    source.package.warn(EMBEDDED)
    return []


@contextmanager
def _inner_package(outer: Package, raw: bytes) -> Iterator[Package]:
    """A package inside of another one, which counts what is unpacked of both."""
    inner = Package(
        io.BytesIO(raw),
        outer.max_part_bytes,
        outer.max_package_bytes,
        warnings=outer.warnings,
        unpacked=outer.unpacked,
    )
    try:
        yield inner
    finally:
        outer.unpacked = inner.unpacked


def _without_image(block: Block) -> Block:
    """A block that names no part: images are looked up in the outer document, where the name is that of another."""
    if block.kind is not Kind.FIGURE or block.origin is None:
        return block
    return replace(block, origin=replace(block.origin, part=None))
