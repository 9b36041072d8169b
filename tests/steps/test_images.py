"""The journey of an image, which is read as a PDF that is made of it."""

from collections.abc import Iterator
from pathlib import Path

import pypdfium2
import pytest

from pagemill.desk import on_demand
from pagemill.desk.commands import remove
from pagemill.desk.contents import page_image
from pagemill.desk.sweeper import remove_orphans_of
from pagemill.mill import DEFAULT_TENANT, Mill
from pagemill.model.options import ReadingOptions
from pagemill.steps.accept import sniff
from pagemill.wiring import open_mill
from tests import pictures
from tests.mills import finished, hand_in, made, small_settings
from tests.waiting import wait_for
from tests.walking import files_below

UNRECOGNISED = ReadingOptions(ocr="off")
RECOGNISED = ReadingOptions(providers=("liteparse", "pdfium", "ppocr"))


@pytest.fixture(scope="module")
def mill(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mill]:
    """A mill at work."""
    with open_mill(small_settings(tmp_path_factory.mktemp("mill"))) as working:
        yield working


def stored(mill: Mill) -> set[str]:
    """The documents in the store and their working copies, by suffix."""
    return {"".join(path.suffixes) for path in files_below(mill.settings.data_dir / "blobs" / "documents")}


@pytest.mark.parametrize(
    ("form", "media_type"),
    [
        ("PNG", "image/png"),
        ("JPEG", "image/jpeg"),
        ("WEBP", "image/webp"),
        ("TIFF", "image/tiff"),
        ("GIF", "image/gif"),
        ("BMP", "image/bmp"),
    ],
)
def test_an_image_is_known_by_its_bytes(form: str, media_type: str) -> None:
    assert sniff(pictures.encoded(pictures.corners(), form)) == media_type


def test_every_frame_is_read_as_a_page(mill: Mill) -> None:
    frames = pictures.frames(*[pictures.corners()] * 3)
    job_id = hand_in(mill, frames, UNRECOGNISED).job_id
    job = finished(mill, job_id)
    assert (job["status"], job["document_pages"], job["processed_pages"]) == ("completed", 3, 3)
    assert job["document"]["media_type"] == "image/tiff"
    assert page_image(mill, DEFAULT_TENANT, job_id, 3, dpi=60, form="png").size_bytes > 0


def test_the_working_copy_goes_with_its_image(mill: Mill) -> None:
    before = stored(mill)
    image = pictures.encoded(pictures.corners(), "BMP")
    job_id = hand_in(mill, image, UNRECOGNISED).job_id
    finished(mill, job_id)
    assert stored(mill) - before == {".bmp", ".bmp.pdf"}
    remove(mill, DEFAULT_TENANT, job_id)
    wait_for(lambda: not stored(mill) & {".bmp", ".bmp.pdf"})


def test_a_working_copy_is_an_orphan_only_without_its_image(mill: Mill) -> None:
    image = pictures.encoded(pictures.corners(), "GIF")
    acceptance = hand_in(mill, image, UNRECOGNISED)
    finished(mill, acceptance.job_id)
    folder = next(path.parent for path in files_below(mill.settings.data_dir) if path.suffix == ".gif")
    stray = folder / "0199a3c4-7d52-7c31-9a42-6f0f5b1c2d3e.png.pdf"
    stray.write_bytes(b"stray")
    remove_orphans_of(mill, folder.name, mill.db.read(mill.db.now) + 1_000)
    assert not stray.exists()
    assert {".gif", ".gif.pdf"} <= stored(mill)


@pytest.mark.parametrize("form", ["PNG", "JPEG", "TIFF"])
def test_a_damaged_image_fails_with_what_to_do(mill: Mill, form: str) -> None:
    whole = pictures.encoded(pictures.corners(), form)
    job = finished(mill, hand_in(mill, whole[: len(whole) // 2]).job_id)
    assert job["status"] == "failed"
    assert job["error"] is not None
    assert (job["error"]["code"], job["error"]["retryable"]) == ("image_corrupt", False)


def test_a_large_image_is_refused_with_the_limit(tmp_path: Path) -> None:
    with open_mill(small_settings(tmp_path, max_image_pixels=1_000)) as mill:
        image = pictures.encoded(pictures.corners(), "PNG")
        job = finished(mill, hand_in(mill, image).job_id)
    assert job["error"] is not None
    assert job["error"]["code"] == "image_too_large"


def test_the_words_in_an_image_are_read(mill: Mill) -> None:
    page = pictures.written(["Dear reader,", "this letter was scanned.", "It says little."])
    image = pictures.encoded(page, "PNG", dpi=(150, 150))
    job_id = hand_in(mill, image, RECOGNISED).job_id
    assert finished(mill, job_id)["status"] == "completed"
    assert b"this letter was scanned" in made(mill, job_id)
    searchable = on_demand.artifact(mill, DEFAULT_TENANT, job_id, "searchable", press=mill.press)
    with mill.blobs.local(searchable.key) as path, pypdfium2.PdfDocument(path) as document:
        textpage = document[0].get_textpage()
        assert "this letter was scanned" in textpage.get_text_range()
        assert textpage.count_rects() > 1
        left, bottom, right, top = textpage.get_rect(1)
    # The second line was written at (120, 240) in letters of 48, at 150 dots per inch.
    assert (left, 842 - top) == pytest.approx((120 * 0.48, 246 * 0.48), abs=6)
    assert right - left > 200
    assert 10 < top - bottom < 32
