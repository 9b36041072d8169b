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
    expect(page.get_by_text("No document that the filters let through has these words.")).to_be_visible()
    page.get_by_label("Tags").fill("small, grey")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("region", name="Hits").locator("mark").first).to_have_text("Piebald")
    assert serious_issues(page) == []


def test_a_link_of_the_search_page_has_the_filters(mill_server: Served, open_page: Open) -> None:
    job = mill_server.finished(
        samples.letter("Dear Babieca,"),
        filename="babieca.pdf",
        collection="steeds",
        tags="white,thin",
        metadata='{"owner": "Cid"}',
        enrich="class",
    )
    page = open_page(f"{mill_server.url}/search?q=babieca")
    expect(page.get_by_label("Collection")).to_be_hidden()
    page.get_by_text("Filters").click()
    page.get_by_label("Collection").fill("steeds")
    page.get_by_label("Tags").fill("white, thin")
    page.get_by_label("Class").fill(job["classification"]["name"])
    page.get_by_label("Type").select_option("PDF")
    page.get_by_label("Uploaded from").fill("2001-02-03")
    page.get_by_label("Metadata").fill("owner:Cid")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("region", name="Hits").locator("mark").first).to_have_text("Babieca")
    assert "tag=white&tag=thin" in page.url
    assert serious_issues(page) == []
    again = open_page(page.url, size=NARROW)
    expect(again.get_by_role("region", name="Hits").locator("mark").first).to_have_text("Babieca")
    expect(again.get_by_label("Metadata")).to_have_value("owner:Cid")
    expect(again.get_by_label("Uploaded from")).to_have_value("2001-02-03")
    assert overflow(again) <= 0
    again.get_by_label("Uploaded until").fill("2001-02-04")
    again.get_by_role("button", name="Search").click()
    expect(again.get_by_text("Nothing found")).to_be_visible()


def test_the_list_of_jobs_goes_by_the_same_filters(mill_server: Served, open_page: Open) -> None:
    labels = {"collection": "stables", "metadata": '{"stall": "7"}'}
    for name, tags in (("fast.pdf", "swift,bay"), ("slow.pdf", "bay")):
        mill_server.finished(samples.letter(f"Dear {name},"), filename=name, tags=tags, **labels)
    page = open_page(f"{mill_server.url}/jobs?collection=stables&tag=bay&tag=swift&metadata=stall:7")
    rows = page.locator("tbody tr")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("fast.pdf")
    page.get_by_role("button", name="tag: swift").click()
    expect(rows).to_have_count(2)
    assert page.url.endswith("collection=stables&metadata=stall%3A7&tag=bay")
    assert serious_issues(page) == []


def test_words_that_nothing_has_are_answered_with_a_sentence(mill_server: Served, open_page: Open) -> None:
    page = open_page(f"{mill_server.url}/search?q=zweihänder", size=NARROW)
    expect(page.get_by_text("Nothing found")).to_be_visible()
    assert overflow(page) <= 0
