"""Stopping, a full disk and a locked database: nothing is counted against a document, nothing is lost, no 500."""

import os
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from bench.door import Answer
from bench.pages import padded_document, write_document
from bench.serving import Serving
from tests import samples
from tests.faults.conftest import DISK_BYTES, Serve
from tests.faults.evidence import DATABASE, asked, assert_each_completed_once
from tests.waiting import wait_for
from tests.walking import files_below

PATIENCE_SECONDS = 100.0
LOCKED_SECONDS = 4.0


@pytest.mark.slow
def test_work_that_is_interrupted_by_a_stop_is_given_back_uncounted(tmp_path: Path, serve: Serve) -> None:
    data_dir = tmp_path / "mill"
    server = serve(data_dir)
    slow = samples.trial_pages(["TRIAL:sleep:0.1"] * 40)
    with server.door() as door:
        ids = [
            str(
                door.hand_in(slow + b"\n%%%d" % n, "slow.pdf", None, providers="trial")
                .expect(202)
                .json()["id"]
            )
            for n in range(3)
        ]
        wait_for_running(data_dir)
    assert server.stop() == 0
    assert asked(data_dir, "SELECT id FROM chunks WHERE state = 'running'") == []
    assert asked(data_dir, "SELECT sum(crashes), sum(errors), sum(lost) FROM chunks") == [(0, 0, 0)]
    assert asked(data_dir, "SELECT id FROM workers") == []
    with serve(data_dir).door() as door:
        jobs = door.finished(ids, PATIENCE_SECONDS)
    assert [(job.status, job.counters.crashes, job.counters.lost) for job in jobs] == [
        ("completed", 0, 0)
    ] * 3
    assert_each_completed_once(data_dir, ids)


def wait_for_running(data_dir: Path) -> None:
    """Return as soon as some work is claimed."""
    wait_for(lambda: asked(data_dir, "SELECT id FROM chunks WHERE state = 'running'"))


@contextmanager
def locked(data_dir: Path, seconds: float) -> Iterator[None]:
    """Have another process hold the database's write lock for a while; the block runs while it does."""
    script = (
        "import sqlite3, sys, time\n"
        "database = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=10)\n"
        "database.execute('BEGIN EXCLUSIVE'); print('held', flush=True); time.sleep(float(sys.argv[2]))\n"
    )
    command = [sys.executable, "-c", script, str(data_dir / DATABASE), str(seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        yield
        holder.wait(seconds + 10)


@pytest.mark.slow
def test_a_database_locked_by_somebody_else_is_waited_for(tmp_path: Path, serve: Serve) -> None:
    data_dir = tmp_path / "mill"
    server = serve(data_dir)
    with server.door() as door:
        first = door.submit(write_document(tmp_path / "first.pdf", 130, 1))
    answers: list[Answer] = []
    with locked(data_dir, LOCKED_SECONDS):
        threads = [threading.Thread(target=ask, args=(server, first, answers, number)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(answers) == 8
    assert [answer for answer in answers if answer.status not in (200, 202, 503)] == []
    taken = [str(answer.json()["id"]) for answer in answers if answer.status == 202]
    with server.door() as door:
        jobs = door.finished([first, *taken], PATIENCE_SECONDS)
    assert [(job.status, job.counters.errors, job.counters.lost) for job in jobs] == [
        ("completed", 0, 0)
    ] * len(jobs)
    assert_each_completed_once(data_dir, [first, *taken])


def ask(server: Serving, job_id: str, answers: list[Answer], number: int) -> None:
    """Look at a job and hand in a document, and note the answers."""
    with server.door() as door:
        answers.append(door.get(f"/v1/jobs/{job_id}"))
        answers.append(door.hand_in(samples.big(2, seed=number), f"{number}.pdf"))


def free_bytes(folder: Path) -> int:
    """How much space is left."""
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize


@pytest.mark.slow
def test_an_upload_that_fills_the_disk_is_refused_and_leaves_nothing(small_disk: Path, serve: Serve) -> None:
    server = serve(small_disk / "mill", min_free_bytes=0)
    with server.door() as door:
        before = free_bytes(small_disk)
        answer = door.hand_in(iter([padded_document(1, 2 * DISK_BYTES)]), "huge.pdf")
    assert (answer.status, answer.code) == (507, "storage_full")
    assert [path for path in files_below(small_disk / "mill" / "blobs") if path.suffix == ".pdf"] == []
    assert free_bytes(small_disk) > before - 500_000
    with server.door() as door:
        job_id = door.hand_in(samples.letter(), "letter.pdf").expect(202).json()["id"]
        assert door.finished([job_id], PATIENCE_SECONDS)[0].status == "completed"


@pytest.mark.slow
def test_a_job_waits_while_the_disk_is_full_and_goes_on_when_it_is_not(
    small_disk: Path, serve: Serve
) -> None:
    data_dir, ballast = small_disk / "mill", small_disk / "ballast"
    server = serve(data_dir, min_free_bytes=0)
    slow = samples.trial_pages(["TRIAL:sleep:0.05"] * 100)
    with server.door() as door:
        job_id = str(door.hand_in(slow, "slow.pdf", None, providers="trial").expect(202).json()["id"])
        wait_for_running(data_dir)
        fill(ballast)
        time.sleep(8)
        refused = door.hand_in(samples.big(200), "later.pdf")
    ballast.unlink()
    with server.door() as door:
        job = door.finished([job_id], PATIENCE_SECONDS)[0]
    assert refused.status in (503, 507)
    assert (job.status, job.failed_pages, job.counters.errors) == ("completed", (), 0)
    with closing(sqlite3.connect(data_dir / DATABASE)) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def fill(path: Path) -> None:
    """Write until nothing more fits."""
    with path.open("wb", buffering=0) as file:
        try:
            while file.write(b"\0" * 65_536):
                continue
        except OSError:
            return
