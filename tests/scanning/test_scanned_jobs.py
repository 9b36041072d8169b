"""Jobs of scanned documents: what is found is never opened, and without a scanner nothing happens unnoticed."""

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pagemill.desk import commands, queries, runs
from pagemill.desk.contents import page_image
from pagemill.errors import JobFailed, PageNotReady
from pagemill.mill import DEFAULT_TENANT, Mill
from pagemill.model.events import EventType
from pagemill.wiring import open_mill
from tests.mills import events_of, finished, hand_in, small_settings, wait_for
from tests.samples import letter
from tests.scanning.clamd import MOST_BYTES, Clamd, free_port, infected
from tests.scanning.test_scanners import FIND_MARKER
from tests.walking import files_below

pytestmark = pytest.mark.mill

COMMAND = shlex.join([sys.executable, "-c", FIND_MARKER])


@pytest.fixture
def scanning(tmp_path: Path, clamd: Clamd) -> Iterator[Mill]:
    """A mill whose documents a real clamd scans."""
    with open_mill(small_settings(tmp_path / "mill", scanner_url=clamd.socket_url, slots=1)) as mill:
        yield mill


def scans(mill: Mill, job_id: str) -> list[dict[str, Any]]:
    """What the events of a job say of scans."""
    lines = queries.job_events(mill, DEFAULT_TENANT, job_id, 0)
    return [dict(line.facts) for line in lines if line.type == EventType.SCANNED]


def stored(mill: Mill) -> list[str]:
    """The names of all files of documents."""
    return [path.name for path in files_below(mill.settings.data_dir / "blobs" / "documents")]


def test_a_clean_document_is_scanned_and_read(scanning: Mill) -> None:
    job = finished(scanning, hand_in(scanning, letter()).job_id)
    assert (job["status"], job["warnings"]) == ("completed", [])
    [scan] = scans(scanning, job["id"])
    assert (scan["verdict"], scan["scanner"].partition(" ")[0]) == ("clean", "ClamAV")
    assert events_of(scanning, job["id"])[:3] == ["job.accepted", "job.started", "job.scanned"]


def test_an_infected_document_is_quarantined_and_never_opened(scanning: Mill) -> None:
    job = finished(scanning, hand_in(scanning, infected()).job_id)
    assert job["status"] == "failed"
    assert job["error"]
    assert (job["error"]["code"], job["error"]["retryable"]) == ("malware_detected", False)
    assert "Pagemill.Test.Marker" in job["error"]["message"]
    [scan] = scans(scanning, job["id"])
    assert (scan["verdict"], scan["signature"]) == ("infected", "Pagemill.Test.Marker.UNOFFICIAL")
    assert (scan["bytes"], job["error"]["message"][-12:]) == ("quarantined", "quarantined.")
    [kept] = stored(scanning)
    assert kept.endswith(".pdf.quarantine")
    with pytest.raises(JobFailed):
        page_image(scanning, DEFAULT_TENANT, job["id"], 1, dpi=72, form="png")
    commands.remove(scanning, DEFAULT_TENANT, job["id"])
    wait_for(lambda: not stored(scanning))


def test_a_worker_that_dies_after_the_quarantine_finds_the_verdict_again(scanning: Mill) -> None:
    first = hand_in(scanning, infected()).job_id
    finished(scanning, first)
    # The bytes are gone from where they were; a retry has nothing else to go by than the event.
    retry(scanning, first)
    again = finished(scanning, first)
    assert again["error"]
    assert (again["run"], again["error"]["code"]) == (2, "malware_detected")


def retry(mill: Mill, job_id: str) -> None:
    """Start the next run of a job."""
    runs.retry(mill, DEFAULT_TENANT, job_id, only="all", password=None, changes=runs.UNCHANGED)


def test_clamd_killed_in_the_middle_loses_nothing(scanning: Mill, clamd: Clamd) -> None:
    documents = [letter(f"Letter {number}") for number in range(6)]
    first = hand_in(scanning, documents[0]).job_id
    finished(scanning, first)
    clamd.kill()
    try:
        waiting = [hand_in(scanning, document).job_id for document in [*documents[1:], infected()]]
        wait_for(lambda: all(scans(scanning, job_id) for job_id in waiting))
        assert {queries.show_job(scanning, DEFAULT_TENANT, one)["status"] for one in waiting} == {
            "processing"
        }
    finally:
        clamd.start()
    ended = [finished(scanning, job_id) for job_id in waiting]
    assert [job["status"] for job in ended] == ["completed"] * 5 + ["failed"]
    for job in ended:
        verdicts = [scan["verdict"] for scan in scans(scanning, job["id"])]
        assert verdicts == ["waiting", "infected" if job["error"] else "clean"]
        assert job["counters"] == {"crashes": 0, "errors": 0, "lost": 0}


def test_a_document_that_is_too_large_for_the_scanner_fails_instead_of_waiting(scanning: Mill) -> None:
    job = finished(scanning, hand_in(scanning, letter() + b"%" * (2 * MOST_BYTES)).job_id)
    assert job["error"]
    assert job["error"]["code"] == "scan_failed"
    assert "StreamMaxLength" in job["error"]["message"]


@pytest.mark.parametrize(("policy", "status"), [("fail", "failed"), ("pass", "completed")])
def test_without_a_scanner_documents_fail_or_pass_and_it_is_said(
    tmp_path: Path, policy: str, status: str
) -> None:
    away = f"tcp://127.0.0.1:{free_port()}"
    settings = small_settings(tmp_path / "mill", scanner_url=away, scanner_down=policy, slots=1)
    with open_mill(settings) as mill:
        job = finished(mill, hand_in(mill, letter()).job_id)
        [scan] = scans(mill, job["id"])
    assert (job["status"], scan["verdict"]) == (status, "not_scanned")
    assert "clamd does not answer" in scan["reason"]
    if policy == "fail":
        assert job["error"]
        assert (job["error"]["code"], job["error"]["retryable"]) == ("scanner_unavailable", True)
    else:
        assert job["warnings"] == ["not_scanned"]


def test_a_command_scans_and_infected_bytes_can_be_deleted(tmp_path: Path) -> None:
    settings = small_settings(
        tmp_path / "mill", scanner_command=COMMAND, scanner_found="delete", slots=1, kept_slots=0
    )
    with open_mill(settings) as mill:
        job = finished(mill, hand_in(mill, infected()).job_id)
        assert job["error"]
        assert job["error"]["code"] == "malware_detected"
        assert stored(mill) == []
        assert finished(mill, hand_in(mill, letter()).job_id)["status"] == "completed"
        retry(mill, job["id"])
        assert finished(mill, job["id"])["error"] == job["error"]


def test_nothing_is_drawn_from_a_document_that_was_not_scanned_yet(tmp_path: Path) -> None:
    settings = small_settings(tmp_path / "mill", scanner_command=COMMAND, slots=1, kept_slots=0)
    with open_mill(settings, workers=False) as mill:
        job_id = hand_in(mill, infected()).job_id
        with pytest.raises(PageNotReady):
            page_image(mill, DEFAULT_TENANT, job_id, 1, dpi=72, form="png")
