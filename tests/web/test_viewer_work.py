"""The viewer at work: jobs that run, pages that are read again, long documents, and hands without a mouse."""

import time
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests import samples
from tests.servers import Served
from tests.timing import can_take_less_than
from tests.waiting import wait_for
from tests.web.browsers import serious_issues
from tests.web.conftest import Open
from tests.web.papers import PAGES_BETWEEN, gated_document, slow_document
from tests.web.test_viewer import current, reading

SLOWER_AT_MOST = 1.5
# Whatever else runs on the machine only adds to an opening, so the quickest of some is what the page itself needs.
OPENINGS = 3
READ_PATIENCE_MS = 120_000
# Less than the time after which a gate that stays closed is given up, and the images are drawn.
LATE_MS = 40_000
# As in imagequeue.js.
IMAGES_AT_ONCE = 2


def test_a_running_job_is_watched_page_by_page(slow_server: Served, open_page: Open, tmp_path: Path) -> None:
    job = slow_server.submit(gated_document(tmp_path), filename="slow.pdf", reuse="false")
    page = open_page(f"{slow_server.url}/jobs/{job['id']}")
    (tmp_path / "first").touch()
    expect(page.locator(".viewer-head")).to_contain_text("pages read", timeout=READ_PATIENCE_MS)
    read, unread = (first_page(slow_server, job["id"], state) for state in ("draft", "waiting"))
    go_to(page, read)
    expect(reading(page, read).locator("[data-block]").first).to_be_visible(timeout=READ_PATIENCE_MS)
    expect(reading(page, read)).to_contain_text("draft")
    go_to(page, unread)
    expect(reading(page, unread)).to_contain_text("Not read yet.")
    assert serious_issues(page) == []
    for turn in ("second", "third"):
        (tmp_path / turn).touch()
    expect(reading(page, unread)).to_contain_text("of a trial.", timeout=READ_PATIENCE_MS)
    expect(page.locator(".viewer-head")).to_contain_text("completed", timeout=READ_PATIENCE_MS)
    expect(reading(page, unread)).not_to_contain_text("draft")
    expect(current(page)).to_have_value(str(unread))


def first_page(server: Served, job_id: str, state: str) -> int:
    """The number of the first page of a job in a state, once there is one; which chunk is read first is left to the service."""

    def in_state() -> list[int]:
        pages = server.http.get(f"/v1/jobs/{job_id}/pages", params={"limit": 1_000}).json()["pages"]
        return [int(page["number"]) for page in pages if page["state"] == state]

    return wait_for(in_state)[0]


def go_to(page: Page, number: int) -> None:
    """Go to a page by its number."""
    current(page).fill(str(number))
    current(page).press("Enter")


def test_a_running_job_is_cancelled_where_it_is_watched(slow_server: Served, open_page: Open) -> None:
    job = slow_server.submit(slow_document(15), filename="long.pdf", reuse="false")
    page = open_page(f"{slow_server.url}/jobs/{job['id']}")
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("heading", name="This job was cancelled")).to_be_visible(timeout=READ_PATIENCE_MS)
    assert slow_server.http.get(f"/v1/jobs/{job['id']}").json()["status"] == "cancelled"
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("button", name="Cancel")).to_be_visible()
    slow_server.http.delete(f"/v1/jobs/{job['id']}")


def test_images_that_wait_hold_up_nothing_else(mill_server: Served, open_page: Open) -> None:
    job = mill_server.submit(samples.report(12, seed=5), filename="images.pdf")
    held: list[Route] = []
    page = open_page(f"{mill_server.url}/jobs")

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/image?*", hold)
    page.goto(f"{mill_server.url}/jobs/{job['id']}")
    expect(page.locator(".viewer-head")).to_contain_text("completed", timeout=READ_PATIENCE_MS)
    expect(reading(page, 1).locator("[data-block]").first).to_be_visible(timeout=READ_PATIENCE_MS)
    assert len(held) <= IMAGES_AT_ONCE
    go_to(page, 12)
    expect(reading(page, 12).locator("[data-block]").first).to_be_visible(timeout=READ_PATIENCE_MS)
    page.unroute("**/image?*")
    expect(page.locator(".original[data-page='12'] img.here")).to_be_visible(timeout=READ_PATIENCE_MS)
    expect(page.locator(".rail-thumbnail img.loaded").first).to_be_visible(timeout=READ_PATIENCE_MS)


def test_images_of_pages_that_were_left_hold_no_connection(
    slow_server: Served, open_page: Open, tmp_path: Path
) -> None:
    # While the only process for reading is at the first gate, no image is drawn.
    job = slow_server.submit(gated_document(tmp_path), filename="left.pdf", reuse="false")
    page = open_page(f"{slow_server.url}/jobs/{job['id']}")
    for number in (PAGES_BETWEEN, 2 * PAGES_BETWEEN, 3 * PAGES_BETWEEN):
        with page.expect_request(f"**/pages/{number}/image?*"):
            go_to(page, number)
    answered = "fetch('/version').then(answer => answer.ok)"
    late = f"new Promise(done => setTimeout(() => done(false), {LATE_MS}))"
    assert page.evaluate(f"Promise.race([{answered}, {late}])")
    slow_server.http.delete(f"/v1/jobs/{job['id']}")


def test_a_page_number_being_typed_outlasts_the_progress_of_the_job(
    slow_server: Served, open_page: Open
) -> None:
    job = slow_server.submit(slow_document(4.0), filename="typed.pdf", reuse="false")
    page = open_page(f"{slow_server.url}/jobs/{job['id']}")
    expect(reading(page, 1).locator("[data-block]").first).to_be_visible(timeout=READ_PATIENCE_MS)
    current(page).fill(str(PAGES_BETWEEN + 5))
    expect(page.locator(".viewer-head")).to_contain_text("processing")
    expect(page.locator(".viewer-head")).to_contain_text("completed", timeout=READ_PATIENCE_MS)
    expect(current(page)).to_have_value(str(PAGES_BETWEEN + 5))
    current(page).press("Enter")
    expect(reading(page, PAGES_BETWEEN + 5)).to_be_in_viewport()
    current(page).fill("")
    current(page).blur()
    expect(current(page)).to_have_value(str(PAGES_BETWEEN + 5))


def test_one_page_is_read_again_with_another_provider(slow_server: Served, open_page: Open) -> None:
    job = slow_server.finished(samples.trial_pages(["", "", ""]), filename="again.pdf")
    page = open_page(f"{slow_server.url}/jobs/{job['id']}")
    page.locator("[data-go='2']").click()
    expect(reading(page, 2).locator("[data-provider=trial]")).to_be_visible()
    page.locator("[data-read-again='2']").click()
    page.get_by_label("Engine").select_option("liteparse")
    page.get_by_role("button", name="Read again").last.click()
    expect(reading(page, 2).locator("[data-provider=liteparse]")).to_be_visible(timeout=READ_PATIENCE_MS)
    expect(reading(page, 1).locator("[data-provider=trial]")).to_be_visible()
    assert slow_server.http.get(f"/v1/jobs/{job['id']}").json()["revision"] == 2


def test_a_page_that_could_not_be_read_again_says_why_and_stays(slow_server: Served, open_page: Open) -> None:
    job = slow_server.finished(samples.trial_pages(["", ""]), filename="kept.pdf")
    page = open_page(f"{slow_server.url}/jobs/{job['id']}")
    page.locator("[data-read-again='1']").click()
    page.get_by_label("Engine").select_option("failing")
    page.get_by_role("button", name="Read again").last.click()
    expect(page.locator(".viewer-head")).to_contain_text("no eyes", timeout=READ_PATIENCE_MS)
    expect(reading(page, 1).locator("[data-provider=trial]")).to_be_visible()
    assert serious_issues(page) == []


def test_a_document_is_read_again_with_other_options_compared_and_restored(
    mill_server: Served, open_page: Open
) -> None:
    job = mill_server.finished(
        samples.photographed(samples.letter("Dear revision,"), dpi=150), filename="revised.pdf", ocr="off"
    )
    page = open_page(f"{mill_server.url}/jobs/{job['id']}")
    expect(page.get_by_role("tab", name="Changes")).to_have_count(0)
    page.locator("[data-read-again='1']").click()
    dialog = page.get_by_role("dialog", name="Read again")
    dialog.get_by_role("button", name="Whole document").click()
    dialog.get_by_label("OCR").select_option("auto")
    dialog.get_by_label("Languages").fill("en")
    assert serious_issues(page) == []
    dialog.get_by_role("button", name="Read again").click()
    expect(reading(page, 1)).to_contain_text("Dear revision", timeout=READ_PATIENCE_MS)
    page.get_by_role("tab", name="Changes").click()
    panel = page.get_by_role("tabpanel")
    expect(panel.locator("ins").first).to_contain_text("Dear")
    expect(panel.get_by_label("Compare with")).to_contain_text("no OCR")
    assert serious_issues(page) == []
    panel.get_by_role("button", name="Before").click()
    expect(panel.locator(".changes-text")).not_to_contain_text("Dear")
    panel.get_by_role("button", name="Restore revision 1").click()
    expect(panel.get_by_label("Compare with")).to_contain_text("OCR where needed, en")
    page.get_by_role("tab", name="Reading").click()
    expect(reading(page, 1)).not_to_contain_text("Dear revision")
    assert mill_server.http.get(f"/v1/jobs/{job['id']}").json()["revision"] == 3


def test_a_locked_document_is_read_again_with_its_password(mill_server: Served, open_page: Open) -> None:
    job = mill_server.finished(samples.encrypted(user="open"), password="open", filename="locked.pdf")
    page = open_page(f"{mill_server.url}/jobs/{job['id']}")
    page.get_by_role("button", name="Read again").last.click()
    dialog = page.get_by_role("dialog", name="Read again")
    dialog.get_by_role("button", name="Read again").click()
    dialog.get_by_label("Password").fill("open")
    dialog.get_by_role("button", name="Read again").click()
    expect(dialog).to_have_count(0)
    done = mill_server.http.get(f"/v1/jobs/{job['id']}?wait=30").json()
    assert (done["status"], done["run"]) == ("completed", 2)


def test_pages_that_failed_are_easy_to_find(slow_server: Served, open_page: Open) -> None:
    markers = ["" for _ in range(40)]
    markers[30] = "TRIAL:error"
    job = slow_server.finished(samples.trial_pages(markers), filename="flawed.pdf")
    page = open_page(f"{slow_server.url}/jobs/{job['id']}")
    page.get_by_role("button", name="1 to check").click()
    expect(current(page)).to_have_value("31")
    expect(reading(page, 31)).to_contain_text("failed")
    page.get_by_role("button", name="To check 1").click()
    expect(page.locator(".rail-row")).to_have_count(1)
    assert serious_issues(page) == []


def big_job(server: Served, pages: int) -> str:
    """The id of a finished job of many pages, read by the cheapest provider: only their number matters."""
    job = server.finished(samples.big(pages), filename=f"{pages}.pdf", providers="liteparse-plain")
    return str(job["id"])


def opening_seconds(open_page: Open, address: str) -> float:
    """How long it takes until the first page is there, as it was printed and as it was read."""
    page = open_page("about:blank")
    began = time.perf_counter()
    page.goto(address)
    expect(reading(page, 1).locator("[data-block]").first).to_be_visible()
    page.wait_for_function("() => document.querySelector('.original-image.here') !== null")
    return time.perf_counter() - began


def test_a_thousand_pages_open_as_fast_as_ten(mill_server: Served, open_page: Open) -> None:
    long, short = (f"{mill_server.url}/jobs/{big_job(mill_server, pages)}" for pages in (1_000, 10))
    for address in (long, short):
        opening_seconds(open_page, address)

    def times_as_slow() -> float:
        pairs = [
            (opening_seconds(open_page, long), opening_seconds(open_page, short)) for _ in range(OPENINGS)
        ]
        return min(pair[0] for pair in pairs) / min(pair[1] for pair in pairs)

    assert can_take_less_than(SLOWER_AT_MOST, times_as_slow)


def test_only_pages_in_sight_are_made(mill_server: Served, open_page: Open) -> None:
    address = f"{mill_server.url}/jobs/{big_job(mill_server, 1_000)}"
    page = open_page(f"{address}?page=700")
    expect(reading(page, 700)).to_be_in_viewport()
    expect(page.get_by_alt_text("Image of page 700")).to_be_in_viewport()
    page.locator(".pane-reading").hover()
    for _ in range(20):
        page.mouse.wheel(0, 3_000)
    expect(current(page)).not_to_have_value("700")
    assert page.locator(".reading-page").count() < 40
    assert page.locator(".original").count() < 10
    assert page.locator(".rail-row").count() < 60


@pytest.fixture
def report_page(mill_server: Served, open_page: Open) -> Page:
    """A finished report, opened."""
    job = mill_server.finished(samples.report(5), filename="keys.pdf")
    page = open_page(f"{mill_server.url}/jobs/{job['id']}")
    expect(reading(page, 1).locator("[data-block]").first).to_be_visible()
    return page


def test_everything_is_reached_with_the_keyboard_alone(report_page: Page) -> None:
    page = report_page
    page.keyboard.press("j")
    first = reading(page, 1).locator("[data-block]").first
    expect(first).to_be_focused()
    expect(first).to_contain_class("selected")
    page.keyboard.press("ArrowDown")
    expect(reading(page, 1).locator("[data-block]").nth(1)).to_be_focused()
    page.keyboard.press("k")
    expect(first).to_be_focused()
    outline = first.evaluate("element => getComputedStyle(element).outlineStyle")
    assert outline == "solid"
    page.keyboard.press("n")
    expect(current(page)).to_have_value("2")
    page.keyboard.press("p")
    expect(current(page)).to_have_value("1")
    page.keyboard.press("Escape")
    expect(page.locator(".selected")).to_have_count(0)
    page.keyboard.press("/")
    expect(page.locator("#find")).to_be_focused()


def test_the_tab_key_reaches_every_control(report_page: Page) -> None:
    reached: set[str] = set()
    for _ in range(60):
        report_page.keyboard.press("Tab")
        name = (
            "document.activeElement.getAttribute('aria-label') || document.activeElement.textContent.trim()"
        )
        reached.add(str(report_page.evaluate(name)))
    assert {
        "Copy Markdown",
        "Download",
        "Next page",
        "Reading",
        "Find in the document",
        "Extracted content",
    } <= reached
    assert "Page images" in reached
    assert "Read again" in reached


def test_letters_are_shortcuts_only_among_the_pages_and_can_be_switched_off(report_page: Page) -> None:
    page = report_page
    page.get_by_role("link", name="Jobs", exact=True).focus()
    page.keyboard.press("n")
    page.locator(".pane-reading").focus()
    page.keyboard.press("n")
    expect(current(page)).to_have_value("2")
    page.get_by_label("Shortcuts").uncheck()
    page.locator(".pane-reading").focus()
    page.keyboard.press("n")
    page.keyboard.press("/")
    expect(page.locator(".pane-reading")).to_be_focused()
    expect(current(page)).to_have_value("2")
    page.reload()
    expect(page.get_by_label("Shortcuts")).not_to_be_checked()
