"""Expiry, tombstones, orphans and old events."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pagemill.db import api_keys, ended_sessions
from pagemill.desk.queries import job_events, show_job
from pagemill.desk.runs import retry
from pagemill.desk.sweeper import SHARDS, SHARDS_PER_SWEEP, Sweeper
from pagemill.errors import Gone, NotFound
from pagemill.mill import DEFAULT_TENANT, Mill
from pagemill.model.tenants import ApiKey
from pagemill.wiring import open_mill
from tests import samples
from tests.faults.rows import work_off
from tests.mills import hand_in, made, small_settings
from tests.walking import files_below

HOUR = 3_600.0


@pytest.fixture
def mill(tmp_path: Path) -> Iterator[Mill]:
    """A mill that works and sweeps only when the test says so."""
    settings = small_settings(
        tmp_path, tombstone_seconds=HOUR, events_seconds=HOUR, orphan_seconds=HOUR, slots=1
    )
    with open_mill(settings, workers=False) as still:
        yield still


def let_pass(mill: Mill, seconds: float) -> None:
    """Make everything in the database older."""

    def age(tx: object) -> None:
        conn = tx.conn  # type: ignore[attr-defined]
        conn.exec_driver_sql(
            "UPDATE jobs SET created_at = created_at - ?, expires_at = expires_at - ?, removed_at = removed_at - ?",
            (seconds, seconds, seconds),
        )
        conn.exec_driver_sql("UPDATE events SET at = at - ?", (seconds,))

    mill.db.write(age)


def files(mill: Mill) -> list[str]:
    """Every file in the blob store."""
    return [path.name for path in files_below(mill.settings.data_dir / "blobs")]


def sweep(mill: Mill, orphans_before: float = 0.0) -> None:
    """One round of upkeep, and a whole look for orphans."""
    sweeper = Sweeper(mill, orphans_before)
    sweeper.sweep()
    for _ in range(SHARDS // SHARDS_PER_SWEEP):
        sweeper.remove_orphans()


def test_a_job_expires_leaves_a_tombstone_and_is_forgotten(mill: Mill) -> None:
    job_id = hand_in(mill, samples.letter(), expires_in_seconds=100.0).job_id
    work_off(mill)
    sweep(mill)
    assert show_job(mill, DEFAULT_TENANT, job_id)["status"] == "completed"
    let_pass(mill, 101)
    sweep(mill)
    assert files(mill) == []
    with pytest.raises(Gone):
        show_job(mill, DEFAULT_TENANT, job_id)
    let_pass(mill, HOUR)
    sweep(mill)
    with pytest.raises(NotFound):
        show_job(mill, DEFAULT_TENANT, job_id)
    counts = mill.db.read(
        lambda conn: [
            conn.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar_one()
            for table in ("jobs", "documents", "chunks", "results", "idempotency_keys", "events")
        ]
    )
    assert counts == [0] * 6


def test_nothing_is_left_of_a_removed_job_that_failed_not_even_a_folder(mill: Mill) -> None:
    job_id = hand_in(mill, b"%PDF-1.7\nnothing", expires_in_seconds=100.0).job_id
    work_off(mill)
    assert show_job(mill, DEFAULT_TENANT, job_id)["status"] == "failed"
    let_pass(mill, 101)
    sweep(mill)
    assert list((mill.settings.data_dir / "blobs").rglob(f"*{job_id}*")) == []


def test_every_retry_of_a_job_keeps_it_as_long_as_was_asked(mill: Mill) -> None:
    job_id = hand_in(mill, samples.letter(), expires_in_seconds=100.0).job_id
    for _ in range(4):
        work_off(mill)
        let_pass(mill, 60)
        retry(mill, DEFAULT_TENANT, job_id, only="all", password=None)
    work_off(mill)
    let_pass(mill, 90)
    sweep(mill)
    assert show_job(mill, DEFAULT_TENANT, job_id)["status"] == "completed"
    let_pass(mill, 11)
    sweep(mill)
    with pytest.raises(Gone):
        show_job(mill, DEFAULT_TENANT, job_id)


def test_a_job_that_waits_can_expire_too(mill: Mill) -> None:
    job_id = hand_in(mill, samples.letter(), expires_in_seconds=100.0).job_id
    let_pass(mill, 101)
    sweep(mill)
    kinds = [event.type for event in job_events(mill, DEFAULT_TENANT, job_id, 0)]
    assert kinds == ["job.accepted", "job.cancelled", "job.removed"]
    assert files(mill) == []


def test_files_that_nothing_names_are_removed_after_a_while(mill: Mill) -> None:
    kept = hand_in(mill, samples.letter("Dear kept,")).job_id
    work_off(mill)
    before = sorted(files(mill))
    for key in (
        "documents/ab/upload.pdf",
        "results/ab/job/claim.1/document.md",
        "pages/cd/job/claim.2/pages.jsonl",
    ):
        path = mill.settings.data_dir / "blobs" / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"left behind")
    sweep(mill)
    assert len(files(mill)) == len(before) + 3
    sweep(mill, orphans_before=time.time() + 1)
    assert sorted(files(mill)) == before
    assert b"Dear kept," in made(mill, kept)


def test_a_document_that_waits_is_no_orphan(mill: Mill) -> None:
    job_id = hand_in(mill, samples.letter("Dear waiting,")).job_id
    sweep(mill, orphans_before=time.time() + 1)
    work_off(mill)
    assert b"Dear waiting," in made(mill, job_id)


def test_what_is_written_after_the_clock_was_put_back_is_no_orphan(mill: Mill) -> None:
    sweeper = Sweeper(mill, orphans_before=time.time() + HOUR - 1)
    sweeper.clock_ahead_seconds += HOUR
    arriving = mill.blobs.writer("documents/ab/upload.pdf")
    for _ in range(SHARDS // SHARDS_PER_SWEEP):
        sweeper.remove_orphans()
    arriving.commit()
    assert files(mill) == ["upload.pdf"]


def test_a_database_clock_that_leaps_ahead_makes_no_orphans_and_ends_no_sessions(
    mill: Mill, monkeypatch: pytest.MonkeyPatch
) -> None:
    mill.blobs.writer("documents/ab/upload.pdf").commit()
    expires_at = time.time() + HOUR
    mill.db.write(lambda tx: ended_sessions.end(tx, DEFAULT_TENANT, "session", expires_at))
    login = ApiKey("login", DEFAULT_TENANT, "login", 0.0, None, expires_at=expires_at, subject="someone")
    mill.db.write(lambda tx: api_keys.add(tx, login, "0" * 64))
    monkeypatch.setattr(type(mill.db), "now", lambda _db, _conn: time.time() + 1_000 * HOUR)
    sweep(mill)
    assert files(mill) == ["upload.pdf"]
    assert mill.db.read(lambda conn: ended_sessions.is_ended(conn, "session"))
    assert mill.db.read(lambda conn: api_keys.by_id(conn, "login")) == login


def test_old_events_are_forgotten(mill: Mill) -> None:
    job_id = hand_in(mill, samples.letter()).job_id
    let_pass(mill, HOUR + 1)
    sweep(mill)
    assert job_events(mill, DEFAULT_TENANT, job_id, 0) == []
