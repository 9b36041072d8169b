"""Pages whose text must be recognised: handed on, given to one provider after the other, and joined with the rest."""

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

from pagemill.desk.commands import cancel
from pagemill.desk.contents import list_pages, one_page
from pagemill.desk.queries import show_job
from pagemill.desk.runs import read_page, retry
from pagemill.errors import JobActive, NotFound, PageNotReady
from pagemill.mill import DEFAULT_TENANT, Mill
from pagemill.model.options import ReadingOptions
from pagemill.model.views import JobView
from pagemill.reading.providers.installed import kind_of, load
from pagemill.reading.remote.vlm import VlmProvider
from pagemill.wiring import open_mill
from tests import pictures, samples
from tests.mills import events_of, finished, hand_in, made, small_settings
from tests.office_files import A, R, docx, para
from tests.reading.remote_server import Behaviour, serving
from tests.trial_recognisers import ADDRESS
from tests.waiting import wait_for

TEXT = ("liteparse", "pdfium")


@pytest.fixture(scope="module")
def server() -> Iterator[Behaviour]:
    """A server with a vision model."""
    behaviour = Behaviour(text="# From elsewhere\n\nA page that was read on another machine.")
    with serving(behaviour) as url:
        ADDRESS["url"] = url
        # Another test may have looked for the provider before it had an address.
        forget_providers()
        yield behaviour
        elsewhere = load("elsewhere")
        assert isinstance(elsewhere, VlmProvider)
        elsewhere.close()
        ADDRESS["url"] = ""
        forget_providers()


def forget_providers() -> None:
    """Have providers looked for anew."""
    kind_of.cache_clear()
    load.cache_clear()


@pytest.fixture(scope="module")
def mill(tmp_path_factory: pytest.TempPathFactory, server: Behaviour) -> Iterator[Mill]:
    """A mill at work, with short patience for those elsewhere."""
    assert server.requests == []
    changes = {"remote_timeout_seconds": 5, "provider_limits": "elsewhere=2", "retry_base_seconds": 0.1}
    changes["provider_call_prices"] = "elsewhere=0.002"
    with open_mill(small_settings(tmp_path_factory.mktemp("mill"), **changes)) as working:
        yield working


def done(mill: Mill, document: bytes, *chain: str, **options: Any) -> tuple[JobView, list[dict[str, Any]]]:
    """The finished job of a document, and its pages."""
    asked = ReadingOptions(providers=(*TEXT, *chain), **options)
    job_id = hand_in(mill, document, asked, reuse=False).job_id
    job = finished(mill, job_id)
    pages = json.loads(made(mill, job_id, "json"))["pages"] if job["status"] == "completed" else []
    return job, pages


def words(page: dict[str, Any]) -> str:
    """All text of a page."""
    return " ".join(block.get("text", "") for block in page["blocks"])


def mixed() -> bytes:
    """A scan between two pages of text."""
    return samples.photographed(samples.report(3), [2])


def scan(pages: int = 1) -> bytes:
    """A document of which there are only pictures."""
    return samples.photographed(samples.report(pages))


def test_only_the_scan_is_handed_on(mill: Mill) -> None:
    job, pages = done(mill, mixed(), "sure")
    assert [page["provider"] for page in pages] == ["liteparse", "sure", "liteparse"]
    assert [page["route"] for page in pages] == ["text", "ocr", "text"]
    assert words(pages[1]) == "Surely read"
    assert job["processed_pages"] == job["total_pages"] == 3
    assert job["failed_pages"] == []
    assert events_of(mill, job["id"]).count("chunk.read") == 2


def test_the_reason_and_the_lines_are_kept(mill: Mill) -> None:
    _, [page] = done(mill, scan(), "sure")
    assert page["reason"] == "page_is_a_picture"
    assert [line["text"] for line in page["lines"]] == ["Surely read"]
    assert page["confidence"] == 0.97


def test_languages_reach_the_recogniser(mill: Mill) -> None:
    _, [page] = done(mill, scan(), "sure", languages=("de", "fr"))
    assert words(page) == "Surely read de fr"


def test_without_ocr_the_page_stays_empty_and_says_so(mill: Mill) -> None:
    job, pages = done(mill, mixed(), "sure", ocr="off")
    assert pages[1]["blocks"] == [] or words(pages[1]) == ""
    assert "ocr_needed" in job["warnings"]


def test_a_chain_that_reads_no_pictures_says_so_too(mill: Mill) -> None:
    job, _ = done(mill, scan())
    assert "ocr_needed" in job["warnings"]


def test_a_result_that_lacks_what_nobody_could_recognise_is_not_used_again(mill: Mill) -> None:
    for ocr, reused in (("auto", False), ("off", True)):
        asked = ReadingOptions(providers=TEXT, ocr=ocr)
        first, again = (finished(mill, hand_in(mill, scan(2), asked).job_id) for _ in range(2))
        assert (first["reused"], again["reused"]) == (False, reused)


def test_forced_ocr_reads_every_page_by_its_picture(mill: Mill) -> None:
    _, pages = done(mill, mixed(), "sure", ocr="force")
    assert [page["provider"] for page in pages] == ["sure"] * 3
    assert {page["reason"] for page in pages} == {"forced"}


def test_the_next_provider_is_asked_when_one_is_not_sure(mill: Mill) -> None:
    _, [page] = done(mill, scan(), "unsure", "sure")
    assert page["provider"] == "sure"
    assert page["tries"] == [{"provider": "unsure", "confidence": 0.6, "message": None}]


def test_calls_to_other_machines_are_counted_with_their_price(mill: Mill) -> None:
    job, pages = done(mill, scan(2), "elsewhere")
    assert [page["provider"] for page in pages] == ["elsewhere"] * 2
    assert job["cost"]["cpu_seconds"] > 0
    assert (job["cost"]["remote_calls"], job["cost"]["price"]) == (2, 0.004)


def test_the_best_answer_stays_when_nobody_is_sure(mill: Mill) -> None:
    job, [page] = done(mill, scan(), "unsure", "failing")
    assert (page["provider"], words(page)) == ("unsure", "Perhaps read")
    assert [one["provider"] for one in page["tries"]] == ["failing"]
    assert "low_confidence" in job["warnings"]


def test_a_page_that_nobody_can_read_has_failed_and_the_others_have_not(mill: Mill) -> None:
    job, pages = done(mill, mixed(), "failing")
    assert [page["page"] for page in job["failed_pages"]] == [2]
    assert "no eyes" in pages[1]["tries"][0]["message"]
    assert words(pages[0])


def test_a_recogniser_that_dies_over_a_page_is_not_asked_again(mill: Mill) -> None:
    job, pages = done(mill, mixed(), "dying", "sure")
    assert pages[1]["provider"] == "sure"
    assert job["counters"]["crashes"] == 1
    assert job["failed_pages"] == []


def test_a_page_over_which_every_recogniser_dies_has_failed(mill: Mill) -> None:
    job, pages = done(mill, mixed(), "dying")
    assert [page["page"] for page in job["failed_pages"]] == [2]
    assert [one["provider"] for one in pages[1]["tries"]] == ["dying"]


def test_text_is_readable_while_the_scan_is_still_being_read(mill: Mill) -> None:
    job_id = hand_in(mill, mixed(), ReadingOptions(providers=(*TEXT, "slow")), reuse=False).job_id
    wait_for(lambda: show_job(mill, DEFAULT_TENANT, job_id)["processed_pages"] == 2)
    listed = list_pages(mill, DEFAULT_TENANT, job_id, first=1, limit=9)
    assert [page.state for page in listed.pages] == ["draft", "waiting", "draft"]
    assert one_page(mill, DEFAULT_TENANT, job_id, 1).draft
    with pytest.raises(PageNotReady):
        one_page(mill, DEFAULT_TENANT, job_id, 2)
    assert finished(mill, job_id)["processed_pages"] == 3


def test_a_cancelled_job_frees_its_recogniser(mill: Mill) -> None:
    job_id = hand_in(mill, mixed(), ReadingOptions(providers=(*TEXT, "slow")), reuse=False).job_id
    wait_for(lambda: show_job(mill, DEFAULT_TENANT, job_id)["processed_pages"] == 2)
    wait_for(lambda: bool(mill.press.keys()))
    cancel(mill, DEFAULT_TENANT, job_id)
    wait_for(lambda: not mill.press.keys(), 2.0)


def test_a_page_of_which_nobody_here_is_sure_is_sent_elsewhere(mill: Mill, server: Behaviour) -> None:
    before = len(server.requests)
    _, [page] = done(mill, scan(), "unsure", "elsewhere")
    assert (page["provider"], len(server.requests)) == ("elsewhere", before + 1)
    assert [block["kind"] for block in page["blocks"]] == ["heading", "paragraph"]
    assert {one["provider"] for one in page["tries"]} == {"unsure"}


def test_a_page_of_which_somebody_here_is_sure_is_not_sent_anywhere(mill: Mill, server: Behaviour) -> None:
    before = len(server.requests)
    _, [page] = done(mill, scan(), "sure", "elsewhere")
    assert page["provider"] == "sure"
    assert len(server.requests) == before


def test_a_provider_elsewhere_may_come_first_and_has_few_pages_at_once(mill: Mill, server: Behaviour) -> None:
    server.most_at_once, server.seconds = 0, 0.2
    try:
        _, pages = done(mill, scan(6), "elsewhere", "sure")
    finally:
        server.seconds = 0.0
    assert [page["provider"] for page in pages] == ["elsewhere"] * 6
    assert server.most_at_once == 2


def test_what_is_refused_elsewhere_is_read_here(mill: Mill, server: Behaviour) -> None:
    server.deeds.append(lambda exchange: exchange.complain(400, "no such picture"))
    server.deeds.append(lambda exchange: exchange.complain(400, "no such picture"))
    _, [page] = done(mill, scan(), "elsewhere", "sure")
    assert page["provider"] == "sure"
    assert page["tries"][0]["provider"] == "elsewhere"


def test_a_server_that_is_away_for_a_moment_is_asked_again(mill: Mill, server: Behaviour) -> None:
    server.deeds.append(lambda exchange: exchange.complain(503, "loading the model", Retry_After="1"))
    job, [page] = done(mill, scan(), "elsewhere")
    assert page["provider"] == "elsewhere"
    assert job["counters"]["errors"] == 1


def test_a_page_of_text_is_read_again_elsewhere_if_somebody_asks_for_it(mill: Mill) -> None:
    job, _ = done(mill, samples.report(2), "sure")
    read_page(mill, DEFAULT_TENANT, job["id"], 2, provider="elsewhere", password=None)
    assert finished(mill, job["id"])["revision"] == 2
    pages = json.loads(made(mill, job["id"], "json"))["pages"]
    assert [page["provider"] for page in pages] == ["liteparse", "elsewhere"]


def test_a_cancelled_job_gives_up_what_it_asks_elsewhere(mill: Mill, server: Behaviour) -> None:
    before, server.seconds = len(server.requests), 4.0
    try:
        job_id = hand_in(mill, scan(), ReadingOptions(providers=(*TEXT, "elsewhere")), reuse=False).job_id
        wait_for(lambda: len(server.requests) > before)
        cancel(mill, DEFAULT_TENANT, job_id)
        wait_for(lambda: not mill.engines.stops, 2.0)
    finally:
        server.seconds = 0.0


def test_one_page_is_read_again_with_another_provider(mill: Mill) -> None:
    job, before = done(mill, mixed(), "unsure")
    read_page(mill, DEFAULT_TENANT, job["id"], 2, provider="sure", password=None)
    again = finished(mill, job["id"])
    pages = json.loads(made(mill, job["id"], "json"))["pages"]
    assert (again["status"], again["revision"], again["processed_pages"]) == ("completed", 2, 3)
    assert [page["provider"] for page in pages] == ["liteparse", "sure", "liteparse"]
    assert [words(pages[0]), words(pages[2])] == [words(before[0]), words(before[2])]


def test_after_a_cancelled_run_another_page_is_put_into_the_result_that_is_there(mill: Mill) -> None:
    job, _ = done(mill, mixed(), "unsure")
    read_page(mill, DEFAULT_TENANT, job["id"], 2, provider="slow", password=None)
    cancel(mill, DEFAULT_TENANT, job["id"])
    read_page(mill, DEFAULT_TENANT, job["id"], 1, provider="sure", password=None)
    assert finished(mill, job["id"])["status"] == "completed"
    pages = json.loads(made(mill, job["id"], "json"))["pages"]
    assert [page["provider"] for page in pages] == ["sure", "unsure", "liteparse"]


def test_a_page_of_a_short_document_is_read_again_by_its_picture(mill: Mill) -> None:
    job, _ = done(mill, samples.report(2), "sure")
    read_page(mill, DEFAULT_TENANT, job["id"], 1, provider="sure", password=None)
    assert finished(mill, job["id"])["revision"] == 2
    pages = json.loads(made(mill, job["id"], "json"))["pages"]
    assert [page["provider"] for page in pages] == ["sure", "liteparse"]


def test_what_was_read_in_a_way_of_its_own_is_not_given_to_others(mill: Mill) -> None:
    document = samples.photographed(samples.report(2), [1])
    job, _ = done(mill, document, "unsure")
    read_page(mill, DEFAULT_TENANT, job["id"], 1, provider="sure", password=None)
    finished(mill, job["id"])
    other = hand_in(mill, document, ReadingOptions(providers=(*TEXT, "unsure"))).job_id
    assert finished(mill, other)["status"] == "completed"
    assert json.loads(made(mill, other, "json"))["pages"][0]["provider"] == "unsure"


def test_a_page_that_is_not_there_can_not_be_read_again(mill: Mill) -> None:
    job, _ = done(mill, samples.letter("Dear one page,"), "sure")
    with pytest.raises(NotFound):
        read_page(mill, DEFAULT_TENANT, job["id"], 2, provider="sure", password=None)


def test_a_running_job_is_left_alone(mill: Mill) -> None:
    job_id = hand_in(mill, mixed(), ReadingOptions(providers=(*TEXT, "slow")), reuse=False).job_id
    with pytest.raises(JobActive):
        read_page(mill, DEFAULT_TENANT, job_id, 1, provider="sure", password=None)
    finished(mill, job_id)


def test_a_retry_of_failed_pages_reads_them_alone(mill: Mill) -> None:
    job, _ = done(mill, mixed(), "failing")
    started = time.monotonic()
    retry(mill, DEFAULT_TENANT, job["id"], only="failed", password=None)
    again = finished(mill, job["id"])
    assert [page["page"] for page in again["failed_pages"]] == [2]
    assert again["processed_pages"] == 3
    assert events_of(mill, job["id"]).count("chunk.read") == 3
    assert time.monotonic() - started < 30


def test_the_words_in_the_images_of_an_office_file_follow_them_in_accurate_mode(mill: Mill) -> None:
    image = pictures.encoded(pictures.corners(), "PNG")
    drawing = (
        '<w:p><w:r><w:drawing><wp:inline xmlns:wp="wp"><wp:docPr id="1" name="p" descr="A plan"/>'
        f'<a:blip {A} {R} r:embed="rId9"/></wp:inline></w:drawing></w:r></w:p>'
    )
    document = docx(
        para("Before.") + drawing + para("After."),
        {"word/media/a.png": image},
        ("rId9", "image", "media/a.png"),
    )
    _, [page] = done(mill, document, "sure", mode="accurate")
    assert [block.get("text") for block in page["blocks"]] == ["Before.", "A plan", "Surely read", "After."]
    assert [block["id"] for block in page["blocks"]] == ["p1-b1", "p1-b2", "p1-b4", "p1-b3"]
    assert (page["blocks"][2]["role"], page["route"]) == ("image_text", "native")
    _, [fast] = done(mill, document, "sure")
    assert [block.get("text") for block in fast["blocks"]] == ["Before.", "A plan", "After."]
