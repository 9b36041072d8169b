"""Everybody can use the pages: what axe-core finds, the focus, and the words for those who listen."""

import pytest
from playwright.sync_api import Page, expect

from tests import samples
from tests.servers import Served
from tests.web.browsers import NARROW, WIDE, in_each_scheme, overflow, serious_issues
from tests.web.conftest import Open
from tests.web.papers import choose, paper

SIZES = [WIDE, NARROW]


@pytest.mark.parametrize("size", SIZES)
def test_the_start_page_keeps_nobody_out(mill_server: Served, open_page: Open, size: tuple[int, int]) -> None:
    page = open_page(mill_server.url, size=size)
    page.get_by_text("Options").click()
    choose(page, paper("fine.pdf", samples.letter()), paper("locked.pdf", samples.encrypted()))
    expect(page.locator(".status-failed")).to_be_visible()
    expect(page.locator(".status-completed")).to_be_visible()
    for _ in in_each_scheme(page):
        assert not serious_issues(page)
        assert overflow(page) == 0


@pytest.mark.parametrize("size", SIZES)
def test_the_list_of_jobs_keeps_nobody_out(
    mill_server: Served, open_page: Open, size: tuple[int, int]
) -> None:
    mill_server.finished(samples.letter("Dear all,"), filename="all.pdf")
    mill_server.finished(samples.corrupt(), filename="all-broken.pdf")
    page = open_page(f"{mill_server.url}/jobs?search=all", size=size)
    page.get_by_role("button", name="Timeline of all-broken.pdf").first.click()
    page.get_by_label("Select all-broken.pdf").first.check()
    expect(page.locator(".timeline li").first).to_be_visible()
    for _ in in_each_scheme(page):
        assert not serious_issues(page)
        assert overflow(page) == 0


def test_the_start_page_fits_the_smallest_phones(mill_server: Served, open_page: Open) -> None:
    page = open_page(mill_server.url, size=(320, 640))
    expect(page.get_by_role("button", name="Fetch")).to_be_visible()
    assert overflow(page) == 0


def test_empty_and_missing_pages_keep_nobody_out(mill_server: Served, open_page: Open) -> None:
    page = open_page(f"{mill_server.url}/jobs?search=nothing-like-it")
    expect(page.get_by_role("heading", name="No matching jobs")).to_be_visible()
    for _ in in_each_scheme(page):
        assert not serious_issues(page)


def test_another_page_takes_the_focus_and_is_announced(mill_server: Served, open_page: Open) -> None:
    page = open_page(mill_server.url)
    page.get_by_role("link", name="Jobs", exact=True).click()
    expect(page.locator("main")).to_be_focused()
    expect(page).to_have_title("Jobs · pagemill")
    expect(page.get_by_role("status").first).to_have_text("Jobs · pagemill")
    page.go_back()
    expect(page).to_have_title("Read documents · pagemill")


def test_the_first_tabulator_stop_skips_to_the_content(mill_server: Served, open_page: Open) -> None:
    page = open_page(mill_server.url)
    expect(page.locator(".drop")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Choose files")).to_be_focused()


def ground(page: Page) -> str:
    """The colour behind everything."""
    colour: str = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return colour


def test_the_theme_follows_the_system_until_one_is_chosen(mill_server: Served, open_page: Open) -> None:
    page = open_page(mill_server.url, scheme="dark")
    dark = ground(page)
    page.get_by_role("button", name="Theme: auto").click()
    light = ground(page)
    assert light != dark
    page.reload()
    expect(page.get_by_role("button", name="Theme: light")).to_be_visible()
    assert ground(page) == light


def test_an_address_without_a_page_leads_back(mill_server: Served, open_page: Open) -> None:
    page = open_page(mill_server.url)
    page.evaluate("history.pushState(null, '', '/nowhere'); dispatchEvent(new PopStateEvent('popstate'))")
    expect(page.get_by_role("heading", name="Page not found")).to_be_visible()
    page.get_by_role("link", name="Start page", exact=True).click()
    expect(page.locator(".drop")).to_be_visible()
