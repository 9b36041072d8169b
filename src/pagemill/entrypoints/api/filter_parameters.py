"""The filters of documents as routes take them, in a query or in a body."""

import re
from collections.abc import Iterable
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field, WithJsonSchema

from pagemill.entrypoints.api.moments import Moment, seconds
from pagemill.entrypoints.wire.problems import invalid
from pagemill.model.document_filters import FILTERS, DocumentFilter
from pagemill.model.labels import MAX_TAGS, split_tags

MAX_LABEL = 1_000
MAX_ENTRIES = 16
# A name may have a colon behind a backslash.
LABEL = re.compile(r"(?P<name>(?:\\:|[^:])*):(?P<value>.*)", re.DOTALL)
Label = Annotated[str, WithJsonSchema({"type": "string", "pattern": "^[^:]*:", "maxLength": MAX_LABEL})]
Tag = Annotated[str, Field(min_length=1, max_length=MAX_LABEL)]
MEDIA_TYPE = re.compile(r"[\w.+-]+/[\w.+-]+", re.ASCII)


def check_media_type(text: str) -> str:
    """The text; ValueError if no document can be of that type."""
    if not MEDIA_TYPE.fullmatch(text):
        raise ValueError("has to be a media type, such as application/pdf")
    return text


class FilterFields(BaseModel):
    """The filters that queries and bodies write alike."""

    collection: str | None = Field(
        None, min_length=1, max_length=MAX_LABEL, description=FILTERS["collection"].help
    )
    document_class: str | None = Field(
        None, alias="class", min_length=1, max_length=100, description=FILTERS["document_class"].help
    )
    media_type: Annotated[str, AfterValidator(check_media_type)] | None = Field(
        None, alias="type", max_length=255, description=FILTERS["media_type"].help
    )
    created_after: Moment | None = Field(None, description=FILTERS["created_after"].help)
    created_before: Moment | None = Field(None, description=FILTERS["created_before"].help)


class QueryFilters(FilterFields):
    """The filters of a query."""

    tag: list[Tag] = Field([], max_length=MAX_TAGS, description=f"{FILTERS['tag'].help} May be repeated.")
    metadata: list[Label] = Field(
        [],
        max_length=MAX_ENTRIES,
        description=f"{FILTERS['metadata'].help} It is written as `name:value`, and may be repeated. "
        "A colon in a name is written `\\:`.",
    )


class BodyFilters(FilterFields):
    """The filters of a JSON body."""

    tag: Tag | Annotated[list[Tag], Field(max_length=MAX_TAGS)] | None = Field(
        None, description=FILTERS["tag"].help
    )
    metadata: dict[str, str] = Field(
        default_factory=dict, max_length=MAX_ENTRIES, description=FILTERS["metadata"].help
    )


def filter_of(tenant: str, asked: QueryFilters | BodyFilters, job_id: str | None = None) -> DocumentFilter:
    """Which documents of a tenant are meant; ValidationFailed for a time that has no end after its beginning."""
    after, before = seconds(asked.created_after), seconds(asked.created_before)
    if after is not None and before is not None and before <= after:
        raise invalid(("/created_before", "has to be later than created_after, or no job can match"))
    return DocumentFilter(
        tenant,
        job_id=job_id,
        media_type=asked.media_type,
        created_after=after,
        created_before=before,
        collection=asked.collection,
        tags=parse_tags([asked.tag] if isinstance(asked.tag, str) else asked.tag or ()),
        metadata=asked.metadata if isinstance(asked, BodyFilters) else parse_labels(asked.metadata),
        document_class=asked.document_class,
    )


def parse_tags(texts: Iterable[str]) -> tuple[str, ...]:
    """The tags that are asked for, each once; several may be in one text, as where documents are handed in."""
    tags = split_tags(text := ",".join(texts))
    if text and not tags:
        raise invalid(("/tag", "is empty"))
    if len(tags) > MAX_TAGS:
        raise invalid(("/tag", f"at most {MAX_TAGS} tags are asked for at once"))
    return tuple(tags)


def parse_labels(texts: list[str]) -> dict[str, str]:
    """The metadata that a query asks for."""
    wanted: dict[str, str] = {}
    for text in texts:
        found = LABEL.fullmatch(text)
        if found is None or len(text) > MAX_LABEL:
            raise invalid(("/metadata", f"{text[:40]!r} is not of the form name:value"))
        name, value = found["name"].replace("\\:", ":").strip(), found["value"].strip()
        if wanted.setdefault(name, value) != value:
            raise invalid(("/metadata", f"{name[:40]!r} is asked for with two values"))
    return wanted
