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


def test_words_that_nothing_has_are_answered_with_a_sentence(mill_server: Served, open_page: Open) -> None:
    page = open_page(f"{mill_server.url}/search?q=zweihänder", size=NARROW)
    expect(page.get_by_text("Nothing found")).to_be_visible()
    assert overflow(page) <= 0
