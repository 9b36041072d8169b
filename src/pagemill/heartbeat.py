"""The heartbeat of a worker: the row that says that it is alive, what it runs, and what keeps it from working."""

import logging
import math
import os
import socket
import time
from collections.abc import Sequence
from dataclasses import replace

import pagemill
from pagemill.db import workers as worker_rows
from pagemill.desk.commands import give_back_unknown_claims
from pagemill.desk.engine_changes import restart_abandoned_runs
from pagemill.faultpoints import faultpoint
from pagemill.mill import DEFAULT_TENANT, Mill
from pagemill.model.jobs import Worker
from pagemill.model.states import Lane
from pagemill.reading.enricher import enricher_entries, enricher_names
from pagemill.reading.providers.installed import engine_entries, every_provider

log = logging.getLogger("pagemill.heartbeat")


def worker_row(mill: Mill, lanes: Sequence[Lane]) -> Worker:
    """The row of this process."""
    host, slots = socket.gethostname(), mill.settings.slots
    names = [lane.value for lane in lanes]
    return Worker(
        id=mill.worker_id,
        tenant=DEFAULT_TENANT,
        host=host,
        pid=os.getpid(),
        slots=slots,
        lanes=names,
        started_at=0,
        seen_at=0,
        pages_per_second=0,
        version=pagemill.__version__,
        engines=worker_engines(mill),
    )


def worker_engines(mill: Mill) -> list[str]:
    """All that a chunk may need and this process has: providers, LibreOffice and enrichers from packages."""
    providers = engine_entries(tuple(one.name for one in every_provider()))
    return [*providers, *mill.renderer_entries(), *enricher_entries(enricher_names())]


class Heartbeat:
    """Says that this worker is alive; one whose row was taken away starts with a new one, and drains on if it did."""

    def __init__(self, mill: Mill, row: Worker) -> None:
        self._mill = mill
        self._row = row
        self._fleet_at = -math.inf

    def beat(self) -> None:
        """Write one heartbeat."""
        mill, speed = self._mill, self._mill.metrics.pages_per_second()
        mill.pulse.note_try()
        faultpoint("heartbeat.before_write")
        trouble = mill.backoff.reason
        draining = mill.db.write(lambda tx: worker_rows.renew(tx, mill.worker_id, speed, trouble))
        if draining is None:
            log.warning("the row of this worker was gone; its claims were given to others")
            mill.db.write(lambda tx: worker_rows.register(tx, self._row))
        else:
            self._row = replace(self._row, draining=draining)
        mill.pulse.note_success()
        give_back_unknown_claims(mill)
        self._look_at_fleet()

    def _look_at_fleet(self) -> None:
        """Now and then, see what the other workers can read, and begin runs again that none of them can go on with."""
        mill = self._mill
        if time.monotonic() - self._fleet_at >= mill.settings.lease_seconds:
            self._fleet_at = time.monotonic()
            mill.abilities.note_fleet(mill.db.read(worker_rows.fleet_engines), self._row.lanes)
            restart_abandoned_runs(mill)
