"""The start page: documents are handed in and watched on their way."""

import re
import time
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest
from playwright.sync_api import Page, Route, expect

from bench.ports import free_port
from tests import samples
from tests.http_receivers import Answered, receiving_http
from tests.mills import small_settings
from tests.servers import Served, served
from tests.timing import can_take_less_than, seconds_of
from tests.web.browsers import NARROW, WIDE, overflow
from tests.web.conftest import Open
from tests.web.papers import CHUNKS, PAGES_BETWEEN, choose, gated_document, paper, slow_document

RESULT_SECONDS = 10
PATIENCE_MS = 60_000


@pytest.fixture
def home(mill_server: Served, open_page: Open) -> Page:
    """The start page."""
    return open_page(mill_server.url)


def test_a_newcomer_sees_a_result_within_ten_seconds(mill_server: Served, open_page: Open) -> None:
    def try_the_sample() -> None:
        home = open_page(mill_server.url)
        home.get_by_role("button", name="Try the sample").click()
        expect(home.get_by_role("heading", name="sample.pdf")).to_be_visible(timeout=PATIENCE_MS)
        expect(home.locator(".viewer-head")).to_contain_text("completed", timeout=PATIENCE_MS)
        expect(home.locator(".reading-page [data-block]").first).to_be_visible(timeout=PATIENCE_MS)

    assert can_take_less_than(RESULT_SECONDS, lambda: seconds_of(try_the_sample))


def entry(page: Page, name: str) -> "ExpectedEntry":
    """A document in the list."""
    return ExpectedEntry(page, name)


class ExpectedEntry:
    """What is to be seen of a document in the list."""

    def __init__(self, page: Page, name: str) -> None:
        self.line = page.locator(".upload").filter(has_text=name).first

    def shows(self, words: str) -> "ExpectedEntry":
        """Waits until these words are there."""
        expect(self.line).to_contain_text(words)
        return self


def test_many_documents_are_handed_in_at_once_and_each_ends_in_its_own_way(home: Page) -> None:
    choose(
        home,
        paper("report.pdf", samples.report(5, seed=11)),
        paper("broken.pdf", samples.corrupt()),
        paper("notes.txt", b"\0no document at all"),
    )
    entry(home, "report.pdf").shows("5 pages").shows("completed")
    entry(home, "broken.pdf").shows("failed").shows("damaged")
    entry(home, "notes.txt").shows("a PDF, an image, an office file or a text is needed")
    entry(home, "report.pdf").line.get_by_role("link", name="Open").click()
    home.wait_for_url("**/jobs/*")


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_the_list_is_in_view_after_files_were_chosen(
    mill_server: Served, open_page: Open, size: tuple[int, int]
) -> None:
    page = open_page(mill_server.url, size=size)
    expect(page.locator(".hero p")).to_be_visible()
    choose(page, *[paper(f"seen-{one}.pdf", samples.letter(f"Dear {one},")) for one in range(3)])
    for one in range(3):
        expect(page.locator(".upload").nth(one)).to_be_in_viewport(ratio=0.9)
    expect(page.get_by_role("button", name="Choose files")).to_be_in_viewport()
    assert overflow(page) == 0


def test_all_results_are_downloaded_in_one_file(home: Page, tmp_path: Path) -> None:
    choose(home, *[paper("twin.pdf", samples.letter(f"Dear {name},")) for name in ("Ada", "Grace")])
    expect(home.locator(".upload .status-completed")).to_have_count(2)
    home.locator("summary", has_text="Download all").click()
    with home.expect_download() as packed:
        home.get_by_role("button", name="Markdown").click()
    packed.value.save_as(tmp_path / "all.zip")
    with ZipFile(tmp_path / "all.zip") as files:
        assert files.testzip() is None
        assert sorted(files.namelist()) == ["twin (2).md", "twin.md"]
        texts = {files.read(name).decode() for name in files.namelist()}
    assert {name for name in ("Ada", "Grace") if any(name in text for text in texts)} == {"Ada", "Grace"}


def test_the_list_is_still_there_after_a_look_at_another_page(home: Page) -> None:
    choose(home, paper("kept.pdf", samples.letter("Dear list,")))
    entry(home, "kept.pdf").shows("completed")
    home.get_by_role("link", name="Jobs", exact=True).click()
    home.get_by_role("link", name="Read", exact=True).click()
    entry(home, "kept.pdf").shows("completed")


def test_a_locked_document_asks_for_its_password(home: Page) -> None:
    choose(home, paper("locked.pdf", samples.encrypted(user="sesame")))
    field = home.get_by_label("Password of locked.pdf")
    field.fill("wrong")
    home.keyboard.press("Enter")
    entry(home, "locked.pdf").shows("password was wrong")
    field.fill("sesame")
    home.keyboard.press("Enter")
    entry(home, "locked.pdf").shows("completed")


def test_options_are_sent_as_they_were_chosen(mill_server: Served, home: Page) -> None:
    home.get_by_text("Options").click()
    home.get_by_label("Pages", exact=True).fill("2-3")
    home.get_by_label("OCR of scans and pictures").select_option("off")
    home.get_by_text("Keep running headers and footers").click()
    home.get_by_text("Quotes, dashes and ligatures in ASCII").click()
    choose(home, paper("chosen.pdf", samples.report(6, seed=12)))
    entry(home, "chosen.pdf").shows("2 pages").shows("completed")
    job = mill_server.http.get("/v1/jobs", params={"filename": "chosen.pdf"}).json()["jobs"][0]
    assert job["options"]["pages"] == "2-3"
    assert job["options"]["ocr"] == "off"
    assert job["options"]["keep_running_headers"]
    assert job["options"]["typography"] == "ascii"


def test_an_option_that_makes_no_sense_is_explained(home: Page) -> None:
    home.get_by_text("Options").click()
    home.get_by_label("Pages", exact=True).fill("three")
    choose(home, paper("odd.pdf", samples.letter("Dear oddity,")))
    entry(home, "odd.pdf").shows("write for example 1-3,7")


DROP = """([names, bytes, kind]) => {
  const transfer = new DataTransfer();
  for (const name of names) transfer.items.add(new File([new Uint8Array(bytes)], name));
  const event = kind === "drop"
    ? new DragEvent("drop", {dataTransfer: transfer, bubbles: true, cancelable: true})
    : new ClipboardEvent("paste", {clipboardData: transfer, bubbles: true});
  document.querySelector(".drop").dispatchEvent(event);
}"""


@pytest.mark.parametrize("kind", ["drop", "paste"])
def test_documents_may_be_dropped_and_pasted(home: Page, kind: str) -> None:
    names = [f"{kind}-1.pdf", f"{kind}-2.pdf"]
    expect(home.locator(".drop")).to_be_visible()
    home.evaluate(DROP, [names, list(samples.letter(f"Dear {kind},")), kind])
    for name in names:
        entry(home, name).shows("completed")


def test_a_folder_is_handed_in_without_what_the_system_left_in_it(home: Page, tmp_path: Path) -> None:
    folder = tmp_path / "letters"
    (folder / "deeper").mkdir(parents=True)
    (folder / "one.pdf").write_bytes(samples.letter("Dear one,"))
    (folder / "deeper" / "two.pdf").write_bytes(samples.letter("Dear two,"))
    (folder / ".DS_Store").write_bytes(b"left over")
    home.locator("input[data-kind=folder]").set_input_files(folder)
    entry(home, "one.pdf").shows("completed")
    entry(home, "two.pdf").shows("completed")
    expect(home.locator(".upload")).to_have_count(2)


def test_more_documents_than_streams_are_all_seen_to_their_end(home: Page) -> None:
    choose(home, *[paper(f"many-{one}.pdf", samples.report(3, seed=100 + one)) for one in range(12)])
    expect(home.locator(".upload .status-completed")).to_have_count(12)


def test_a_running_job_is_watched_page_by_page(slow_server: Served, open_page: Open, tmp_path: Path) -> None:
    page = open_page(slow_server.url)
    choose(page, paper("slow.pdf", gated_document(tmp_path)))
    shown = entry(page, "slow.pdf")
    (tmp_path / "first").touch()
    first = pages_read(shown, more_than=0)
    bar = page.get_by_role("progressbar", name="Progress of slow.pdf")
    expect(bar).to_have_attribute("aria-valuenow", str(round(100 * first / (PAGES_BETWEEN * CHUNKS))))
    (tmp_path / "second").touch()
    assert pages_read(shown, more_than=first) < PAGES_BETWEEN * CHUNKS
    (tmp_path / "third").touch()
    shown.shows("completed")


def pages_read(shown: ExpectedEntry, more_than: int) -> int:
    """How many pages are read, once it is more than so many."""
    counts = "|".join(str(pages) for pages in range(more_than + 1, PAGES_BETWEEN * CHUNKS))
    words = re.compile(rf"(?<!\d)({counts}) of {PAGES_BETWEEN * CHUNKS} pages read")
    expect(shown.line).to_contain_text(words)
    found = words.search(shown.line.inner_text())
    assert found
    return int(found[1])


def test_a_job_is_cancelled_from_the_start_page(slow_server: Served, open_page: Open) -> None:
    page = open_page(slow_server.url)
    choose(page, paper("endless.pdf", slow_document(15)))
    page.get_by_role("button", name="Cancel endless.pdf").click()
    entry(page, "endless.pdf").shows("cancelled")
    expect(page.get_by_role("button", name="Try again")).to_be_visible()


@pytest.fixture
def port() -> int:
    """A port that a server may be started on twice."""
    return free_port()


def test_a_restart_of_the_server_in_mid_watch_is_told_and_healed(
    tmp_path: Path, port: int, open_page: Open
) -> None:
    settings = small_settings(tmp_path / "mill", providers="trial", port=port)
    with served(settings) as server:
        page = open_page(server.url)
        choose(page, paper("survivor.pdf", slow_document(1.5)))
        entry(page, "survivor.pdf").shows("pages read")
    expect(page.get_by_role("alert")).to_contain_text("The service does not answer")
    with served(settings):
        expect(page.get_by_role("alert")).to_be_hidden()
        entry(page, "survivor.pdf").shows("completed")


def test_a_document_that_is_handed_in_while_the_server_is_away_is_sent_when_it_is_back(
    tmp_path: Path, port: int, open_page: Open
) -> None:
    settings = small_settings(tmp_path / "mill", port=port)
    with served(settings) as server:
        page = open_page(server.url)
        expect(page.locator(".drop")).to_be_visible()
    choose(page, paper("patient.pdf", samples.letter("Dear patience,")))
    expect(page.get_by_role("alert")).to_contain_text("The service does not answer")
    entry(page, "patient.pdf").shows("Waiting for the service")
    with served(settings) as server:
        entry(page, "patient.pdf").shows("completed")
        assert len(server.jobs()) == 1


def test_the_page_says_so_when_it_is_opened_with_the_service_stopped_in_between(
    tmp_path: Path, port: int, open_page: Open
) -> None:
    settings = small_settings(tmp_path / "mill", port=port)
    with served(settings) as server:
        page = open_page(f"{server.url}/jobs")
        expect(page.get_by_text("No jobs yet")).to_be_visible()
    expect(page.get_by_role("alert")).to_contain_text("Nothing is lost")
    with served(settings) as server:
        server.submit(samples.letter(), filename="new.pdf")
        expect(page.get_by_role("link", name="new.pdf")).to_be_visible()


def test_upload_progress_is_shown(home: Page) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    home.route("**/v1/jobs", hold)
    choose(home, paper("large.pdf", samples.letter("Dear large one,")))
    expect(home.get_by_role("progressbar", name="Upload of large.pdf")).to_be_attached()
    wait_beside(home, lambda: bool(held))
    held[0].continue_()
    entry(home, "large.pdf").shows("completed")


def wait_beside(page: Page, condition: Callable[[], bool]) -> None:
    """Let a page go on until something is so."""
    deadline = time.monotonic() + RESULT_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        page.wait_for_timeout(10)


def test_the_start_page_works_with_the_keyboard_alone(home: Page) -> None:
    expect(home.locator(".drop")).to_be_visible()
    for _ in range(20):
        home.keyboard.press("Tab")
        if home.evaluate("document.activeElement.textContent.includes('Try the sample')"):
            break
    home.keyboard.press("Enter")
    home.wait_for_url("**/jobs/*")


def test_the_start_page_fits_a_phone(mill_server: Served, open_page: Open) -> None:
    page = open_page(mill_server.url, size=NARROW)
    choose(page, paper(f"{'a-very-long-name-' * 8}.pdf", samples.corrupt()))
    expect(page.locator(".upload .status-failed")).to_be_visible()
    assert overflow(page) == 0


@pytest.fixture
def german(mill_server: Served, open_page: Open) -> Page:
    """The start page in a German browser."""
    return open_page(mill_server.url, locale="de-DE")


def test_numbers_are_written_as_the_reader_writes_them(german: Page) -> None:
    choose(german, paper("gross.pdf", samples.blank(1_200)))
    entry(german, "gross.pdf").shows("1.200 pages")


def test_a_job_that_was_deleted_elsewhere_is_told_and_can_be_taken_off(
    slow_server: Served, open_page: Open
) -> None:
    page = open_page(slow_server.url)
    choose(page, paper("removed.pdf", slow_document(15)))
    entry(page, "removed.pdf").shows("processing")
    job = slow_server.http.get("/v1/jobs", params={"filename": "removed.pdf"}).json()["jobs"][0]
    slow_server.http.delete(f"/v1/jobs/{job['id']}")
    entry(page, "removed.pdf").shows("Deleted")
    page.get_by_role("button", name="Remove removed.pdf from the list").click()
    expect(page.locator(".upload")).to_have_count(0)


def test_a_document_is_fetched_from_its_address(home: Page) -> None:
    field = home.get_by_label("Or by address")
    with receiving_http(lambda _: Answered(body=samples.letter("Dear address,"))) as archive:
        field.fill(f"{archive.url}/letters/from-afar.pdf?key=1")
        home.get_by_role("button", name="Fetch").click()
        entry(home, "from-afar.pdf").shows("1 page")
    expect(field).to_have_value("")
    field.fill("http://169.254.169.254/secrets.txt")
    field.press("Enter")
    entry(home, "secrets.txt").shows("private or reserved address")
