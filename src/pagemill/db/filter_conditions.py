"""The conditions of a filter on jobs and their documents, for lists and for search."""

from collections.abc import Mapping, Sequence

from sqlalchemy import ColumnElement, func

from pagemill.db.schema import documents, jobs
from pagemill.model.document_filters import DocumentFilter
from pagemill.model.labels import COLLECTION, TAGS


def filter_conditions(wanted: DocumentFilter) -> list[ColumnElement[bool]]:
    """The conditions of a filter on jobs, and on documents if a media type is wanted; removed jobs are excluded."""
    found = [jobs.c.tenant == wanted.tenant, jobs.c.removed_at.is_(None)]
    if wanted.job_id is not None:
        found.append(jobs.c.id == wanted.job_id)
    if wanted.media_type is not None:
        found.append(documents.c.media_type == wanted.media_type)
    if wanted.created_after is not None:
        found.append(jobs.c.created_at >= wanted.created_after)
    if wanted.created_before is not None:
        found.append(jobs.c.created_at < wanted.created_before)
    if wanted.document_class is not None:
        found.append(jobs.c.classification["name"].as_string() == wanted.document_class)
    if wanted.collection is not None:
        found += entry_conditions({COLLECTION: wanted.collection})
    return [*found, *tag_conditions(wanted.tags), *entry_conditions(wanted.metadata)]


def entry_conditions(entries: Mapping[str, str]) -> list[ColumnElement[bool]]:
    """That the metadata of a job has each of these entries."""
    return [jobs.c.metadata[name].as_string() == value for name, value in entries.items()]


def tag_conditions(tags: Sequence[str]) -> list[ColumnElement[bool]]:
    """That a job has each of these tags."""
    entry = func.replace(func.coalesce(jobs.c.metadata[TAGS].as_string(), ""), ", ", ",")
    listed = "," + entry + ","
    # Replaced and compared, because LIKE takes small and capital letters for the same in SQLite, and in PostgreSQL not.
    return [func.replace(listed, f",{tag},", "") != listed for tag in tags]
