"""What `pagemill admin backup`, `restore` and `verify` do."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, replace
from pathlib import Path

from pagemill.adapters.blobs.base import Blobs
from pagemill.adapters.blobs.encrypted import EncryptedBlobs
from pagemill.data_folder import keep_files_private, lock_data_folder, make_data_folder
from pagemill.db.database import Database
from pagemill.desk import admin, rotation, verification
from pagemill.desk import backup as backups
from pagemill.desk.verification import FaultKind, StorageFault
from pagemill.entrypoints.cli.admin.actions import open_database, show
from pagemill.entrypoints.configuration import settings_from
from pagemill.entrypoints.output.terminal import (
    EXIT_FAILED,
    answer,
    answer_json,
    format_count,
    format_size,
    say,
)
from pagemill.errors import Refused
from pagemill.mill import DEFAULT_TENANT
from pagemill.model.audit import Action
from pagemill.wiring import blobs_of


@contextmanager
def open_storage() -> Iterator[tuple[Database, Blobs, Path]]:
    """The database, the files and the data folder of the installation."""
    settings = settings_from()
    folder = Path(settings.data_dir).absolute()
    with open_database(settings) as db, closing(blobs_of(settings, folder)) as blobs:
        yield db, blobs, folder


def make_backup(target: Path, former: Path | None) -> int:
    """Save the installation; 1 if a file was missing."""
    refuse_shared("backup")
    keep_files_private()
    with open_storage() as (db, blobs, folder):
        made = backups.make_backup(db, blobs, folder, target.absolute(), former)
        db.write(lambda tx: admin.record(tx, DEFAULT_TENANT, Action.BACKUP_MADE, str(target)))
    answer(f"{target}: {format_count(made.files, 'file')}, {format_size(made.size_bytes)}")
    for key in made.missing:
        say(f"{key} is missing in the store; see `pagemill admin verify`")
    return EXIT_FAILED if made.missing else 0


def restore(folder: Path) -> None:
    """Put a backup into an empty data folder."""
    refuse_shared("restore")
    keep_files_private()
    settings = settings_from()
    data_folder = make_data_folder(settings.data_dir)
    with lock_data_folder(data_folder), closing(blobs_of(settings, data_folder)) as blobs:
        count = backups.restore_backup(folder.absolute(), data_folder, blobs)
    answer(f"{data_folder}: {format_count(count, 'file')} restored; the service can be started")


def refuse_shared(command: str) -> None:
    """Refused with PostgreSQL, which has its own ways."""
    if settings_from().is_shared:
        raise Refused(
            f"`pagemill admin {command}` is for the embedded database. With PostgreSQL, use its own tools: see "
            '"Backup and restore" in docs/operations.md, then run `pagemill admin verify`.'
        )


def verify(*, repair: bool, checksums: bool, as_json: bool) -> int:
    """Show what is wrong with the stored files, and repair what can be; 1 if files are missing or damaged."""
    with open_storage() as (db, blobs, _):
        found = list(verification.verify_storage(db, blobs, checksums=checksums))
        if repair:
            found = [replace(fault, repair=verification.repair_fault(db, fault)) for fault in found]
            summary = {"faults": len(found)}
            db.write(
                lambda tx: admin.record(tx, DEFAULT_TENANT, Action.STORAGE_REPAIRED, "files", {**summary})
            )
    if as_json:
        answer_json({"faults": [asdict(fault) for fault in found]})
    elif found:
        show(("FAULT", "FILE", "TENANT", "REPAIR"), [fault_row(fault) for fault in found])
    else:
        say("Every file is there and as it was stored.")
    return EXIT_FAILED if any(fault.kind is not FaultKind.ORPHANED for fault in found) else 0


def rotate(*, dry_run: bool) -> None:
    """Encrypt the files again that are not under the first key of the settings."""
    with open_storage() as (db, blobs, _):
        if not isinstance(blobs, EncryptedBlobs):
            raise Refused("Files are not encrypted: PAGEMILL_ENCRYPTION_KEYS names no key.")
        count = rotation.encrypt_all(blobs, dry_run=dry_run)
        if count and not dry_run:
            facts = {"files": count}
            db.write(
                lambda tx: admin.record(tx, DEFAULT_TENANT, Action.STORAGE_ENCRYPTED, "files", {**facts})
            )
    answer(f"{format_count(count, 'file')} {'to encrypt' if dry_run else 'encrypted with the current key'}")


def fault_row(fault: StorageFault) -> tuple[str, ...]:
    """A fault as a row of the list."""
    return fault.kind.value, fault.key, fault.tenant or "", fault.repair
