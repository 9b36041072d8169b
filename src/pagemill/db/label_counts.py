"""Which collections and tags the jobs of a tenant have, and how many jobs each."""

from collections import Counter

from sqlalchemy import Connection, func, select

from pagemill.db.schema import jobs
from pagemill.model.labels import COLLECTION, TAGS, split_tags


def count_collections(conn: Connection, tenant: str) -> Counter[str]:
    """How many jobs each collection has."""
    return values_of(conn, tenant, COLLECTION)


def count_tags(conn: Connection, tenant: str) -> Counter[str]:
    """How many jobs each tag has."""
    found = Counter[str]()
    for text, count in values_of(conn, tenant, TAGS).items():
        for tag in split_tags(text):
            found[tag] += count
    return found


def values_of(conn: Connection, tenant: str, name: str) -> Counter[str]:
    """The values of an entry of the metadata, with how many jobs have each."""
    value = jobs.c.metadata[name].as_string()
    query = select(value.label("value"), func.count().label("jobs")).where(
        jobs.c.tenant == tenant, jobs.c.removed_at.is_(None)
    )
    return Counter({row.value: row.jobs for row in conn.execute(query.group_by(value)) if row.value})
