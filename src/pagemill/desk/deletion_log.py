"""The deletion log: the ids of deleted jobs, kept with the files, so that a database restored from before can delete them again.

It is in the store and not in the database, because it has to survive a restore of the database. It names no tenant and
nothing of a document.
"""

import hashlib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

from pagemill.adapters.blobs.base import Blobs
from pagemill.db import cleanup
from pagemill.db.database import Database, Tx
from pagemill.desk.commands import remove_in
from pagemill.errors import Gone, NotFound

FOLDER = "deletions"
# A digest of so many characters names an entry; one day has far fewer entries than that can name.
DIGEST_LENGTH = 32
LOOKED_UP_TOGETHER = 500


def note_deletions(db: Database, blobs: Blobs, job_ids: Sequence[str]) -> None:
    """Write removed jobs into the log before their files go; a restored database finds those that expired by itself."""
    deleted = db.read(lambda conn: cleanup.deleted_early(conn, job_ids)) if job_ids else []
    if deleted:
        log_deletions(blobs, deleted, db.read(db.now))


def log_deletions(blobs: Blobs, job_ids: Sequence[str], now: float) -> None:
    """Add an entry to the log; the same jobs again on the same day add nothing."""
    text = "".join(f"{job_id}\n" for job_id in sorted(job_ids)).encode()
    key = f"{FOLDER}/{day_of(now)}/{hashlib.sha256(text).hexdigest()[:DIGEST_LENGTH]}.txt"
    if blobs.size(key) is None:
        writer = blobs.writer(key)
        writer.write(text)
        writer.commit()


def day_of(now: float) -> str:
    """The folder of the entries of a day."""
    return datetime.fromtimestamp(now, UTC).date().isoformat()


def logged_deletions(blobs: Blobs) -> Iterator[str]:
    """The ids of all jobs in the log."""
    for entry in blobs.entries(FOLDER, 2):
        with blobs.open(entry.key) as file:
            yield from file.read().decode().split()


def drop_old_entries(blobs: Blobs, now: float, days: int) -> None:
    """Remove the entries of days that are longer ago than any backup that may be restored."""
    oldest = day_of(now - timedelta(days=days).total_seconds())
    for entry in list(blobs.entries(FOLDER)):
        if entry.key.rpartition("/")[2] < oldest:
            blobs.remove(entry.key)


def find_deleted(db: Database, blobs: Blobs) -> list[tuple[str, str]]:
    """Jobs that are in the log and that the database still has, as tenant and id: it is older than their deletion."""
    logged = sorted(set(logged_deletions(blobs)))
    some = (logged[start : start + LOOKED_UP_TOGETHER] for start in range(0, len(logged), LOOKED_UP_TOGETHER))
    return [
        one
        for job_ids in some
        for one in db.read(lambda conn, ids=job_ids: cleanup.living_jobs(conn, ids))  # type: ignore[misc]
    ]


def delete_again(tx: Tx, tenant: str, job_id: str) -> str:
    """Delete a job that was deleted before the database was restored; what was done, in words."""
    try:
        remove_in(tx, tenant, job_id)
    except (Gone, NotFound):
        return "it is gone"
    return "deleted again"
