"""Which documents a client asks for: the filters of lists, of search and of questions."""

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict


class ListFilters(TypedDict, total=False):
    """The documents that have all of this; what is left out or None excludes nothing."""

    collection: str | None
    # Of several tags, a document must have all.
    tag: str | Sequence[str] | None
    metadata: Mapping[str, str] | None
    document_class: str | None
    media_type: str | None
    # Times are written as RFC 3339 has them.
    created_after: str | None
    created_before: str | None


class DocumentFilters(ListFilters, total=False):
    """The documents that have all of this, perhaps one alone."""

    job_id: str | None


# The names that the API has for what is called otherwise in Python.
API_NAMES = {"document_class": "class", "media_type": "type"}


def body_of(filters: ListFilters) -> dict[str, Any]:
    """Filters as members of a JSON body."""
    return {API_NAMES.get(name, name): value for name, value in filters.items() if value is not None}


def query_of(filters: ListFilters) -> dict[str, Any]:
    """Filters as parameters of a query."""
    asked = body_of(filters)
    if "metadata" in asked:
        asked["metadata"] = [entry_text(name, value) for name, value in asked["metadata"].items()]
    return asked


def entry_text(name: str, value: str) -> str:
    """An entry of the metadata as queries have it: the first colon ends the name, unless it is behind a backslash."""
    escaped = name.replace(":", "\\:")
    return f"{escaped}:{value}"
