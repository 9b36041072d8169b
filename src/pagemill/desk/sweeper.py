"""Upkeep: the sweeper frees what vanished workers held, and removes what is past its time. Two may run at once."""

import logging
import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from pagemill.adapters.blobs.base import Blobs
from pagemill.db import (
    api_keys,
    audit,
    batches,
    cleanup,
    deliveries,
    ended_sessions,
    events,
    jobs,
    search_index,
    webhooks,
    workers,
)
from pagemill.db.database import Database, Tx
from pagemill.desk.batches import expire_batches, finish_batches
from pagemill.desk.commands import remove_in
from pagemill.desk.deletion_log import drop_old_entries, note_deletions
from pagemill.desk.direct_uploads import expire_uploads, stray_uploads
from pagemill.desk.installation import owns_files
from pagemill.desk.search_indexing import index_waiting
from pagemill.desk.usage import count_usage, forget_usage
from pagemill.errors import Gone, NotFound, OutageError
from pagemill.failure_records import record_set_back
from pagemill.failures import set_back_for_loss
from pagemill.faultpoints import faultpoint
from pagemill.mill import Mill
from pagemill.model.liveness import SilentWorkers
from pagemill.model.messages import Message
from pagemill.model.paths import (
    images_prefix,
    original_key,
    quarantine_key,
    readable_key,
    rendered_key,
    results_folder,
)
from pagemill.model.work import Claim, ClaimHolder, SetBack
from pagemill.turn_telemetry import measure, words_of

log = logging.getLogger("pagemill.upkeep")
BATCH = 200
# A round of upkeep ends after so many, so that the rest of it comes to its turn.
BATCHES_PER_SWEEP = 10
MOST_REMOVERS = 8
# Folders this deep belong to one job; those above are shared.
FOLDER_DEPTH = 3
SHARDS = 256
COMPACT_SECONDS = 600.0
TRIM_SECONDS = 3_600.0
SHARDS_PER_SWEEP = 8


class Sweeper:
    """Does one round of upkeep at a time, and remembers how far its look for orphans has come."""

    def __init__(self, mill: Mill, orphans_before: float) -> None:
        self.mill = mill
        self.orphans_before = orphans_before
        self.clock_ahead_seconds = clock_ahead_seconds()
        # A bucket charges for every look; there, a round over all shards takes about twenty minutes.
        self._shards_per_sweep = SHARDS_PER_SWEEP if mill.blobs.is_near else 1
        self._shard = 0
        self._watched = SilentWorkers(mill.settings.lease_seconds)
        self._is_index_loose, self._compacted_at = False, -math.inf
        self._log_trimmed_at = -math.inf

    def sweep(self) -> None:
        """One round: claims, expiry, files, tombstones, old events, and a part of the look for orphans."""
        self.mill.metrics.leading.set(1)
        every_seconds = self.mill.settings.sweep_seconds
        free_lost_claims(self.mill, find_silent_workers(self.mill, self._watched, every_seconds))
        self.clean_up()

    def clean_up(self) -> None:
        """All of a round that can wait."""
        self.mill.metrics.sweeps.inc()
        finish_batches(self.mill)
        count_usage(self.mill)
        expire(self.mill)
        expire_batches(self.mill)
        expire_uploads(self.mill)
        has_removed = remove_files(self.mill)
        index_waiting(self.mill)
        delete_old_rows(self.mill)
        if self.compact_index(has_removed=has_removed) or has_removed:
            self.mill.db.scrub()
        self.remove_orphans()
        self.trim_deletion_log()

    def trim_deletion_log(self) -> None:
        """Remove old entries of the deletion log, if that is due."""
        if time.monotonic() - self._log_trimmed_at >= TRIM_SECONDS:
            self._log_trimmed_at = time.monotonic()
            now = cleanup.removal_time(self.mill.db.read(self.mill.db.now))
            drop_old_entries(self.mill.blobs, now, self.mill.settings.deletion_log_days)

    def compact_index(self, *, has_removed: bool) -> bool:
        """Have the search index forget what was removed, if that is due; it rewrites all of it, so not in every round."""
        self._is_index_loose |= has_removed
        is_due = self._is_index_loose and time.monotonic() - self._compacted_at >= COMPACT_SECONDS
        if is_due:
            self.mill.db.write(search_index.compact)
            self._is_index_loose, self._compacted_at = False, time.monotonic()
        return is_due

    def remove_orphans(self) -> int:
        """Remove files that nothing names, in the next few shards of the store, if they are this installation's."""
        if not owns_files(self.mill.blobs, self.mill.db):
            return 0
        now = cleanup.removal_time(self.mill.db.read(self.mill.db.now))
        # After the clock was put back, what is being written looks as if it had been there at the start.
        put_back_seconds = max(self.clock_ahead_seconds - clock_ahead_seconds(), 0.0)
        before = max(self.orphans_before - put_back_seconds, now - self.mill.settings.orphan_seconds)
        removed = 0
        for _ in range(self._shards_per_sweep):
            removed += remove_orphans_of(self.mill, f"{self._shard:02x}", before)
            self._shard = (self._shard + 1) % SHARDS
        return removed


def clock_ahead_seconds() -> float:
    """How far this machine's clock is ahead of the monotonic one."""
    return time.time() - time.monotonic()


def find_silent_workers(mill: Mill, watched: SilentWorkers, every_seconds: float) -> dict[str, float]:
    """Workers whose rows have not changed for a lease; the worker that looks is alive, whatever its own row says."""
    seen_at = mill.db.read(workers.times_seen)
    seen_at.pop(mill.worker_id, None)
    return watched.find(seen_at, every_seconds)


def free_lost_claims(mill: Mill, silent: Mapping[str, float]) -> None:
    """Give the work of silent workers, and of those without a row, to others.

    If a whole rack is gone that is much, so it is done in several transactions, none of which holds up others for long.
    """

    def free(tx: Tx) -> tuple[list[SetBack], list[Message]]:
        workers.remove_silent(tx, silent)
        claims = workers.unowned_claims(tx.conn)[:BATCH]
        jobs.lock_jobs(tx, [claim.job_id for claim in claims])
        lost = lose_claims(tx, mill, claims)
        deliveries.free_lost(tx)
        return [one for one, _ in lost], [message for _, messages in lost for message in messages]

    for _ in range(BATCHES_PER_SWEEP):
        lost, messages = mill.db.write(free)
        mill.metrics.lease_expiries.inc(len(lost))
        measure(mill, lost)
        mill.queue.send(messages)
        if len(lost) < BATCH:
            return


def free_everything(tx: Tx, mill: Mill) -> list[Message]:
    """Free all claims; right only for the process that holds the data folder alone."""
    everyone = [worker.id for worker in workers.everyone(tx.conn)]
    claims = [*workers.claims_of(tx.conn, everyone), *workers.unowned_claims(tx.conn)]
    for worker_id in everyone:
        workers.remove(tx, worker_id)
    deliveries.free_lost(tx)
    return [message for _, messages in lose_claims(tx, mill, claims) for message in messages]


def lose_claims(tx: Tx, mill: Mill, claims: Sequence[Claim]) -> list[tuple[SetBack, list[Message]]]:
    """Count claims whose workers vanished as lost, and make their chunks ready again."""
    holders, lost = workers.holders_of(tx.conn, claims), []
    for claim in claims:
        log.warning("its worker vanished", extra=words_of([claim]))
        set_back = set_back_for_loss(claim, mill.caps, holders.get(claim.chunk_id, ClaimHolder()))
        lost.append((set_back, record_set_back(tx, set_back)))
    return lost


def expire(mill: Mill) -> None:
    """Remove jobs whose time is over."""

    def over(tx: Tx) -> int:
        found = cleanup.expired_jobs(tx.conn, cleanup.removal_time(tx.now), BATCH)
        jobs.lock_jobs(tx, [job_id for _, job_id in found])
        for tenant, job_id in found:
            try:
                remove_in(tx, tenant, job_id)
            except (Gone, NotFound):
                log.debug("it was removed by another process", extra={"job": job_id, "tenant": tenant})
        return len(found)

    while mill.db.write(over) == BATCH:
        log.info("%d jobs have expired, and there are more", BATCH)


def remove_files(mill: Mill) -> bool:
    """Remove the files of removed jobs, then note that they are gone; after a crash it is done again. Whether there were any."""
    has_removed = False
    for _ in range(BATCHES_PER_SWEEP):
        found = mill.db.read(lambda conn: cleanup.removed_jobs_with_files(conn, BATCH))
        if not found or not has_noted(mill, [job_id for _, job_id in found]):
            break
        has_removed = True
        with ThreadPoolExecutor(removers(mill), thread_name_prefix="pagemill-remover") as threads:
            done = list(threads.map(lambda job: try_to_remove(mill, *job), found))
        if len(found) < BATCH or not all(done):
            break
    return has_removed


def removers(mill: Mill) -> int:
    """How many threads remove files: a bucket answers each request late, and others need connections to the database."""
    return 1 if mill.blobs.is_near else max(1, min(MOST_REMOVERS, mill.settings.database_connections // 2))


def try_to_remove(mill: Mill, tenant: str, job_id: str) -> bool:
    """Remove the files of one job; False if that has to be tried again later."""
    words = {"job": job_id, "tenant": tenant}
    try:
        remove_files_of(mill.db, mill.blobs, tenant, job_id)
    except NotFound:
        log.debug("already removed by another process", extra=words)
    except OutageError as error:
        log.warning("its files can't be removed yet: %s", error.message, extra=words)
        return False
    return True


def has_noted(mill: Mill, job_ids: Sequence[str]) -> bool:
    """Write jobs into the deletion log before their files go; False if that can't be done yet."""
    try:
        note_deletions(mill.db, mill.blobs, job_ids)
    except OutageError as error:
        log.warning("the files of %d removed jobs can't be removed yet: %s", len(job_ids), error.message)
        return False
    return True


def remove_files_of(db: Database, blobs: Blobs, tenant: str, job_id: str) -> None:
    """Remove the files of one removed job."""
    gone = db.write(lambda tx: cleanup.withdraw_files(tx, tenant, job_id))
    faultpoint("sweep.before_blobs")
    for prefix in (
        gone.document_key,
        readable_key(gone.document_key),
        rendered_key(gone.document_key),
        quarantine_key(gone.document_key),
        *gone.result_prefixes,
        *own_prefixes(job_id),
    ):
        blobs.remove(prefix)
    # One without a result may have left an empty folder.
    for folder in {results_folder(job_id), *(prefix.rpartition("/")[0] for prefix in gone.result_prefixes)}:
        blobs.prune(folder)
    faultpoint("sweep.after_blobs")
    db.write(lambda tx: cleanup.forget_files(tx, gone))


def own_prefixes(job_id: str) -> tuple[str, str]:
    """Where only the job itself has files."""
    return f"pages/{job_id[-2:]}/{job_id}", images_prefix(job_id)


def delete_old_rows(mill: Mill) -> None:
    """Remove tombstones and events that are past their time."""
    settings, now = mill.settings, cleanup.removal_time(mill.db.read(mill.db.now))
    while (
        mill.db.write(lambda tx: cleanup.forget_tombstones(tx, now - settings.tombstone_seconds, BATCH))
        == BATCH
    ):
        log.info("%d tombstones were removed, and there are more", BATCH)
    while mill.db.write(lambda tx: events.delete_older(tx, now - settings.events_seconds, BATCH)) == BATCH:
        log.debug("%d events were removed, and there are more", BATCH)
    mill.db.write(lambda tx: delete_old_access(tx, now, settings.audit_seconds))
    mill.db.write(lambda tx: forget_usage(tx, settings.usage_days))
    while mill.db.write(lambda tx: batches.forget(tx, now - settings.tombstone_seconds, BATCH)) == BATCH:
        log.info("%d batches were removed, and there are more", BATCH)
    while mill.db.write(lambda tx: forget_webhooks(tx, now - settings.webhook_log_seconds)):
        log.debug("old webhook deliveries were removed, and there are more")


def delete_old_access(tx: Tx, now: float, audit_seconds: float) -> None:
    """Remove old lines of the audit log, and what is known of sessions that have run out."""
    audit.delete_older(tx, now - audit_seconds)
    ended_sessions.forget(tx, now)
    api_keys.delete_ended_logins(tx, now)


def forget_webhooks(tx: Tx, before: float) -> bool:
    """Remove deliveries and addresses of jobs and batches that are past their time; whether there may be more."""
    gone = (deliveries.forget(tx, before, BATCH), webhooks.forget_owned(tx, before, BATCH))
    return BATCH in gone


def remove_orphans_of(mill: Mill, shard: str, before: float) -> int:
    """Remove the files of one shard that are old and that no row names."""
    documents = list(old_documents(mill, shard, before))
    folders = list(claim_folders(mill, shard, before))
    originals = [original_key(key) for key in documents]
    known_originals = mill.db.read(lambda conn: cleanup.known_documents(conn, originals))
    known_documents = {key for key in documents if original_key(key) in known_originals}
    known_folders = mill.db.read(lambda conn: cleanup.known_prefixes(conn, folders))
    images = old_images(mill, shard, before)
    known_images = mill.db.read(lambda conn: cleanup.known_jobs(conn, list(images)))
    without_job = [folder for job_id, folder in images.items() if job_id not in known_images]
    return (
        remove_unnamed(mill, documents, known_documents)
        + remove_unnamed(mill, folders, known_folders)
        + remove_unnamed(mill, without_job, set())
        + remove_unnamed(mill, stray_uploads(mill, shard, before), set())
    )


def old_documents(mill: Mill, shard: str, before: float) -> Iterator[str]:
    """The documents of a shard that are old enough to be looked at."""
    return (entry.key for entry in mill.blobs.entries(f"documents/{shard}") if entry.modified_at < before)


def old_images(mill: Mill, shard: str, before: float) -> dict[str, str]:
    """The folders of page images in a shard that are old enough to be looked at, by job."""
    found = (entry for entry in mill.blobs.entries(f"images/{shard}") if entry.modified_at < before)
    return {entry.key.rpartition("/")[2]: entry.key for entry in found}


def claim_folders(mill: Mill, shard: str, before: float) -> Iterator[str]:
    """The folders of claims in a shard that are old enough to be looked at."""
    for kind in ("results", "pages"):
        found = mill.blobs.entries(f"{kind}/{shard}", depth=2)
        yield from (entry.key for entry in found if entry.modified_at < before)


def remove_unnamed(mill: Mill, keys: Iterable[str], known: set[str]) -> int:
    """Remove the keys that nothing names."""
    orphans = [key for key in keys if key not in known]
    for key in orphans:
        log.info("%s belongs to nothing and is removed", key)
        mill.blobs.remove(key)
    for folder in {key.rpartition("/")[0] for key in orphans if key.count("/") >= FOLDER_DEPTH}:
        mill.blobs.prune(folder)
    return len(orphans)
