"""What people see of malware: in the answer, the job, its events and on its web page."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.bad_inputs.documents import EICAR
from tests.mills import small_settings
from tests.samples import letter
from tests.scanning.clamd import SIGNATURE, Clamd, infected
from tests.servers import Served, served
from tests.web.browsers import launched, window

pytestmark = pytest.mark.mill


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory, clamd: Clamd) -> Iterator[Served]:
    """A server whose documents a real clamd scans."""
    folder: Path = tmp_path_factory.mktemp("guarded")
    with served(small_settings(folder, scanner_url=clamd.socket_url, slots=1, kept_slots=0)) as server:
        yield server


def test_the_test_virus_is_refused_as_malware_and_nothing_of_it_is_kept(guarded: Served) -> None:
    before = guarded.files()
    answer = guarded.http.post("/v1/jobs", files={"file": ("eicar.com", EICAR)})
    assert (answer.status_code, answer.json()["code"]) == (422, "malware_detected")
    assert "Eicar-Test-Signature" in answer.json()["detail"]
    harmless = guarded.http.post("/v1/jobs", files={"file": ("x.bin", bytes(range(256)))})
    assert (harmless.status_code, harmless.json()["code"]) == (415, "unsupported_file_type")
    assert guarded.files() == before


def test_malware_in_a_document_is_shown_in_the_job_its_events_and_its_page(guarded: Served) -> None:
    job = guarded.finished(infected("Dear visitor,"))
    assert (job["status"], job["error"]["code"]) == ("failed", "malware_detected")
    accept = {"accept": "application/json"}
    events = guarded.http.get(f"/v1/jobs/{job['id']}/events", headers=accept).json()["events"]
    [scan] = [event["facts"] for event in events if event["type"] == "job.scanned"]
    assert (scan["verdict"], SIGNATURE in scan["signature"]) == ("infected", True)
    assert "ClamAV" in scan["scanner"]
    with launched() as browser, window(browser) as context:
        page = context.new_page()
        page.goto(f"{guarded.url}/jobs/{job['id']}")
        expect(page.get_by_text(SIGNATURE).first).to_be_visible()
    assert guarded.finished(letter("Dear clean visitor,"))["status"] == "completed"
