"""What went wrong with documents while a wake-up was followed, as Celery shows it: failed work is a failed task, a retry a retry.

Nothing depends on it: the rows say what is tried again, and when. It is shown by Flower.
"""

from collections.abc import Sequence

from celery.exceptions import Retry as TaskRetry  # type: ignore[import-untyped]

from pagemill.model.work import Finding, JobLost, PagesLost, Retry, SetBack, Split

# Flower shows one line; the log and the events have all of them.
MOST_NAMED = 3


class WorkFailed(Exception):
    """Documents or pages that failed, or are tried again, and why."""


class TurnTroubles:
    """Gathers the set-backs of the turns that one wake-up led to."""

    def __init__(self) -> None:
        self._failed: list[SetBack] = []
        self._retried: list[tuple[SetBack, float]] = []

    def note(self, findings: Sequence[Finding]) -> None:
        """Look at what a turn has recorded."""
        for finding in findings:
            match finding:
                case SetBack(verdict=JobLost() | PagesLost()):
                    self._failed.append(finding)
                case SetBack(verdict=Retry(wait_seconds=seconds)):
                    self._retried.append((finding, seconds))
                case SetBack(verdict=Split()):
                    self._retried.append((finding, 0.0))

    def raise_for_celery(self) -> None:
        """Raises WorkFailed if something failed for good, Celery's Retry if it is only tried again."""
        if self._failed:
            raise WorkFailed(in_words(self._failed))
        if self._retried:
            soonest = min(seconds for _, seconds in self._retried)
            reason = in_words([finding for finding, _ in self._retried])
            raise TaskRetry(exc=WorkFailed(reason), when=soonest)


def in_words(found: Sequence[SetBack]) -> str:
    """The first few set-backs in one line."""
    named = [f"job {one.claim.job_id}, {one.claim.step.value}: {one.code}" for one in found[:MOST_NAMED]]
    more = [f"and {len(found) - MOST_NAMED} more"] if len(found) > MOST_NAMED else []
    return "; ".join([*named, *more])
