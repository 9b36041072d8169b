"""A file on its way into the mill: known from before, taken up again, or handed in."""

import hashlib
import logging
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pagemill.desk.commands import remove
from pagemill.desk.sweeper import remove_files_of
from pagemill.entrypoints.convert.done_files import DoneFile, DoneFiles, Stamp, options_key, sha256_of
from pagemill.entrypoints.convert.sources import SourceFile
from pagemill.entrypoints.output.terminal import printable_path
from pagemill.errors import RequestError, StorageUnavailable, UnsupportedFileType
from pagemill.mill import DEFAULT_TENANT, Mill
from pagemill.model.file_types import is_text
from pagemill.model.options import ReadingOptions
from pagemill.model.states import Status
from pagemill.model.views import JobView
from pagemill.steps.accept import IncomingDocument, StoredUpload, Submission, accept_submission

log = logging.getLogger("pagemill.cli")
PIECE_BYTES = 1 << 18
KEEP_SECONDS = 10 * 365 * 86_400.0


@dataclass(frozen=True, slots=True)
class ConvertOptions:
    """What is to be made of every file, and where it goes."""

    output: Path
    options: ReadingOptions
    password: str | None
    again: bool


@dataclass(frozen=True, slots=True)
class RunningJob:
    """A file that is being processed."""

    source: SourceFile
    job_id: str
    stamp: Stamp
    sha256: str


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """What became of a file; `unchanged` was done before, `skipped` is no document."""

    source: SourceFile
    status: Literal["completed", "unchanged", "skipped", "failed"]
    outputs: tuple[str, ...] = ()
    pages: int = 0
    failed_pages: tuple[int, ...] = ()
    warnings: tuple[str, ...] = ()
    code: str | None = None
    message: str | None = None


class FileSubmitter:
    """Takes files in; called from several threads."""

    def __init__(
        self, mill: Mill, wanted: ConvertOptions, done_files: DoneFiles, leftovers: Mapping[str, JobView]
    ) -> None:
        self.mill = mill
        self.wanted = wanted
        self.done_files = done_files
        self.leftovers = dict(leftovers)

    def take(self, source: SourceFile) -> RunningJob | FileOutcome:
        """Put a file to work, unless it is done or can't be taken; a bad file never raises."""
        try:
            status = source.path.stat()
            if not stat.S_ISREG(status.st_mode):
                raise UnsupportedFileType("This is not a regular file.")
            stamp = Stamp(status.st_size, status.st_mtime_ns)
            return (
                self._earlier_outcome(source, stamp)
                or self._resume(source, stamp)
                or self._submit(source, stamp)
            )
        except RequestError as error:
            if isinstance(error, UnsupportedFileType) and not source.is_expected:
                return FileOutcome(source, "skipped", message=error.message)
            return FileOutcome(source, "failed", code=error.code, message=error.message)
        except OSError as error:
            return FileOutcome(
                source, "failed", code="file_unreadable", message=f"{error.strerror or error}."
            )

    def _earlier_outcome(self, source: SourceFile, stamp: Stamp) -> FileOutcome | None:
        entry = self.done_files.entries.get(str(source.path))
        if entry is None or self.wanted.again or entry.asked != options_key(self.wanted.options):
            return None
        if not all((self.wanted.output / name).is_file() for name in entry.outputs):
            return None
        if Stamp(entry.size_bytes, entry.modified_ns) != stamp and entry.sha256 != sha256_of(source.path):
            return None
        return unchanged_outcome(source, entry)

    def _resume(self, source: SourceFile, stamp: Stamp) -> RunningJob | None:
        job = self.leftovers.pop(source_key(source.path), None)
        if job is None:
            return None
        usable = job["status"] not in (Status.FAILED, Status.CANCELLED) and not self.wanted.again
        same = usable and ReadingOptions.from_dict(job["options"]) == self.wanted.options
        if same and job["document"]["sha256"] == sha256_of(source.path):
            return RunningJob(source, job["id"], stamp, job["document"]["sha256"])
        remove_job(self.mill, job["id"])
        return None

    def _submit(self, source: SourceFile, stamp: Stamp) -> RunningJob:
        upload = store_copy(self.mill, source)
        submission = Submission(
            DEFAULT_TENANT,
            upload,
            self.wanted.options,
            {"source": source_key(source.path)},
            password=self.wanted.password,
            expires_in_seconds=KEEP_SECONDS,
            reuse=not self.wanted.again,
        )
        acceptance = accept_submission(self.mill, submission)
        return RunningJob(source, acceptance.job_id, stamp, upload.sha256)


def remove_job(mill: Mill, job_id: str) -> None:
    """Remove a job and, without waiting for the sweeper, its files: the copies of many documents take much space."""
    remove(mill, DEFAULT_TENANT, job_id)
    try:
        remove_files_of(mill.db, mill.blobs, DEFAULT_TENANT, job_id)
    except StorageUnavailable as error:
        # The sweeper may be at the same files, and comes back for what is left.
        log.debug("job=%s: its files are left to the sweeper: %s", job_id, error.message)


def source_key(path: Path) -> str:
    """What a job is known by as that of a file; a hash, because names may be made of any bytes."""
    return hashlib.sha256(os.fsencode(path)).hexdigest()


def unchanged_outcome(source: SourceFile, entry: DoneFile) -> FileOutcome:
    """The outcome of an earlier run."""
    return FileOutcome(
        source=source,
        status="unchanged",
        outputs=entry.outputs,
        pages=entry.pages,
        failed_pages=entry.failed_pages,
        warnings=entry.warnings,
    )


def store_copy(mill: Mill, source: SourceFile) -> StoredUpload:
    """A copy of the file in the mill's own store, so that nothing changes under the hands of its readers."""
    incoming = IncomingDocument(mill.blobs, mill.settings.max_file_bytes)
    incoming.filename = printable_path(source.path.name)
    try:
        with source.path.open("rb") as file:
            incoming.write_all(iter(lambda: file.read(PIECE_BYTES), b""))
        if is_text(incoming.media_type) and not source.is_expected:
            raise UnsupportedFileType(
                "Of texts in a folder, only those are read that `pagemill convert` names."
            )
        incoming.commit()
    except BaseException:
        incoming.abort()
        raise
    return incoming.stored_upload()
