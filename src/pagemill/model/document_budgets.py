"""What one document may cost in crashes and time-outs before the rest of it is given up."""

import threading
from collections import OrderedDict
from dataclasses import dataclass, field

from pagemill.model.work import Claim

# Documents whose crashes are remembered; a document that is forgotten starts over.
REMEMBERED = 10_000


@dataclass(slots=True)
class Spending:
    """The crashes and time-outs of one run of a job, and the seconds that went into them."""

    deaths: int = 0
    seconds: float = 0.0


@dataclass(slots=True)
class DocumentBudgets:
    """Counts the deaths of reading processes by document, in the memory of one worker.

    A file of a few kilobytes can have thousands of pages that each crash every engine; without a limit it would keep
    a slot busy for hours.
    """

    most_deaths: int
    most_seconds: float
    _spent: OrderedDict[tuple[str, int], Spending] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def spend(self, claim: Claim, seconds: float) -> None:
        """Count the death of a process that read pages of the claim's document."""
        with self._lock:
            spending = self._spent.setdefault((claim.job_id, claim.run), Spending())
            self._spent.move_to_end((claim.job_id, claim.run))
            spending.deaths += 1
            spending.seconds += seconds
            if len(self._spent) > REMEMBERED:
                self._spent.popitem(last=False)

    def is_spent(self, claim: Claim) -> bool:
        """Whether no more pages of the claim's document are to be read."""
        spending = self._spent.get((claim.job_id, claim.run))
        return spending is not None and (
            spending.deaths >= self.most_deaths or spending.seconds >= self.most_seconds
        )
