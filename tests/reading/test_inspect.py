"""Opening documents: what is refused, what is warned about, and which pages are meant."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pagemill.errors import (
    EncryptionUnsupported,
    NoPages,
    PagemillError,
    PageOutOfRange,
    PasswordIncorrect,
    PasswordRequired,
    PdfCorrupt,
    TooManyPages,
)
from pagemill.model.pages import DOCUMENT_WARNINGS
from pagemill.reading.pdf.raw_scan import hints
from tests import samples
from tests.reading.journey import at_once, opened

SECRET = "The secret is that there is none."

REFUSED: list[tuple[Callable[[], bytes], str | None, type[PagemillError]]] = [
    (samples.corrupt, None, PdfCorrupt),
    (lambda: b"%PDF-1.7", None, PdfCorrupt),
    (samples.kids_cycle, None, PdfCorrupt),
    (samples.no_pages, None, NoPages),
    (samples.encrypted, None, PasswordRequired),
    (samples.encrypted, "wrong", PasswordIncorrect),
    (lambda: samples.encrypted(bits=40), "wrong", PasswordIncorrect),
    (samples.unknown_encryption, None, EncryptionUnsupported),
]


@pytest.mark.parametrize(("make", "password", "error"), REFUSED)
def test_a_document_that_cannot_be_read_is_refused_by_name(
    tmp_path: Path, make: Callable[[], bytes], password: str | None, error: type[PagemillError]
) -> None:
    with pytest.raises(error):
        opened(tmp_path, make(), password=password)


def test_a_refusal_does_not_colour_the_next_one(tmp_path: Path) -> None:
    for make, error in (
        (samples.encrypted, PasswordRequired),
        (samples.corrupt, PdfCorrupt),
        (samples.no_pages, NoPages),
    ):
        with pytest.raises(error):
            opened(tmp_path, make())


@pytest.mark.parametrize("bits", [40, 128, 256])
@pytest.mark.parametrize("password", ["open", "own"])
def test_either_password_opens_every_standard_encryption(tmp_path: Path, bits: int, password: str) -> None:
    opened(tmp_path, samples.encrypted(bits=bits), password=password)
    assert SECRET in (tmp_path / "document.md").read_text()


def test_an_owner_password_alone_keeps_nobody_out(tmp_path: Path) -> None:
    assert SECRET in at_once(tmp_path, samples.encrypted(user="")).markdown


# Office files alone have these, and documents that no scanner has seen.
OTHER_WARNINGS = {
    "external_resource_blocked",
    "macros_not_run",
    "hidden_text",
    "not_rendered",
    "not_scanned",
    "embedded_files_unread",
    "embedded_files_limit",
}
WARNED: list[tuple[Callable[[], bytes], str]] = [
    (samples.truncated, "repaired"),
    (samples.active_content, "active_content"),
    (samples.embedded_file, "embedded_files"),
    (samples.xfa_form, "xfa_unsupported"),
    (samples.odd_page, "odd_page_size"),
    (lambda: samples.odd_page("0 0 -5 -5"), "odd_page_size"),
    (lambda: samples.odd_page("0 0 nan nan"), "odd_page_size"),
    (lambda: samples.odd_page("0 0 1000000000 1000000000"), "odd_page_size"),
    (lambda: samples.odd_page("0 0 14400 14400", user_unit=75), "odd_page_size"),
    (samples.blank, "no_text"),
]


@pytest.mark.parametrize(("make", "warning"), WARNED)
def test_what_is_odd_is_warned_about_once(tmp_path: Path, make: Callable[[], bytes], warning: str) -> None:
    assert at_once(tmp_path, make()).joined.warnings == (warning,)


def test_what_is_warned_about_at_the_opening_is_known_to_be_about_the_document(tmp_path: Path) -> None:
    found = {code for make, _ in WARNED for code in opened(tmp_path, make(), pages="1-9").warnings}
    assert found == DOCUMENT_WARNINGS - OTHER_WARNINGS


def test_garbage_in_the_text_layer_is_warned_about_where_nobody_reads_pictures(tmp_path: Path) -> None:
    assert at_once(tmp_path, samples.garbage_text()).joined.warnings == ("text_layer_garbage", "ocr_needed")


@pytest.mark.parametrize(
    "make", [samples.letter, samples.form, samples.harmless_open_action, samples.encrypted]
)
def test_what_is_ordinary_is_not_warned_about(tmp_path: Path, make: Callable[[], bytes]) -> None:
    assert opened(tmp_path, make(), password="open").warnings == ()


def test_a_page_of_an_odd_size_keeps_its_words(tmp_path: Path) -> None:
    assert "An odd page." in at_once(tmp_path, samples.odd_page("0 0 -5 -5")).markdown


def test_names_in_compressed_bytes_are_not_active_content(tmp_path: Path) -> None:
    pdf = samples.text_pages([["Talks of /JavaScript /Launch /AA but does nothing."]])
    assert opened(tmp_path, pdf).warnings == ()


def test_a_script_in_an_object_stream_is_found(tmp_path: Path) -> None:
    assert opened(tmp_path, samples.compressed(samples.active_content())).warnings == ("active_content",)


def test_a_document_with_too_many_pages_is_refused_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(TooManyPages):
        opened(tmp_path, samples.big(11), max_pages=10)
    assert [file.name for file in tmp_path.iterdir()] == ["in.pdf"]


def test_a_part_of_a_document_with_too_many_pages_may_be_asked_for(tmp_path: Path) -> None:
    assert opened(tmp_path, samples.big(11), max_pages=10, pages="2-11").pages == ((2, 11),)


def test_only_asked_pages_are_read(tmp_path: Path) -> None:
    outcome = at_once(tmp_path, samples.big(9), pages="7,1-2")
    assert [page.number for page in outcome.pages()] == [1, 2, 7]
    assert outcome.opened.total_pages == 9


def test_pages_beyond_the_end_are_left_out_with_a_warning(tmp_path: Path) -> None:
    answer = opened(tmp_path, samples.big(3), pages="2-9")
    assert (answer.pages, answer.warnings) == (((2, 3),), ("pages_beyond_end",))


def test_no_page_inside_the_document_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(PageOutOfRange):
        opened(tmp_path, samples.big(3), pages="5-9")


def test_pages_that_no_tree_leads_to_are_not_counted(tmp_path: Path) -> None:
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>"
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>", page, page, page]
    cut_out, elsewhere = tmp_path / "cut_out.pdf", tmp_path / "elsewhere.pdf"
    cut_out.write_bytes(samples.raw_pdf(objects))
    elsewhere.write_bytes(samples.raw_pdf([objects[0], b"<</Type/Pages/Kids 6 0 R/Count 1>>", *objects[2:]]))
    assert hints(str(cut_out)).page_objects == 1
    assert hints(str(elsewhere)).page_objects == 3
