"""Children: the jobs of the files inside of a document, and the job of the document that a file came from."""

from dataclasses import dataclass

from sqlalchemy import Connection

from pagemill.db import batches
from pagemill.desk.queries import existing_job
from pagemill.mill import Mill
from pagemill.model.batches import BatchEntryRow, BatchRow


@dataclass(frozen=True, slots=True)
class Family:
    """The batch of a job's children and some of them, and the job of its parent, as far as there are any."""

    batch: BatchRow | None
    entries: list[BatchEntryRow]
    parent_job_id: str | None


def show_family(mill: Mill, tenant: str, job_id: str, *, after: int, limit: int) -> Family:
    """The children of a job after a number, and its parent."""

    def query(conn: Connection) -> Family:
        existing_job(conn, tenant, job_id)
        above = batches.batch_of(conn, tenant, job_id)
        parent = above.parent_job_id if above else None
        below = batches.children_of(conn, tenant, job_id)
        if below is None or below.removed_at is not None:
            return Family(None, [], parent)
        return Family(below, batches.items(conn, tenant, below.id, after, limit), parent)

    return mill.db.read(query)
