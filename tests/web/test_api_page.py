"""The page for those who write programs."""

import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests import samples
from tests.servers import Served
from tests.web.browsers import NARROW, WIDE, in_each_scheme, overflow, serious_issues
from tests.web.conftest import Open
from tests.web.papers import choose, paper
from tests.web.test_viewer import reading


def code(page: Page, language: str) -> str:
    """What is shown for a language."""
    page.get_by_role("button", name=language).click()
    shown = page.get_by_label(f"As {language}")
    expect(shown).to_be_visible()
    return shown.inner_text()


def ran(*command: str, folder: Path) -> str:
    """What a command prints."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=True)
    return done.stdout


def test_what_was_just_done_is_shown_as_code_that_works(
    mill_server: Served, open_page: Open, tmp_path: Path
) -> None:
    page = open_page(mill_server.url)
    choose(page, paper("my letter.pdf", samples.letter("Dear programmer,")))
    expect(page.locator("main")).to_contain_text("completed")
    page.get_by_role("link", name="API", exact=True).click()
    expect(page.locator("main")).to_contain_text("You just uploaded my letter.pdf.")
    (tmp_path / "my letter.pdf").write_bytes(samples.letter("Dear programmer,"))
    assert '"status"' in ran("bash", "-c", code(page, "curl"), folder=tmp_path)
    assert "'status'" in ran(sys.executable, "-c", code(page, "Python"), folder=tmp_path)
    assert 'form.append("file", file)' in code(page, "JavaScript")


def test_a_page_read_again_is_shown_as_code(slow_server: Served, open_page: Open) -> None:
    job = slow_server.finished(samples.trial_pages(["", ""]), filename="coded.pdf")
    page = open_page(f"{slow_server.url}/jobs/{job['id']}")
    expect(reading(page, 1).locator("[data-block]").first).to_be_visible()
    page.locator("[data-read-again='1']").click()
    page.get_by_label("Engine").select_option("liteparse")
    page.get_by_role("button", name="Read again").last.click()
    expect(reading(page, 1).locator("[data-provider=liteparse]")).to_be_visible()
    page.get_by_role("link", name="API", exact=True).click()
    assert f"/v1/jobs/{job['id']}/pages/1/read" in code(page, "curl")
    assert 'json={"provider":"liteparse"}' in code(page, "Python")


def test_the_reference_has_every_route(mill_server: Served, open_page: Open) -> None:
    schema = mill_server.http.get("/openapi.json").json()
    page = open_page(f"{mill_server.url}/api")
    expect(page.locator("details.operation")).to_have_count(
        sum(len(methods) for methods in schema["paths"].values())
    )
    page.get_by_label("Find a route").fill("POST /v1/jobs hand in")
    expect(page.locator("details.operation")).to_have_count(1)
    page.locator("details.operation summary").click()
    body = page.locator(".operation-body")
    expect(body).to_contain_text("Idempotency-Key")
    expect(body).to_contain_text("unsupported_file_type")
    expect(body.locator("pre.example")).to_contain_text('"total_pages"')


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_it_fits_every_window_and_keeps_nobody_out(
    mill_server: Served, open_page: Open, size: tuple[int, int]
) -> None:
    page = open_page(f"{mill_server.url}/api", size=size)
    page.locator("details.operation summary").nth(1).click()
    expect(page.locator(".operation-body")).to_be_visible()
    for _ in in_each_scheme(page):
        assert overflow(page) == 0
        assert serious_issues(page) == []


def test_an_opened_route_fits_a_phone(mill_server: Served, open_page: Open) -> None:
    page = open_page(f"{mill_server.url}/api", size=NARROW)
    page.locator(".operation summary").first.click()
    expect(page.locator(".operation-body .members").first).to_be_visible()
    # What sticks out of the card is cut off, so that the page is no wider for it.
    hidden = page.locator(".operation").first.evaluate("card => card.scrollWidth - card.clientWidth")
    assert (hidden, overflow(page)) == (0, 0)


def test_a_route_is_tried_out_on_the_page(mill_server: Served, open_page: Open, tmp_path: Path) -> None:
    page = open_page(f"{mill_server.url}/docs")
    page.get_by_label("Find a route").fill("POST /v1/jobs hand in")
    page.locator("details.operation summary").click()
    form = page.get_by_role("form", name="Try POST /v1/jobs")
    (tmp_path / "tried.pdf").write_bytes(samples.letter("Dear trial,"))
    form.locator("input[type=file]").set_input_files(tmp_path / "tried.pdf")
    form.get_by_label("mode").select_option("accurate")
    form.get_by_role("button", name="Send").click()
    answer = form.get_by_role("status")
    expect(answer).to_contain_text("202")
    expect(answer).to_contain_text('"mode": "accurate"')
    assert serious_issues(page) == []
    page.get_by_label("Find a route").fill("GET /v1/jobs/{job_id} look at a job")
    page.locator("details.operation summary").click()
    form = page.get_by_role("form", name="Try GET /v1/jobs/{job_id}")
    form.get_by_label("job_id").fill("nobody")
    form.get_by_role("button", name="Send").click()
    expect(form.get_by_role("status")).to_contain_text("404")
    expect(form.get_by_role("status")).to_contain_text('"code": "not_found"')
