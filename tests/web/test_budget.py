"""How much comes over the wire, and how soon something is seen."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, CDPSession, Page, expect

from tests.servers import Served
from tests.timing import can_take_less_than
from tests.web.browsers import Windows
from tests.web.conftest import Open

MOST_BYTES = 150_000
FIRST_PAINT_SECONDS = 0.5
COUNTED = ("Script", "Stylesheet")
PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"


@pytest.fixture
def windows(browser: Browser) -> Iterator[Windows]:
    """New windows for each test: nothing is in the cache."""
    opened = Windows(browser)
    yield opened
    opened.close()


class Traffic:
    """What a page loads, counted on the wire."""

    def __init__(self, page: Page) -> None:
        self.kinds: dict[str, str] = {}
        self.sizes: dict[str, float] = {}
        self.hosts: set[str] = set()
        wire: CDPSession = page.context.new_cdp_session(page)
        wire.send("Network.enable")
        wire.on("Network.responseReceived", self._seen)
        wire.on("Network.loadingFinished", self._counted)

    def _seen(self, event: dict[str, object]) -> None:
        answer = event["response"]
        assert isinstance(answer, dict)
        self.kinds[str(event["requestId"])] = str(event["type"])
        url = str(answer["url"])
        # Chromium draws the icon of a date field from a data URL, for which nobody is asked.
        if not url.startswith("data:"):
            self.hosts.add(url.split("/")[2])

    def _counted(self, event: dict[str, object]) -> None:
        size = event["encodedDataLength"]
        assert isinstance(size, int | float)
        self.sizes[str(event["requestId"])] = size

    def script_and_style_bytes(self) -> float:
        """Scripts and styles, headers included."""
        return sum(size for request, size in self.sizes.items() if self.kinds.get(request) in COUNTED)


def test_the_start_page_is_small_and_asks_nobody_else(mill_server: Served, open_page: Open) -> None:
    page = open_page("about:blank")
    traffic = Traffic(page)
    page.goto(mill_server.url, wait_until="networkidle")
    expect(page.locator(".drop")).to_be_visible()
    assert 0 < traffic.script_and_style_bytes() < MOST_BYTES
    assert traffic.hosts == {f"127.0.0.1:{mill_server.port}"}


def test_something_is_seen_within_half_a_second(mill_server: Served, open_page: Open) -> None:
    assert can_take_less_than(FIRST_PAINT_SECONDS, lambda: first_paint(open_page(mill_server.url)))


def first_paint(page: Page) -> float:
    """When something was first seen, in seconds; the page is closed, to leave the machine to the next try."""
    page.wait_for_function(f"() => ({PAINT}) > 0")
    milliseconds: float = page.evaluate(PAINT)
    page.context.close()
    return milliseconds / 1000


def test_a_second_visit_loads_no_script_again(mill_server: Served, open_page: Open) -> None:
    page = open_page(mill_server.url)
    expect(page.locator(".drop")).to_be_visible()
    traffic = Traffic(page)
    page.goto(f"{mill_server.url}/jobs")
    expect(page.get_by_role("heading", name="Jobs", exact=True)).to_be_visible()
    assert traffic.script_and_style_bytes() < MOST_BYTES / 4
