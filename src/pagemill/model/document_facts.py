"""Document facts: what a PDF says of itself, as it stands in document.json."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """A bookmark: its title, its depth from 1, and the page that it leads to, if to one of this document."""

    title: str
    level: int
    page: int | None


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file inside the document; it is never opened."""

    name: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """What a document says of itself; nothing of it is checked."""

    title: str | None = None
    authors: tuple[str, ...] = ()
    subject: str | None = None
    keywords: str | None = None
    creator: str | None = None
    producer: str | None = None
    created_at: str | None = None
    modified_at: str | None = None
    language: str | None = None
    outline: tuple[OutlineEntry, ...] = ()
    # None where pages are called by their numbers.
    page_labels: tuple[str, ...] | None = None
    attachments: tuple[Attachment, ...] = ()
    tagged: bool = False
    signed: bool = False
    pdf_a: str | None = None
