"""Batches on either database: made once, counted right, ended once, and changed as a whole."""

from concurrent.futures import Future
from dataclasses import replace

import pytest

from pagemill.batch_end import finish_batch
from pagemill.db import batches as batch_rows
from pagemill.desk import batches, commands
from pagemill.desk.queries import tenant_events
from pagemill.errors import DatabaseUnavailable, Gone, IdempotencyKeyReused, NotFound
from pagemill.mill import DEFAULT_TENANT, Mill
from pagemill.steps.accept import (
    BatchAcceptance,
    BatchSubmission,
    NewBatchEntry,
    accept_batch,
    accept_submission,
    finish_acceptance,
    in_batch,
)
from tests.mills import submission
from tests.samples import letter


@pytest.fixture
def mill(idle_mill: Mill) -> Mill:
    """A mill that takes no work, on either database."""
    return idle_mill


def new_batch(mill: Mill, documents: int, key: str | None = None) -> BatchSubmission:
    """A batch of documents and one item that is none."""
    items = [
        NewBatchEntry(f"{number}.pdf", in_batch(submission(mill, letter(f"Dear {number},"))))
        for number in range(documents)
    ]
    refused = NewBatchEntry("x", None, {"code": "unsupported_file_type", "message": "no document"})
    return BatchSubmission(DEFAULT_TENANT, [*items, refused], "March", {"a": "b"}, 1_000.0, key)


def accept(mill: Mill, batch: BatchSubmission) -> BatchAcceptance:
    """Make the jobs of a batch."""
    return mill.db.write(lambda tx: accept_batch(tx, mill, batch))


def test_an_item_whose_job_was_deleted_is_counted_as_removed(mill: Mill) -> None:
    batch_id = accept(mill, new_batch(mill, 3)).batch_id
    first = next(one.job_id for one in batches.list_items(mill, DEFAULT_TENANT, batch_id, after=0, limit=9))
    commands.remove(mill, DEFAULT_TENANT, first or "")
    view = batches.show_batch(mill, DEFAULT_TENANT, batch_id)
    assert (view["counts"]["pending"], view["counts"]["refused"], view["counts"]["removed"]) == (2, 1, 1)
    assert sum(view["counts"].values()) == view["total"] == 4


def stored_bytes(mill: Mill, batch: BatchSubmission) -> list[int | None]:
    """How many bytes are stored of each document."""
    return [mill.blobs.size(one.upload.blob_key) for one in batch.documents()]


def test_the_documents_of_a_batch_that_is_refused_or_repeated_are_removed(mill: Mill) -> None:
    first = new_batch(mill, 2, "twice")
    made = accept_submission(mill, first)
    assert not made.replayed
    assert all(stored_bytes(mill, first))
    repeated, other = new_batch(mill, 2, "twice"), new_batch(mill, 3, "twice")
    assert accept_submission(mill, repeated).batch_id == made.batch_id
    with pytest.raises(IdempotencyKeyReused):
        accept_submission(mill, other)
    assert stored_bytes(mill, repeated) == [None] * 2
    assert stored_bytes(mill, other) == [None] * 3
    assert all(stored_bytes(mill, first))


def test_the_documents_of_a_batch_of_which_it_is_unknown_whether_it_was_made_are_kept(mill: Mill) -> None:
    batch, written = new_batch(mill, 2), Future[BatchAcceptance]()
    written.set_exception(DatabaseUnavailable())
    with pytest.raises(DatabaseUnavailable):
        finish_acceptance(mill, batch, written)
    assert all(stored_bytes(mill, batch))


def ends(mill: Mill) -> list[str]:
    """The events of batches, in order."""
    found = tenant_events(mill, DEFAULT_TENANT, cursor=None, limit=1_000, kinds=[]).events
    return [event.type.value for event in found if event.type.value.startswith("batch.")]


def test_a_batch_is_made_once_and_belongs_to_its_tenant(mill: Mill) -> None:
    asked = new_batch(mill, 3, "once")
    first, again = accept(mill, asked), accept(mill, asked)
    assert (first.replayed, again.replayed) == (False, True)
    assert (again.batch_id, again.answer, again.messages) == (first.batch_id, first.answer, ())
    with pytest.raises(IdempotencyKeyReused):
        accept(mill, replace(asked, items=asked.items[1:]))
    view = batches.show_batch(mill, DEFAULT_TENANT, first.batch_id)
    assert (view["total"], view["counts"]["pending"], view["counts"]["refused"]) == (4, 3, 1)
    with pytest.raises(NotFound):
        batches.show_batch(mill, "other", first.batch_id)
    with pytest.raises(NotFound):
        batches.cancel_batch(mill, "other", first.batch_id)


def test_the_end_of_a_batch_is_told_once_for_each_run(mill: Mill) -> None:
    batch_id = accept(mill, new_batch(mill, 2)).batch_id
    batches.finish_batches(mill)
    assert ends(mill) == ["batch.accepted"]
    assert batches.cancel_batch(mill, DEFAULT_TENANT, batch_id)["status"] == "cancelled"
    for _ in range(2):
        batches.finish_batches(mill)
    assert ends(mill) == ["batch.accepted", "batch.cancelled"]
    assert batches.retry_batch(mill, DEFAULT_TENANT, batch_id, every=False)["run"] == 2
    batches.finish_batches(mill)
    assert ends(mill) == ["batch.accepted", "batch.cancelled"]
    batches.cancel_batch(mill, DEFAULT_TENANT, batch_id)
    batches.finish_batches(mill)
    assert ends(mill)[-2:] == ["batch.cancelled", "batch.cancelled"]


def test_a_batch_that_is_cancelled_after_it_was_looked_up_ends_as_cancelled(mill: Mill) -> None:
    batch_id = accept(mill, new_batch(mill, 2)).batch_id
    before = mill.db.read(lambda conn: batches.existing_batch(conn, DEFAULT_TENANT, batch_id))
    batches.cancel_batch(mill, DEFAULT_TENANT, batch_id)
    mill.db.write(lambda tx: finish_batch(tx, before))
    assert ends(mill) == ["batch.accepted", "batch.cancelled"]


def test_a_batch_without_a_document_has_failed(mill: Mill) -> None:
    batch_id = accept(mill, new_batch(mill, 0)).batch_id
    assert batches.show_batch(mill, DEFAULT_TENANT, batch_id)["status"] == "failed"
    batches.finish_batches(mill)
    assert ends(mill) == ["batch.accepted", "batch.failed"]


def test_a_batch_that_is_over_is_finished_by_the_first_who_looks(mill: Mill) -> None:
    batch_id = accept(mill, new_batch(mill, 0, "looked at")).batch_id
    listed = batches.list_batches(mill, DEFAULT_TENANT, cursor=None, limit=1).batches[0]
    looked = batches.look_at_batch(mill, DEFAULT_TENANT, batch_id)
    assert listed["finished_at"] == looked["finished_at"] is not None
    assert ends(mill)[-2:] == ["batch.accepted", "batch.failed"]


def test_a_removed_batch_is_gone_and_an_old_one_forgotten(mill: Mill) -> None:
    asked = new_batch(mill, 2, "removed")
    batch_id = accept(mill, asked).batch_id
    batches.remove_batch(mill, DEFAULT_TENANT, batch_id)
    with pytest.raises(Gone):
        batches.show_batch(mill, DEFAULT_TENANT, batch_id)
    with pytest.raises(Gone):
        accept(mill, asked)
    later = mill.db.write(lambda tx: tx.now) + 2_000
    assert mill.db.write(lambda tx: batch_rows.forget(tx, later, 10)) == 1
    with pytest.raises(NotFound):
        batches.show_batch(mill, DEFAULT_TENANT, batch_id)
    assert not accept(mill, new_batch(mill, 2, "removed")).replayed
