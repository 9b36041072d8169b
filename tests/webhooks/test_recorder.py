"""What came of deliveries is written down together, whatever became of one of them or of the write before."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast

from pagemill.db.database import Database, Tx
from pagemill.delivery_recorder import DeliveryRecorder
from pagemill.errors import StorageUnavailable
from tests.waiting import wait_for

LONG_SECONDS = 600.0


class CountedWrites:
    """Takes writes; counts them, and refuses as many as it is told to."""

    def __init__(self, refusals: int = 0) -> None:
        self.count = 0
        self._refusals = refusals

    def write(self, work: Callable[[Tx], object]) -> object:
        """Do a write at once, or refuse it."""
        self.count += 1
        if self.count <= self._refusals:
            raise StorageUnavailable("away")
        return work(cast(Tx, None))


@contextmanager
def recording(db: CountedWrites) -> Iterator[DeliveryRecorder]:
    """A recorder that writes there, when it is asked to and not before."""
    recorder = DeliveryRecorder(cast(Database, cast(Any, db)), LONG_SECONDS)
    try:
        yield recorder
    finally:
        recorder.stop()


def test_outcomes_that_come_within_a_moment_are_written_by_one_commit_in_their_order() -> None:
    db, written = CountedWrites(), list[int]()
    with recording(db) as recorder:
        for number in range(5):
            recorder.write(lambda _, number=number: written.append(number))  # type: ignore[misc]
        recorder.wait()
        assert (db.count, written) == (1, [0, 1, 2, 3, 4])


def test_outcomes_are_written_in_a_moment_although_nobody_waits_for_them() -> None:
    db, written = CountedWrites(), list[int]()
    recorder = DeliveryRecorder(cast(Database, cast(Any, db)), 0.0)
    recorder.write(lambda _: written.append(1))
    wait_for(lambda: written == [1])
    recorder.stop()


def test_one_outcome_that_cant_be_written_does_not_stop_the_others() -> None:
    db, written = CountedWrites(), list[int]()

    def fail(_: Tx) -> None:
        raise ValueError("a bug")

    with recording(db) as recorder:
        recorder.write(fail)
        recorder.write(lambda _: written.append(2))
        recorder.wait()
        assert written == [2]


def test_what_cant_be_written_in_an_outage_is_kept_and_written_before_what_came_later() -> None:
    db, written = CountedWrites(refusals=1), list[int]()
    with recording(db) as recorder:
        recorder.write(lambda _: written.append(1))
        recorder.wait()
        assert written == []
        recorder.write(lambda _: written.append(2))
        recorder.retry()
        assert written == [1, 2]


def test_what_is_left_is_written_before_the_end() -> None:
    db, written = CountedWrites(), list[int]()
    with recording(db) as recorder:
        recorder.write(lambda _: written.append(1))
    assert written == [1]
