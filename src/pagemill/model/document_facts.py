"""Document facts: what a document says of itself, as it is in document.json and, in short, in its job."""

from dataclasses import dataclass
from typing import Any

import orjson
from typing_extensions import TypedDict

# A job is looked at often, so it has no more than this of long lists and texts; the JSON has all.
MOST_IN_JOB, MOST_CHARACTERS_IN_JOB = 100, 200


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


def facts_from(row: dict[str, Any]) -> DocumentFacts:
    """The facts that are in document.json."""
    labels = row["page_labels"]
    lists = {
        "authors": tuple(row["authors"]),
        "outline": tuple(OutlineEntry(**one) for one in row["outline"]),
        "attachments": tuple(Attachment(**one) for one in row["attachments"]),
        "page_labels": None if labels is None else tuple(labels),
    }
    return DocumentFacts(**{**row, **lists})


class OutlineView(TypedDict):
    """A bookmark: its title, its depth from 1, and the page that it leads to."""

    title: str
    level: int
    page: int | None


class AttachmentView(TypedDict):
    """A file inside the document."""

    name: str
    size_bytes: int


class FactsView(TypedDict):
    """What a document says of itself; nothing of it is checked."""

    title: str | None
    authors: list[str]
    subject: str | None
    keywords: str | None
    creator: str | None
    """The program that the document was written with."""
    producer: str | None
    """The program that made the file."""
    created_at: str | None
    """In ISO 8601, as exact as it is in the file."""
    modified_at: str | None
    language: str | None
    outline: list[OutlineView]
    """The bookmarks, in order."""
    page_labels: list[str] | None
    """What the pages are called; null where they are called by their numbers."""
    attachments: list[AttachmentView]
    tagged: bool
    """Whether the file has a structure for screen readers."""
    signed: bool
    """Whether the file has a signature; it is not checked."""
    pdf_a: str | None
    """The level of PDF/A that the file claims, such as `2B`."""
    shortened: bool
    """Whether a list has more than 100 entries or a text more than 200 characters: `expand=facts` has all of it."""


# What pydantic's with_config does, without loading pydantic into every process of the press.
FactsView.__pydantic_config__ = {"use_attribute_docstrings": True}  # type: ignore[attr-defined]


def short_facts(facts: DocumentFacts | None) -> FactsView | None:
    """The facts as a job has them."""
    if facts is None:
        return None
    whole = orjson.loads(orjson.dumps(facts))
    short = shorten(whole)
    view: FactsView = short | {"shortened": short != whole}
    return view


def shorten(value: Any) -> Any:
    """A value of JSON without what is too long for a job in its texts and lists."""
    match value:
        case str():
            return value[:MOST_CHARACTERS_IN_JOB]
        case list():
            return [shorten(entry) for entry in value[:MOST_IN_JOB]]
        case dict():
            return {name: shorten(member) for name, member in value.items()}
        case _:
            return value
