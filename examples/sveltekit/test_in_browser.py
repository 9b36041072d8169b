"""The example as people use it: built, beside a real pagemill, in Chromium. Run by `make example`."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect

from bench.ports import free_port
from tests.mills import small_settings
from tests.samples import corrupt, report
from tests.servers import Served, served
from tests.waiting import wait_for
from tests.web.browsers import launched, window

FOLDER = Path(__file__).parent
KEY = "a-key-of-the-example"
# However busy the machine is.
READ_MILLISECONDS = 300_000


@pytest.fixture(scope="module")
def mill_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A pagemill that asks for a key."""
    with served(small_settings(tmp_path_factory.mktemp("example"), api_key=KEY)) as server:
        yield server


@pytest.fixture(scope="module")
def example(mill_server: Served) -> Iterator[str]:
    """The address of the example, as it was built."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    settings = {"PAGEMILL_URL": mill_server.url, "PAGEMILL_API_KEY": KEY, "ORIGIN": url, "PORT": str(port)}
    node = subprocess.Popen(
        ["node", "build"], cwd=FOLDER, env={**os.environ, "BODY_SIZE_LIMIT": "Infinity", **settings}
    )
    try:
        wait_for(lambda: is_up(url))
        yield url
    finally:
        node.terminate()
        node.wait()


def is_up(url: str) -> bool:
    """Whether the example answers."""
    try:
        return httpx.get(url).status_code == httpx.codes.OK
    except httpx.TransportError:
        return False


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium."""
    with launched() as opened:
        yield opened


def test_a_document_is_followed_to_its_result_and_found_again(
    browser: Browser, example: str, tmp_path: Path
) -> None:
    document = tmp_path / "long report.pdf"
    # Larger than what the server of the example takes by default, and long enough to be seen on its way.
    document.write_bytes(report(150) + b"\n%" + b"x" * 2_000_000)
    with window(browser) as context:
        page = context.new_page()
        page.goto(example)
        page.get_by_label("A PDF, an image or an office file").set_input_files(document)
        page.get_by_role("button", name="Upload").click()
        expect(page.get_by_role("heading", name="long report.pdf")).to_be_visible()
        address = page.url
        page.reload()
        expect(page.get_by_role("status")).to_have_text("completed", timeout=READ_MILLISECONDS)
        expect(page.locator("pre")).not_to_be_empty()
        assert page.url == address
        page.get_by_role("link", name="Read another document").click()
        page.get_by_role("link", name=address.rpartition("/")[2]).click()
        expect(page.get_by_role("heading", name="long report.pdf")).to_be_visible()


def test_errors_are_shown_where_they_happen(browser: Browser, example: str, tmp_path: Path) -> None:
    broken, program = tmp_path / "broken.pdf", tmp_path / "program.pdf"
    broken.write_bytes(corrupt())
    program.write_bytes(b"\x7fELF\x02\x01\x01" + bytes(64))
    with window(browser) as context:
        page = context.new_page()
        page.goto(example)
        page.get_by_label("A PDF, an image or an office file").set_input_files(program)
        page.get_by_role("button", name="Upload").click()
        expect(page.get_by_role("alert")).to_be_visible()
        page.get_by_label("A PDF, an image or an office file").set_input_files(broken)
        page.get_by_role("button", name="Upload").click()
        expect(page.get_by_role("status")).to_have_text("failed")
        expect(page.get_by_role("alert")).to_contain_text("pdf_corrupt")
        page.goto(f"{example}/jobs/0199a3c4-7d52-7c31-9a42-6f0f5b1c2d3e")
        expect(page.get_by_role("heading", name="That did not work")).to_be_visible()
