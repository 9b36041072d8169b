"""The results of single items of a batch: those that were made with the document, and those that are made when asked for."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import orjson

from pagemill.desk import batches, contents, on_demand
from pagemill.desk.contents import ArtifactRef
from pagemill.errors import (
    ArtifactNotMade,
    Gone,
    JobFailed,
    JobNotFinished,
    NotFound,
    OutageError,
    PagemillError,
    StoredFileMissing,
)
from pagemill.mill import Mill
from pagemill.model.batches import BatchEntryRow, EntryError, entry_view
from pagemill.model.formats import ARTIFACT_NAMES, BY_NAME, NDJSON

ITEMS_AT_ONCE = 100
JSON = "application/json"
# What an item can be given as: what is one file, and in a line what is text or JSON.
IN_ARCHIVE = tuple(name for name in BY_NAME if name in ARTIFACT_NAMES or name in on_demand.ONE_FILE)
IN_LINES = tuple(name for name in IN_ARCHIVE if BY_NAME[name].media_type.startswith(("text/", JSON, NDJSON)))
# The item itself says so.
NO_RESULT = (Gone, JobFailed, JobNotFinished, NotFound, StoredFileMissing)


@dataclass(frozen=True, slots=True)
class EntryResult:
    """An item of a batch with what was read in it, or why that is not here."""

    entry: BatchEntryRow
    found: ArtifactRef | None
    error: EntryError | None = None

    def view(self) -> dict[str, object]:
        """The item as it is shown."""
        return {**entry_view(self.entry), **({"error": self.error} if self.error else {})}


def every_entry(mill: Mill, tenant: str, batch_id: str, form: str) -> Iterator[EntryResult]:
    """The items of a batch with their results, looked up some at a time, or made one by one."""
    after = 0
    while found := batches.list_items(mill, tenant, batch_id, after=after, limit=ITEMS_AT_ONCE):
        if form in ARTIFACT_NAMES:
            yield from stored_results(mill, tenant, found, form)
        else:
            yield from (made_result(mill, tenant, entry, form) for entry in found)
        after = found[-1].number


def stored_results(mill: Mill, tenant: str, found: list[BatchEntryRow], form: str) -> Iterator[EntryResult]:
    """Items with what was made with their documents."""
    job_ids = [entry.job_id for entry in found if entry.job_id and entry.status]
    known = contents.artifacts(mill, tenant, job_ids, form)
    for entry in found:
        yield entry_result(entry, known.get(entry.job_id or ""))


def made_result(mill: Mill, tenant: str, entry: BatchEntryRow, form: str) -> EntryResult:
    """An item with what is made of its document now, if it was not before; with the reason if it can't be."""
    if not entry.job_id or not entry.status:
        return EntryResult(entry, None)
    try:
        return EntryResult(entry, on_demand.artifact(mill, tenant, entry.job_id, form, press=mill.press))
    except NO_RESULT:
        return EntryResult(entry, None)
    except OutageError:
        raise
    except PagemillError as error:
        return EntryResult(entry, None, {"code": error.code, "message": error.message})


def entry_result(entry: BatchEntryRow, known: ArtifactRef | PagemillError | None) -> EntryResult:
    """An item with its result; none if it has none, with the reason if it was read but not in this format."""
    if isinstance(known, ArtifactNotMade):
        return EntryResult(entry, None, {"code": known.code, "message": known.message})
    return EntryResult(entry, None if isinstance(known, PagemillError) else known)


def open_result(mill: Mill, tenant: str, one: EntryResult, form: str) -> tuple[BinaryIO, int] | None:
    """The file of a result with its size; that of a newer one, or None, if the job was read again or removed meanwhile."""
    if one.found is None:
        return None
    try:
        return mill.blobs.open(one.found.key), one.found.size_bytes
    except StoredFileMissing:
        [newest] = (
            stored_results(mill, tenant, [one.entry], form)
            if form in ARTIFACT_NAMES
            else [made_result(mill, tenant, one.entry, form)]
        )
        if newest.found is None:
            return None
        return mill.blobs.open(newest.found.key), newest.found.size_bytes


def line_content(content: bytes, form: str) -> object:
    """What a file holds, as the value of a member: JSON as it is, lines of JSON as a list, and all else as text."""
    media_type = BY_NAME[form].media_type
    if media_type == NDJSON:
        return orjson.Fragment(b"[" + b",".join(line for line in content.split(b"\n") if line) + b"]")
    # The JSON has a line per page, which a line of NDJSON must not have.
    return orjson.Fragment(content.replace(b"\n", b"")) if media_type == JSON else content.decode()
