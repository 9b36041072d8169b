"""Which documents are searched, asked or listed: one table of filters, which every interface has in its own form."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class FilterKind(StrEnum):
    """How many values a filter takes."""

    ONE = "one"
    SEVERAL = "several"
    PAIRS = "pairs"


@dataclass(frozen=True, slots=True)
class FilterField:
    """A filter that callers may name; `query` is its name in queries and bodies, `option` on the command line."""

    query: str
    option: str
    help: str
    kind: FilterKind = FilterKind.ONE
    metavar: str | None = None


# By the names that parameters of functions have.
FILTERS = {
    "collection": FilterField("collection", "--collection", "Only documents of this collection."),
    "tag": FilterField(
        "tag", "--tag", "Only documents with this tag; of several, with all.", FilterKind.SEVERAL
    ),
    "metadata": FilterField(
        "metadata",
        "--metadata",
        "Only documents whose metadata has this; of several, all.",
        FilterKind.PAIRS,
        "KEY=VALUE",
    ),
    "document_class": FilterField("class", "--class", "Only documents of this class."),
    "media_type": FilterField(
        "type", "--type", "Only documents of this media type, such as application/pdf."
    ),
    "created_after": FilterField(
        "created_after", "--created-after", "Only jobs made at this time or later (RFC 3339).", metavar="TIME"
    ),
    "created_before": FilterField(
        "created_before", "--created-before", "Only jobs made before this time (RFC 3339).", metavar="TIME"
    ),
    "job_id": FilterField("job_id", "--job", "Only this job.", metavar="ID"),
}


@dataclass(frozen=True, slots=True)
class DocumentFilter:
    """Which documents of a tenant are meant; a field that is None or empty excludes nothing."""

    tenant: str
    job_id: str | None = None
    media_type: str | None = None
    created_after: float | None = None
    created_before: float | None = None
    collection: str | None = None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)
    document_class: str | None = None

    @property
    def is_open(self) -> bool:
        """Whether every document of the tenant is meant."""
        return self == DocumentFilter(self.tenant)
