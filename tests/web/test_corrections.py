"""Corrections in the viewer: a page is edited in place, with the keyboard too, and the result has what was saved."""

from typing import Any

from playwright.sync_api import ViewportSize, expect

from tests import samples
from tests.servers import Served
from tests.web.browsers import NARROW, overflow, serious_issues
from tests.web.conftest import Open

PATIENCE_MS = 60_000
MIDDLING: ViewportSize = {"width": 1300, "height": 900}
WIDER_THAN_ITS_BAR = """() => {
  const bar = document.querySelector(".workspace-bar");
  return bar.scrollWidth - bar.clientWidth;
}"""


def blocks_of(server: Served, job_id: str, page: int = 1) -> list[dict[str, Any]]:
    """The blocks of a page."""
    found: list[dict[str, Any]] = server.http.get(f"/v1/jobs/{job_id}/pages/{page}").json()["blocks"]
    return found


def test_a_page_is_corrected_in_place(mill_server: Served, open_page: Open) -> None:
    document = samples.text_pages([["Invoice 4711", "Total: 99,50 EUR"], ["The second page."]])
    job = mill_server.finished(document, filename="bill.pdf", reuse="false")
    before = blocks_of(mill_server, job["id"])
    page = open_page(f"{mill_server.url}/jobs/{job['id']}")
    page.get_by_role("button", name="Correct").first.click()
    form = page.get_by_role("form", name="Correct page 1")
    first = form.get_by_role("textbox", name="Text of Block 1")
    expect(first).to_be_focused()
    assert serious_issues(page) == []
    first.fill("Invoice 4712 of the mill")
    form.get_by_label("Kind").first.select_option("heading")
    form.get_by_label("amount: 99,50 EUR").fill("99.05", timeout=PATIENCE_MS)
    first.press("Control+Enter")
    reading = page.locator('.reading-page[data-page="1"]')
    expect(reading.get_by_role("heading", name="Invoice 4712 of the mill")).to_be_visible(timeout=PATIENCE_MS)
    expect(form).not_to_be_attached()
    # With the tab that compares revisions there is one more than before.
    expect(page.get_by_role("tab", name="Changes")).to_be_visible()
    page.set_viewport_size(MIDDLING)
    assert page.evaluate(WIDER_THAN_ITS_BAR) == 0
    after = blocks_of(mill_server, job["id"])
    assert (after[0]["id"], after[0]["kind"], after[0]["text"]) == (
        before[0]["id"],
        "heading",
        "Invoice 4712 of the mill",
    )
    entities = mill_server.http.get(f"/v1/jobs/{job['id']}/entities").json()["entities"]
    assert [one["value"] for one in entities if one["type"] == "amount"] == ["99.05"]


def test_blocks_are_moved_and_cells_written_on_a_narrow_dark_screen(
    mill_server: Served, open_page: Open
) -> None:
    job = mill_server.finished(samples.report(3), filename="report.pdf", reuse="false")
    before = blocks_of(mill_server, job["id"], 3)
    page = open_page(f"{mill_server.url}/jobs/{job['id']}?page=3", size=NARROW, scheme="dark")
    page.locator('[data-correct="3"]').click()
    form = page.get_by_role("form", name="Correct page 3")
    form.get_by_role("button", name="Move Block 2 up").click()
    form.get_by_label("Row 2, column 2").fill("forty-two")
    assert overflow(page) <= 0
    edges = form.locator(".correct-block").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect().right)"
    )
    assert max(edges) <= NARROW[0]
    assert serious_issues(page) == []
    form.get_by_role("button", name="Save corrections").click()
    expect(form).not_to_be_attached(timeout=PATIENCE_MS)
    after = blocks_of(mill_server, job["id"], 3)
    assert [block["id"] for block in after[:2]] == [before[1]["id"], before[0]["id"]]
    table = next(block for block in after if block["kind"] == "table")
    assert table["rows"][0][1]["text"] == "forty-two"


def test_escape_discards_and_an_older_revision_is_named(mill_server: Served, open_page: Open) -> None:
    job = mill_server.finished(samples.letter("Dear editor,"), filename="editor.pdf", reuse="false")
    page = open_page(f"{mill_server.url}/jobs/{job['id']}")
    page.get_by_role("button", name="Correct").click()
    form = page.get_by_role("form", name="Correct page 1")
    form.get_by_role("textbox", name="Text of Block 1").fill("Dear nobody,")
    form.get_by_role("textbox", name="Text of Block 1").press("Escape")
    expect(form).not_to_be_attached()
    expect(page.locator(".reading-page")).to_contain_text("Dear editor,")
    page.get_by_role("button", name="Correct").click()
    form.get_by_role("textbox", name="Text of Block 1").fill("Dear late one,")
    block = blocks_of(mill_server, job["id"])[0]["id"]
    change = {"revision": job["revision"], "blocks": [{"block": block, "text": "Dear early one,"}]}
    assert mill_server.http.post(f"/v1/jobs/{job['id']}/corrections", json=change).status_code == 200
    form.get_by_role("button", name="Save corrections").click()
    expect(page.get_by_text("Look at it, and correct that.").first).to_be_visible()
