"""The one way in, for a document and for a batch: prepare, write in one transaction, finish.

`accept_submission` does the three one after the other. A caller that must not block supplies the waiting between them.
"""

from collections.abc import Sequence
from concurrent.futures import Future
from typing import Protocol, Self, TypeVar

from pagemill.db.database import Tx
from pagemill.errors import Overloaded, RequestError
from pagemill.faultpoints import faultpoint
from pagemill.mill import Mill
from pagemill.steps.accept.batch import BatchAcceptance
from pagemill.steps.accept.submission import Acceptance, Submission, may_need_rendering, remove_bytes

# Workers that are awake look for more by themselves.
WAKE_UPS = 64

A = TypeVar("A", bound=Acceptance | BatchAcceptance)
A_co = TypeVar("A_co", bound=Acceptance | BatchAcceptance, covariant=True)


class Acceptable(Protocol[A_co]):
    """A `Submission` or a `BatchSubmission`."""

    def documents(self) -> Sequence[Submission]:
        """The documents that were handed in and not refused one by one."""

    def prepare(self, mill: Mill) -> Self:
        """The same with what its results need copied to it."""

    def accept(self, tx: Tx, mill: Mill) -> A_co:
        """Make the jobs, or give the answer that the idempotency key got before."""


def accept_submission(mill: Mill, submission: Acceptable[A]) -> A:
    """Make the jobs of what is stored; blocks until they are there."""
    prepared = submission.prepare(mill)
    return finish_acceptance(mill, prepared, start_acceptance(mill, prepared))


def must_prepare(submission: Acceptable[A]) -> bool:
    """Whether `prepare` may have something to do, which may block."""
    return any(may_need_rendering(one) for one in submission.documents())


def start_acceptance(mill: Mill, submission: Acceptable[A]) -> "Future[A]":
    """Begin the transaction that makes the jobs of a prepared submission; it can't be called back."""
    return mill.db.submit(lambda tx: submission.accept(tx, mill))


def finish_acceptance(mill: Mill, submission: Acceptable[A], written: "Future[A]") -> A:
    """What follows the transaction: workers are woken; the bytes of a repeated or refused request are removed again.

    After any other error it is unknown whether the jobs were made, so the bytes are left to the sweeper.
    """
    try:
        acceptance = written.result()
    except (RequestError, Overloaded):
        remove_documents(mill, submission)
        raise
    faultpoint("accept.after_commit")
    if acceptance.replayed:
        remove_documents(mill, submission)
    mill.queue.send(acceptance.messages[:WAKE_UPS])
    faultpoint("accept.before_answer")
    return acceptance


def finishes_at_once(written: "Future[A]") -> bool:
    """Whether `finish_acceptance` has no bytes to remove and at most one worker to wake, and so does not block."""
    if written.exception() is not None:
        return False
    acceptance = written.result()
    return not acceptance.replayed and len(acceptance.messages) <= 1


def remove_documents(mill: Mill, submission: Acceptable[A]) -> None:
    """Remove the bytes of what became no job."""
    for one in submission.documents():
        remove_bytes(mill, one)
