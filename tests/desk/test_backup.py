"""Backup, restore and verification: what was saved comes back, and what is missing or damaged is found and read again."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import pytest
from cryptography.fernet import Fernet

from pagemill.adapters.blobs.local import LocalBlobs
from pagemill.desk import backup, deletion_log, verification
from pagemill.desk.commands import remove
from pagemill.desk.queries import show_job
from pagemill.desk.sweeper import Sweeper
from pagemill.desk.verification import FaultKind, StorageFault
from pagemill.errors import Gone, NotFound, Refused
from pagemill.mill import DEFAULT_TENANT, Mill
from pagemill.steps.accept import accept_submission
from pagemill.wiring import open_mill
from tests import samples
from tests.cluster.postgres import Postgres, binary
from tests.faults.rows import work_off
from tests.mills import hand_in, made, small_settings, submission

KEY = Fernet.generate_key().decode()


@pytest.fixture(scope="module")
def mill(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mill]:
    """A mill that works when the test says so."""
    settings = small_settings(tmp_path_factory.mktemp("saved"), sweep_seconds=3_600)
    with open_mill(settings, workers=False) as still:
        yield still


def save(mill: Mill, target: Path, former: Path | None = None) -> backup.Backup:
    """A backup of the mill, while it is open."""
    return backup.make_backup(mill.db, mill.blobs, mill.settings.data_dir, target, former)


def faults(mill: Mill) -> list[StorageFault]:
    """What is wrong with the files, without those that no row names."""
    found = verification.verify_storage(mill.db, mill.blobs, checksums=True)
    return [fault for fault in found if fault.kind is not FaultKind.ORPHANED]


def test_a_backup_of_a_running_mill_comes_back_with_waiting_and_finished_jobs(
    mill: Mill, tmp_path: Path
) -> None:
    done = hand_in(mill, samples.letter("Dear saved,")).job_id
    work_off(mill)
    waiting = hand_in(mill, samples.letter("Dear later,")).job_id
    first = save(mill, tmp_path / "first")
    assert (first.missing, first.files > 4) == ((), True)
    again = save(mill, tmp_path / "again", former=tmp_path / "first")
    assert again.files == first.files
    linked = next((tmp_path / "again" / "blobs" / "documents").rglob("*.pdf"))
    assert linked.stat().st_nlink == 2
    with pytest.raises(Refused, match="not there yet"):
        save(mill, tmp_path / "again")

    settings = small_settings(tmp_path / "restored", sweep_seconds=3_600)
    settings.data_dir.mkdir()
    blobs = LocalBlobs(settings.data_dir / "blobs")
    backup.restore_backup(tmp_path / "again", settings.data_dir, blobs)
    with pytest.raises(Refused, match="in use already"):
        backup.restore_backup(tmp_path / "again", settings.data_dir, blobs)
    with open_mill(settings, workers=False) as restored:
        assert made(restored, done) == made(mill, done)
        assert faults(restored) == []
        work_off(restored)
        assert b"Dear later," in made(restored, waiting)


def test_a_job_that_is_removed_while_it_is_saved_is_removed_in_the_backup(mill: Mill, tmp_path: Path) -> None:
    job_id = hand_in(mill, samples.letter("Dear removed,")).job_id
    work_off(mill)

    class RemovesMeanwhile(LocalBlobs):
        """A store whose files go while they are copied."""

        def open(self, key: str) -> BinaryIO:
            """Remove the job first."""
            with suppress(Gone):
                remove(mill, DEFAULT_TENANT, job_id)
                Sweeper(mill, 0.0).clean_up()
            return super().open(key)

    blobs = RemovesMeanwhile(mill.settings.data_dir / "blobs")
    taken = backup.make_backup(mill.db, blobs, mill.settings.data_dir, tmp_path / "taken", None)
    assert taken.missing == ()
    settings = small_settings(tmp_path / "back")
    settings.data_dir.mkdir()
    backup.restore_backup(tmp_path / "taken", settings.data_dir, LocalBlobs(settings.data_dir / "blobs"))
    with open_mill(settings, workers=False) as restored, pytest.raises(Gone):
        show_job(restored, DEFAULT_TENANT, job_id)


def test_a_damaged_or_unfinished_backup_is_not_restored(mill: Mill, tmp_path: Path) -> None:
    hand_in(mill, samples.letter("Dear damaged,"))
    save(mill, tmp_path / "taken")
    target = tmp_path / "back"
    target.mkdir()
    blobs = LocalBlobs(target / "blobs")
    document = next((tmp_path / "taken" / "blobs" / "documents").rglob("*.pdf"))
    document.write_bytes(b"%PDF-other")
    with pytest.raises(Refused, match="missing or damaged"):
        backup.restore_backup(tmp_path / "taken", target, blobs)
    (tmp_path / "taken" / "manifest.jsonl").unlink()
    with pytest.raises(Refused, match="no finished backup"):
        backup.restore_backup(tmp_path / "taken", target, blobs)
    assert not (target / "pagemill.db").exists()


def test_files_that_are_missing_damaged_or_unnamed_are_found_and_read_again(mill: Mill) -> None:
    job_id = hand_in(mill, samples.letter("Dear verified,")).job_id
    work_off(mill)
    assert faults(mill) == []
    folder = next((mill.settings.data_dir / "blobs" / "results" / job_id[-2:] / job_id).iterdir())
    (folder / "document.md").write_bytes(b"changed")
    (folder / "document.json").unlink()
    stray = mill.settings.data_dir / "blobs" / "documents" / "ab" / "stray.pdf"
    stray.parent.mkdir(exist_ok=True)
    stray.write_bytes(b"%PDF")
    os.utime(stray, (1, 1))
    found = list(verification.verify_storage(mill.db, mill.blobs, checksums=True))
    kinds = {(fault.kind, fault.key.rpartition("/")[2]) for fault in found}
    assert kinds == {
        (FaultKind.DAMAGED, "document.md"),
        (FaultKind.MISSING, "document.json"),
        (FaultKind.ORPHANED, "stray.pdf"),
    }
    said = [verification.repair_fault(mill.db, fault) for fault in found]
    assert f"job {job_id} is read again" in said
    assert f"job {job_id} is being read again already" in said
    assert "left to the sweeper" in said
    work_off(mill)
    assert faults(mill) == []
    assert b"Dear verified," in made(mill, job_id)


def test_a_document_that_is_missing_is_told(mill: Mill) -> None:
    asked = submission(mill, samples.letter("Dear lost,"))
    job_id = accept_submission(mill, replace(asked, reuse=False)).job_id
    mill.blobs.remove(asked.upload.blob_key)
    [fault] = faults(mill)
    assert (fault.kind, fault.job_id) == (FaultKind.MISSING, job_id)
    assert "hand it in again" in verification.repair_fault(mill.db, fault)
    remove(mill, DEFAULT_TENANT, job_id)


def test_the_procedure_for_a_shared_database_brings_everything_back(
    postgres_server: Postgres, tmp_path: Path
) -> None:
    """As docs/operations.md has it: the database first, then the files; restored, migrated and verified."""
    shared = {"secret_key": KEY, "sweep_seconds": 3_600, "database_url": postgres_server.new_database()}
    settings = small_settings(tmp_path / "one", blobs_url=f"file://{tmp_path}/files", **shared)
    dump = tmp_path / "dump.sql"
    with open_mill(settings, workers=False) as first:
        job_id = hand_in(first, samples.letter("Dear dump,")).job_id
        work_off(first)
        waiting = hand_in(first, samples.letter("Dear waiting,")).job_id
        regretted = hand_in(first, samples.letter("Dear regretted,")).job_id
        run_postgres("pg_dump", "--file", str(dump), str(shared["database_url"]))
        remove(first, DEFAULT_TENANT, regretted)
        Sweeper(first, 0.0).clean_up()
        later = hand_in(first, samples.letter("Dear later,")).job_id
        shutil.copytree(tmp_path / "files", tmp_path / "copied")
        original = made(first, job_id)
    fresh = postgres_server.new_database()
    run_postgres("psql", "--quiet", "--file", str(dump), fresh)
    restored = {"database_url": fresh, "blobs_url": f"file://{tmp_path}/copied"}
    with open_mill(small_settings(tmp_path / "two", **shared | restored), workers=False) as second:
        [deleted] = faults(second)
        assert (deleted.kind, deleted.job_id) == (FaultKind.DELETED, regretted)
        assert verification.repair_fault(second.db, deleted) == "deleted again"
        with pytest.raises(Gone):
            show_job(second, DEFAULT_TENANT, regretted)
        assert faults(second) == []
        with pytest.raises(NotFound):
            show_job(second, DEFAULT_TENANT, later)
        assert made(second, job_id) == original
        shutil.rmtree(tmp_path / "copied" / "results")
        [fault, *_] = faults(second)
        verification.repair_fault(second.db, fault)
        work_off(second)
        assert made(second, job_id) == original
        assert b"Dear waiting," in made(second, waiting)


def run_postgres(program: str, *arguments: str) -> None:
    """Run a program of PostgreSQL to its end."""
    subprocess.run([str(binary(program)), *arguments], check=True, capture_output=True)


def test_the_deletion_log_has_each_job_once_a_day_and_is_dropped_when_no_backup_is_that_old(
    tmp_path: Path,
) -> None:
    blobs, day = LocalBlobs(tmp_path), 86_400.0
    deletion_log.log_deletions(blobs, ["b", "a"], now=0.0)
    deletion_log.log_deletions(blobs, ["a", "b"], now=1.0)
    deletion_log.log_deletions(blobs, ["c"], now=3 * day)
    assert sorted(deletion_log.logged_deletions(blobs)) == ["a", "b", "c"]
    deletion_log.drop_old_entries(blobs, now=4 * day, days=2)
    assert list(deletion_log.logged_deletions(blobs)) == ["c"]
