"""The rows of resumable uploads: how far each has come, moved on by the request that stored the next bytes first."""

from dataclasses import asdict, dataclass, fields

from sqlalchemy import Connection, case, delete, func, insert, select, update

from pagemill.db.database import Tx
from pagemill.db.schema import uploads

# The length of an upload whose client will say it later.
UNKNOWN_BYTES = -1


@dataclass(frozen=True, slots=True)
class ResumableUpload:
    """A document that arrives in parts; each part is a blob, and its key with its size is listed in order."""

    id: str
    tenant: str
    blob_key: str
    filename: str
    created_at: float
    expires_at: float
    size_bytes: int
    offset_bytes: int
    parts: list[str]
    metadata: str

    @property
    def is_deferred(self) -> bool:
        """Whether the client has not said yet how long it is."""
        return self.size_bytes == UNKNOWN_BYTES

    @property
    def is_complete(self) -> bool:
        """Whether all bytes are here."""
        return self.offset_bytes == self.size_bytes


ROW = select(*(uploads.c[field.name] for field in fields(ResumableUpload)))


def add(tx: Tx, upload: ResumableUpload) -> None:
    """Write down an upload of which nothing has arrived."""
    tx.conn.execute(insert(uploads), asdict(upload))


def find(conn: Connection, tenant: str, upload_id: str) -> ResumableUpload | None:
    """A resumable upload of a tenant."""
    own = (uploads.c.tenant == tenant, uploads.c.id == upload_id, uploads.c.size_bytes.is_not(None))
    row = conn.execute(ROW.where(*own)).one_or_none()
    return None if row is None else ResumableUpload(*row)


def count(conn: Connection, tenant: str, now: float) -> int:
    """How many resumable uploads of a tenant are under way."""
    own = (uploads.c.tenant == tenant, uploads.c.size_bytes.is_not(None), uploads.c.expires_at >= now)
    return conn.scalar(select(func.count()).where(*own)) or 0


def reserved_bytes(conn: Connection, tenant: str) -> int:
    """The bytes of a tenant's resumable uploads: those that they will have, or have so far if that is not known."""
    most = case(
        (uploads.c.size_bytes > uploads.c.offset_bytes, uploads.c.size_bytes), else_=uploads.c.offset_bytes
    )
    own = (uploads.c.tenant == tenant, uploads.c.size_bytes.is_not(None))
    return conn.scalar(select(func.coalesce(func.sum(most), 0)).where(*own)) or 0


def set_length(tx: Tx, upload: ResumableUpload, size_bytes: int) -> bool:
    """Note how long an upload is; False if that is known already."""
    own = (uploads.c.tenant == upload.tenant, uploads.c.id == upload.id)
    known = update(uploads).where(*own, uploads.c.size_bytes == UNKNOWN_BYTES).values(size_bytes=size_bytes)
    return tx.conn.execute(known).rowcount == 1


def advance(tx: Tx, upload: ResumableUpload, part: str, size_bytes: int, expires_at: float) -> bool:
    """Append a part. Returns False if another was appended concurrently."""
    own = (uploads.c.tenant == upload.tenant, uploads.c.id == upload.id)
    moved = (
        update(uploads)
        .where(*own, uploads.c.offset_bytes == upload.offset_bytes)
        .values(
            offset_bytes=upload.offset_bytes + size_bytes, parts=[*upload.parts, part], expires_at=expires_at
        )
    )
    return tx.conn.execute(moved).rowcount == 1


def forget(tx: Tx, tenant: str, upload_id: str) -> None:
    """Remove the row of an upload."""
    tx.conn.execute(delete(uploads).where(uploads.c.tenant == tenant, uploads.c.id == upload_id))
