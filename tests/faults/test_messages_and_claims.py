"""Doubled, lost and late messages, stale workers and two sweepers change nothing."""

import io
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import update

from bench.pages import write
from pagemill.db import schema, workers
from pagemill.db.database import Tx
from pagemill.desk.commands import cancel, give_back_unknown_claims
from pagemill.desk.sweeper import Sweeper, expire, free_lost_claims, remove_files
from pagemill.entrypoints.worker.health import why_not_alive
from pagemill.errors import DatabaseUnavailable
from pagemill.mill import DEFAULT_TENANT, Mill
from pagemill.model.ids import new_id
from pagemill.model.jobs import Worker
from pagemill.model.liveness import STOPPED_LEASES, Pulse
from pagemill.runner import do_work, take_turn
from pagemill.wiring import open_mill
from tests.faults.rows import (
    LANES,
    artifacts,
    claimed,
    found,
    hand_in,
    job_row,
    kinds_of_events,
    recorded,
    rows,
    settings_for,
    work_off,
)
from tests.waiting import wait_for
from tests.walking import files_below

pytestmark = pytest.mark.mill

# Three chunks.
LONG_PAGES = 130


def document(pages: int, seed: int) -> bytes:
    """A good document."""
    file = io.BytesIO()
    write(file, pages, seed)
    return file.getvalue()


LETTER, BOOK = document(1, 1), document(LONG_PAGES, 2)


@pytest.fixture
def mill(tmp_path: Path) -> Iterator[Mill]:
    """A mill whose work is done by the test, turn by turn."""
    with open_mill(settings_for(tmp_path / "mill"), workers=False) as still:
        yield still


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> dict[bytes, dict[str, bytes]]:
    """What the two documents come out as when nothing goes wrong."""
    with open_mill(settings_for(tmp_path_factory.mktemp("quiet") / "mill"), workers=False) as still:
        ids = {body: hand_in(still, body)[0] for body in (LETTER, BOOK)}
        work_off(still)
        return {body: artifacts(still, job_id) for body, job_id in ids.items()}


def completions(mill: Mill, job_id: str) -> int:
    """How often the log says that a job was completed."""
    return kinds_of_events(mill, job_id).count("job.completed")


def as_vanished(mill: Mill) -> Mill:
    """The mill in the hands of a worker that was last heard of long ago."""
    ghost = replace(mill, worker_id=new_id())
    row = Worker(ghost.worker_id, DEFAULT_TENANT, "elsewhere", 1, 1, ["fast", "bulk"], 0.0, 0.0, 0.0)

    def register(tx: Tx) -> None:
        workers.register(tx, row)
        tx.conn.execute(update(schema.workers).where(schema.workers.c.id == row.id).values(seen_at=0.0))

    mill.db.write(register)
    return ghost


def both_at_once(act: Callable[[], object]) -> None:
    """Have two threads do the same thing at the same time."""
    gate, failures = threading.Barrier(2), []

    def go() -> None:
        gate.wait()
        try:
            act()
        except Exception as error:  # shown by the test's own thread
            failures.append(error)

    threads = [threading.Thread(target=go) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_doubled_messages_change_nothing(tmp_path: Path, quiet: dict[bytes, dict[str, bytes]]) -> None:
    with open_mill(settings_for(tmp_path / "mill")) as mill:
        job_id, messages = hand_in(mill, BOOK)
        mill.queue.send([*messages] * 40)

        def is_over() -> bool:
            mill.queue.send([*messages] * 5)
            return job_row(mill, job_id).is_over

        wait_for(is_over)
        assert completions(mill, job_id) == 1
        assert artifacts(mill, job_id) == quiet[BOOK]
        assert len(rows(mill)["results"]) == 1


def test_a_lost_message_only_costs_waiting_time(tmp_path: Path) -> None:
    with open_mill(settings_for(tmp_path / "mill")) as mill:
        job_id, _messages = hand_in(mill, LETTER)
        wait_for(lambda: job_row(mill, job_id).is_over)
        assert job_row(mill, job_id).status == "completed"


def test_a_late_message_finds_nothing_to_do(mill: Mill) -> None:
    _, messages = hand_in(mill, LETTER)
    work_off(mill)
    before = rows(mill)
    mill.queue.send(messages)
    assert mill.queue.wait(LANES, 1.0)
    assert not take_turn(mill, LANES, threading.Event())
    assert rows(mill) == before


@pytest.mark.parametrize("body", [LETTER, BOOK], ids=["letter", "book"])
def test_a_finding_that_is_recorded_twice_changes_nothing_the_second_time(
    mill: Mill, quiet: dict[bytes, dict[str, bytes]], body: bytes
) -> None:
    job_id, _ = hand_in(mill, body)
    while findings := found(mill):
        recorded(mill, findings)
        before = rows(mill)
        assert recorded(mill, findings) == []
        assert rows(mill) == before
    assert completions(mill, job_id) == 1
    assert artifacts(mill, job_id) == quiet[body]


@pytest.mark.parametrize("body", [LETTER, BOOK], ids=["letter", "book"])
def test_late_writes_of_workers_that_lost_their_claims_change_nothing(
    mill: Mill, quiet: dict[bytes, dict[str, bytes]], body: bytes
) -> None:
    job_id, _ = hand_in(mill, body)
    turns = 0
    while late := found(as_vanished(mill)):
        free_lost_claims(mill, silent_workers(mill))
        freed = rows(mill)
        assert recorded(mill, late) == [], "the claim is free but not the ghost's any more"
        assert rows(mill) == freed
        recorded(mill, found(mill))
        done = rows(mill)
        assert recorded(mill, late) == [], "somebody else has done it"
        assert rows(mill) == done
        turns += 1
    job = job_row(mill, job_id)
    assert (job.status, job.lost, job.crashes, job.errors) == ("completed", turns, 0, 0)
    assert completions(mill, job_id) == 1
    assert artifacts(mill, job_id) == quiet[body]


def test_a_late_write_after_a_cancel_changes_nothing(mill: Mill) -> None:
    job_id, _ = hand_in(mill, BOOK)
    recorded(mill, found(mill))
    late = found(mill)
    assert late
    cancel(mill, DEFAULT_TENANT, job_id)
    before = rows(mill)
    assert recorded(mill, late) == []
    assert rows(mill) == before
    assert claimed(mill) == []
    assert kinds_of_events(mill, job_id)[-1] == "job.cancelled"


def test_a_claim_that_its_worker_does_not_know_is_given_back_uncounted(mill: Mill) -> None:
    job_id, _ = hand_in(mill, LETTER)
    impatient = replace(mill, settings=mill.settings.model_copy(update={"lease_seconds": 0.0}))
    [claim] = claimed(mill)
    impatient.under_way.begin([claim.key])
    assert give_back_unknown_claims(impatient) == 0
    impatient.under_way.end([claim.key])
    assert give_back_unknown_claims(impatient) == 1
    assert recorded(mill, do_work(mill, [claim])) == []
    work_off(mill)
    job = job_row(mill, job_id)
    assert (job.status, job.lost, job.crashes, job.errors) == ("completed", 0, 0, 0)


def test_a_worker_without_a_heartbeat_claims_nothing(mill: Mill) -> None:
    job_id, _ = hand_in(mill, LETTER)
    now = [0.0]
    silent = replace(mill, pulse=Pulse(lambda: now[0]))
    silent.pulse.note_try()
    now[0] = mill.settings.lease_seconds + 1
    with pytest.raises(DatabaseUnavailable):
        take_turn(silent, LANES, threading.Event())
    assert why_not_alive(silent) == [], "its database may be slow to answer"
    now[0] = STOPPED_LEASES * mill.settings.lease_seconds + 1
    assert why_not_alive(silent) == ["heartbeat_stopped"]
    silent.pulse.note_success()
    work_off(silent)
    assert job_row(mill, job_id).status == "completed"


def silent_workers(mill: Mill) -> dict[str, float]:
    """All workers but the one of a mill, as if they had been silent for a lease."""
    seen_at = mill.db.read(workers.times_seen)
    return {worker: at for worker, at in seen_at.items() if worker != mill.worker_id}


def test_two_sweepers_free_a_lost_claim_once(mill: Mill) -> None:
    ids = [hand_in(mill, LETTER)[0] for _ in range(5)]
    assert len(claimed(as_vanished(mill))) == 5
    both_at_once(lambda: free_lost_claims(mill, silent_workers(mill)))
    assert [job_row(mill, job_id).lost for job_id in ids] == [1] * 5
    work_off(mill)
    assert [completions(mill, job_id) for job_id in ids] == [1] * 5


def test_two_sweepers_remove_an_expired_job_once(mill: Mill) -> None:
    ids = [hand_in(mill, LETTER)[0] for _ in range(5)]
    work_off(mill)
    mill.db.write(lambda tx: tx.conn.execute(update(schema.jobs).values(expires_at=1.0)))
    both_at_once(lambda: expire(mill))
    both_at_once(lambda: remove_files(mill))
    assert [kinds_of_events(mill, job_id).count("job.removed") for job_id in ids] == [1] * 5
    left = rows(mill)
    assert left["results"] == []
    assert left["chunks"] == []
    assert files_of(mill) == []


def test_two_sweepers_agree_on_what_belongs_to_nothing(mill: Mill) -> None:
    job_id, _ = hand_in(mill, LETTER)
    work_off(mill)
    kept = artifacts(mill, job_id)
    orphan = mill.blobs.writer("documents/00/orphan.pdf")
    orphan.write(LETTER)
    orphan.commit()
    sweeper = Sweeper(mill, orphans_before=time.time() + 60)
    both_at_once(lambda: [sweeper.remove_orphans() for _ in range(40)])
    assert mill.blobs.size("documents/00/orphan.pdf") is None
    assert artifacts(mill, job_id) == kept


def files_of(mill: Mill) -> list[str]:
    """All files in the blob store."""
    root = mill.settings.data_dir / "blobs"
    return [str(path.relative_to(root)) for path in files_below(root)]
