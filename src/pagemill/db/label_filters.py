"""Conditions on the labels of jobs, for lists and for search."""

from collections.abc import Mapping

from sqlalchemy import ColumnElement, func

from pagemill.db.schema import jobs
from pagemill.model.labels import TAGS


def label_conditions(
    tag: str | None, entries: Mapping[str, str], document_class: str | None = None
) -> list[ColumnElement[bool]]:
    """That a job has a tag, these entries in its metadata, and a class."""
    found = [jobs.c.metadata[name].as_string() == value for name, value in entries.items()]
    if tag is not None:
        tags = func.replace(func.coalesce(jobs.c.metadata[TAGS].as_string(), ""), ", ", ",")
        found.append(("," + tags + ",").contains(f",{tag},", autoescape=True))
    if document_class is not None:
        found.append(jobs.c.classification["name"].as_string() == document_class)
    return found
