"""A document with malware: its page says what was found, and shows nothing of it."""

import shlex
import sys
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.mills import small_settings
from tests.scanning.clamd import infected
from tests.scanning.test_scanners import FIND_MARKER
from tests.servers import Served, served
from tests.web.conftest import Open


@pytest.fixture(scope="module")
def scanning(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that scans with a command."""
    command = shlex.join([sys.executable, "-c", FIND_MARKER])
    folder = tmp_path_factory.mktemp("scanning")
    with served(small_settings(folder, slots=1, kept_slots=0, scanner_command=command)) as server:
        yield server


def test_the_page_of_an_infected_document_says_what_was_found(scanning: Served, open_page: Open) -> None:
    job = scanning.finished(infected(), filename="invoice.pdf")
    page = open_page(f"{scanning.url}/jobs/{job['id']}")
    expect(page.get_by_role("heading", name="This document could not be read")).to_be_visible()
    expect(page.locator("main")).to_contain_text(
        "The scanner found Marker in the document, whose bytes were quarantined."
    )
    expect(page.locator("main")).to_contain_text("malware_detected")
    assert scanning.http.get(f"/v1/jobs/{job['id']}/pages/1/image").status_code == 409
