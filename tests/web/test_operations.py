"""The page for those who look after the service."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests import samples
from tests.servers import Served
from tests.web.browsers import NARROW, WIDE, in_each_scheme, overflow, serious_issues
from tests.web.conftest import Open
from tests.web.papers import slow_document


def panel(page: Page, title: str) -> Locator:
    """A part of the page by its title."""
    return page.locator(".panel").filter(has=page.get_by_role("heading", name=title))


def tile(page: Page, name: str) -> Locator:
    """One of the large figures."""
    return page.locator(".tile").filter(has=page.locator("dt", has_text=name))


def test_what_was_done_is_seen_at_a_glance(mill_server: Served, open_page: Open) -> None:
    mill_server.finished(samples.report(3), filename="seen.pdf")
    mill_server.finished(samples.corrupt(), filename="seen-broken.pdf")
    page = open_page(f"{mill_server.url}/operations")
    expect(panel(page, "Failures by code")).to_contain_text("pdf_corrupt")
    expect(panel(page, "Seconds per step")).to_contain_text("extract")
    expect(panel(page, "Waiting by lane")).to_contain_text("bulk")
    expect(panel(page, "Reading time by provider")).to_contain_text("liteparse")
    expect(panel(page, "Usage today")).to_contain_text("CPU")
    expect(panel(page, "Workers")).to_contain_text("idle")
    expect(tile(page, "Stored")).to_contain_text("free")
    plot = page.get_by_role("img", name="Pages per minute over the last hour")
    expect(plot.locator("rect").first).to_be_attached()


def test_figures_change_without_a_reload(slow_server: Served, open_page: Open) -> None:
    page = open_page(f"{slow_server.url}/operations")
    expect(tile(page, "Slots")).to_contain_text("0 / 1")
    job = slow_server.submit(slow_document(4.0), filename="watched.pdf", reuse="false")
    expect(tile(page, "Slots")).to_contain_text("1 / 1")
    expect(panel(page, "Workers")).to_contain_text("reading")
    slow_server.http.delete(f"/v1/jobs/{job['id']}")
    expect(tile(page, "Slots")).to_contain_text("0 / 1")


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_it_fits_every_window_and_keeps_nobody_out(
    mill_server: Served, open_page: Open, size: tuple[int, int]
) -> None:
    page = open_page(f"{mill_server.url}/operations", size=size)
    expect(panel(page, "Workers")).to_be_visible()
    for _ in in_each_scheme(page):
        assert overflow(page) == 0
        assert serious_issues(page) == []
