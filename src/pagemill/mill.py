"""The mill: everything that a step, a command or a query needs, in one place, handed in by argument."""

import logging
from dataclasses import dataclass, field

from pagemill.adapters.blobs.base import Blobs
from pagemill.adapters.queue.base import Queue
from pagemill.bell import Bell
from pagemill.db.database import Database
from pagemill.engines import Engines
from pagemill.errors import BY_CODE, OutageError
from pagemill.meters import Meters
from pagemill.model import verdicts
from pagemill.model.rooms import Rooms
from pagemill.model.verdicts import Caps
from pagemill.model.work import Claim, Dropped, SetBack
from pagemill.press import Cancelled, Crashed, Failed, Outcome, Press, Returned, TimedOut, Visit
from pagemill.seal import Seal
from pagemill.settings import Settings

log = logging.getLogger("pagemill.mill")

DEFAULT_TENANT = "default"


@dataclass(frozen=True, slots=True)
class Mill:
    """The tools of one process."""

    settings: Settings
    db: Database
    blobs: Blobs
    queue: Queue
    press: Press
    seal: Seal
    bell: Bell
    meters: Meters
    caps: Caps
    worker_id: str
    engines: Engines
    rooms: Rooms = field(default_factory=Rooms)

    def visit(
        self, key: str, function: str, argument: bytes, seconds: float, memory_bytes: int | None = None
    ) -> Visit:
        """A visit to the press, to one of the functions in `reading.visits`."""
        return Visit(key, f"pagemill.reading.visits:{function}", argument, seconds, memory_bytes)

    def discard(self, prefix: str) -> None:
        """Remove files that nothing will name; those that can't be removed now are left to the sweeper."""
        try:
            self.blobs.remove(prefix)
        except OutageError as error:
            log.warning("files that nobody needs can't be removed yet: %s", error.message)

    def set_back(self, claim: Claim, outcome: Outcome) -> SetBack:
        """What follows from a visit that did not end with an answer."""
        match outcome:
            case Failed(code, message, retryable, seconds):
                return self.refused(claim, code, message, retryable=retryable, seconds=seconds)
            case Crashed(signal, _, memory, detail, seconds):
                verdict = verdicts.after_crash(claim, self.caps, memory=memory)
                return SetBack(
                    claim, verdict, "memory_limit" if memory else "worker_crashed", detail, seconds, signal
                )
            case TimedOut(seconds):
                return SetBack(claim, verdicts.after_timeout(claim, self.caps), "timeout", "", seconds)
            case Cancelled():
                return SetBack(claim, Dropped(), "cancelled", "")
            case Returned():
                return SetBack(claim, verdicts.after_return(), "returned", "")
        raise AssertionError(outcome)

    def refused(
        self, claim: Claim, code: str, message: str, *, retryable: bool, seconds: float = 0.0
    ) -> SetBack:
        """What follows from an error that has a code; an outage of ours is not counted."""
        if issubclass(BY_CODE.get(code, Exception), OutageError):
            return SetBack(claim, verdicts.after_outage(), code, message, seconds)
        verdict = verdicts.after_error(claim, self.caps, code, message, retryable=retryable)
        return SetBack(claim, verdict, code, message, seconds)
