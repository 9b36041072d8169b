"""Everything that a tenant has, in one ZIP file: its rows as JSON lines, its documents, and what was made of them."""

import os
import shutil
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import orjson
from sqlalchemy import Connection, LargeBinary, Table

from pagemill.adapters.blobs.base import Blobs
from pagemill.db import audit, erasure
from pagemill.db.database import Database
from pagemill.db.schema import api_keys, audit_log
from pagemill.desk.tenants import check_tenant
from pagemill.errors import Refused, StoredFileMissing
from pagemill.model.audit import COMMAND_LINE, Action

PIECE_BYTES = 1_048_576
DEFLATED, PRIVATE = zipfile.ZIP_DEFLATED, 0o600
# A hash of a key is no use to its owner.
SECRETS = frozenset({api_keys.c.sha256})


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of a tenant: where it is, and its name in the export."""

    key: str
    name: str


@dataclass(frozen=True, slots=True)
class TenantExport:
    """What an export holds; `missing` are files that rows name and that are not there."""

    rows: int
    files: int
    missing: tuple[str, ...]


def export_tenant(
    db: Database, blobs: Blobs, tenant: str, path: Path, actor: str = COMMAND_LINE
) -> TenantExport:
    """Write everything that a tenant has into a new ZIP file; Refused if there is one already."""
    check_tenant(db, tenant)
    try:
        with open(path, "xb", opener=open_private) as file, zipfile.ZipFile(file, "w", DEFLATED) as package:
            rows = db.read(lambda conn: write_rows(package, conn, tenant))
            missing = write_files(package, blobs, db.read(lambda conn: list(stored_files(conn, tenant))))
            files = len(package.namelist()) - len(exported_tables())
    except OSError as error:
        raise Refused(f"{path} can't be written: {error.strerror}.") from error
    action = Action.TENANT_EXPORTED
    db.write(lambda tx: audit.append(tx, tenant, actor=actor, action=action, subject=tenant))
    return TenantExport(rows, files, missing)


def open_private(path: str, flags: int) -> int:
    """Open a file readable by its owner only: it has every document of a tenant."""
    return os.open(path, flags, PRIVATE)


def exported_tables() -> list[Table]:
    """The tables whose rows are part of an export."""
    return [*erasure.tenant_tables(), api_keys, audit_log]


def write_rows(package: zipfile.ZipFile, conn: Connection, tenant: str) -> int:
    """Write the rows of a tenant, a file for each table; how many there are."""
    count = 0
    for table in exported_tables():
        shown = [str(column.name) for column in table.c if is_shown(column)]
        with package.open(f"rows/{table.name}.jsonl", "w", force_zip64=True) as file:
            for row in erasure.rows_of(conn, table, tenant):
                file.write(orjson.dumps({name: row[name] for name in shown}) + b"\n")
                count += 1
    return count


def is_shown(column: object) -> bool:
    """Whether a column is exported: bytes are encrypted secrets and copies of answers, which are not."""
    return column not in SECRETS and not isinstance(getattr(column, "type", None), LargeBinary)


def stored_files(conn: Connection, tenant: str) -> Iterator[StoredFile]:
    """The document and the artifacts of each job of a tenant that was not removed."""
    for job_id, key, filename, prefix, artifacts in erasure.files_of_jobs(conn, tenant):
        if key is not None:
            yield StoredFile(key, f"jobs/{job_id}/document/{filename or 'document'}")
        for name in artifacts or ():
            yield StoredFile(f"{prefix}/{name}", f"jobs/{job_id}/result/{name}")


def write_files(package: zipfile.ZipFile, blobs: Blobs, files: list[StoredFile]) -> tuple[str, ...]:
    """Write stored files; the names of those that are not there."""
    missing = []
    for one in files:
        try:
            with blobs.open(one.key) as source, package.open(one.name, "w", force_zip64=True) as target:
                shutil.copyfileobj(source, target, PIECE_BYTES)
        except StoredFileMissing:
            missing.append(one.name)
    return tuple(missing)
