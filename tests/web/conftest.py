"""A browser and a server for the tests of the web pages; a script error on a page fails the test that met it."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.mills import shared_settings
from tests.servers import Served, served
from tests.web.browsers import KeptBrowser, Windows, kept

Open = Callable[..., Page]


@pytest.fixture(scope="session")
def kept_browser() -> Iterator[KeptBrowser]:
    """One browser for all tests of a process: its start takes as long as a short test, and it keeps static files."""
    with kept() as opened:
        yield opened


@pytest.fixture
def browser(kept_browser: KeptBrowser) -> Iterator[Browser]:
    """That browser, in use."""
    with kept_browser.in_use() as browser:
        yield browser


@pytest.fixture(scope="session")
def kept_windows(kept_browser: KeptBrowser) -> Windows:
    """The windows of that browser."""
    return Windows(kept_browser.browser)


@pytest.fixture
def windows(kept_browser: KeptBrowser, kept_windows: Windows) -> Iterator[Windows]:
    """These windows, while the browser is in use."""
    with kept_browser.in_use():
        yield kept_windows


@pytest.fixture(scope="session")
def mill_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with a mill at work behind it, shared by the tests that only add jobs."""
    with served(
        shared_settings(tmp_path_factory.mktemp("web"), slots=2, outbound_allow="127.0.0.0/8")
    ) as server:
        yield server


@pytest.fixture
def open_page(windows: Windows) -> Iterator[Open]:
    """Opens addresses in windows of their own, as in `open_page(server.url + "/jobs", size=NARROW, scheme="dark")`."""
    errors: list[str] = []

    def opened(address: str, **choices: object) -> Page:
        page = windows.take(**choices).new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on(
            "console", lambda line: errors.append(line.text) if is_our_fault(line.type, line.text) else None
        )
        page.goto(address)
        return page

    yield opened
    windows.give_back()
    assert not errors


def is_our_fault(kind: str, text: str) -> bool:
    """Whether a line on the console tells of a mistake in the pages; requests that the service refuses are none."""
    return kind == "error" and not text.startswith("Failed to load resource")


@pytest.fixture(scope="session")
def slow_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that takes its time with pages which ask for it, as in `trial_pages(["TRIAL:sleep:1"])`."""
    settings = shared_settings(tmp_path_factory.mktemp("slow"), providers="trial", sandbox="off")
    with served(settings) as server:
        yield server
