"""Verification: rows and stored files are compared, and what rows name in vain is read again.

After a restore from different moments, a lost write or a rule of the bucket, files may be missing, damaged or named by
no row.
"""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain

from pagemill.adapters.blobs.base import PIECE_BYTES, Blobs
from pagemill.adapters.blobs.encryption import HEADER_BYTES, read_header
from pagemill.db import cleanup, direct_uploads, results, revisions, stored_files
from pagemill.db.database import Database, Tx
from pagemill.db.stored_files import NamedFile
from pagemill.desk.deletion_log import delete_again, find_deleted
from pagemill.desk.runs import retry_in
from pagemill.desk.sweeper import SHARDS
from pagemill.errors import EncryptionKeyUnavailable, JobActive, PasswordRequired, Refused, StoredFileMissing
from pagemill.model.paths import original_key

# What was written later may belong to a row that is not committed yet.
YOUNG_SECONDS = 600.0


class FaultKind(StrEnum):
    """What can be wrong with a stored file."""

    MISSING = "missing"
    DAMAGED = "damaged"
    ORPHANED = "orphaned"
    # Not a file but a job: it was deleted after the backup that the database was restored from.
    DELETED = "deleted"


@dataclass(frozen=True, slots=True)
class StorageFault:
    """A file that is not as the rows say, and what was done about it."""

    kind: FaultKind
    key: str
    tenant: str | None = None
    job_id: str | None = None
    result_id: str | None = None
    repair: str = ""


def verify_storage(db: Database, blobs: Blobs, *, checksums: bool) -> Iterator[StorageFault]:
    """Everything that is wrong: jobs that were deleted before, files that are missing or damaged, and files without a row."""
    deleted = find_deleted(db, blobs)
    yield from (StorageFault(FaultKind.DELETED, job_id, tenant, job_id) for tenant, job_id in deleted)
    # Their files are gone, as they should be.
    expected = {job_id for _, job_id in deleted}
    named = db.read(lambda conn: [*stored_files.named_documents(conn), *stored_files.named_artifacts(conn)])
    for file in named:
        kind = None if file.job_id in expected else fault_of(blobs, file, checksums=checksums)
        if kind is not None:
            yield StorageFault(kind, file.key, file.tenant, file.job_id, file.result_id)
    yield from (StorageFault(FaultKind.ORPHANED, key) for key in find_orphans(db, blobs))


def fault_of(blobs: Blobs, file: NamedFile, *, checksums: bool) -> FaultKind | None:
    """What is wrong with one file; None if it is as it should be."""
    size_bytes = blobs.size(file.key)
    if size_bytes is None:
        return FaultKind.MISSING
    try:
        if file.size_bytes is not None and size_bytes != file.size_bytes:
            return damage_of(blobs, file.key)
        if not checksums or file.sha256 is None or hash_blob(blobs, file.key) == file.sha256:
            return None
        return damage_of(blobs, file.key)
    except StoredFileMissing:
        return FaultKind.MISSING
    except EncryptionKeyUnavailable as error:
        raise Refused(f"{error.message} Nothing was changed; give the settings of the service.") from error


def damage_of(blobs: Blobs, key: str) -> FaultKind:
    """That a file is damaged; Refused if it only can't be read because these settings have no keys."""
    with blobs.open(key) as file:
        wrapped = read_header(file.read(HEADER_BYTES))
    if wrapped is not None:
        raise Refused(
            f"Stored files are encrypted with the key {wrapped.key_id!r}, but neither PAGEMILL_ENCRYPTION_KEYS nor "
            "PAGEMILL_ENCRYPTION_KMS is set. Nothing was changed; give the settings of the service."
        )
    return FaultKind.DAMAGED


def hash_blob(blobs: Blobs, key: str) -> str:
    """The SHA-256 of a stored file."""
    digest = hashlib.sha256()
    with blobs.open(key) as file:
        while piece := file.read(PIECE_BYTES):
            digest.update(piece)
    return digest.hexdigest()


def find_orphans(db: Database, blobs: Blobs) -> Iterator[str]:
    """Files and folders that no row names, shard by shard; the sweeper removes them after PAGEMILL_ORPHAN_SECONDS."""
    before = db.read(db.now) - YOUNG_SECONDS
    for shard in (f"{number:02x}" for number in range(SHARDS)):
        yield from orphans_of_shard(db, blobs, shard, before)


def orphans_of_shard(db: Database, blobs: Blobs, shard: str, before: float) -> Iterable[str]:
    """Those of one shard that are old enough to be looked at."""

    def old(prefix: str, depth: int = 1) -> list[str]:
        found = blobs.entries(f"{prefix}/{shard}", depth)
        return [entry.key for entry in found if entry.modified_at < before]

    documents, folders = old("documents"), [*old("results", 2), *old("pages", 2)]
    images, uploads = old("images"), old("uploads")
    originals = [original_key(key) for key in documents]
    known = db.read(lambda conn: cleanup.known_documents(conn, originals))
    known_folders = db.read(lambda conn: cleanup.known_prefixes(conn, folders)) if folders else set()
    known_images = db.read(lambda conn: cleanup.known_jobs(conn, [key.rpartition("/")[2] for key in images]))
    known_uploads = db.read(lambda conn: direct_uploads.known_keys(conn, uploads))
    return chain(
        (key for key in documents if original_key(key) not in known),
        (key for key in folders if key not in known_folders),
        (key for key in images if key.rpartition("/")[2] not in known_images),
        (key for key in uploads if key not in known_uploads),
    )


def repair_fault(db: Database, fault: StorageFault) -> str:
    """Do what can be done about a fault; what that was, in words."""
    if fault.kind is FaultKind.ORPHANED:
        return "left to the sweeper"
    if fault.kind is FaultKind.DELETED:
        tenant, job_id = fault.tenant or "", fault.job_id or ""
        return db.write(lambda tx: delete_again(tx, tenant, job_id))
    if fault.result_id is None or fault.tenant is None:
        return "none: the document can't be read again; hand it in again"
    tenant, result_id = fault.tenant, fault.result_id
    return db.write(lambda tx: read_again(tx, tenant, result_id))


def read_again(tx: Tx, tenant: str, result_id: str) -> str:
    """Answer nothing more from a result, and have the jobs that point to it read their documents again."""
    result = results.one(tx.conn, tenant, result_id)
    if result is None:
        return "the result is gone"
    results.withdraw(tx, result)
    lines = []
    for job_id in stored_files.jobs_with_result(tx.conn, tenant, result_id):
        try:
            retry_in(tx, tenant, job_id, "all", None)
            lines.append(f"job {job_id} is read again")
        except JobActive:
            lines.append(f"job {job_id} is being read again already")
        except PasswordRequired:
            lines.append(f"job {job_id} needs its password to be read again")
    revisions.drop_result(tx, tenant, result_id)
    return ", ".join(lines) or "the result is not used again"
