"""Tenants as a whole: their limits, and the erasure of everything that they have."""

import logging
from contextlib import suppress
from dataclasses import dataclass

from pagemill.adapters.blobs.base import Blobs
from pagemill.db import api_keys, audit, erasure, search_index, tenant_limits
from pagemill.db.database import Database, Tx
from pagemill.desk.commands import remove_in
from pagemill.desk.deletion_log import note_deletions
from pagemill.desk.sweeper import remove_files_of
from pagemill.desk.tenant_keys import revoke_in
from pagemill.errors import Gone, NotFound, Refused
from pagemill.model.audit import COMMAND_LINE, Action, AuditFacts
from pagemill.model.tenant_limits import TenantOverride

log = logging.getLogger("pagemill.tenants")
JOBS_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class ErasedTenant:
    """What was deleted of a tenant."""

    tenant: str
    jobs: int
    rows: dict[str, int]


def list_tenants(db: Database) -> list[TenantOverride]:
    """The tenants that have keys, documents or limits of their own, each with what differs for it."""
    names, overrides = db.read(erasure.tenants), db.read(tenant_limits.everyone)
    known = {one.tenant: one for one in overrides}
    return [known.get(name, TenantOverride(name)) for name in names]


def check_tenant(db: Database, tenant: str) -> None:
    """Refused if there is no such tenant."""
    if tenant not in db.read(erasure.tenants):
        raise Refused(
            f"There is no tenant {tenant}. `pagemill admin tenants list` shows those that there are."
        )


def change_limits(db: Database, override: TenantOverride, actor: str = COMMAND_LINE) -> int:
    """Replace what differs for a tenant; how many of its jobs are kept for a shorter time now."""

    def write(tx: Tx) -> int:
        tenant_limits.replace(tx, override)
        facts: AuditFacts = {**override.changes()}
        audit.append(
            tx,
            override.tenant,
            actor=actor,
            action=Action.TENANT_CHANGED,
            subject=override.tenant,
            facts=facts,
        )
        if override.retention_seconds is None:
            return 0
        return tenant_limits.shorten_expiry(tx, override.tenant, override.retention_seconds)

    return db.write(write)


def delete_tenant(db: Database, blobs: Blobs, tenant: str, actor: str = COMMAND_LINE) -> ErasedTenant:
    """Delete everything that a tenant has; after a crash it is done again from where it was.

    Its keys are revoked first, so that nothing is added meanwhile. The audit log keeps its lines.
    """
    check_tenant(db, tenant)
    db.write(lambda tx: revoke_keys(tx, tenant, actor))
    jobs = remove_all_jobs(db, blobs, tenant)
    for key in db.read(lambda conn: erasure.upload_keys(conn, tenant)):
        blobs.remove(key)

    def delete(tx: Tx) -> dict[str, int]:
        rows = erasure.delete_tenant_rows(tx, tenant)
        facts: AuditFacts = {"jobs": jobs}
        audit.append(tx, tenant, actor=actor, action=Action.TENANT_DELETED, subject=tenant, facts=facts)
        return rows

    rows = db.write(delete)
    db.write(search_index.compact)
    db.scrub()
    return ErasedTenant(tenant, jobs, rows)


def revoke_keys(tx: Tx, tenant: str, actor: str) -> None:
    """Make all keys of a tenant worthless."""
    for key in api_keys.of_tenant(tx.conn, tenant):
        revoke_in(tx, key, actor)


def remove_all_jobs(db: Database, blobs: Blobs, tenant: str) -> int:
    """Remove all jobs of a tenant with their files, a few at a time; how many there were."""
    count = 0
    while living := db.read(lambda conn: erasure.living_jobs(conn, tenant, JOBS_AT_ONCE)):
        db.write(lambda tx, some=living: remove_some(tx, tenant, some))  # type: ignore[misc]
        count += len(living)
    while unswept := db.read(lambda conn: erasure.unswept_jobs(conn, tenant, JOBS_AT_ONCE)):
        note_deletions(db, blobs, unswept)
        for job_id in unswept:
            with suppress(NotFound):  # the sweeper may be at it, too
                remove_files_of(db, blobs, tenant, job_id)
        log.info("the files of %d jobs are removed", len(unswept))
    return count


def remove_some(tx: Tx, tenant: str, job_ids: list[str]) -> None:
    """Remove jobs; those that somebody else has removed meanwhile are left."""
    for job_id in job_ids:
        with suppress(Gone, NotFound):
            remove_in(tx, tenant, job_id)
