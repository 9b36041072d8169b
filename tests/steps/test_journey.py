"""The journey of a document, from the door to its result."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import update

from pagemill.db.results import reusable
from pagemill.db.schema import jobs
from pagemill.desk.commands import remove
from pagemill.desk.contents import artifact, list_pages, one_page, page_image
from pagemill.desk.queries import job_events
from pagemill.errors import Gone, IdempotencyKeyReused, NotFound, StoredFileMissing, UnsupportedFileType
from pagemill.mill import DEFAULT_TENANT, Mill
from pagemill.model.events import EventType
from pagemill.model.options import ReadingOptions
from pagemill.model.pages import CHECKED_BELOW
from pagemill.model.states import Lane
from pagemill.runner import take_turn
from pagemill.settings import Settings
from pagemill.steps.accept import accept, sniff
from pagemill.wiring import open_mill
from tests import samples
from tests.mills import events_of, finished, hand_in, made, small_settings, submission
from tests.waiting import wait_for

pytestmark = pytest.mark.mill


@pytest.fixture(scope="module")
def mill(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mill]:
    """A mill at work."""
    with open_mill(small_settings(tmp_path_factory.mktemp("mill"))) as working:
        yield working


def test_a_letter_makes_its_journey_in_three_commits(mill: Mill) -> None:
    job_id = hand_in(mill, samples.letter("Dear three commits,")).job_id
    job = finished(mill, job_id)
    assert (job["status"], job["stage"], job["total_pages"], job["processed_pages"]) == (
        "completed",
        "publish",
        1,
        1,
    )
    assert events_of(mill, job_id) == ["job.accepted", "job.started", "job.completed"]
    assert {"accept", "plan", "extract", "join"} <= set(job["seconds"])
    assert b"Dear three commits," in made(mill, job_id)


def test_every_format_is_made_and_says_the_same(mill: Mill) -> None:
    job_id = hand_in(mill, samples.letter("Dear formats,")).job_id
    finished(mill, job_id)
    for name in ("markdown", "json", "text", "html"):
        assert b"Dear formats," in made(mill, job_id, name)


def test_a_long_document_is_cut_and_joined(mill: Mill) -> None:
    job_id = hand_in(mill, samples.report(150)).job_id
    job = finished(mill, job_id)
    assert job["status"] == "completed"
    assert job["processed_pages"] == job["total_pages"] == job["document_pages"] == 150
    events = job_events(mill, DEFAULT_TENANT, job_id, 0)
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert [event.type for event in events].count(EventType.READ) == 3
    assert [page["number"] for page in json.loads(made(mill, job_id, "json"))["pages"]] == list(range(1, 151))


def test_the_same_document_gives_the_same_bytes(mill: Mill) -> None:
    first = hand_in(mill, samples.report(70), reuse=False).job_id
    second = hand_in(mill, samples.report(70), reuse=False).job_id
    assert finished(mill, first)["reused"] is finished(mill, second)["reused"] is False
    for name in ("markdown", "json", "text", "html"):
        assert made(mill, first, name) == made(mill, second, name)


def test_a_document_that_was_read_before_is_answered_from_its_result(mill: Mill) -> None:
    document = samples.letter("Dear again,")
    first = finished(mill, hand_in(mill, document).job_id)
    again = hand_in(mill, document)
    answer = json.loads(again.answer)
    assert answer["status"] == "completed"
    assert answer["reused"] is True
    assert again.messages == ()
    assert made(mill, again.job_id) == made(mill, first["id"])


def test_a_result_whose_files_were_removed_is_not_reused(mill: Mill) -> None:
    document = samples.letter("Dear lifecycle rule,")
    first = finished(mill, hand_in(mill, document).job_id)
    key = artifact(mill, DEFAULT_TENANT, first["id"], "markdown").key
    (mill.settings.data_dir / "blobs" / key).unlink()
    with pytest.raises(StoredFileMissing):
        mill.blobs.open(key)
    assert finished(mill, hand_in(mill, document).job_id)["reused"] is False
    assert finished(mill, hand_in(mill, document).job_id)["reused"] is True


def test_other_options_are_another_result(mill: Mill) -> None:
    document = samples.letter("Dear options,")
    finished(mill, hand_in(mill, document).job_id)
    other = finished(mill, hand_in(mill, document, ReadingOptions(formats=("markdown",))).job_id)
    assert other["reused"] is False


def test_only_the_asked_pages_are_read(mill: Mill) -> None:
    job_id = hand_in(mill, samples.report(90), ReadingOptions(pages="2-3,80,85-200")).job_id
    job = finished(mill, job_id)
    assert job["document_pages"] == 90
    assert job["total_pages"] == job["processed_pages"] == 9
    numbers = [page["number"] for page in json.loads(made(mill, job_id, "json"))["pages"]]
    assert numbers == [2, 3, 80, 85, 86, 87, 88, 89, 90]
    assert [page.number for page in list_pages(mill, DEFAULT_TENANT, job_id, first=3, limit=4).pages] == [
        3,
        80,
        85,
        86,
    ]
    assert "pages_beyond_end" in job["warnings"]


def test_pages_can_be_read_one_by_one(mill: Mill) -> None:
    job_id = hand_in(mill, samples.report(70)).job_id
    finished(mill, job_id)
    page = one_page(mill, DEFAULT_TENANT, job_id, 66)
    assert json.loads(page.body)["number"] == 66
    assert page.draft is False
    with pytest.raises(NotFound):
        one_page(mill, DEFAULT_TENANT, job_id, 71)


def test_a_page_is_drawn_once_and_kept(mill: Mill) -> None:
    job_id = hand_in(mill, samples.letter("Dear painter,")).job_id
    finished(mill, job_id)
    first = page_image(mill, DEFAULT_TENANT, job_id, 1, dpi=60, form="png")
    with mill.blobs.open(first.key) as image:
        assert image.read(8) == b"\x89PNG\r\n\x1a\n"
    drawn_at = mill.settings.data_dir / "blobs" / first.key
    before = drawn_at.stat().st_mtime_ns
    assert page_image(mill, DEFAULT_TENANT, job_id, 1, dpi=60, form="png") == first
    assert drawn_at.stat().st_mtime_ns == before
    assert page_image(mill, DEFAULT_TENANT, job_id, 1, dpi=90, form="png").size_bytes > first.size_bytes
    with pytest.raises(NotFound):
        page_image(mill, DEFAULT_TENANT, job_id, 2, dpi=60, form="png")


@pytest.mark.parametrize(
    ("document", "code"),
    [
        (samples.corrupt(), "pdf_corrupt"),
        (samples.no_pages(), "no_pages"),
        (samples.encrypted(), "password_required"),
        (samples.unknown_encryption(), "encryption_unsupported"),
    ],
)
def test_a_document_that_can_not_be_opened_fails_once_with_its_reason(
    mill: Mill, document: bytes, code: str
) -> None:
    job = finished(mill, hand_in(mill, document).job_id)
    assert job["status"] == "failed"
    assert job["error"] is not None
    assert (job["error"]["code"], job["error"]["stage"], job["error"]["retryable"]) == (code, "plan", False)
    assert job["counters"] == {"crashes": 0, "errors": 0, "lost": 0}


def test_a_password_opens_its_document_and_is_wiped(mill: Mill) -> None:
    job_id = hand_in(mill, samples.encrypted(), password="open").job_id
    assert finished(mill, job_id)["status"] == "completed"
    stored = mill.db.read(
        lambda conn: conn.exec_driver_sql("SELECT password FROM jobs WHERE password IS NOT NULL").all()
    )
    # What is left says that there was one, and nothing of it.
    assert stored == [(b"",)]


def test_a_wrong_password_is_told_apart(mill: Mill) -> None:
    job = finished(mill, hand_in(mill, samples.encrypted(), password="wrong").job_id)
    assert job["error"] is not None
    assert job["error"]["code"] == "password_incorrect"


def test_a_result_behind_a_password_is_not_given_to_others(mill: Mill) -> None:
    document = samples.encrypted(user="secret")
    assert finished(mill, hand_in(mill, document, password="secret").job_id)["status"] == "completed"
    without = finished(mill, hand_in(mill, document).job_id)
    assert without["error"] is not None
    assert without["error"]["code"] == "password_required"


def test_an_idempotency_key_makes_one_job(mill: Mill) -> None:
    document = samples.letter("Dear key,")
    first = hand_in(mill, document, idempotency_key="a-key")
    again = hand_in(mill, document, idempotency_key="a-key")
    assert (again.job_id, again.answer, again.replayed) == (first.job_id, first.answer, True)


def test_the_key_of_a_removed_job_answers_that_it_is_gone(mill: Mill) -> None:
    document = samples.letter("Dear gone,")
    job_id = hand_in(mill, document, idempotency_key="gone").job_id
    finished(mill, job_id)
    remove(mill, DEFAULT_TENANT, job_id)
    with pytest.raises(Gone):
        hand_in(mill, document, idempotency_key="gone")


def test_warnings_of_the_document_reach_the_json_of_long_and_short_ones(mill: Mill) -> None:
    for pages in (3, 70):
        document = samples.big(pages).replace(b"startxref", b"startxxxx")
        job_id = hand_in(mill, document).job_id
        assert finished(mill, job_id)["warnings"] == ["repaired"]
        assert json.loads(made(mill, job_id, "json"))["warnings"] == ["repaired"]
        assert finished(mill, hand_in(mill, document).job_id)["warnings"] == ["repaired"]


def test_a_document_whose_file_is_gone_fails_after_some_tries(mill: Mill) -> None:
    lost = submission(mill, samples.letter("Dear lost,"))
    mill.blobs.remove(lost.upload.blob_key)
    acceptance = mill.db.write(lambda tx: accept(tx, mill, lost))
    mill.queue.send(acceptance.messages)
    job = finished(mill, acceptance.job_id)
    assert job["error"] is not None
    assert job["error"]["code"] == "stored_file_missing"
    assert job["counters"]["errors"] == mill.caps.errors


def test_a_result_is_kept_under_the_engines_that_read_it(settings: Settings) -> None:
    with open_mill(settings, workers=False) as mill:
        first = hand_in(mill, samples.letter("Dear engine,")).job_id
        # As an API with other engines than this worker would have accepted it.
        of_others = update(jobs).values(fingerprint="of other engines")
        mill.db.write(lambda tx: tx.conn.execute(of_others))
        assert take_turn(mill, (Lane.FAST,), threading.Event())
        assert finished(mill, first)["status"] == "completed"
        again = hand_in(mill, samples.letter("Dear engine,")).job_id
        assert finished(mill, again)["reused"]
        assert mill.db.read(lambda conn: reusable(conn, DEFAULT_TENANT, "of other engines")) is None


def test_a_document_whose_file_shows_late_is_read(settings: Settings, tmp_path: Path) -> None:
    late = settings.model_copy(update={"blobs_url": f"file://{tmp_path}/shared"})
    with open_mill(late) as mill:
        new = submission(mill, samples.letter("Dear latecomer,"))
        mill.blobs.copy(new.upload.blob_key, "documents/aside.pdf")
        mill.blobs.remove(new.upload.blob_key)
        acceptance = mill.db.write(lambda tx: accept(tx, mill, new))
        mill.queue.send(acceptance.messages)
        wait_for(mill.metrics.retries.labels("none")._value.get)
        mill.blobs.copy("documents/aside.pdf", new.upload.blob_key)
        job = finished(mill, acceptance.job_id)
    assert (job["status"], job["counters"]["errors"]) == ("completed", 0)


def test_an_unexpected_error_while_recording_strands_nothing(
    mill: Mill, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAGEMILL_FAULT", "turn.before_record:raise")
    job = finished(mill, hand_in(mill, samples.letter("Dear fault,")).job_id)
    assert job["status"] == "completed"


def test_an_unexpected_error_after_a_claim_strands_nothing(
    mill: Mill, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAGEMILL_FAULT", "claim.after_commit:raise")
    job = finished(mill, hand_in(mill, samples.letter("Dear claim,")).job_id)
    assert (job["status"], job["counters"]) == ("completed", {"crashes": 0, "errors": 0, "lost": 0})


def test_a_document_that_holds_up_others_is_read_alone(tmp_path: Path) -> None:
    slow = samples.trial_pages(["TRIAL:sleep:2"])
    trial = ReadingOptions(providers=("trial",))
    settings = small_settings(tmp_path, batch_timeout_seconds=0.5)
    with open_mill(settings, workers=False) as still:
        slow_id = hand_in(still, slow, trial).job_id
        others = [hand_in(still, samples.letter(f"Dear {n},"), trial).job_id for n in range(3)]
    with open_mill(settings) as working:
        jobs = [finished(working, job_id) for job_id in (*others, slow_id)]
    assert [job["status"] for job in jobs] == ["completed"] * 4
    assert all((job["finished_at"] or "") < (jobs[-1]["finished_at"] or "") for job in jobs[:-1])
    assert jobs[-1]["counters"] == {"crashes": 0, "errors": 0, "lost": 0}


def test_a_document_whose_password_is_lost_takes_no_other_with_it(tmp_path: Path) -> None:
    settings = small_settings(tmp_path)
    with open_mill(settings, workers=False) as still:
        locked_id = hand_in(still, samples.letter("Dear locked,"), password="known").job_id
        others = [hand_in(still, samples.letter(f"Dear {n},")).job_id for n in range(3)]
    (tmp_path / "secret.key").unlink()
    with open_mill(settings) as working:
        error = finished(working, locked_id)["error"]
        jobs = [finished(working, job_id) for job_id in others]
    assert error is not None
    assert error["code"] == "password_required"
    assert [job["status"] for job in jobs] == ["completed"] * 3
    assert all(job["counters"]["errors"] == 0 for job in jobs)


def test_an_idempotency_key_with_another_document_is_refused(mill: Mill) -> None:
    hand_in(mill, samples.letter("Dear first,"), idempotency_key="taken")
    with pytest.raises(IdempotencyKeyReused):
        hand_in(mill, samples.letter("Dear second,"), idempotency_key="taken")


def test_bytes_that_are_no_document_are_named() -> None:
    with pytest.raises(UnsupportedFileType) as refused:
        sniff(b"PK\x03\x04" + bytes(2_000))
    assert refused.value.details["detected"] == "application/zip"


def test_a_document_whose_header_is_broken_is_read_all_the_same(mill: Mill) -> None:
    broken = samples.letter("Dear header,").replace(b"%PDF-1.", b"%PDF.1.", 1)
    job = finished(mill, hand_in(mill, broken).job_id)
    assert (job["status"], job["processed_pages"]) == ("completed", 1)


def test_pages_that_a_person_should_look_at_are_named(mill: Mill) -> None:
    job_id = hand_in(mill, samples.report(3, seed=77)).job_id
    job = finished(mill, job_id)
    pages = [one_page(mill, DEFAULT_TENANT, job_id, number) for number in (1, 2, 3)]
    sure = [json.loads(page.body)["confidence"] for page in pages]
    assert job["to_check"] == [number for number, one in enumerate(sure, 1) if one < CHECKED_BELOW]
    assert all(0.0 < one <= 1.0 for one in sure)
