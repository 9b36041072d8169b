"""The rows of documents that tenants have labelled with classes."""

from sqlalchemy import Connection, delete, func, insert, select

from pagemill.db.database import Tx
from pagemill.db.understanding_tables import class_examples as rows
from pagemill.model.labelled_classes import Features, LabelledExample


def all_examples(conn: Connection, tenant: str) -> list[LabelledExample]:
    """Every example of a tenant, in the order of class and job."""
    query = select(rows.c.name, rows.c.job_id, rows.c.features).where(rows.c.tenant == tenant)
    found = conn.execute(query.order_by(rows.c.name, rows.c.job_id))
    return [LabelledExample(name, job_id, features) for name, job_id, features in found]


def examples_of(conn: Connection, tenant: str, name: str) -> list[tuple[str, float]]:
    """The jobs that are examples of a class, with when they were labelled, oldest first."""
    query = select(rows.c.job_id, rows.c.created_at).where(rows.c.tenant == tenant, rows.c.name == name)
    found = conn.execute(query.order_by(rows.c.created_at, rows.c.job_id))
    return [(job_id, created_at) for job_id, created_at in found]


def count_by_class(conn: Connection, tenant: str) -> dict[str, int]:
    """How many examples each class of a tenant has."""
    query = select(rows.c.name, func.count()).where(rows.c.tenant == tenant).group_by(rows.c.name)
    return {row[0]: row[1] for row in conn.execute(query.order_by(rows.c.name))}


def put(tx: Tx, tenant: str, name: str, job_id: str, features: Features) -> None:
    """Make a job an example of a class, and of no other."""
    remove_job(tx, tenant, job_id)
    tx.conn.execute(
        insert(rows),
        {
            "job_id": job_id,
            "tenant": tenant,
            "name": name,
            "features": [list(one) for one in features],
            "created_at": tx.now,
        },
    )


def remove_job(tx: Tx, tenant: str, job_id: str, name: str | None = None) -> int:
    """Remove the example that a job is, of any class or of the named one; how many were removed."""
    own = [rows.c.job_id == job_id, rows.c.tenant == tenant]
    if name is not None:
        own.append(rows.c.name == name)
    return tx.conn.execute(delete(rows).where(*own)).rowcount


def remove_class(tx: Tx, tenant: str, name: str) -> int:
    """Remove every example of a class; how many."""
    return tx.conn.execute(delete(rows).where(rows.c.tenant == tenant, rows.c.name == name)).rowcount
