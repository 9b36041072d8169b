"""The end of a batch: found when its last job has ended, or when it is accepted and there is nothing to be read."""

from pagemill.db import batches, events
from pagemill.db.database import Tx
from pagemill.model.batches import BatchCounts, BatchRow, batch_status, counts_of_items
from pagemill.model.events import EventType, Facts
from pagemill.model.states import Status

ENDS = {
    Status.COMPLETED.value: EventType.BATCH_COMPLETED,
    Status.FAILED.value: EventType.BATCH_FAILED,
    Status.CANCELLED.value: EventType.BATCH_CANCELLED,
}


def finish_batch(tx: Tx, batch: BatchRow) -> None:
    """Note that a batch is over, once, unless a job of it runs again."""
    counts = batches.counts(tx.conn, batch)
    if not counts.active_jobs and batches.finish(tx, batch):
        # It may have been cancelled since it was looked up.
        ended = batches.find(tx.conn, batch.tenant, batch.id) or batch
        kind = ENDS[batch_status(ended, counts)]
        events.append_loose(tx, ended.tenant, kind, batch_facts(ended, counts))


def batch_facts(batch: BatchRow, counts: BatchCounts) -> Facts:
    """What the event of a batch says."""
    facts: Facts = {"batch_id": batch.id, "run": batch.run, "total": batch.total, "refused": batch.refused}
    return facts | {status: count for status, count in counts_of_items(batch, counts).items() if count}
