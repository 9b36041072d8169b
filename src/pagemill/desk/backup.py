"""Backup and restore of an embedded installation: the database as it was at one moment, and every file that it names.

The database is copied first. Files are written before the row that names them and never changed, so that all of them
are there afterwards, but for those of jobs that were removed meanwhile: these are removed in the copy, too.
"""

import hashlib
import os
import shutil
import sqlite3
from collections.abc import Iterable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import orjson
from sqlalchemy import Connection

from pagemill.adapters.blobs.base import PIECE_BYTES, Blobs, store_file
from pagemill.db import stored_files
from pagemill.db.database import Database
from pagemill.db.sqlite import SqliteDatabase
from pagemill.db.stored_files import NamedFile
from pagemill.desk.commands import remove_in
from pagemill.errors import Gone, NotFound, Refused, StoredFileMissing

DATABASE, SECRET_KEY, FILES, MANIFEST = "pagemill.db", "secret.key", "blobs", "manifest.jsonl"


@dataclass(frozen=True, slots=True)
class SavedFile:
    """A file of a backup, as its manifest has it."""

    path: str
    size_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Backup:
    """What was saved; `missing` are files that rows name and that the store does not have."""

    files: int
    size_bytes: int
    missing: tuple[str, ...]


def make_backup(db: Database, blobs: Blobs, data_folder: Path, target: Path, former: Path | None) -> Backup:
    """Save an installation into a new folder, beside the service that uses it.

    Files that a former backup has are linked and not copied again.
    """
    begin_folder(target)
    copy_database(data_folder / DATABASE, target / DATABASE)
    saved, missing = [], []
    with closing(SqliteDatabase(target / DATABASE)) as copy:
        for file in named_files(copy):
            try:
                saved.append(save_file(blobs, file, target / FILES / file.key, linkable(former, file)))
            except StoredFileMissing:
                if not file.is_optional and not remove_if_removed(db, copy, file):
                    missing.append(file.key)
        copy.scrub()
    if (data_folder / SECRET_KEY).exists():
        shutil.copyfile(data_folder / SECRET_KEY, target / SECRET_KEY)
    write_manifest(target, saved)
    return Backup(len(saved), sum(file.size_bytes for file in saved), tuple(missing))


def begin_folder(target: Path) -> None:
    """A new folder for a backup; Refused if there is one already."""
    try:
        target.mkdir(parents=True, mode=0o700)
    except OSError as error:
        raise Refused(
            f"The folder {target} can't be made: {error.strerror}. Name one that is not there yet."
        ) from error


def copy_database(source: Path, target: Path) -> None:
    """Copy a SQLite database as it is at one moment, while others use it."""
    with closing(sqlite3.connect(source)) as live, closing(sqlite3.connect(target)) as copy:
        live.backup(copy)


def named_files(copy: Database) -> list[NamedFile]:
    """Every file that the rows of a database name, each once."""

    def query(conn: Connection) -> dict[str, NamedFile]:
        kinds = (
            stored_files.page_files,
            stored_files.upload_parts,
            stored_files.named_documents,
            stored_files.named_artifacts,
        )
        return {file.key: file for kind in kinds for file in kind(conn)}

    return list(copy.read(query).values())


def linkable(former: Path | None, file: NamedFile) -> Path | None:
    """The same file in a former backup; keys are written once, so that one of the same size is the same."""
    path = former / FILES / file.key if former is not None else None
    return path if path is not None and path.is_file() else None


def save_file(blobs: Blobs, file: NamedFile, target: Path, former: Path | None) -> SavedFile:
    """Copy one file, or link it to a former copy; StoredFileMissing if it is not there."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if former is not None and former.stat().st_size == blobs.size(file.key):
        with suppress(OSError):
            os.link(former, target)
    if not target.exists():
        with blobs.open(file.key) as source:
            copy_to(source, target)
    return describe_file(target, f"{FILES}/{file.key}")


def copy_to(source: BinaryIO, target: Path) -> None:
    """Write a new file that a power cut can't undo."""
    with target.open("xb") as file:
        shutil.copyfileobj(source, file, PIECE_BYTES)
        file.flush()
        os.fsync(file.fileno())


def describe_file(path: Path, name: str) -> SavedFile:
    """A file with its size and checksum."""
    with path.open("rb") as file:
        return SavedFile(name, path.stat().st_size, hashlib.file_digest(file, "sha256").hexdigest())


def remove_if_removed(db: Database, copy: Database, file: NamedFile) -> bool:
    """Remove a job in the copy if it was removed in the installation meanwhile; whether that was so."""
    if db.read(lambda conn: stored_files.is_named(conn, file)):
        return False
    for job_id in copy.read(lambda conn: stored_files.jobs_with_file(conn, file)):
        with suppress(Gone, NotFound):
            copy.write(lambda tx, job_id=job_id: remove_in(tx, file.tenant, job_id))  # type: ignore[misc]
    return True


def write_manifest(target: Path, saved: Iterable[SavedFile]) -> None:
    """List every file with its checksum; written last, so that a backup without it is known to be unfinished."""
    own = [describe_file(target / name, name) for name in (DATABASE, SECRET_KEY) if (target / name).exists()]
    lines = [orjson.dumps(file) for file in (*own, *saved)]
    unfinished = target / f"{MANIFEST}.new"
    with unfinished.open("wb") as file:
        file.write(b"\n".join(lines) + b"\n")
        file.flush()
        os.fsync(file.fileno())
    unfinished.rename(target / MANIFEST)


def read_manifest(folder: Path) -> list[SavedFile]:
    """The files of a backup; Refused if it is none or was not finished."""
    try:
        lines = (folder / MANIFEST).read_bytes().splitlines()
    except OSError as error:
        raise Refused(f"{folder} is no finished backup: it has no {MANIFEST}.") from error
    return [SavedFile(**orjson.loads(line)) for line in lines]


def check_backup(folder: Path) -> list[SavedFile]:
    """The files of a backup, each compared with its checksum; Refused if one is missing or damaged."""
    saved = read_manifest(folder)
    for file in saved:
        path = folder / file.path
        if not path.is_file() or describe_file(path, file.path) != file:
            raise Refused(f"{file.path} of the backup is missing or damaged. Take another backup.")
    return saved


def restore_backup(folder: Path, data_folder: Path, blobs: Blobs) -> int:
    """Put a backup into a data folder without a database, files first; how many files. The caller holds the folder's lock."""
    if any((data_folder / name).exists() for name in (DATABASE, SECRET_KEY)):
        raise Refused(f"{data_folder} is in use already. Restore into an empty folder (PAGEMILL_DATA_DIR).")
    if not blobs.is_empty("documents"):
        raise Refused("There are documents in the store already. Restore into an empty one.")
    saved = check_backup(folder)
    for file in saved:
        if file.path.startswith(f"{FILES}/"):
            put_back(folder / file.path, blobs, file.path.removeprefix(f"{FILES}/"))
    for name in (SECRET_KEY, DATABASE):
        if (folder / name).exists():
            with (folder / name).open("rb") as source:
                copy_to(source, data_folder / name)
    return len(saved)


def put_back(path: Path, blobs: Blobs, key: str) -> None:
    """Store one file of a backup under its key."""
    with path.open("rb") as source:
        store_file(blobs.writer(key), source)
