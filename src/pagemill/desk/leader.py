"""Leader election: of all processes on a database, one frees what vanished workers held and wakes lanes whose work waits."""

import logging

from sqlalchemy import Connection

from pagemill.db import leases, ready_work
from pagemill.db.lanes import find_paused
from pagemill.desk.sweeper import Sweeper, find_silent_workers, free_lost_claims
from pagemill.desk.vector_search import embed_waiting
from pagemill.mill import DEFAULT_TENANT, Mill
from pagemill.model.liveness import SilentWorkers
from pagemill.model.messages import Message
from pagemill.model.states import Lane

log = logging.getLogger("pagemill.leader")

SWEEPER = "sweeper"
# Often, because the documents of a vanished worker wait for it: a lease and one such look make up the time to recover.
LOOKS_PER_LEASE = 4


class Leader:
    """Sweeps while it holds the lease of the sweeper; two that believe so for a moment do no harm."""

    def __init__(self, mill: Mill) -> None:
        self.mill = mill
        self.is_leading = False
        # Others upload at this very moment, so only its age shows that no one wants a file.
        self._sweeper = Sweeper(mill, orphans_before=0.0)
        self._watched = SilentWorkers(mill.settings.lease_seconds)

    @property
    def rescue_seconds(self) -> float:
        """How often to look for what is to be rescued."""
        settings = self.mill.settings
        return min(settings.lease_seconds / LOOKS_PER_LEASE, settings.sweep_seconds)

    def rescue(self) -> None:
        """Free what vanished workers held, and wake the lanes whose work waits, if this process leads."""
        self._lead()
        if not self.is_leading:
            return
        free_lost_claims(self.mill, find_silent_workers(self.mill, self._watched, self.rescue_seconds))
        self.mill.queue.send(self.mill.db.read(self._waiting))

    def sweep(self) -> None:
        """Remove what is past its time, if this process leads."""
        if self.is_leading:
            self._sweeper.clean_up()

    def embed(self) -> None:
        """Make the vectors that are missing, if this process leads."""
        if self.is_leading:
            embed_waiting(self.mill)

    def resign(self) -> None:
        """Let another lead at once."""
        if self.is_leading:
            self.is_leading = False
            self.mill.metrics.leading.set(0)
            self.mill.db.write(lambda tx: leases.release(tx, SWEEPER, self.mill.worker_id))

    def _lead(self) -> None:
        mill, led = self.mill, self.is_leading
        self.is_leading = mill.db.read(self._may_lead) and mill.db.write(
            lambda tx: leases.take(tx, DEFAULT_TENANT, SWEEPER, mill.worker_id, mill.settings.lease_seconds)
        )
        mill.metrics.leading.set(self.is_leading)
        if led != self.is_leading:
            log.info("this process %s the upkeep", "leads" if self.is_leading else "no longer leads")

    def _may_lead(self, conn: Connection) -> bool:
        return leases.is_free(conn, SWEEPER, self.mill.worker_id, self.mill.db.now(conn))

    def _waiting(self, conn: Connection) -> list[Message]:
        shut = find_paused(conn)
        lanes = [lane for lane in Lane if lane not in shut]
        return ready_work.messages(conn, lanes, self.mill.db.now(conn), ready_work.slots(conn))
