"""What one document may cost in crashes and time-outs before the rest of it is given up."""

import threading
from collections import OrderedDict
from dataclasses import dataclass, field

from pagemill.model.states import Step
from pagemill.model.work import Claim

# Documents whose crashes are remembered; a document that is forgotten starts over.
REMEMBERED = 10_000


@dataclass(slots=True)
class Spending:
    """The crashes and time-outs of one run of a job, and the seconds that went into them."""

    deaths: int = 0
    seconds: float = 0.0
    # Time-outs while the document was opened and read in one go, and over single pages.
    opening_seconds: float = 0.0
    page_seconds: dict[int, float] = field(default_factory=dict)

    def on_page(self, claim: Claim) -> float:
        """The seconds that time-outs took on the one page of a claim; the opening counts if there is no other page."""
        opening = self.opening_seconds if claim.document_pages == 1 else 0.0
        return opening + self.page_seconds.get(claim.first_page or 1, 0.0)


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
            spending = self._spending(claim)
            spending.deaths += 1
            spending.seconds += seconds

    def spend_time(self, claim: Claim, seconds: float) -> None:
        """Count a time-out towards the time of the claim's page, or of all pages while the document is opened."""
        with self._lock:
            spending = self._spending(claim)
            if claim.step is Step.PLAN:
                spending.opening_seconds += seconds
            elif claim.step is Step.EXTRACT and claim.is_one_page:
                page = claim.first_page or 1
                spending.page_seconds[page] = spending.page_seconds.get(page, 0.0) + seconds

    def seconds_spent(self, claim: Claim) -> float:
        """How long earlier tries of the one page of a claim took until they were ended."""
        spending = self._spent.get((claim.job_id, claim.run))
        return 0.0 if spending is None or not claim.is_one_page else spending.on_page(claim)

    def _spending(self, claim: Claim) -> Spending:
        """What the document of a claim has cost; the lock is held."""
        spending = self._spent.setdefault((claim.job_id, claim.run), Spending())
        self._spent.move_to_end((claim.job_id, claim.run))
        if len(self._spent) > REMEMBERED:
            self._spent.popitem(last=False)
        return spending

    def is_spent(self, claim: Claim) -> bool:
        """Whether no more pages of the claim's document are to be read."""
        spending = self._spent.get((claim.job_id, claim.run))
        return spending is not None and (
            spending.deaths >= self.most_deaths or spending.seconds >= self.most_seconds
        )
