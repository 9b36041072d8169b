"""What follows when a visit to the press does not work out."""

from dataclasses import fields, replace
from typing import Any

import pytest

from pagemill import failures
from pagemill.errors import (
    EncryptionKeyUnavailable,
    FetchFailed,
    PageUnreadable,
    QuotaExceeded,
    StorageUnavailable,
    StoredFileMissing,
)
from pagemill.failures import Caps
from pagemill.model.document_budgets import DocumentBudgets
from pagemill.model.jobs import JobRow, StoredFailedPage
from pagemill.model.options import ReadingOptions
from pagemill.model.states import Lane, Step
from pagemill.model.work import Claim, ClaimHolder, JobLost, PageFailure, PagesLost, Retry, Split
from pagemill.press import Crashed, Returned

CAPS = Caps(crashes=2, errors=3, lost=10, retry_base_seconds=1.0)
CHUNK = Claim(
    "chunk",
    1,
    "job",
    "default",
    1,
    Step.EXTRACT,
    Lane.BULK,
    ReadingOptions(),
    False,
    1,
    64,
    False,
    0,
    0,
    0,
    0.0,
    "key",
    "sha",
    "print",
    64,
    None,
)
HOLDER = ClaimHolder("one", "other")
PAGE = replace(CHUNK, single=True, last_page=1)
PLAN = replace(CHUNK, step=Step.PLAN, first_page=None, last_page=None)


def test_a_first_crash_is_tried_again() -> None:
    assert failures.after_crash(CHUNK, CAPS, memory=False) == Retry("crashes", 0.0)


def test_a_second_crash_splits_a_chunk_into_pages() -> None:
    assert failures.after_crash(replace(CHUNK, crashes=1), CAPS, memory=False) == Split("crashes")


def test_a_page_that_crashes_again_is_failed_alone() -> None:
    verdict = failures.after_crash(replace(PAGE, crashes=1), CAPS, memory=False)
    assert isinstance(verdict, PagesLost)
    assert verdict.code == "worker_crashed"


def test_a_document_that_crashes_twice_while_it_is_opened_fails() -> None:
    verdict = failures.after_crash(replace(PLAN, crashes=1), CAPS, memory=False)
    assert isinstance(verdict, JobLost)
    assert not verdict.retryable


def test_too_much_memory_or_time_splits_at_once() -> None:
    assert failures.after_crash(CHUNK, CAPS, memory=True) == Split("crashes")
    assert failures.after_timeout(CHUNK, CAPS) == Split("crashes")


def test_an_opening_that_took_too_long_goes_on_page_by_page() -> None:
    assert failures.after_timeout(PLAN, CAPS) == Retry("crashes", 0.0, single=True)


def test_a_page_that_takes_too_long_twice_is_a_page_timeout() -> None:
    verdict = failures.after_timeout(replace(PAGE, crashes=1), CAPS)
    assert isinstance(verdict, PagesLost)
    assert verdict.code == "page_timeout"


def test_retryable_errors_wait_longer_each_time() -> None:
    waits = [
        failures.after_error(replace(CHUNK, errors=errors), CAPS, "x", "x", retryable=True)
        for errors in (0, 1)
    ]
    assert waits == [Retry("errors", 1.0), Retry("errors", 2.0)]


def test_an_error_that_can_not_pass_is_not_tried_again() -> None:
    assert failures.after_error(PLAN, CAPS, "pdf_corrupt", "bad", retryable=False) == JobLost(
        None, "pdf_corrupt", "bad", retryable=False
    )


@pytest.mark.parametrize("claim", [CHUNK, PAGE, PLAN])
def test_work_given_back_or_stopped_by_an_outage_counts_nowhere(claim: Claim) -> None:
    spent = replace(claim, crashes=1, errors=2, lost=9)
    assert failures.after_return() == Retry(None, 0.0)
    assert failures.after_outage() == Retry(None, failures.OUTAGE_WAIT_SECONDS)
    assert isinstance(failures.after_loss(spent, CAPS, HOLDER), JobLost)


def test_a_vanished_worker_costs_one_loss() -> None:
    assert failures.after_loss(CHUNK, CAPS, HOLDER) == Retry("lost", 0.0, lost_by="other one")


def test_a_worker_that_vanishes_again_with_the_same_work_costs_nothing() -> None:
    for lost in (1, 9):
        spent = replace(CHUNK, lost=lost)
        verdict = failures.after_loss(spent, CAPS, ClaimHolder("one", "other one"))
        assert isinstance(verdict, Retry)
        assert (verdict.counter, verdict.lost_by) == (None, None)


def test_what_was_lost_twice_is_read_alone_and_apart_from_the_others() -> None:
    suspects = [replace(CHUNK, chunk_id=f"chunk{number}", lost=1, small=True) for number in range(20)]
    found = [failures.after_loss(suspect, CAPS, HOLDER) for suspect in suspects]
    assert all(isinstance(one, Retry) and one.alone for one in found)
    assert len({one.wait_seconds for one in found if isinstance(one, Retry)}) > 5


@pytest.mark.parametrize(("age_seconds", "wait_seconds"), [(0, 1.0), (6, 1.5), (59, 14.75)])
def test_a_file_that_a_bucket_does_not_show_yet_is_waited_for(
    age_seconds: float, wait_seconds: float
) -> None:
    claim = replace(PLAN, created_at=100.0, claimed_at=100.0 + age_seconds, errors=2)
    caps = replace(CAPS, missing_file_seconds=60.0)
    found = failures.set_back_for_error(claim, caps, "stored_file_missing", "gone", retryable=True)
    assert found.verdict == Retry(None, wait_seconds)


def test_a_file_that_is_still_missing_after_the_wait_is_an_error() -> None:
    claim = replace(PLAN, created_at=100.0, claimed_at=160.0, errors=2)
    caps = replace(CAPS, missing_file_seconds=60.0)
    found = failures.set_back_for_error(claim, caps, "stored_file_missing", "gone", retryable=True)
    assert isinstance(found.verdict, JobLost)


@pytest.mark.parametrize(("age_seconds", "wait_seconds"), [(0, 1.0), (40, 10.0), (10_000, 60.0)])
def test_a_document_whose_key_is_missing_waits_longer_and_longer_and_holds_no_other_up(
    age_seconds: float, wait_seconds: float
) -> None:
    claim = replace(PLAN, created_at=100.0, claimed_at=100.0 + age_seconds, errors=2)
    found = failures.set_back_for_exception(claim, CAPS, EncryptionKeyUnavailable())
    assert found.verdict == Retry(None, wait_seconds)
    assert failures.storage_trouble_of([found]) is None, "the worker goes on with other documents"


def test_a_turn_is_spoiled_by_storage_only_if_nothing_else_came_of_it() -> None:
    full = failures.set_back_for_error(CHUNK, CAPS, "storage_full", "", retryable=True)
    away = failures.set_back_for_error(CHUNK, CAPS, "storage_unavailable", "", retryable=True)
    broken = failures.set_back_for_error(CHUNK, CAPS, "pdf_corrupt", "", retryable=False)
    assert failures.storage_trouble_of([full, full]) == "storage_full"
    for findings in ([], [full, away], [full, broken], [broken]):
        assert failures.storage_trouble_of(findings) is None


def counted(total_pages: int, chunks_left: int, failed_pages: list[StoredFailedPage]) -> JobRow:
    counts: dict[str, Any] = {
        "total_pages": total_pages,
        "chunks_left": chunks_left,
        "failed_pages": failed_pages,
    }
    return JobRow(**({field.name: None for field in fields(JobRow)} | counts))


def failed_page(page: int, code: str = "page_unreadable") -> StoredFailedPage:
    return {"page": page, "code": code, "message": "It can't be read."}


def test_a_job_goes_on_while_pages_are_left_or_some_were_read() -> None:
    both = [failed_page(1), failed_page(2)]
    assert failures.job_lost_with_pages(counted(2, 1, both), CHUNK, ()) is None
    assert failures.job_lost_with_pages(counted(2, 0, both[:1]), CHUNK, ()) is None
    assert failures.job_lost_with_pages(counted(2, 0, []), CHUNK, ()) is None


def test_a_job_without_a_page_that_was_read_ends_with_the_error_of_the_first() -> None:
    both = [failed_page(3, "page_timeout"), failed_page(4)]
    lost = failures.job_lost_with_pages(counted(2, 0, both), CHUNK, ())
    message = "None of the 2 pages could be read. It can't be read."
    assert lost == JobLost(None, "timeout", message, retryable=False, page=3)


def test_a_job_ends_when_a_provider_of_choice_has_not_read_the_page_that_it_was_asked_for() -> None:
    failed = (PageFailure(7, "page_unreadable", "It can't be read."),)
    named = replace(PAGE, named=("other",))
    lost = failures.job_lost_with_pages(counted(2, 0, []), named, failed)
    assert lost == JobLost(None, "page_unreadable", "It can't be read.", retryable=False, page=7)
    assert failures.job_lost_with_pages(counted(2, 0, []), PAGE, failed) is None


def test_what_can_pass_sets_a_document_back_that_is_enriched_and_the_rest_costs_a_warning() -> None:
    away = failures.set_back_enriching(CHUNK, CAPS, StorageUnavailable())
    assert away is not None
    assert away.verdict == failures.after_outage()
    assert failures.set_back_enriching(CHUNK, CAPS, PageUnreadable()) is None
    assert failures.set_back_enriching(CHUNK, CAPS, ValueError()) is None


def test_only_an_outage_sets_a_document_back_whose_files_are_taken_out() -> None:
    away = failures.set_back_unpacking(CHUNK, CAPS, StorageUnavailable())
    assert away is not None
    assert away.verdict == failures.after_outage()
    assert failures.set_back_unpacking(CHUNK, CAPS, StoredFileMissing()) is None
    assert failures.set_back_unpacking(CHUNK, CAPS, ValueError()) is None


def test_a_visit_beside_the_reading_costs_a_warning_unless_it_was_given_back() -> None:
    budgets = DocumentBudgets(8, 60.0)
    crashed = Crashed(11, None, memory=False, detail="", seconds=1.0)
    assert failures.set_back_beside(PLAN, CAPS, budgets, crashed) is None
    returned = failures.set_back_beside(PLAN, CAPS, budgets, Returned())
    assert returned is not None
    assert returned.verdict == failures.after_return()


@pytest.mark.parametrize(("status", "is_tried_again"), [(404, False), (429, True), (503, True)])
def test_a_document_is_fetched_again_unless_its_server_has_refused_it(
    status: int, is_tried_again: bool
) -> None:
    claim = replace(PLAN, step=Step.FETCH)
    found = failures.set_back_unfetched(claim, CAPS, FetchFailed("refused", status=status), 1.0)
    assert isinstance(found.verdict, Retry) is is_tried_again


def test_a_document_without_room_is_not_fetched_again_by_itself_but_can_be_retried() -> None:
    found = failures.set_back_unfetched(replace(PLAN, step=Step.FETCH), CAPS, QuotaExceeded("full"), 1.0)
    assert found.verdict == JobLost(None, "quota_exceeded", "full", retryable=True)


def test_what_an_exception_of_no_known_kind_ended_is_tried_again() -> None:
    found = failures.set_back_for_exception(CHUNK, CAPS, ValueError())
    assert found.verdict == Retry("errors", 1.0)
    known = failures.set_back_for_exception(PLAN, CAPS, PageUnreadable())
    assert isinstance(known.verdict, JobLost)
