"""What came of deliveries is written down, whatever became of the write before."""

from collections import deque
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any, cast

import pytest

from pagemill.db.database import Tx
from pagemill.dispatcher import RunRecorder, WriteWork
from pagemill.errors import StorageUnavailable
from pagemill.mill import Mill


class FailingWrites:
    """Takes writes; each ends with the next of the given errors, or well."""

    def __init__(self, *errors: Exception) -> None:
        self.submitted: list[WriteWork] = []
        self._errors = deque(errors)

    def submit(self, work: WriteWork) -> Future[object]:
        """Take a write and end it at once."""
        self.submitted.append(work)
        written: Future[object] = Future()
        if self._errors:
            written.set_exception(self._errors.popleft())
        else:
            written.set_result(None)
        return written


def recorder_of(db: FailingWrites, kept: deque[WriteWork]) -> RunRecorder:
    """A recorder that writes there."""
    return RunRecorder(cast(Mill, cast(Any, SimpleNamespace(db=db))), kept)


def first(_: Tx) -> None:
    """What came of a delivery."""


def second(_: Tx) -> None:
    """What came of the next one."""


def test_the_next_outcome_is_written_even_if_the_last_write_failed() -> None:
    db, kept = FailingWrites(ValueError("a bug")), deque[WriteWork]()
    recorder = recorder_of(db, kept)
    recorder.write(first)
    with pytest.raises(ValueError, match="a bug"):
        recorder.write(second)
    recorder.wait()
    assert (db.submitted, list(kept)) == ([first, second], [])


def test_what_cant_be_written_in_an_outage_is_kept() -> None:
    db, kept = FailingWrites(StorageUnavailable("away")), deque[WriteWork]()
    recorder = recorder_of(db, kept)
    recorder.write(first)
    recorder.write(second)
    recorder.wait()
    assert (db.submitted, list(kept)) == ([first, second], [first])
