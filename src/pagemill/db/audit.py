"""The audit log: a line for each act of administration, written in the transaction of the act."""

from dataclasses import fields

from sqlalchemy import Connection, delete, insert, select

from pagemill.db.database import Tx
from pagemill.db.schema import audit_log
from pagemill.model.audit import Action, AuditFacts, AuditLine

LINE = select(*(audit_log.c[field.name] for field in fields(AuditLine)))


def append(
    tx: Tx, tenant: str, *, actor: str, action: Action, subject: str, facts: AuditFacts | None = None
) -> None:
    """Write down what somebody does."""
    row = {
        "tenant": tenant,
        "at": tx.now,
        "actor": actor,
        "action": action.value,
        "subject": subject,
        "facts": facts or {},
    }
    tx.conn.execute(insert(audit_log), row)


def newest(conn: Connection, tenant: str | None, before: int | None, limit: int) -> list[AuditLine]:
    """The newest lines below an id, of one tenant or of all."""
    lines = LINE.order_by(audit_log.c.id.desc()).limit(limit)
    if tenant is not None:
        lines = lines.where(audit_log.c.tenant == tenant)
    if before is not None:
        lines = lines.where(audit_log.c.id < before)
    return [AuditLine(*row) for row in conn.execute(lines)]


def delete_older(tx: Tx, before: float) -> None:
    """Remove lines older than the given time."""
    tx.conn.execute(delete(audit_log).where(audit_log.c.at < before))
