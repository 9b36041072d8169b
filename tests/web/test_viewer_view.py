"""How a result is looked at: zoom, fit and rotation, the divider, thumbnails, sources that follow the page, directions."""

import json

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests import office_files, samples
from tests.servers import Served
from tests.web.browsers import NARROW, overflow, serious_issues
from tests.web.conftest import Open
from tests.web.test_viewer import current, reading, stays_on

WIDTH_IS_ABOUT = "width => Math.abs(document.querySelector('.pane-original').offsetWidth - width) < 9"
ARABIC = "تطحن الطاحونة الحبوب منذ ألفي سنة، وتدور عجلتها في النهر"


@pytest.fixture(scope="module")
def report(mill_server: Served) -> str:
    """The address of a finished report of several pages."""
    return f"{mill_server.url}/jobs/{mill_server.finished(samples.report(8), filename='view.pdf')['id']}"


@pytest.fixture
def page(report: str, open_page: Open) -> Page:
    """The report, opened."""
    opened = open_page(report)
    expect(reading(opened, 1).locator("[data-block]").first).to_be_visible()
    expect(opened.get_by_alt_text("Image of page 1")).to_be_visible()
    return opened


def size_of(element: Locator) -> tuple[float, float]:
    """Width and height of an element."""
    box = element.bounding_box()
    assert box
    return box["width"], box["height"]


def test_page_images_are_zoomed_fitted_and_rotated(page: Page) -> None:
    image = page.locator(".original[data-page='1']")
    width, height = size_of(image)
    page.get_by_role("button", name="Zoom in").click()
    expect(image).to_have_css("width", f"{round(width * 1.25)}px")
    page.get_by_role("button", name="Zoom out").click()
    page.get_by_role("button", name="Fit the whole page").click()
    pane_height = size_of(page.locator(".pane-original"))[1]
    assert size_of(image)[1] <= pane_height
    assert size_of(image)[1] > 0.9 * pane_height
    page.get_by_role("button", name="Fit the width").click()
    page.get_by_role("button", name="Rotate clockwise").click()
    expect(image).to_have_css("width", f"{round(width)}px")
    assert size_of(image)[1] == pytest.approx(width * width / height, rel=0.02)
    frame = page.locator(".box[data-kind=heading]").first.bounding_box()
    paper = image.bounding_box()
    assert frame
    assert paper
    assert frame["height"] > frame["width"], "boxes turn with the page"
    assert paper["x"] < frame["x"] < paper["x"] + paper["width"]


def test_zooming_keeps_the_place(page: Page) -> None:
    page.locator("[data-go='5']").click()
    stays_on(page, 5)
    page.locator(".pane-original").hover()
    page.mouse.wheel(0, 200)
    here = current(page).input_value()
    for _ in range(3):
        page.keyboard.press("+")
    stays_on(page, int(here))
    expect(page.locator(f".original[data-page='{here}']")).to_be_in_viewport()
    page.keyboard.press("0")
    stays_on(page, int(here))


def test_the_divider_is_dragged_and_moved_with_keys_and_stays_where_it_was_put(page: Page) -> None:
    divider = page.get_by_role("separator", name="Width of the page images")
    before = size_of(page.locator(".pane-original"))[0]
    box = divider.bounding_box()
    assert box
    page.mouse.move(box["x"] + 3, box["y"] + 100)
    page.mouse.down()
    page.mouse.move(box["x"] + 203, box["y"] + 100, steps=4)
    page.mouse.up()
    page.wait_for_function(WIDTH_IS_ABOUT, arg=before + 200)
    divider.focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_function(
        "width => document.querySelector('.pane-original').clientWidth < width", arg=before + 190
    )
    kept = divider.get_attribute("aria-valuenow")
    page.reload()
    expect(divider).to_have_attribute("aria-valuenow", kept or "")


def test_the_rail_shows_thumbnails(page: Page) -> None:
    thumbnail = page.locator(".rail-row[data-go='2'] img")
    expect(thumbnail).to_have_class("loaded")
    assert thumbnail.evaluate("image => image.naturalWidth") > 50


def test_the_markdown_follows_the_page_and_folds(page: Page) -> None:
    page.get_by_role("tab", name="Markdown").click()
    pane = page.locator(".pane-markdown")
    expect(pane.locator(".source-page[data-page='1'] .tok-heading").first).to_be_visible()
    page.locator("[data-go='6']").click()
    expect(pane.locator(".source-page[data-page='6'] .source-block").first).to_be_in_viewport()
    pane.hover()
    page.mouse.wheel(0, -20_000)
    stays_on(page, 1)
    heading = pane.locator(".source-block[data-kind=heading]").first
    heading.hover()
    box = page.locator(f".box[data-block='{heading.get_attribute('data-block')}']")
    expect(box).to_contain_class("hovered")
    blocks = pane.locator(".source-page[data-page='1'] .source-block")
    every = blocks.count()
    heading.get_by_role("button", name="Fold this section").click()
    assert blocks.count() < every
    page.get_by_role("button", name="Unfold all").click()
    expect(blocks).to_have_count(every)
    assert serious_issues(page) == []


def test_the_markdown_is_what_is_downloaded(mill_server: Served, page: Page) -> None:
    job_id = page.url.rpartition("/")[2]
    page.goto(f"{page.url}?tab=markdown")
    first = page.locator(".source-page[data-page='1'] .source-block pre")
    expect(first.first).to_be_visible()
    markdown = mill_server.http.get(f"/v1/jobs/{job_id}/markdown").text
    for text in first.all_text_contents():
        assert text.strip() in markdown


def test_the_json_follows_the_page_and_folds(page: Page) -> None:
    page.get_by_role("tab", name="JSON").click()
    pane = page.locator(".pane-json")
    page.locator("[data-go='3']").click()
    tree = pane.locator(".source-page[data-page='3']")
    expect(tree).to_be_in_viewport()
    expect(tree).to_contain_text('"number": 3')
    block = tree.locator(".json-branch[data-block]").first
    expect(block.locator(".json-members")).to_have_count(0)
    block.locator("summary").click()
    expect(block).to_contain_text('"kind"')
    page.get_by_role("button", name="Unfold all").click()
    expect(tree.locator(".json-branch[data-block] .json-members").nth(1)).to_be_attached()
    assert serious_issues(page) == []


def test_the_text_follows_the_page(mill_server: Served, page: Page) -> None:
    job_id = page.url.rpartition("/")[2]
    page.get_by_role("tab", name="Text").click()
    page.locator("[data-go='5']").click()
    shown = page.locator(".pane-text .source-page[data-page='5'] .source-block")
    expect(shown.first).to_be_in_viewport()
    text = mill_server.http.get(f"/v1/jobs/{job_id}/text").text
    for block in shown.locator("pre").all_text_contents():
        assert block in text
    assert serious_issues(page) == []


def test_text_from_right_to_left_is_set_so(report: str, open_page: Open) -> None:
    page = open_page("about:blank")

    def answer(route: Route) -> None:
        content = json.loads(route.fetch().body())
        paragraph = next(block for block in content["blocks"] if block["kind"] == "paragraph")
        paragraph.update(text=ARABIC, spans=[])
        route.fulfill(json=content)

    page.route("**/pages/1", answer)
    page.goto(report)
    block = reading(page, 1).locator("[data-kind=paragraph]").first
    expect(block).to_have_text(ARABIC)
    expect(block).to_have_attribute("dir", "rtl")
    expect(reading(page, 1).locator("[data-kind=heading]").first).not_to_have_attribute("dir", "rtl")


def test_every_tab_is_seen_at_once_on_a_phone(report: str, open_page: Open) -> None:
    page = open_page(report, size=NARROW)
    expect(page.get_by_role("tab")).to_have_count(9)
    for tab in page.get_by_role("tab").all():
        expect(tab).to_be_in_viewport(ratio=1)
    page.get_by_role("tab", name="Page").click()
    page.get_by_role("button", name="Zoom in").click()
    expect(page.get_by_alt_text("Image of page 1")).to_be_in_viewport()
    assert overflow(page) == 0


def test_a_document_without_printed_pages_is_shown_in_a_frame_beside_its_text(
    mill_server: Served, open_page: Open
) -> None:
    document = office_files.docx(office_files.para("A chapter", "Heading1") + office_files.para("Its words."))
    job = mill_server.finished(document, filename="letter.docx")
    page = open_page(f"{mill_server.url}/jobs/{job['id']}")
    expect(reading(page, 1)).to_contain_text("Its words.")
    expect(page.frame_locator("iframe.flow-view").locator("#page-1")).to_contain_text("Its words.")
    expect(page.locator("iframe.flow-view")).to_have_attribute("sandbox", "")
    expect(page.locator("iframe.flow-view")).to_have_css("background-color", "rgb(255, 255, 255)")
    for part in (".pane-original", ".zoom", ".rail-thumbnail img"):
        expect(page.locator(part)).to_have_count(0)
    page.locator("summary", has_text="Download").click()
    expect(page.get_by_role("button", name="Tables as XLSX")).to_be_visible()
    for drawn in ("PDF with the blocks drawn in", "Searchable PDF"):
        expect(page.get_by_role("button", name=drawn)).to_have_count(0)
    assert serious_issues(page) == []
    narrow = open_page(f"{mill_server.url}/jobs/{job['id']}", size=NARROW)
    expect(narrow.get_by_role("tab", name="Reading")).to_be_visible()
    expect(narrow.get_by_role("tab", name="Page")).to_have_count(0)
    expect(narrow.locator("iframe")).to_have_count(0)


def test_a_slide_is_drawn_beside_its_text_with_its_blocks_in_their_places(
    mill_server: Served, open_page: Open
) -> None:
    tree = office_files.shape("The mill", 'type="title"', (914_400, 914_400, 3_657_600, 914_400))
    job = mill_server.finished(
        office_files.pptx(
            tree + office_files.shape("It turns.", "", (914_400, 2_743_200, 3_657_600, 914_400))
        )
    )
    page = open_page(f"{mill_server.url}/jobs/{job['id']}")
    slide = page.locator(".slide[data-page='1']")
    expect(slide).to_contain_text("It turns.")
    expect(reading(page, 1)).to_contain_text("The mill")
    frame, paper = slide.locator(".slide-shape").first.bounding_box(), slide.bounding_box()
    assert frame
    assert paper
    assert (frame["x"] - paper["x"]) / paper["width"] == pytest.approx(72 / 720, abs=0.01)
    assert (frame["y"] - paper["y"]) / paper["height"] == pytest.approx(72 / 540, abs=0.01)
    assert serious_issues(page) == []
