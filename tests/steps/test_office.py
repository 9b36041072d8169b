"""The journey of an office file: the same as that of a PDF, with the same artifacts."""

import io
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import BoundedSemaphore, Event, get_ident
from typing import ClassVar
from zipfile import ZipFile

import orjson
import PIL.Image
import pytest
from sqlalchemy import update

from pagemill.db.database import Tx
from pagemill.db.schema import results
from pagemill.desk import on_demand
from pagemill.desk.contents import page_image
from pagemill.desk.queries import existing_job, job_with_result
from pagemill.errors import NoPageImage
from pagemill.mill import DEFAULT_TENANT, Mill
from pagemill.model.options import ReadingOptions
from pagemill.model.paths import rendered_key
from pagemill.model.views import JobView
from pagemill.press.landlock import landlock_version
from pagemill.press.libreoffice import LibreOffice, NotRendered, find_libreoffice
from pagemill.steps.accept import Submission, accept, accept_submission, prepare_reuse
from pagemill.wiring import open_mill
from tests.mills import finished, hand_in, made, small_settings, submission
from tests.office_files import LETTER, R, docx, para, pptx, row, shape, xlsx
from tests.samples import letter

EVERYTHING = ReadingOptions(formats=("markdown", "json", "text", "html"))


@pytest.fixture(scope="module")
def mill(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mill]:
    """A mill at work."""
    with open_mill(small_settings(tmp_path_factory.mktemp("mill"))) as working:
        yield working


def read(mill: Mill, raw: bytes, options: ReadingOptions = EVERYTHING) -> JobView:
    """Hand a file in and wait for its end."""
    return finished(mill, hand_in(mill, raw, options).job_id)


def test_a_word_document_comes_out_as_markdown_and_json(mill: Mill) -> None:
    job = read(mill, LETTER)
    assert (job["status"], job["document_pages"]) == ("completed", 1)
    markdown = made(mill, job["id"], "markdown")
    assert markdown == b"# A letter\n\nDear reader, the mill turns.\n\n## It grinds.\n"
    [page] = orjson.loads(made(mill, job["id"], "json"))["pages"]
    assert (page["route"], page["provider"]) == ("native", "office")
    assert page["blocks"][1]["origin"] == {"path": ["A letter"], "index": 2}


def test_a_long_deck_is_read_in_chunks_and_its_equal_titles_stay(mill: Mill) -> None:
    slides = [shape("Agenda", 'type="title"') + shape(f"point {at}", 'idx="1"') for at in range(1, 151)]
    job = read(mill, pptx(*slides))
    assert (job["status"], job["document_pages"], job["processed_pages"]) == ("completed", 150, 150)
    markdown = made(mill, job["id"], "markdown").decode()
    assert markdown.count("Agenda") == 150
    assert "- point 150" in markdown


def test_tables_of_a_workbook_are_files_too(mill: Mill) -> None:
    job = read(mill, xlsx(("Pond", row(1, A="Year", B="Ducks") + row(2, A=2023, B=12))))
    files = on_demand.list_files(mill, DEFAULT_TENANT, job["id"], "tables", press=mill.press)
    assert [file.name for file in files if file.rows] == ["p1-b2.csv"]


def test_images_inside_of_a_document_can_be_fetched(mill: Mill) -> None:
    out = io.BytesIO()
    PIL.Image.new("RGB", (8, 8), "red").save(out, "PNG")
    drawn = (
        '<w:p><w:r><w:drawing xmlns:wp="urn:wp" xmlns:a="urn:a"><wp:docPr id="1" name="p" descr="A wheel"/>'
        f'<a:blip {R} r:embed="i1"/></w:drawing></w:r></w:p>'
    )
    file = docx(
        para("Text") + drawn,
        {"word/media/image1.png": out.getvalue()},
        ("i1", "image", "media/image1.png"),
    )
    job = read(mill, file)
    [listed] = on_demand.list_files(mill, DEFAULT_TENANT, job["id"], "images", press=mill.press)
    assert (listed.name, listed.caption) == ("p1-b2.png", "A wheel")
    image = on_demand.image(mill, DEFAULT_TENANT, job["id"], listed.name, press=mill.press)
    with mill.blobs.open(image.key) as stored:
        assert PIL.Image.open(stored).size == (8, 8)
    packed = on_demand.artifact(mill, DEFAULT_TENANT, job["id"], "archive", press=mill.press)
    with mill.blobs.open(packed.key) as stored, ZipFile(io.BytesIO(stored.read())) as archive:
        assert "images/p1-b2.png" in archive.namelist()
    assert made(mill, job["id"], "markdown") == b"Text\n\n[Image: A wheel]\n"


def test_tracked_changes_are_read_as_asked(mill: Mill) -> None:
    body = "<w:p><w:del><w:r><w:delText>Old</w:delText></w:r></w:del><w:ins><w:r><w:t>New</w:t></w:r></w:ins></w:p>"
    for asked, expected in (("original", b"Old\n"), ("both", b"~~Old~~New\n")):
        job = read(mill, docx(body), ReadingOptions(tracked_changes=asked))
        assert made(mill, job["id"], "markdown") == expected


def test_a_page_without_print_has_no_image(mill: Mill) -> None:
    job = read(mill, LETTER)
    with pytest.raises(NoPageImage):
        page_image(mill, DEFAULT_TENANT, job["id"], 1, dpi=60, form="png")


def test_a_damaged_package_fails_with_what_to_do(mill: Mill) -> None:
    job = read(mill, LETTER[:500])
    assert job["status"] == "failed"
    assert job["error"] is not None
    assert job["error"]["code"] == "document_corrupt"


class SlowOffice(LibreOffice):
    """Notes how many documents it renders at once."""

    at_once: ClassVar[list[int]] = []
    under_way: ClassVar[set[int]] = set()

    def render(self, document: Path, to: Path, stop: Event) -> None:
        """Wait a little and fail."""
        self.under_way.add(get_ident())
        self.at_once.append(len(self.under_way))
        stop.wait(0.1)
        self.under_way.discard(get_ident())
        raise NotRendered("it is only counted")


def test_no_more_documents_are_rendered_at_once_than_there_are_places(mill: Mill) -> None:
    job = read(mill, LETTER)
    _, document = mill.db.read(lambda conn: existing_job(conn, DEFAULT_TENANT, job["id"]))
    slow = SlowOffice(Path("soffice.bin"), "off", 1_000_000, 1.0)
    busy = replace(mill, renderer=slow, render_places=BoundedSemaphore(2))
    wanted = ReadingOptions(render=True)
    with ThreadPoolExecutor(6) as threads:
        asked = [threads.submit(busy.rendering_of, document, wanted, Event()) for _ in range(6)]
        assert [one.result(timeout=30) for one in asked] == [None] * 6
    assert (len(slow.at_once), max(slow.at_once)) == (6, 2)
    stopped = Event()
    stopped.set()
    with busy.render_places, busy.render_places:
        assert busy.rendering_of(document, wanted, stopped) is None
    assert len(slow.at_once) == 6


@pytest.mark.skipif(not find_libreoffice(""), reason="LibreOffice is not installed")
@pytest.mark.skipif(not landlock_version(), reason="this kernel has no Landlock to confine LibreOffice with")
def test_a_document_that_is_rendered_has_pages_boxes_and_images(mill: Mill) -> None:
    broken = '<w:p><w:r><w:br w:type="page"/></w:r></w:p>'
    file = docx(para("The first page", "H1") + para("has words.") + broken + para("So has the second."))
    job = read(mill, file, ReadingOptions(render=True))
    assert (job["status"], job["document_pages"], job["warnings"]) == ("completed", 2, [])
    pages = orjson.loads(made(mill, job["id"], "json"))["pages"]
    texts = [[block["text"] for block in page["blocks"]] for page in pages]
    assert texts == [["The first page", "has words."], ["So has the second."]]
    assert all(block["box"] for page in pages for block in page["blocks"])
    without_office = replace(mill, renderer=None)
    again = read(mill, file, ReadingOptions(render=True))
    assert again["reused"]
    for one in (job, again):
        image = page_image(without_office, DEFAULT_TENANT, one["id"], 2, dpi=40, form="png")
        with mill.blobs.open(image.key) as stored:
            assert min(PIL.Image.open(stored).convert("L").tobytes()) < 128, "there are letters on it"


def test_a_result_is_used_again_only_while_there_is_a_pdf_to_draw_from(mill: Mill) -> None:
    raw, wanted = docx(para("Printed elsewhere")), ReadingOptions(render=True)
    job = read(mill, raw, wanted)
    _, document, result = mill.db.read(lambda conn: job_with_result(conn, DEFAULT_TENANT, job["id"]))
    assert result is not None
    # As if LibreOffice had made a PDF, whether it is on this machine or not.
    shown = update(results).where(results.c.id == result.id).values(warnings=[])
    mill.db.write(lambda tx: tx.conn.execute(shown))
    stored = rendered_key(document.blob_key)
    mill.blobs.remove(stored)
    assert not hand_in_reused(mill, submission(mill, raw, wanted))
    writer = mill.blobs.writer(stored)
    writer.write(letter("A page"))
    writer.commit()
    asked = submission(mill, raw, wanted)
    copied = rendered_key(asked.upload.blob_key)
    assert not hand_in_reused(mill, asked), "inside of a transaction nothing is copied"
    assert mill.blobs.size(copied) is None
    assert hand_in_reused(mill, prepare_reuse(mill, asked))
    with mill.blobs.open(copied) as file:
        assert file.read() == letter("A page")
    outdated = replace(submission(mill, raw, wanted), rendered_result_id="another")
    assert not hand_in_reused(mill, outdated)


def test_the_copied_pdf_of_a_repeated_request_is_removed(mill: Mill) -> None:
    raw, wanted = docx(para("Asked twice")), ReadingOptions(render=True)
    first = accept_submission(mill, replace(submission(mill, raw, wanted), idempotency_key="pdf"))
    copying = replace(submission(mill, raw, wanted), idempotency_key="pdf", rendered_result_id="copied")
    copied = rendered_key(copying.upload.blob_key)
    mill.blobs.copy(copying.upload.blob_key, copied)
    assert accept_submission(mill, copying).job_id == first.job_id
    assert mill.blobs.size(copied) is None


def hand_in_reused(mill: Mill, asked: Submission) -> bool:
    """Whether a new job was answered from the result of an earlier one; no job of it is left to read."""

    class Undo(Exception):
        """Raised so that nothing of the transaction is kept."""

    def attempt(tx: Tx) -> None:
        seen.append(orjson.loads(accept(tx, mill, asked).answer)["reused"])
        raise Undo

    seen: list[bool] = []
    with pytest.raises(Undo):
        mill.db.write(attempt)
    return seen[-1]
