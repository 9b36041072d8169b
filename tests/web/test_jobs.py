"""The list of jobs: live, searched, filtered, and worked on one by one or many at once."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest
from playwright.sync_api import Locator, Page, expect

from tests import samples
from tests.mills import small_settings
from tests.servers import Served, served
from tests.web.browsers import NARROW, overflow, serious_issues
from tests.web.conftest import Open
from tests.web.papers import CHUNKS, PAGES_BETWEEN, slow_document

LONGER_THAN_A_NOTE_MS = 4_500


@pytest.fixture
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server without jobs."""
    with served(small_settings(tmp_path_factory.mktemp("fresh"))) as server:
        yield server


def row(page: Page, name: str) -> Locator:
    """A job in the list."""
    return page.locator(".job").filter(has_text=name)


def test_an_empty_list_says_what_to_do_next(fresh: Served, open_page: Open) -> None:
    page = open_page(f"{fresh.url}/jobs")
    expect(page.get_by_role("heading", name="No jobs yet")).to_be_visible()
    page.get_by_role("link", name="Upload a document").click()
    expect(page.locator(".drop")).to_be_visible()


def test_jobs_come_and_change_without_a_reload(fresh: Served, open_page: Open) -> None:
    page = open_page(f"{fresh.url}/jobs")
    expect(page.get_by_role("heading", name="No jobs yet")).to_be_visible()
    fresh.finished(samples.report(4), filename="new.pdf")
    expect(row(page, "new.pdf")).to_contain_text("completed")
    expect(row(page, "new.pdf").locator(".job-pages")).to_have_text("4")
    fresh.http.delete(f"/v1/jobs/{fresh.jobs().pop()}")
    expect(page.get_by_role("heading", name="No jobs yet")).to_be_visible()


def test_jobs_are_found_by_name_and_by_status(mill_server: Served, open_page: Open) -> None:
    mill_server.finished(samples.letter("Dear needle,"), filename="needle.pdf")
    mill_server.finished(samples.corrupt(), filename="needle-broken.pdf")
    mill_server.finished(samples.letter("Dear hay,"), filename="hay.pdf")
    page = open_page(f"{mill_server.url}/jobs")
    page.get_by_label("Search by name").fill("needle")
    expect(page).to_have_url(re.compile("search=needle"))
    expect(row(page, "hay.pdf")).to_have_count(0)
    expect(row(page, "needle")).to_have_count(2)
    page.get_by_role("button", name="Failed").click()
    expect(row(page, "needle")).to_have_count(1)
    expect(row(page, "needle-broken.pdf")).to_contain_text("damaged beyond repair")
    page.reload()
    expect(page.get_by_label("Search by name")).to_have_value("needle")
    expect(row(page, "needle")).to_have_count(1)
    page.get_by_label("Search by name").fill("nowhere to be found")
    expect(page.get_by_role("heading", name="No matching jobs")).to_be_visible()


def test_a_running_job_is_cancelled_and_retried(slow_server: Served, open_page: Open) -> None:
    slow_server.submit(slow_document(15), filename="stuck.pdf")
    page = open_page(f"{slow_server.url}/jobs")
    expect(row(page, "stuck.pdf")).to_contain_text("processing")
    expect(row(page, "stuck.pdf").locator(".job-pages")).to_contain_text(f"/ {PAGES_BETWEEN * CHUNKS}")
    page.get_by_role("button", name="Cancel stuck.pdf").click()
    expect(row(page, "stuck.pdf")).to_contain_text("cancelled")
    page.get_by_role("button", name="Retry stuck.pdf").click()
    expect(row(page, "stuck.pdf")).to_contain_text("processing")
    page.get_by_role("button", name="Cancel stuck.pdf").click()
    expect(row(page, "stuck.pdf")).to_contain_text("cancelled")


def test_a_job_is_deleted_only_after_a_question(mill_server: Served, open_page: Open) -> None:
    mill_server.finished(samples.letter("Dear doomed,"), filename="doomed.pdf")
    page = open_page(f"{mill_server.url}/jobs?search=doomed")
    page.get_by_role("button", name="Delete doomed.pdf").click()
    question = page.get_by_role("dialog", name="Delete doomed.pdf?")
    expect(question).to_be_visible()
    page.keyboard.press("Escape")
    expect(question).to_be_hidden()
    expect(row(page, "doomed.pdf")).to_be_visible()
    page.get_by_role("button", name="Delete doomed.pdf").click()
    question.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("heading", name="No matching jobs")).to_be_visible()


def test_many_jobs_are_deleted_at_once(mill_server: Served, open_page: Open) -> None:
    for one in range(4):
        mill_server.finished(samples.letter(f"Dear number {one},"), filename=f"batch-{one}.pdf")
    page = open_page(f"{mill_server.url}/jobs?search=batch-")
    page.get_by_label("Select all jobs").check()
    page.get_by_label("Select batch-2.pdf").uncheck()
    chosen = page.get_by_role("group", name="Selected jobs")
    expect(chosen).to_contain_text("3 jobs selected")
    expect(chosen.get_by_role("button", name="Cancel")).to_be_disabled()
    chosen.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("3 jobs deleted")).to_be_visible()
    expect(row(page, "batch-")).to_have_count(1)
    expect(row(page, "batch-2.pdf")).to_be_visible()


def test_what_could_not_be_done_is_told(mill_server: Served, open_page: Open) -> None:
    job = mill_server.finished(samples.letter("Dear late one,"), filename="late.pdf")
    page = open_page(f"{mill_server.url}/jobs?search=late")
    expect(row(page, "late.pdf")).to_be_visible()
    # Removed behind the page's back, before it looks again.
    page.route("**/v1/jobs?*", lambda route: route.abort())
    mill_server.http.delete(f"/v1/jobs/{job['id']}")
    page.get_by_role("button", name="Retry late.pdf").click()
    note = page.locator(".note-bad")
    expect(note).to_contain_text("1 of 1 job")
    page.get_by_label("Select late.pdf").check()
    assert edge(note, "bottom") < edge(page.get_by_role("group", name="Selected jobs"), "top")
    page.wait_for_timeout(LONGER_THAN_A_NOTE_MS)
    assert serious_issues(page) == []
    page.get_by_role("button", name="Dismiss this message").click()
    expect(note).to_have_count(0)


def edge(element: Locator, name: str) -> float:
    """Where an edge of an element is in the window."""
    place: float = element.evaluate("(element, name) => element.getBoundingClientRect()[name]", name)
    return place


def test_a_locked_document_is_opened_where_it_is_shown(mill_server: Served, open_page: Open) -> None:
    job = mill_server.submit(samples.encrypted(user="sesame"), filename="sealed.pdf")
    page = open_page(f"{mill_server.url}/jobs?search=sealed")
    expect(row(page, "sealed.pdf")).to_contain_text("This document needs a password.")
    page.get_by_label("Password of sealed.pdf").fill("wrong")
    page.keyboard.press("Enter")
    expect(row(page, "sealed.pdf")).to_contain_text("The password was wrong.")
    expect(page.get_by_label("Password of sealed.pdf")).to_be_focused()
    page.reload()
    expect(row(page, "sealed.pdf")).to_contain_text("The password was wrong.")
    expect(page.get_by_label("Password of sealed.pdf")).not_to_be_focused()
    page.goto(f"{mill_server.url}/jobs/{job['id']}")
    expect(page.locator("main")).to_contain_text("The password was wrong.")
    page.get_by_label("Password of sealed.pdf").fill("sesame")
    page.keyboard.press("Enter")
    expect(page.locator(".viewer-head")).to_contain_text("completed")
    expect(page.locator(".reading-page [data-block]").first).to_be_visible()


def test_the_timeline_tells_what_happened_and_where_the_time_went(
    slow_server: Served, open_page: Open
) -> None:
    slow_server.finished(slow_document(0.1), filename="told.pdf")
    page = open_page(f"{slow_server.url}/jobs?search=told")
    page.get_by_role("button", name="Timeline of told.pdf").click()
    lines = page.locator(".timeline li")
    expect(lines.first).to_contain_text("Uploaded")
    expect(lines.last).to_contain_text("Completed")
    expect(page.locator(".timeline")).to_contain_text(f"Opened: {PAGES_BETWEEN * CHUNKS} pages")
    expect(page.get_by_text("read", exact=True)).to_be_visible()


def test_the_timeline_tells_an_enrichment_from_a_document_that_is_read_again(
    mill_server: Served, open_page: Open
) -> None:
    job = mill_server.finished(samples.letter("Dear enricher,"), filename="enriched.pdf", enrich="class")
    path = f"/v1/jobs/{job['id']}"
    asked = {"enrich": ["chunks", "facts", "entities"]}
    mill_server.http.post(f"{path}/enrich", json=asked).raise_for_status()
    mill_server.http.get(path, params={"wait": 60})
    [block, *_] = mill_server.http.get(f"{path}/pages/1").json()["blocks"]
    correction = {"revision": 2, "blocks": [{"block": block["id"], "text": "Dear corrector,"}]}
    mill_server.http.post(f"{path}/corrections", json=correction).raise_for_status()
    mill_server.http.get(path, params={"wait": 60})
    mill_server.http.post(f"{path}/retry").raise_for_status()
    mill_server.http.get(path, params={"wait": 60})
    page = open_page(f"{mill_server.url}/jobs?search=enriched")
    page.get_by_role("button", name="Timeline of enriched.pdf").click()
    lines = page.locator(".timeline li")
    expect(lines.last).to_contain_text("Completed")
    told = {kind: texts_of(page, kind) for kind in ("job.retried", "job.enriching", "job.enriched")}
    all_three = "chunks, facts and entities"
    assert told["job.retried"] == [
        f"To be added: {all_three}",
        f"To be made again of the corrected text: {all_three}",
        "Read again",
    ]
    assert told["job.enriching"] == ["Being made: the class", *[f"Being made: {all_three}"] * 3]
    assert told["job.enriched"] == ["Added: the class", *[f"Added: {all_three}"] * 3]
    expect(page.get_by_label("Seconds per step")).to_contain_text("enrich")


def test_a_job_that_is_being_enriched_is_neither_being_opened_nor_read(
    mill_server: Served, open_page: Open
) -> None:
    job = mill_server.finished(samples.letter("Dear adder,")) | {"status": "processing", "stage": "enrich"}
    page = open_page(f"{mill_server.url}/jobs")
    describe = """async job => {
        const main = document.querySelector("script[type=module]").src;
        return (await import(new URL("job.js", main).href)).describeStatus(job);
    }"""
    for total_pages in (None, 1):
        words = page.evaluate(describe, job | {"total_pages": total_pages})
        assert words == "Adding what was asked for to the result"


def texts_of(page: Page, kind: str) -> list[str]:
    """What the lines of a timeline say of one kind of event."""
    return page.locator(f'.timeline li[data-type="{kind}"] span:nth-of-type(1)').all_inner_texts()


def test_the_timeline_of_a_running_job_goes_on(slow_server: Served, open_page: Open) -> None:
    slow_server.submit(slow_document(1), filename="going.pdf")
    page = open_page(f"{slow_server.url}/jobs?search=going")
    page.get_by_role("button", name="Timeline of going.pdf").click()
    expect(page.locator(".timeline")).to_contain_text("Started")
    expect(page.locator(".timeline li").last).to_contain_text("Completed")


def test_more_jobs_are_shown_when_asked_for(fresh: Served, open_page: Open) -> None:
    for one in range(60):
        fresh.submit(samples.letter(f"Dear {one},"), filename=f"row-{one}.pdf")
    page = open_page(f"{fresh.url}/jobs")
    expect(page.locator(".job")).to_have_count(50)
    page.get_by_role("button", name="Show more").click()
    expect(page.locator(".job")).to_have_count(60)
    expect(page.get_by_role("button", name="Show more")).to_be_hidden()


def test_numbers_stand_below_each_other(mill_server: Served, open_page: Open) -> None:
    mill_server.finished(samples.letter("Dear numbers,"), filename="numbers.pdf")
    page = open_page(f"{mill_server.url}/jobs")
    expect(row(page, "numbers.pdf").first).to_be_visible()
    for column in ("job-pages", "job-time"):
        expect(page.locator(f"thead .{column}")).to_have_css("text-align", "right")
        expect(row(page, "numbers.pdf").first.locator(f".{column}")).to_have_css("text-align", "right")


def test_the_list_fits_a_phone(mill_server: Served, open_page: Open) -> None:
    mill_server.finished(samples.corrupt(), filename=f"{'lengthy-' * 20}.pdf")
    page = open_page(f"{mill_server.url}/jobs?search=lengthy-", size=NARROW)
    page.get_by_role("button", name="Timeline of lengthy-").click()
    expect(page.locator(".timeline li").first).to_be_visible()
    assert overflow(page) == 0


def test_the_list_works_with_the_keyboard_alone(mill_server: Served, open_page: Open) -> None:
    mill_server.finished(samples.letter("Dear keys,"), filename="keys.pdf")
    page = open_page(f"{mill_server.url}/jobs?search=keys")
    expect(row(page, "keys.pdf")).to_be_visible()
    page.get_by_label("Search by name").focus()
    reach(page, "Timeline of keys.pdf")
    page.keyboard.press("Enter")
    expect(page.locator(".timeline li").last).to_contain_text("Completed")
    reach(page, "Delete keys.pdf")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="Delete keys.pdf?")).to_be_visible()
    reach(page, "Delete")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="No matching jobs")).to_be_visible()


def reach(page: Page, name: str) -> None:
    """Move the focus to a button with the tabulator."""
    for _ in range(40):
        page.keyboard.press("Tab")
        focused = page.evaluate(
            "document.activeElement.ariaLabel || document.activeElement.textContent.trim()"
        )
        if focused == name:
            return
    raise AssertionError(f"{name} can't be reached with the keyboard")


def test_filters_show_how_many_jobs_there_are(fresh: Served, open_page: Open) -> None:
    for one in range(2):
        fresh.finished(samples.letter(f"Dear count {one},"), filename=f"count-{one}.pdf")
    fresh.finished(samples.corrupt(), filename="count-broken.pdf")
    page = open_page(f"{fresh.url}/jobs")
    group = page.get_by_role("group", name="Status")
    expect(group.get_by_role("button", name="All 3")).to_be_visible()
    expect(group.get_by_role("button", name="Completed 2")).to_be_visible()
    group.get_by_role("button", name="Failed 1").click()
    expect(page.locator(".job")).to_have_count(1)
    expect(group.get_by_role("button", name="Completed 2")).to_be_visible()


def test_the_list_is_sorted_by_its_columns_and_filtered_by_day(fresh: Served, open_page: Open) -> None:
    for name, pages in (("beta.pdf", 2), ("Alpha.pdf", 9), ("gamma.pdf", 5)):
        fresh.finished(samples.report(pages), filename=name)
    page = open_page(f"{fresh.url}/jobs")
    names = page.locator(".job-name a")
    expect(names).to_have_text(["gamma.pdf", "Alpha.pdf", "beta.pdf"])
    page.get_by_role("button", name="Document").click()
    expect(names).to_have_text(["Alpha.pdf", "beta.pdf", "gamma.pdf"])
    expect(page.get_by_role("columnheader", name="Document")).to_have_attribute("aria-sort", "ascending")
    page.get_by_role("button", name="Pages").click()
    expect(names).to_have_text(["Alpha.pdf", "gamma.pdf", "beta.pdf"])
    page.get_by_role("button", name="Pages").click()
    expect(names).to_have_text(["beta.pdf", "gamma.pdf", "Alpha.pdf"])
    page.reload()
    expect(names).to_have_text(["beta.pdf", "gamma.pdf", "Alpha.pdf"])
    page.get_by_label("to", exact=True).fill("2020-01-01")
    expect(page.get_by_role("heading", name="No matching jobs")).to_be_visible()
    page.get_by_label("to", exact=True).fill("")
    page.get_by_label("From").fill("2020-01-01")
    expect(names).to_have_count(3)


def test_many_results_are_downloaded_in_one_file(
    mill_server: Served, open_page: Open, tmp_path: Path
) -> None:
    for one in range(2):
        mill_server.finished(samples.letter(f"Dear pack {one},"), filename=f"pack-{one}.pdf")
    page = open_page(f"{mill_server.url}/jobs?search=pack-")
    page.get_by_label("Select all jobs").check()
    page.get_by_role("group", name="Selected jobs").locator("summary", has_text="Download").click()
    with page.expect_download() as packed:
        page.get_by_role("button", name="JSON").click()
    packed.value.save_as(tmp_path / "pack.zip")
    with ZipFile(tmp_path / "pack.zip") as files:
        assert sorted(files.namelist()) == ["pack-0.json", "pack-1.json"]
        assert json.loads(files.read("pack-0.json"))["pages"]
