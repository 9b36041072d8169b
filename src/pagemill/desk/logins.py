"""Log-ins with an OpenID Connect provider: each is a row among the keys, so that it expires and is revoked as these are."""

import secrets

from pagemill.db import api_keys, audit
from pagemill.db.database import Database, Tx
from pagemill.desk.tenant_keys import SECRET_BYTES, hash_key
from pagemill.model.audit import Action, AuditFacts
from pagemill.model.ids import new_id
from pagemill.model.login_rules import LoginGrant
from pagemill.model.tenants import DEFAULT_TENANT, ApiKey, Scope, granted_scopes

# The actor in the audit log where a provider has vouched for the user.
ACTOR = "log-in"


def start_login(db: Database, grant: LoginGrant, lifetime_seconds: float) -> ApiKey:
    """A new log-in row. It has no API key."""
    unknown_key = secrets.token_bytes(SECRET_BYTES)

    def write(tx: Tx) -> ApiKey:
        row = ApiKey(
            id=new_id(),
            tenant=grant.tenant,
            name=f"log-in of {grant.name}",
            created_at=tx.now,
            revoked_at=None,
            scopes=tuple(scope for scope in Scope if scope in granted_scopes([grant.scope])),
            expires_at=tx.now + lifetime_seconds,
            last_used_at=tx.now,
            subject=grant.subject,
        )
        api_keys.add(tx, row, hash_key(unknown_key))
        facts: AuditFacts = {"name": grant.name, "subject": grant.subject, "scopes": list(row.scopes)}
        audit.append(tx, row.tenant, actor=ACTOR, action=Action.LOGIN_STARTED, subject=row.id, facts=facts)
        return row

    return db.write(write)


def end_login(db: Database, key_id: str) -> bool:
    """Make the row of a log-in worthless; False if the key is none of a log-in, or was so before."""

    def write(tx: Tx) -> bool:
        row = api_keys.by_id(tx.conn, key_id)
        if row is None or row.subject is None or not api_keys.revoke(tx, key_id):
            return False
        audit.append(tx, row.tenant, actor=ACTOR, action=Action.LOGIN_ENDED, subject=key_id)
        return True

    return db.write(write)


def record_refusal(db: Database, subject: str, name: str) -> None:
    """Write down for the operator that an account was refused that the provider knows."""
    facts: AuditFacts = {"name": name}
    db.write(
        lambda tx: audit.append(
            tx, DEFAULT_TENANT, actor=ACTOR, action=Action.LOGIN_REFUSED, subject=subject, facts=facts
        )
    )
