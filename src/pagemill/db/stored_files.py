"""Which files the rows name: asked by what verifies the store and by what copies it."""

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import Connection, or_, select

from pagemill.db.cleanup import is_used
from pagemill.db.schema import LIVING, chunks, documents, jobs, results, uploads
from pagemill.model.states import ChunkState
from pagemill.model.visits import PAGES_FILE

# A document in which something was found is in quarantine, or gone.
INFECTED = "malware_detected"


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A file that a row names, and what is known of its bytes."""

    tenant: str
    key: str
    size_bytes: int | None
    sha256: str | None
    job_id: str | None = None
    result_id: str | None = None
    # Pages that were read are not kept after every join.
    is_optional: bool = False


def named_documents(conn: Connection) -> Iterator[NamedFile]:
    """The documents of jobs that were not removed; those that are yet to be fetched have none."""
    query = (
        select(documents, jobs.c.id.label("job_id"), jobs.c.error)
        .join(jobs, jobs.c.document_id == documents.c.id)
        .where(LIVING, documents.c.sha256 != "")
        .order_by(jobs.c.id)
    )
    for row in conn.execute(query):
        if (row.error or {}).get("code") != INFECTED:
            yield NamedFile(row.tenant, row.blob_key, row.size_bytes, row.sha256, job_id=row.job_id)


def named_artifacts(conn: Connection) -> Iterator[NamedFile]:
    """The artifacts of results that a job uses, or that the next equal document would be given."""
    query = select(results).where(or_(results.c.complete, is_used())).order_by(results.c.id)
    for row in conn.execute(query):
        for name, made in row.artifacts.items():
            key, known = f"{row.prefix}/{name}", (made["size_bytes"], made["sha256"])
            yield NamedFile(row.tenant, key, *known, result_id=row.id)


def page_files(conn: Connection) -> Iterator[NamedFile]:
    """The pages that were read for jobs that were not removed; a retry takes them over."""
    done = (chunks.c.state == ChunkState.DONE.value, chunks.c.output.is_not(None), LIVING)
    query = select(chunks.c.tenant, chunks.c.job_id, chunks.c.output).join(jobs, jobs.c.id == chunks.c.job_id)
    for tenant, job_id, output in conn.execute(query.where(*done)):
        yield NamedFile(tenant, f"{output}/{PAGES_FILE}", None, None, job_id=job_id, is_optional=True)


def upload_parts(conn: Connection) -> Iterator[NamedFile]:
    """What has arrived of uploads that were not handed in."""
    for row in conn.execute(select(uploads)):
        for key in row.parts or ():
            yield NamedFile(row.tenant, key, None, None)


def is_named(conn: Connection, file: NamedFile) -> bool:
    """Whether a row still names a file."""
    if file.result_id is None:
        return bool(jobs_with_file(conn, file))
    own = (results.c.id == file.result_id, results.c.tenant == file.tenant)
    query = select(results.c.id).where(*own, or_(results.c.complete, is_used()))
    return conn.execute(query).first() is not None


def jobs_with_file(conn: Connection, file: NamedFile) -> list[str]:
    """The jobs that were not removed and whose document or result a file is."""
    own = jobs.c.id == file.job_id if file.result_id is None else jobs.c.result_id == file.result_id
    return list(conn.scalars(select(jobs.c.id).where(jobs.c.tenant == file.tenant, own, LIVING)))


def jobs_with_result(conn: Connection, tenant: str, result_id: str) -> list[str]:
    """The jobs that were not removed and point to a result."""
    own = (jobs.c.tenant == tenant, jobs.c.result_id == result_id)
    return list(conn.scalars(select(jobs.c.id).where(*own, LIVING)))
