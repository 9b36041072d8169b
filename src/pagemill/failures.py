"""Failures: decides what follows from an outcome that is no answer: retry, split, or give up on a page or a job.

Everything that can go wrong with a claim becomes a set-back here, and nowhere else; `failure_records` writes it down.
Where None is answered, the document goes on, with a warning at most.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from zlib import crc32

from pagemill.errors import (
    BY_CODE,
    DocumentLimit,
    EncryptionKeyUnavailable,
    MemoryLimit,
    OutageError,
    PagemillError,
    PageTimeout,
    PageUnreadable,
    PasswordIncorrect,
    PasswordRequired,
    ProviderUnavailable,
    QuotaExceeded,
    ScannerUnavailable,
    StorageFull,
    StorageUnavailable,
    StoredFileMissing,
    Timeout,
    WorkerCrashed,
    WorkerLost,
)
from pagemill.model.document_budgets import DocumentBudgets
from pagemill.model.jobs import JobRow
from pagemill.model.pages import Page
from pagemill.model.states import READING
from pagemill.model.work import (
    Claim,
    ClaimHolder,
    Dropped,
    Finding,
    JobLost,
    PageFailure,
    PagesLost,
    Retry,
    SetBack,
    Split,
    Verdict,
)
from pagemill.press import Cancelled, Crashed, Failed, Outcome, Returned, TimedOut
from pagemill.settings import Settings

OUTAGE_WAIT_SECONDS = 1.0
# So many documents that no worker has the key of leave time for the others.
LONGEST_KEY_WAIT_SECONDS = 60.0
STORAGE_TROUBLES = frozenset({StorageFull.code, StorageUnavailable.code})
# A try is not worth its start with less of a page's time than this.
LEAST_SHARE = 0.1
LOCKED = frozenset({PasswordRequired.code, PasswordIncorrect.code})
# What a server says while it can't answer, though it may soon; any other refusal would be the same again.
BUSY_STATUSES = frozenset({408, 425, 429})
FIRST_SERVER_ERROR = 500
# Wide enough that a short document is done before the next suspect is taken.
SPREAD_SECONDS, SPREAD_STEPS = 8.0, 16


@dataclass(frozen=True, slots=True)
class Caps:
    """How often each kind of trouble may happen to one chunk."""

    crashes: int = 2
    errors: int = 3
    lost: int = 10
    retry_base_seconds: float = 1.0
    # How long a stored file that can't be found may still turn up; a folder shows its files at once.
    missing_file_seconds: float = 0.0


def caps_of(settings: Settings) -> Caps:
    """How often each kind of trouble may happen to one chunk; only a bucket shows new files late."""
    return Caps(
        crashes=settings.max_crashes,
        errors=settings.max_errors,
        lost=settings.max_lost,
        retry_base_seconds=settings.retry_base_seconds,
        missing_file_seconds=settings.blobs_missing_seconds if settings.blobs_url else 0.0,
    )


def set_back(claim: Claim, caps: Caps, budgets: DocumentBudgets, outcome: Outcome) -> SetBack:
    """What follows from a visit to the press that did not end with an answer."""
    match outcome:
        case Failed(code, message, retryable, seconds, _):
            return set_back_for_error(claim, caps, code, message, retryable=retryable, seconds=seconds)
        case Crashed(signal, _, memory, detail, seconds):
            verdict = within_budget(claim, budgets, after_crash(claim, caps, memory=memory), seconds)
            code = MemoryLimit.code if memory else WorkerCrashed.code
            return SetBack(claim, verdict=verdict, code=code, message=detail, seconds=seconds, signal=signal)
        case TimedOut(seconds):
            budgets.spend_time(claim, seconds)
            verdict = within_budget(claim, budgets, after_timeout(claim, caps), seconds)
            return SetBack(claim, verdict, Timeout.code, "", seconds)
        case Cancelled():
            return SetBack(claim, Dropped(), "cancelled", "")
        case Returned():
            return set_back_for_return(claim)
    raise AssertionError(outcome)


def set_back_in_batch(claim: Claim, caps: Caps, budgets: DocumentBudgets, outcome: Outcome) -> SetBack:
    """As `set_back`, for a document that was read together with others: one that held them up is read alone next time."""
    if isinstance(outcome, TimedOut):
        verdict = Retry(None, 0.0, alone=True)
        return SetBack(claim, verdict, Timeout.code, "It is read alone from now on.", outcome.seconds)
    return set_back(claim, caps, budgets, outcome)


def within_budget(claim: Claim, budgets: DocumentBudgets, verdict: Verdict, seconds: float) -> Verdict:
    """The verdict on a death, or that the pages are given up because the document has had too many of them."""
    if claim.step not in READING:
        return verdict
    budgets.spend(claim, seconds)
    if not budgets.is_spent(claim) or isinstance(verdict, PagesLost):
        return verdict
    return after_budget("crashes")


def set_back_over_budget(claim: Claim, budgets: DocumentBudgets) -> SetBack | None:
    """What follows if too many pages of the claim's document crashed or hung: its pages are not tried."""
    if not budgets.is_spent(claim):
        return None
    return SetBack(claim, after_budget(None), DocumentLimit.code, "")


def set_back_out_of_time(claim: Claim, budgets: DocumentBudgets, page_seconds: float) -> SetBack | None:
    """What follows if earlier tries have used up the time of the claim's only page: it fails without another."""
    if page_seconds - budgets.seconds_spent(claim) > LEAST_SHARE * page_seconds:
        return None
    return SetBack(claim, PagesLost(None, PageTimeout.code, PageTimeout.advice()), PageTimeout.code, "")


def set_back_for_error(
    claim: Claim, caps: Caps, code: str, message: str, *, retryable: bool, seconds: float = 0.0
) -> SetBack:
    """What follows from an error that has a code; an outage of ours is not counted."""
    if code == EncryptionKeyUnavailable.code:
        return SetBack(claim, after_missing_key(claim), code, message, seconds)
    if issubclass(BY_CODE.get(code, Exception), OutageError):
        return SetBack(claim, after_outage(), code, message, seconds)
    if code == StoredFileMissing.code and claim.age_seconds < caps.missing_file_seconds:
        return SetBack(claim, after_missing_file(claim), code, message, seconds)
    verdict = after_error(claim, caps, code, message, retryable=retryable)
    return SetBack(claim, verdict, code, message, seconds)


def set_back_for_exception(claim: Claim, caps: Caps, error: Exception) -> SetBack:
    """What follows from an exception that a step ended with; one that is none of ours may pass."""
    if isinstance(error, PagemillError):
        return set_back_for_error(claim, caps, error.code, error.message, retryable=error.retryable)
    return set_back_unrecorded(claim, caps)


def set_back_unrecorded(claim: Claim, caps: Caps) -> SetBack:
    """What follows if what was found can't be written down, or a step failed for a reason that is not known."""
    unexpected = PagemillError()
    return set_back_for_error(claim, caps, unexpected.code, unexpected.message, retryable=True)


def set_back_unfetched(claim: Claim, caps: Caps, error: PagemillError, seconds: float) -> SetBack:
    """What follows if a document can't be fetched; what another attempt can't change is not tried again."""
    if isinstance(error, QuotaExceeded):
        # A tenant's space stays full for longer than a job waits between two attempts; once there is room, it can be retried.
        return set_back_for_good(claim, error.code, error.message, retryable=True)
    status = error.details.get("status")
    final = isinstance(status, int) and status < FIRST_SERVER_ERROR and status not in BUSY_STATUSES
    retryable = error.retryable and not final
    return set_back_for_error(claim, caps, error.code, error.message, retryable=retryable, seconds=seconds)


def set_back_unscanned(claim: Claim, caps: Caps, error: PagemillError, *, waits: bool) -> SetBack:
    """What follows if a document can't be scanned: it waits for the scanner, if that is to be, or is given up."""
    if waits and isinstance(error, ScannerUnavailable):
        return set_back_for_error(claim, caps, error.code, error.message, retryable=True)
    return set_back_for_good(claim, error.code, error.message, retryable=error.retryable)


def set_back_unpacking(claim: Claim, caps: Caps, error: Exception) -> SetBack | None:
    """What follows from an error while files are taken out of a document; None if it costs a warning and no more."""
    return set_back_for_exception(claim, caps, error) if isinstance(error, OutageError) else None


def set_back_enriching(claim: Claim, caps: Caps, error: Exception) -> SetBack | None:
    """What follows from an error while a document is enriched; None if it costs a warning and no more."""
    may_pass = isinstance(error, PagemillError) and error.retryable
    return set_back_for_exception(claim, caps, error) if may_pass else None


def set_back_beside(claim: Claim, caps: Caps, budgets: DocumentBudgets, outcome: Outcome) -> SetBack | None:
    """What follows from a visit that was to add to a document that is read; None if it costs a warning and no more."""
    given_back = isinstance(outcome, Returned | Cancelled)
    return set_back(claim, caps, budgets, outcome) if given_back else None


def set_back_for_good(claim: Claim, code: str, message: str, *, retryable: bool) -> SetBack:
    """What follows from an error after which the job is not tried again by itself; `retryable` says whether to retry it."""
    return SetBack(claim, JobLost(None, code, message, retryable), code, message)


def set_back_for_loss(claim: Claim, caps: Caps, holder: ClaimHolder) -> SetBack:
    """What follows for a claim whose worker vanished: it is counted as lost once, and made ready again."""
    return SetBack(claim, after_loss(claim, caps, holder), WorkerLost.code, "The worker vanished.")


def set_back_for_return(claim: Claim) -> SetBack:
    """What follows for work that was given back unfinished."""
    return SetBack(claim, after_return(), "returned", "")


def set_back_while_busy(claim: Claim) -> SetBack:
    """What follows when a provider on another machine has no permit to give."""
    return SetBack(claim, after_outage(), ProviderUnavailable.code, "The provider is busy.")


def unread_by_named(claim: Claim, pages: Sequence[Page], *, is_away: bool) -> tuple[PageFailure, ...]:
    """The pages that a provider was named for who has not read them: what others have of them is no answer."""
    code = ProviderUnavailable.code if is_away else PageUnreadable.code
    others = [page for page in pages if claim.named and page.provider not in claim.named]
    return tuple(PageFailure(page.number, code, last_refusal(page)) for page in others)


def last_refusal(page: Page) -> str:
    """Why the last provider that was asked for a page has not read it."""
    last = page.tries[-1] if page.tries else None
    return f"{last.provider}: {last.message}" if last and last.message else PageUnreadable.advice()


def set_back_unanswered(
    claim: Claim, caps: Caps, failed: Sequence[PageFailure], *, wait_seconds: float, seconds: float
) -> SetBack | None:
    """What follows if a provider that is away, and left alone that long, is all that pages were waiting for."""
    if not wait_seconds or not failed:
        return None
    first = failed[0]
    verdict = after_error(claim, caps, first.code, first.message, retryable=True)
    if isinstance(verdict, Retry):
        verdict = replace(verdict, wait_seconds=max(verdict.wait_seconds, wait_seconds))
    return SetBack(claim, verdict, first.code, first.message, seconds)


def job_lost_with_pages(job: JobRow, claim: Claim, failed: Sequence[PageFailure]) -> JobLost | None:
    """Why a job ends now that the pages of a claim are counted; None if it goes on.

    It ends when none of its pages could be read. A caller that had a page read by a provider of its choice keeps what the
    former result has of it, where it has not failed.
    """
    if failed and claim.named:
        return after_unread_pages([min(failed, key=lambda page: page.page)])
    if job.chunks_left == 0 and len(job.failed_pages) == job.total_pages:
        return after_unread_pages([PageFailure(**page) for page in job.failed_pages])
    return None


def storage_trouble_of(findings: Sequence[Finding]) -> str | None:
    """The code of the trouble with storage that spoiled a whole turn; None if anything else came of it."""
    codes = {finding.code if isinstance(finding, SetBack) else None for finding in findings}
    return codes.pop() if len(codes) == 1 and codes <= STORAGE_TROUBLES else None


def after_outage() -> Verdict:
    """Our side was at fault: nothing is counted."""
    return Retry(None, OUTAGE_WAIT_SECONDS)


def after_missing_file(claim: Claim) -> Verdict:
    """A bucket may show a new object late: nothing is counted, and the waits grow with the time that has passed."""
    return Retry(None, max(OUTAGE_WAIT_SECONDS, claim.age_seconds / 4))


def after_missing_key(claim: Claim) -> Verdict:
    """Another worker may have the key, or the operator gives it: nothing is counted, and the waits grow up to a limit."""
    wait_seconds = min(max(OUTAGE_WAIT_SECONDS, claim.age_seconds / 4), LONGEST_KEY_WAIT_SECONDS)
    return Retry(None, wait_seconds)


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


def after_unread_pages(failed: Sequence[PageFailure]) -> JobLost:
    """A job that gets no result from these pages ends with the error of the first one."""
    first, count = failed[0], len(failed)
    code = Timeout.code if first.code == PageTimeout.code else first.code
    message = first.message if count == 1 else f"None of the {count} pages could be read. {first.message}"
    return JobLost(None, code, message, retryable=False, page=first.page)


def after_loss(claim: Claim, caps: Caps, holder: ClaimHolder) -> Verdict:
    """The worker vanished with its claim. After the second time it is a suspect: read alone, and apart from the others.

    A worker that has vanished with it before came back alive: it is the one that is sick, so that counts for nothing.
    """
    if holder.has_lost_it_before:
        return Retry(None, apart_seconds(claim), alone=claim.small)
    if claim.lost + 1 < caps.lost:
        is_suspect = claim.lost > 0
        wait_seconds = apart_seconds(claim) if is_suspect else 0.0
        return Retry("lost", wait_seconds, alone=is_suspect and claim.small, lost_by=holder.lost_by_now)
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
