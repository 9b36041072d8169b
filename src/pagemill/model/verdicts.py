"""What follows when a visit to the press does not work out: try again, split, or give up on a page or a job."""

from dataclasses import dataclass
from zlib import crc32

from pagemill.errors import (
    DocumentLimit,
    MemoryLimit,
    PageTimeout,
    PasswordIncorrect,
    PasswordRequired,
    Timeout,
    WorkerCrashed,
    WorkerLost,
)
from pagemill.model.states import READING
from pagemill.model.work import Claim, JobLost, PagesLost, Retry, Split, Verdict

OUTAGE_WAIT_SECONDS = 1.0
LOCKED = frozenset({PasswordRequired.code, PasswordIncorrect.code})
# Wide enough that a short document is done before the next suspect is taken.
SPREAD_SECONDS, SPREAD_STEPS = 8.0, 16


@dataclass(frozen=True, slots=True)
class Caps:
    """How often each kind of trouble may happen to one chunk."""

    crashes: int = 2
    errors: int = 3
    lost: int = 10
    retry_base_seconds: float = 1.0


def after_outage() -> Verdict:
    """Our side was at fault: nothing is counted."""
    return Retry(None, OUTAGE_WAIT_SECONDS)


def after_return() -> Verdict:
    """The work was given back unfinished: nothing is counted."""
    return Retry(None, 0.0)


def after_error(claim: Claim, caps: Caps, code: str, message: str, *, retryable: bool) -> Verdict:
    """The reading code refused, in its own words; a lock keeps all pages from being read."""
    if code in LOCKED:
        return JobLost(None, code, message, retryable=False)
    if retryable and claim.errors + 1 < caps.errors:
        return Retry("errors", caps.retry_base_seconds * 2**claim.errors)
    return give_up(claim, "errors" if retryable else None, code, message, retryable=retryable)


def after_crash(claim: Claim, caps: Caps, *, memory: bool) -> Verdict:
    """The press died over it. Too much memory will be too much again, so that is split at once."""
    kind = MemoryLimit if memory else WorkerCrashed
    if memory and claim.step in READING and not claim.single:
        return Split("crashes")
    return after_death(claim, caps, kind.code, kind.advice(), single=memory)


def after_timeout(claim: Claim, caps: Caps) -> Verdict:
    """The press was stopped at the time limit. It would be so again, so several pages are split at once."""
    if claim.step in READING and not claim.single:
        return Split("crashes")
    kind = PageTimeout if claim.step in READING else Timeout
    return after_death(claim, caps, kind.code, kind.advice(), single=True)


def after_death(claim: Claim, caps: Caps, code: str, message: str, *, single: bool) -> Verdict:
    """Count a crash: try again below the cap, then split, then give up."""
    if claim.crashes + 1 < caps.crashes:
        return Retry("crashes", 0.0, single=single)
    return give_up(claim, "crashes", code, message, retryable=False)


def after_budget(counter: str | None) -> PagesLost:
    """The document has had too many crashes and time-outs: the pages that are left are given up."""
    return PagesLost(counter, DocumentLimit.code, DocumentLimit.advice())


def after_loss(claim: Claim, caps: Caps) -> Verdict:
    """The worker vanished with its claim. After the second time it is a suspect: read alone, and apart from the others."""
    if claim.lost + 1 < caps.lost:
        is_suspect = claim.lost > 0
        return Retry("lost", apart_seconds(claim) if is_suspect else 0.0, alone=is_suspect and claim.small)
    return JobLost("lost", WorkerLost.code, WorkerLost.advice(), retryable=True)


def apart_seconds(claim: Claim) -> float:
    """A wait that is another for each claim and each time, so that a killer does not meet the same others again."""
    return SPREAD_SECONDS * (crc32(f"{claim.chunk_id}.{claim.lost}".encode()) % SPREAD_STEPS) / SPREAD_STEPS


def give_up(claim: Claim, counter: str | None, code: str, message: str, *, retryable: bool) -> Verdict:
    """The end of trying: a run of pages becomes single pages, a single page fails alone, all else fails the job."""
    if claim.step not in READING:
        return JobLost(counter, code, message, retryable)
    if claim.single:
        return PagesLost(counter, code, message)
    return Split(counter or "errors")
