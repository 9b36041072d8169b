"""Cancel, retry and remove."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pagemill.db.database import Tx
from pagemill.desk.commands import cancel, cancel_in, remove
from pagemill.desk.contents import artifact, list_pages, one_page
from pagemill.desk.queries import list_jobs, show_job, tenant_events
from pagemill.desk.revisions import restore_job
from pagemill.desk.runs import retry, retry_in
from pagemill.errors import (
    Gone,
    InvalidCursor,
    JobActive,
    JobNotFinished,
    JobTerminal,
    NotFound,
    NothingToRetry,
)
from pagemill.mill import DEFAULT_TENANT, Mill
from pagemill.model.ids import new_id
from pagemill.model.options import ReadingOptions
from pagemill.wiring import open_mill
from tests import samples
from tests.mills import events_of, finished, hand_in, made, small_settings
from tests.waiting import wait_for
from tests.walking import files_below

pytestmark = pytest.mark.mill

TRIAL = ReadingOptions(providers=("trial",))


@pytest.fixture
def still(tmp_path: Path) -> Iterator[Mill]:
    """A mill where nothing is worked on."""
    with open_mill(small_settings(tmp_path), workers=False) as waiting:
        yield waiting


@pytest.fixture
def two_slots(tmp_path: Path) -> Iterator[Mill]:
    """A mill that goes on with other pages while one of them takes its time."""
    with open_mill(small_settings(tmp_path / "mill", slots=2)) as working:
        yield working


def test_a_waiting_job_is_cancelled_once_and_for_all(still: Mill) -> None:
    job_id = hand_in(still, samples.letter()).job_id
    assert cancel(still, DEFAULT_TENANT, job_id)["status"] == "cancelled"
    assert cancel(still, DEFAULT_TENANT, job_id)["status"] == "cancelled"
    assert events_of(still, job_id) == ["job.accepted", "job.cancelled"]


def test_a_finished_job_can_not_be_cancelled(mill: Mill) -> None:
    job_id = hand_in(mill, samples.letter()).job_id
    finished(mill, job_id)
    with pytest.raises(JobTerminal):
        cancel(mill, DEFAULT_TENANT, job_id)


def test_a_removed_job_is_gone_and_so_are_its_files(mill: Mill) -> None:
    job_id = hand_in(mill, samples.report(70)).job_id
    finished(mill, job_id)
    remove(mill, DEFAULT_TENANT, job_id)
    with pytest.raises(Gone):
        show_job(mill, DEFAULT_TENANT, job_id)
    root = mill.settings.data_dir / "blobs"
    wait_for(lambda: not list(files_below(root)))
    assert events_of(mill, job_id)[-1] == "job.removed"


def test_a_result_lives_until_the_last_job_that_points_to_it(mill: Mill) -> None:
    document = samples.letter("Dear both,")
    first = finished(mill, hand_in(mill, document).job_id)["id"]
    second = finished(mill, hand_in(mill, document).job_id)["id"]
    remove(mill, DEFAULT_TENANT, first)
    wait_for(lambda: not swept(mill, first))
    assert b"Dear both," in made(mill, second)
    remove(mill, DEFAULT_TENANT, second)
    root = mill.settings.data_dir / "blobs"
    wait_for(lambda: not list(files_below(root)))


def swept(mill: Mill, job_id: str) -> bool:
    """Whether a removed job still has files to be swept."""
    query = "SELECT 1 FROM jobs WHERE id = ? AND NOT swept"
    return bool(mill.db.read(lambda conn: conn.exec_driver_sql(query, (job_id,)).all()))


def test_a_job_that_runs_can_be_removed(still: Mill) -> None:
    job_id = hand_in(still, samples.letter()).job_id
    remove(still, DEFAULT_TENANT, job_id)
    with pytest.raises(Gone):
        cancel(still, DEFAULT_TENANT, job_id)


def test_a_retry_publishes_a_new_revision_and_keeps_the_old_one_until_then(mill: Mill) -> None:
    job_id = hand_in(mill, samples.letter("Dear retry,")).job_id
    finished(mill, job_id)
    before = made(mill, job_id)
    again = retry(mill, DEFAULT_TENANT, job_id, only="all", password=None)
    assert (again["run"], again["status"]) in {(2, "pending"), (2, "processing"), (2, "completed")}
    assert made(mill, job_id) == before
    job = finished(mill, job_id)
    assert (job["run"], job["revision"], job["status"]) == (2, 2, "completed")
    assert made(mill, job_id) == before


def test_the_present_revision_is_restored_after_a_cancelled_retry(mill: Mill) -> None:
    job_id = hand_in(mill, samples.letter("Dear second thought,")).job_id
    before = finished(mill, job_id)

    def retry_and_cancel(tx: Tx) -> None:
        retry_in(tx, DEFAULT_TENANT, job_id, "all", None)
        cancel_in(tx, DEFAULT_TENANT, job_id)

    mill.db.write(retry_and_cancel)
    assert show_job(mill, DEFAULT_TENANT, job_id)["status"] == "cancelled"
    job = restore_job(mill, DEFAULT_TENANT, job_id, before["revision"])
    assert (job["status"], job["revision"], job["processed_pages"]) == ("completed", 2, 1)
    # Once is enough.
    assert restore_job(mill, DEFAULT_TENANT, job_id, 2)["revision"] == 2


def test_an_active_job_can_not_be_retried(still: Mill) -> None:
    job_id = hand_in(still, samples.letter()).job_id
    with pytest.raises(JobActive):
        retry(still, DEFAULT_TENANT, job_id, only="all", password=None)


def test_without_failed_pages_there_is_nothing_to_retry(mill: Mill) -> None:
    job_id = hand_in(mill, samples.letter()).job_id
    finished(mill, job_id)
    with pytest.raises(NothingToRetry):
        retry(mill, DEFAULT_TENANT, job_id, only="failed", password=None)


def test_only_chunks_with_failed_pages_are_read_again(mill: Mill) -> None:
    markers = ["good"] * 100
    markers[70] = "TRIAL:segfault"
    job_id = hand_in(mill, samples.trial_pages(markers), TRIAL).job_id
    job = finished(mill, job_id)
    assert [(page["page"], page["code"]) for page in job["failed_pages"]] == [(71, "worker_crashed")]
    read_before = events_of(mill, job_id).count("chunk.read")
    retry(mill, DEFAULT_TENANT, job_id, only="failed", password=None)
    job = finished(mill, job_id)
    assert (job["run"], job["revision"], job["processed_pages"]) == (2, 2, 100)
    assert [page["page"] for page in job["failed_pages"]] == [71]
    assert events_of(mill, job_id).count("chunk.read") == read_before + 1
    assert len(json.loads(made(mill, job_id, "json"))["pages"]) == 100


def test_a_retry_of_failed_pages_shows_that_it_runs(mill: Mill) -> None:
    markers = ["good"] * 100
    markers[70] = "TRIAL:error"
    job_id = hand_in(mill, samples.trial_pages(markers), TRIAL).job_id
    assert [page["page"] for page in finished(mill, job_id)["failed_pages"]] == [71]
    retry(mill, DEFAULT_TENANT, job_id, only="failed", password=None)
    finished(mill, job_id)
    after = events_of(mill, job_id)
    assert after[after.index("job.retried") :][:2] == ["job.retried", "job.started"]


def test_a_retry_after_a_cancel_reads_the_pages_that_were_never_read(mill: Mill, tmp_path: Path) -> None:
    markers = ["good"] * 128 + [f"TRIAL:until:{tmp_path / 'go-on'}"]
    markers[0] = "TRIAL:error"
    job_id = hand_in(mill, samples.trial_pages(markers), TRIAL).job_id
    wait_for(lambda: show_job(mill, DEFAULT_TENANT, job_id)["failed_pages"] != [])
    assert cancel(mill, DEFAULT_TENANT, job_id)["failed_pages"] != []
    (tmp_path / "go-on").touch()
    retry(mill, DEFAULT_TENANT, job_id, only="failed", password=None)
    job = finished(mill, job_id)
    assert (job["status"], job["total_pages"], job["processed_pages"]) == ("completed", 129, 129)
    assert len(json.loads(made(mill, job_id, "json"))["pages"]) == 129


def test_a_retry_forgets_that_the_result_was_reused(mill: Mill) -> None:
    document = samples.letter("Dear reuse,")
    finished(mill, hand_in(mill, document).job_id)
    again = hand_in(mill, document).job_id
    assert show_job(mill, DEFAULT_TENANT, again)["reused"] is True
    retry(mill, DEFAULT_TENANT, again, only="all", password=None)
    assert finished(mill, again)["reused"] is False


def test_a_document_none_of_whose_pages_can_be_read_fails_with_the_first_page(mill: Mill) -> None:
    job_id = hand_in(mill, samples.trial_pages(["TRIAL:segfault"]), TRIAL).job_id
    job = finished(mill, job_id)
    assert job["error"] is not None
    assert (job["error"]["code"], job["error"]["stage"], job["error"]["page"]) == (
        "worker_crashed",
        "extract",
        1,
    )
    assert "job.joining" not in events_of(mill, job_id)


def test_a_page_can_be_read_before_the_join(two_slots: Mill, tmp_path: Path) -> None:
    mill = two_slots
    markers = ["good"] * 64 + [f"TRIAL:until:{tmp_path / 'go-on'}"]
    job_id = hand_in(mill, samples.trial_pages(markers), TRIAL).job_id
    wait_for(lambda: show_job(mill, DEFAULT_TENANT, job_id)["processed_pages"] == 64)
    page = one_page(mill, DEFAULT_TENANT, job_id, 3)
    assert page.draft is True
    assert json.loads(page.body)["number"] == 3
    states = {p.number: p.state for p in list_pages(mill, DEFAULT_TENANT, job_id, first=64, limit=5).pages}
    assert states == {64: "draft", 65: "waiting"}
    with pytest.raises(JobNotFinished):
        artifact(mill, DEFAULT_TENANT, job_id, "markdown")
    (tmp_path / "go-on").touch()
    assert finished(mill, job_id)["status"] == "completed"
    assert one_page(mill, DEFAULT_TENANT, job_id, 3).draft is False


def test_jobs_of_other_tenants_are_not_there(still: Mill) -> None:
    job_id = hand_in(still, samples.letter()).job_id
    for tenant, unknown in (("other", job_id), (DEFAULT_TENANT, new_id()), (DEFAULT_TENANT, "no-id")):
        with pytest.raises(NotFound):
            show_job(still, tenant, unknown)


def test_lists_are_given_in_pages(still: Mill) -> None:
    ids = [hand_in(still, samples.letter()).job_id for _ in range(5)]
    first = list_jobs(still, DEFAULT_TENANT, status=None, filename=None, cursor=None, limit=3)
    second = list_jobs(
        still, DEFAULT_TENANT, status="pending", filename="SAMPLE", cursor=first.next_cursor, limit=3
    )
    assert [job["id"] for job in [*first.jobs, *second.jobs]] == ids[::-1]
    assert second.next_cursor is None
    with pytest.raises(InvalidCursor):
        list_jobs(still, DEFAULT_TENANT, status=None, filename=None, cursor="%%", limit=3)


def test_the_log_of_a_tenant_is_given_in_pages(still: Mill) -> None:
    for _ in range(3):
        hand_in(still, samples.letter())
    first = tenant_events(still, DEFAULT_TENANT, cursor=None, limit=2, kinds=())
    second = tenant_events(still, DEFAULT_TENANT, cursor=first.next_cursor, limit=2, kinds=())
    assert [len(first.events), len(second.events)] == [2, 1]
    assert tenant_events(still, DEFAULT_TENANT, cursor=second.next_cursor, limit=2, kinds=()).events == []


def test_a_waiting_job_knows_its_place(still: Mill) -> None:
    ids = [hand_in(still, samples.letter()).job_id for _ in range(4)]
    assert [show_job(still, DEFAULT_TENANT, job_id)["queue_position"] for job_id in ids] == [0, 1, 2, 3]
