"""The result: the printed page beside what was read, while the job runs and after."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests import pictures, samples
from tests.servers import Served
from tests.waiting import wait_for
from tests.web.browsers import NARROW, in_each_scheme, overflow, serious_issues
from tests.web.conftest import Open

# Longer than pages take to learn their heights and the address to follow.
SETTLED_MS = 400
# Whether the paper of the page whose number stands in a field is seen.
IN_SIGHT = """field => {
  const paper = document.querySelector(`.original[data-page='${field.value}']`)?.getBoundingClientRect();
  const pane = document.querySelector(".pane-original").getBoundingClientRect();
  return paper && paper.bottom > pane.top && paper.top < pane.bottom;
}"""


@pytest.fixture(scope="session")
def report_job(mill_server: Served) -> str:
    """The address of a finished job with headings, lists and several pages."""
    return f"{mill_server.url}/jobs/{mill_server.finished(samples.report(12), filename='report.pdf')['id']}"


def reading(page: Page, number: int) -> Locator:
    """What was read on a page."""
    return page.locator(f".reading-page[data-page='{number}']")


def current(page: Page) -> Locator:
    """The field with the number of the page that is looked at."""
    return page.get_by_role("spinbutton", name="Page")


def test_the_page_and_what_was_read_stand_side_by_side(report_job: str, open_page: Open) -> None:
    page = open_page(report_job)
    expect(page.get_by_role("heading", name="report.pdf")).to_be_visible()
    image = page.get_by_alt_text("Image of page 1")
    expect(image).to_be_visible()
    assert image.evaluate("async image => { await image.decode(); return image.naturalWidth }") > 400
    expect(reading(page, 1).locator("[data-kind=heading]").first).to_be_visible()
    expect(reading(page, 1)).to_contain_text(re.compile("certain", re.IGNORECASE))


def test_a_box_lies_over_its_words(report_job: str, open_page: Open) -> None:
    page = open_page(report_job)
    block = reading(page, 1).locator("[data-kind=heading]").first
    box = page.locator(f".box[data-block='{block.get_attribute('data-block')}']")
    expect(box).to_be_visible()
    frame, paper = box.bounding_box(), page.locator(".original[data-page='1']").bounding_box()
    assert frame
    assert paper
    assert paper["x"] < frame["x"] < frame["x"] + frame["width"] < paper["x"] + paper["width"]
    page.get_by_label("Boxes").uncheck()
    expect(box).to_have_count(0)


def test_twins_light_up_together(report_job: str, open_page: Open) -> None:
    page = open_page(report_job)
    block = reading(page, 1).locator("[data-block]").nth(1)
    twin = page.locator(f".box[data-block='{block.get_attribute('data-block')}']")
    block.hover()
    expect(twin).to_contain_class("hovered")
    twin.hover()
    expect(block).to_contain_class("hovered")
    twin.click()
    page.mouse.move(5, 5)
    expect(block).to_contain_class("selected")
    expect(block).not_to_contain_class("hovered")


def test_a_block_far_away_is_brought_into_sight_on_both_sides(mill_server: Served, open_page: Open) -> None:
    lines = [*["Nothing to see here."] * 45, "", "", "The heron stands at the foot."]
    pages = [["Only words."]] * 30 + [lines]
    job = mill_server.finished(samples.text_pages(pages), filename="far.pdf")
    page = open_page(f"{mill_server.url}/jobs/{job['id']}")
    page.locator("#find").fill("heron")
    expect(page.locator(".find-count")).to_have_text("1 of 1")
    block = page.locator(".pane-reading [data-block]").filter(has_text="heron")
    expect(block).to_be_in_viewport()
    expect(page.locator(f".box[data-block='{block.get_attribute('data-block')}']")).to_be_in_viewport()


def test_both_columns_scroll_together(report_job: str, open_page: Open) -> None:
    page = open_page(report_job)
    expect(reading(page, 1).locator("[data-block]").first).to_be_visible()
    page.locator(".pane-reading").hover()
    page.mouse.wheel(0, 2_500)
    expect(current(page)).not_to_have_value("1")
    # Looked at together, because both may still be moving.
    page.wait_for_function(IN_SIGHT, arg=current(page).element_handle())
    page.locator(".pane-original").hover()
    page.mouse.wheel(0, -20_000)
    page.wait_for_function("() => document.querySelector('.pane-original').scrollTop === 0")
    page.mouse.wheel(0, 20_000)
    page.wait_for_function("() => document.querySelector('.pane-reading').scrollTop > 1500")
    expect(reading(page, 12)).to_be_visible()


def test_the_strip_leads_to_a_page(report_job: str, open_page: Open) -> None:
    page = open_page(report_job)
    page.locator(".rail-rows").evaluate("rows => rows.scrollTo(0, rows.scrollHeight)")
    page.locator("[data-go='9']").click()
    expect(current(page)).to_have_value("9")
    expect(reading(page, 9).locator("[data-block]").first).to_be_visible()
    expect(page.get_by_alt_text("Image of page 9")).to_be_visible()
    page.wait_for_url("**/jobs/*?page=9")
    page.reload()
    expect(current(page)).to_have_value("9")
    expect(reading(page, 9)).to_be_in_viewport()


def test_tabs_show_the_sources(report_job: str, open_page: Open) -> None:
    page = open_page(report_job)
    panel = page.get_by_role("tabpanel")
    page.get_by_role("tab", name="Markdown").click()
    expect(panel.locator(".tok-heading").first).to_be_visible()
    page.get_by_role("tab", name="JSON").click()
    expect(panel).to_contain_text('"provider": "liteparse"')
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("tab", name="Text")).to_be_focused()
    expect(page.get_by_role("tab", name="Text")).to_have_attribute("aria-selected", "true")
    expect(panel.locator("pre").first).to_be_visible()
    page.get_by_role("tab", name="Figures").click()
    expect(panel.get_by_role("heading", name="No figures")).to_be_visible()


def test_a_document_without_words_says_so(mill_server: Served, open_page: Open) -> None:
    job = mill_server.finished(samples.blank(), filename="blank.pdf")
    page = open_page(f"{mill_server.url}/jobs/{job['id']}?tab=text")
    expect(page.get_by_role("tabpanel")).to_contain_text("There is no text on this page.")


def test_tables_are_grids_that_can_be_saved(mill_server: Served, open_page: Open) -> None:
    job = mill_server.finished(samples.long_table(), filename="table.pdf")
    page = open_page(f"{mill_server.url}/jobs/{job['id']}?tab=tables")
    panel = page.get_by_role("tabpanel")
    expect(panel.locator("table.grid th").first).to_be_visible()
    with page.expect_download() as csv:
        panel.get_by_role("link", name="CSV").first.click()
    assert csv.value.suggested_filename.endswith(".csv")
    with page.expect_download() as workbook:
        panel.get_by_role("link", name="All as XLSX").click()
    assert workbook.value.suggested_filename.endswith(".xlsx")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    panel.get_by_role("button", name="Copy").first.click()
    expect(page.get_by_text("Copied to the clipboard.")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()").count(",") > 20
    panel.get_by_role("button", name="Page 1").first.click()
    expect(page.get_by_role("tab", name="Reading")).to_have_attribute("aria-selected", "true")
    expect(page.locator(".block-table.selected")).to_be_visible()


def test_columns_of_numbers_are_set_flush_right_and_words_are_not(
    mill_server: Served, open_page: Open
) -> None:
    job = mill_server.finished(samples.long_table(1), filename="numbers.pdf")
    page = open_page(f"{mill_server.url}/jobs/{job['id']}?tab=tables")
    for place, side in enumerate(["end", "start", "end"]):
        expect(page.locator("table.grid thead th").nth(place)).to_have_css("text-align", side)
        expect(page.locator("table.grid tbody tr").first.locator("td").nth(place)).to_have_css(
            "text-align", side
        )


def test_figures_are_shown_and_lead_to_their_page(mill_server: Served, open_page: Open) -> None:
    job = mill_server.finished(pictures.illustrated(2), filename="figures.pdf")
    page = open_page(f"{mill_server.url}/jobs/{job['id']}?tab=figures")
    figure = page.get_by_role("tabpanel").locator("figure").last
    expect(figure.locator("img")).to_be_visible()
    assert (
        figure.locator("img").evaluate("async image => { await image.decode(); return image.naturalWidth }")
        > 50
    )
    figure.get_by_role("button", name="Page 2").click()
    expect(current(page)).to_have_value("2")
    expect(page.locator(".box[data-kind=figure].selected")).to_be_in_viewport()


def test_everything_can_be_downloaded_and_copied(report_job: str, open_page: Open) -> None:
    page = open_page(report_job)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy Markdown").click()
    expect(page.get_by_text("Copied to the clipboard.")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()").count("\n") > 20
    page.locator("summary", has_text="Download").click()
    with page.expect_download() as markdown:
        page.get_by_role("link", name="Markdown").click()
    assert markdown.value.suggested_filename == "report.md"
    page.locator("summary", has_text="Download").click()
    with page.expect_download() as layout:
        page.get_by_role("button", name="PDF with the blocks drawn in").click()
    assert layout.value.suggested_filename.endswith(".pdf")


def test_words_are_found_page_by_page(mill_server: Served, open_page: Open) -> None:
    pages = [
        [f"Page {number} speaks of {'a heron' if number in (2, 40) else 'nothing'}."]
        for number in range(1, 61)
    ]
    job = mill_server.finished(samples.text_pages(pages), filename="heron.pdf")
    page = open_page(f"{mill_server.url}/jobs/{job['id']}")
    expect(reading(page, 1).locator("[data-block]").first).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("A  HERON")
    expect(page.locator(".find-count")).to_have_text("1 of 2")
    expect(reading(page, 2)).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(current(page)).to_have_value("40")
    expect(reading(page, 40)).to_be_in_viewport()
    page.wait_for_function("() => CSS.highlights.get('found-one')?.size === 1")
    assert page.locator(".reading-page").count() < 30
    expect(page.locator(".pane-original .box.selected")).to_be_in_viewport()
    page.locator("#find").fill("albatross")
    expect(page.locator(".find-count")).to_have_text("none")


def test_document_text_is_never_read_as_html(mill_server: Served, open_page: Open) -> None:
    job = mill_server.finished(
        samples.text_pages([["<img src=x onerror=alert(1)> <b>bold</b>"]]), filename="<b>.pdf"
    )
    page = open_page(f"{mill_server.url}/jobs/{job['id']}")
    expect(reading(page, 1)).to_contain_text("<img src=x onerror=alert(1)> <b>bold</b>")
    expect(reading(page, 1).locator("img, b")).to_have_count(0)


def test_a_failed_document_says_why_and_what_to_do(mill_server: Served, open_page: Open) -> None:
    job = mill_server.finished(samples.corrupt(), filename="broken.pdf")
    page = open_page(f"{mill_server.url}/jobs/{job['id']}")
    expect(page.get_by_role("heading", name="This document could not be read")).to_be_visible()
    expect(page.locator("main")).to_contain_text("damaged beyond repair")
    expect(page.locator("main")).to_contain_text("pdf_corrupt")
    assert serious_issues(page) == []
    page.get_by_role("button", name="Try again").click()
    page.wait_for_function(
        "() => performance.getEntriesByType('resource').some(one => one.name.endsWith('/retry'))"
    )
    expect(page.get_by_role("heading", name="This document could not be read")).to_be_visible()


def test_an_unknown_job_is_told(mill_server: Served, open_page: Open) -> None:
    page = open_page(f"{mill_server.url}/jobs/0199a3c4-7d52-7c31-9a42-6f0f5b1c2d3e")
    expect(page.get_by_role("alert")).to_contain_text("Job not found")
    page.get_by_role("link", name="See all jobs").click()
    expect(page.get_by_role("heading", name="Jobs", exact=True)).to_be_visible()


@pytest.mark.parametrize("tab", ["JSON", "Tables", "Figures"])
def test_every_tab_fits_a_phone_and_is_in_sight(report_job: str, open_page: Open, tab: str) -> None:
    page = open_page(f"{report_job}?tab={tab.lower()}", size=NARROW)
    expect(page.get_by_role("tab", name=tab)).to_be_in_viewport(ratio=0.9)
    expect(page.get_by_role("tabpanel").locator(".source-bar, .extracts, .empty").first).to_be_visible()
    assert overflow(page) == 0


def test_a_phone_shows_one_column_at_a_time(report_job: str, open_page: Open) -> None:
    page = open_page(report_job, size=NARROW)
    expect(reading(page, 1).locator("[data-block]").first).to_be_visible()
    assert overflow(page) == 0
    page.get_by_role("button", name="Next page").click()
    expect(current(page)).to_have_value("2")
    page.get_by_role("tab", name="Page").click()
    expect(page.get_by_alt_text("Image of page 2")).to_be_in_viewport()
    assert overflow(page) == 0
    assert serious_issues(page) == []


@pytest.mark.parametrize("tab", ["reading", "markdown", "json", "tables", "figures"])
def test_nobody_is_kept_out(report_job: str, open_page: Open, tab: str) -> None:
    page = open_page(f"{report_job}?tab={tab}")
    expect(page.get_by_alt_text("Image of page 1")).to_be_visible()
    expect(page.locator("#tab-panel .loading")).to_have_count(0)
    for _ in in_each_scheme(page):
        assert serious_issues(page) == []


@pytest.mark.parametrize("pages", [2, 12])
def test_the_last_page_can_be_reached(mill_server: Served, open_page: Open, pages: int) -> None:
    lines = [[f"Page {number} of few words."] for number in range(1, pages + 1)]
    job = mill_server.finished(samples.text_pages(lines), filename=f"short-{pages}.pdf")
    page = open_page(f"{mill_server.url}/jobs/{job['id']}?page={pages}")
    expect(page.locator(f".original[data-page='{pages}'] .original-image.here")).to_be_in_viewport()
    stays_on(page, pages)
    current(page).fill("1")
    current(page).press("Enter")
    stays_on(page, 1)
    current(page).fill(str(pages))
    current(page).press("Enter")
    stays_on(page, pages)
    page.get_by_role("button", name="Previous page").click()
    stays_on(page, pages - 1)
    reading(page, pages - 1).locator("[data-block]").first.click()
    page.keyboard.press("n")
    stays_on(page, pages)


def test_the_end_of_the_scroll_is_the_last_page(mill_server: Served, open_page: Open) -> None:
    lines = [[f"Page {number} of few words."] for number in range(1, 13)]
    job = mill_server.finished(samples.text_pages(lines), filename="short-12.pdf")
    page = open_page(f"{mill_server.url}/jobs/{job['id']}")
    expect(page.get_by_alt_text("Image of page 1")).to_be_visible()
    for pane in (".pane-reading", ".pane-original"):
        page.locator(pane).hover()
        for distance_px, number in ((40_000, 12), (-40_000, 1)):
            turn_wheel(page, distance_px, number)
            stays_on(page, number)


def test_what_was_found_is_shown_on_a_narrow_screen(report_job: str, open_page: Open) -> None:
    page = open_page(f"{report_job}?tab=page", size=NARROW)
    expect(page.get_by_alt_text("Image of page 1")).to_be_visible()
    page.locator("#find").fill("the")
    expect(page.get_by_role("tab", name="Reading")).to_have_attribute("aria-selected", "true")
    expect(page.locator(".pane-reading .selected")).to_be_in_viewport()


def turn_wheel(page: Page, distance_px: int, number: int) -> None:
    """Turn the wheel until a page is the current one; a height that is measured meanwhile may take a turn back."""

    def is_there() -> bool:
        page.mouse.wheel(0, distance_px)
        page.wait_for_timeout(SETTLED_MS)
        return current(page).input_value() == str(number)

    wait_for(is_there)


def stays_on(page: Page, number: int) -> None:
    """Waits for a page to be the current one, and for it to be so still when everything has settled."""
    expect(current(page)).to_have_value(str(number))
    page.wait_for_timeout(SETTLED_MS)
    expect(current(page)).to_have_value(str(number))
