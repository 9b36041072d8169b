"""Direct uploads: places in the store that someone may put a document to, past the service."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields

from sqlalchemy import Connection, bindparam, delete, insert, select

from pagemill.db.database import Tx
from pagemill.db.schema import uploads


@dataclass(frozen=True, slots=True)
class DirectUpload:
    """A place for one document, until its time is over."""

    id: str
    tenant: str
    blob_key: str
    filename: str
    created_at: float
    expires_at: float


ADD = insert(uploads)
COLUMNS = tuple(uploads.c[field.name] for field in fields(DirectUpload))
FIND = select(*COLUMNS).where(uploads.c.tenant == bindparam("tenant"), uploads.c.id == bindparam("id"))
EXPIRED = (
    select(*COLUMNS)
    .where(uploads.c.expires_at < bindparam("now"))
    .order_by(uploads.c.expires_at)
    .limit(bindparam("most"))
)
FORGET = delete(uploads).where(uploads.c.tenant == bindparam("of_tenant"), uploads.c.id == bindparam("of_id"))


def add(tx: Tx, upload: DirectUpload) -> None:
    """Write down a place that was given out."""
    tx.conn.execute(ADD, asdict(upload))


def find(conn: Connection, tenant: str, upload_id: str) -> DirectUpload | None:
    """A place that the tenant was given."""
    row = conn.execute(FIND, {"tenant": tenant, "id": upload_id}).one_or_none()
    return None if row is None else DirectUpload(*row)


def expired_uploads(conn: Connection, now: float, most: int) -> list[DirectUpload]:
    """Places whose time is over."""
    return [DirectUpload(*row) for row in conn.execute(EXPIRED, {"now": now, "most": most})]


def forget(tx: Tx, upload: DirectUpload) -> None:
    """Remove the row of a place."""
    tx.conn.execute(FORGET, {"of_tenant": upload.tenant, "of_id": upload.id})


def known_keys(conn: Connection, keys: Sequence[str]) -> set[str]:
    """Those of the keys that are places whose rows are there."""
    return set(conn.scalars(select(uploads.c.blob_key).where(uploads.c.blob_key.in_(keys))))
