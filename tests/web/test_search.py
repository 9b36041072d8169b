"""The page of search: what is found, and the way from a hit to the block on its page."""

from playwright.sync_api import expect

from tests import samples
from tests.servers import Served
from tests.web.browsers import NARROW, overflow, serious_issues
from tests.web.conftest import Open


def test_a_hit_opens_the_document_at_the_block(mill_server: Served, open_page: Open) -> None:
    job = mill_server.finished(samples.letter("Dear Dapple,"), filename="dapple.pdf")
    page = open_page(f"{mill_server.url}/search")
    page.get_by_label("Words").fill("dapple")
    page.get_by_role("button", name="Search").click()
    hits = page.get_by_role("region", name="Hits")
    expect(hits.locator("mark").first).to_have_text("Dapple")
    assert serious_issues(page) == []
    hits.get_by_role("link", name="dapple.pdf, page 1").first.click()
    expect(page.get_by_role("heading", name="dapple.pdf")).to_be_visible()
    expect(page.locator(".selected[data-block]").first).to_be_attached()
    assert f"/jobs/{job['id']}" in page.url


def test_labels_are_changed_in_the_viewer_and_filter_the_search(mill_server: Served, open_page: Open) -> None:
    job = mill_server.finished(samples.letter("Dear Piebald,"), filename="piebald.pdf")
    page = open_page(f"{mill_server.url}/jobs/{job['id']}")
    page.get_by_role("button", name="Labels").click()
    dialog = page.get_by_role("dialog", name="Labels")
    dialog.get_by_label("Collection").fill("horses")
    dialog.get_by_label("Tags").fill("grey, small")
    dialog.get_by_role("button", name="Save").click()
    expect(page.get_by_role("link", name="#grey")).to_be_visible()
    page.get_by_role("link", name="horses").click()
    expect(page.get_by_role("link", name="piebald.pdf").first).to_be_visible()
    page.goto(f"{mill_server.url}/search?q=piebald&tag=brown")
    expect(page.get_by_text("Nothing found")).to_be_visible()
    page.get_by_label("Tag").fill("small")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("region", name="Hits").locator("mark").first).to_have_text("Piebald")
    assert serious_issues(page) == []


def test_words_that_nothing_has_are_answered_with_a_sentence(mill_server: Served, open_page: Open) -> None:
    page = open_page(f"{mill_server.url}/search?q=zweihänder", size=NARROW)
    expect(page.get_by_text("Nothing found")).to_be_visible()
    assert overflow(page) <= 0
