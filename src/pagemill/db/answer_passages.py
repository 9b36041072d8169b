"""What passages of the search index say, for answers that are made from them."""

from collections.abc import Sequence

from sqlalchemy import Connection, select, tuple_

from pagemill.db.schema import jobs
from pagemill.db.search_tables import passages
from pagemill.model.passages import Place

Key = tuple[str, int]


def passages_of_jobs(
    conn: Connection, tenant: str, keys: Sequence[Key]
) -> dict[Key, tuple[str, tuple[Place, ...]]]:
    """The texts of passages of a tenant by job and number, each with where its parts are printed."""
    query = (
        select(jobs.c.id, passages.c.number, passages.c.text, passages.c.places)
        .join(passages, passages.c.result_id == jobs.c.result_id)
        .where(jobs.c.tenant == tenant, passages.c.tenant == tenant, jobs.c.removed_at.is_(None))
        .where(tuple_(jobs.c.id, passages.c.number).in_(keys))
    )
    return {
        (job_id, number): (text, tuple(map(Place.from_stored, places)))
        for job_id, number, text, places in conn.execute(query)
    }
