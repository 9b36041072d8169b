"""Page ranges and options."""

from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pagemill.model.languages import TWO_LETTERS
from pagemill.model.options import ReadingOptions, language_codes, page_ranges, runs, select_pages, within
from pagemill.reading.ocr.tessdata import CODES


def test_ranges_are_sorted_and_merged() -> None:
    assert page_ranges("7, 1-3,4") == [(1, 4), (7, 7)]


@pytest.mark.parametrize("text", ["", "0", "5-2", "1,,2", "a", "1-", "-3", "1.5", "1-9999999999", "٣"])
def test_a_range_that_makes_no_sense_is_refused_with_a_reason(text: str) -> None:
    with pytest.raises(ValueError, match=r"not a page|backwards"):
        page_ranges(text)


# A busy machine makes the first example slow, which says nothing about the code.
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.lists(st.tuples(st.integers(1, 60), st.integers(0, 9)), min_size=1, max_size=8))
def test_merged_ranges_hold_the_same_pages(runs: list[tuple[int, int]]) -> None:
    text = ",".join(f"{first}-{first + more}" for first, more in runs)
    named = {page for first, more in runs for page in range(first, first + more + 1)}
    merged = page_ranges(text)
    assert {page for first, last in merged for page in range(first, last + 1)} == named
    assert all(before[1] + 1 < after[0] for before, after in pairwise(merged))


def test_without_ranges_all_pages_are_selected() -> None:
    assert select_pages(None, 12) == ((1, 12),)


def test_pages_beyond_the_end_are_not_selected() -> None:
    assert select_pages("2-4,9-20,30", 10) == ((2, 4), (9, 10))


def test_languages_may_name_their_script() -> None:
    assert language_codes("en, de,zh-Hant,de") == ("en", "de", "zh-hant")


@pytest.mark.parametrize("text", ["english", "e", "en_US", "../eng", "zh-", "en+de"])
def test_a_language_that_is_no_code_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"not the code of a language; known are af, .*Tesseract"):
        language_codes(text)


def test_pages_are_put_into_runs_that_are_not_too_long() -> None:
    assert runs([1, 2, 3, 5, 6], 2) == [(1, 2), (3, 3), (5, 6)]


def test_parts_of_runs_between_two_pages() -> None:
    assert within([(1, 10), (20, 30)], 5, 22) == ((5, 10), (20, 22))


def test_options_come_back_from_their_stored_form() -> None:
    options = ReadingOptions("1-3", ("json",), ("pdfium",), keep_running_headers=True, typography="ascii")
    assert ReadingOptions.from_dict(options.as_dict()) == options


def test_languages_that_nobody_knows_are_refused_with_those_that_are() -> None:
    assert language_codes("de,zh-hant,frk") == ("de", "zh-hant", "frk")
    with pytest.raises(
        ValueError, match=r"'qq' is not a known language; known are af, am, .* zh, and Tesseract's"
    ):
        language_codes("de,qq")


def test_every_language_with_a_code_of_tesseract_is_known() -> None:
    assert {code.split("-", maxsplit=1)[0] for code in CODES} <= TWO_LETTERS
