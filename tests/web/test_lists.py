"""The pages of batches and of webhooks."""

import json
import threading

import pytest
from playwright.sync_api import Locator, Page, expect

from tests import samples
from tests.http_receivers import Answered, Received, receiving_http
from tests.servers import Served
from tests.web.browsers import NARROW, WIDE, in_each_scheme, overflow, serious_issues
from tests.web.conftest import Open
from tests.web.papers import paper

PROGRAM = b"\x7fELF\x02\x01\x01" + bytes(64)


def row(page: Page, words: str) -> Locator:
    """A row of a list by words in it."""
    return page.locator(".list-row").filter(has_text=words).first


def test_files_become_a_batch_that_is_followed_to_its_results(mill_server: Served, open_page: Open) -> None:
    page = open_page(f"{mill_server.url}/batches")
    expect(page.get_by_role("heading", name="Batches", exact=True)).to_be_visible()
    chosen = [
        paper("one.pdf", samples.letter("Dear batch one,")),
        paper("two.pdf", samples.letter("Dear batch two,")),
        paper("program.pdf", PROGRAM),
    ]
    page.locator("input[data-kind=batch]").set_input_files(chosen)
    batch = row(page, "Batch of 3 documents")
    expect(batch).to_contain_text("2 of 3 documents read, 1 refused")
    batch.get_by_role("button", name="Show items").click()
    items = batch.get_by_role("list", name="Items")
    expect(items.get_by_role("listitem")).to_have_count(3)
    expect(items).to_contain_text("looks like")
    with page.expect_download() as downloading:
        batch.get_by_role("link", name="Results").click()
    assert downloading.value.suggested_filename.endswith(".zip")
    items.get_by_role("link", name="one.pdf").click()
    expect(page.get_by_role("heading", name="one.pdf")).to_be_visible()


def test_a_running_batch_shows_its_progress_and_is_cancelled(mill_server: Served, open_page: Open) -> None:
    asked_enough = threading.Event()

    def hesitate(_: Received) -> Answered:
        asked_enough.wait(60)
        return Answered()

    with receiving_http(hesitate) as archive:
        asked = {"name": "Far away", "items": [{"url": f"{archive.url}/a.pdf"}]}
        mill_server.http.post("/v1/batches", json=asked)
        page = open_page(f"{mill_server.url}/batches")
        batch = row(page, "Far away")
        expect(batch.get_by_role("progressbar", name="Progress of Far away")).to_be_attached()
        batch.get_by_role("button", name="Cancel").click()
        expect(batch).to_contain_text("1 cancelled")
        asked_enough.set()
    batch.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(row(page, "Far away")).to_have_count(0)


def test_a_webhook_is_added_tried_and_its_deliveries_are_sent_again(
    mill_server: Served, open_page: Open
) -> None:
    answers = [Answered(500, body=b"not now"), Answered(), Answered()]
    with receiving_http(lambda _: answers.pop(0) if answers else Answered()) as receiver:
        page = open_page(f"{mill_server.url}/webhooks")
        page.get_by_label("Address").fill(receiver.url)
        page.get_by_label("Events").fill("job.cancelled, job.progress")
        page.get_by_label("Steps of job.progress").fill("50 pages")
        page.get_by_role("button", name="Add webhook").click()
        expect(page.locator(".secret code")).to_contain_text("whsec_")
        endpoint = row(page, receiver.url)
        expect(endpoint).to_contain_text("progress every 50 pages")
        endpoint.get_by_role("button", name="Send a test").click()
        delivery = row(page, "webhook.test")
        expect(delivery).to_contain_text("status 500")
        expect(delivery).to_contain_text("delivered", timeout=20_000)
        delivery.get_by_role("button", name="Show log").click()
        expect(delivery.get_by_role("list", name="Attempts").get_by_role("listitem")).to_have_count(2)
        expect(delivery).to_contain_text("not now")
        delivery.get_by_role("button", name="Send again").click()
        expect(delivery.get_by_role("list", name="Attempts").get_by_role("listitem")).to_have_count(3)
        assert {json.loads(body)["type"] for body in receiver.bodies()} == {"webhook.test"}
        endpoint.get_by_role("button", name="Send failed again").click()
        page.get_by_label("Made since").fill("2026-01-01T00:00")
        page.get_by_role("dialog").get_by_role("button", name="Send again").click()
        expect(page.get_by_text("0 messages sent again.")).to_be_visible()
        endpoint.get_by_role("button", name="Disable").click()
        expect(endpoint).to_contain_text("disabled")
        endpoint.get_by_role("button", name="Delete").click()
        page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        expect(row(page, receiver.url)).to_have_count(0)


def test_the_link_of_a_page_is_in_sight_on_a_phone(mill_server: Served, open_page: Open) -> None:
    for address, name in (("/webhooks", "Webhooks"), ("/operations", "Operations"), ("/api", "API")):
        page = open_page(f"{mill_server.url}{address}", size=NARROW)
        link = page.get_by_role("navigation", name="Main").get_by_role("link", name=name)
        expect(link).to_be_in_viewport(ratio=1)
        assert overflow(page) == 0


@pytest.mark.parametrize("size", [WIDE, NARROW])
@pytest.mark.parametrize("path", ["/batches", "/webhooks"])
def test_the_lists_keep_nobody_out(
    mill_server: Served, open_page: Open, path: str, size: tuple[int, int]
) -> None:
    files = [("files", ("a.pdf", samples.letter("Dear a,"))), ("files", ("b.pdf", PROGRAM))]
    mill_server.http.post("/v1/batches", files=files, data={"name": "For all"})
    page = open_page(f"{mill_server.url}{path}", size=size)
    expect(page.locator("h1")).to_be_visible()
    if path == "/batches":
        row(page, "For all").get_by_role("button", name="Show items").click()
        expect(page.locator(".sub-row").first).to_be_visible()
    for _ in in_each_scheme(page):
        assert not serious_issues(page)
        assert overflow(page) == 0
