"""The recorder of deliveries: what came of many of them is written by one commit, while the next ones are sent."""

import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future

from pagemill.db.database import Database, Tx
from pagemill.errors import OutageError

log = logging.getLogger("pagemill.webhooks")

WriteWork = Callable[[Tx], object]
# What is sent within that time is recorded by one commit, unless a caller waits for it.
GATHER_SECONDS = 0.05


class DeliveryRecorder:
    """Gathers writes of all senders; what can't be written in an outage is kept until `retry`."""

    def __init__(self, db: Database, gather_seconds: float = GATHER_SECONDS) -> None:
        self._db = db
        self._gather_seconds = gather_seconds
        self._works: list[WriteWork] = []
        self._kept: list[WriteWork] = []
        self._callers: list[Future[None]] = []
        self._changed = threading.Condition()
        self._stopping = False
        self._thread: threading.Thread | None = None

    def write(self, work: WriteWork) -> None:
        """Have something written in a moment."""
        with self._changed:
            self._works.append(work)
            self._wake()

    def wait(self) -> None:
        """Have everything written now, and return when it is, or when it is kept because of an outage."""
        written: Future[None] = Future()
        with self._changed:
            self._callers.append(written)
            self._wake()
        written.result()

    def retry(self) -> None:
        """Write what could not be written before; fences see to it that nothing is written twice."""
        with self._changed:
            kept, self._kept = self._kept, []
            self._works = kept + self._works
        if kept:
            self.wait()

    def stop(self) -> None:
        """Write what is left, and end."""
        with self._changed:
            self._stopping = True
            self._changed.notify()
            thread = self._thread
        if thread is not None:
            thread.join()

    def _wake(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._loop, name="pagemill-recorder", daemon=True)
            self._thread.start()
        self._changed.notify()

    def _loop(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._works or self._callers or self._stopping)
                self._changed.wait_for(lambda: self._callers or self._stopping, self._gather_seconds)
                works, self._works = self._works, []
                callers, self._callers = self._callers, []
                is_last = self._stopping
            self._write_together(works)
            for caller in callers:
                caller.set_result(None)
            if is_last:
                return

    def _write_together(self, works: Sequence[WriteWork]) -> None:
        """Write in one transaction; if that fails, each alone, so that one does not stop the others."""
        if not works:
            return
        try:
            self._db.write(lambda tx: [work(tx) for work in works])
        except OutageError as error:
            log.warning("what came of %d deliveries is written down later: %s", len(works), error.message)
            with self._changed:
                self._kept.extend(works)
        except Exception:
            if len(works) == 1:
                log.exception("what came of a delivery can't be written down")
            else:
                for work in works:
                    self._write_together([work])
