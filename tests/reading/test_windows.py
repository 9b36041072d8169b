"""The grid of windows: it depends on the page count alone and covers each page once."""

import pytest

from pagemill.reading.windows import batches, cuts, numbers, windows

TOTALS = [1, 63, 64, 65, 128, 150, 1000, 1001, 4000, 10_000]


@pytest.mark.parametrize("total", TOTALS)
def test_windows_cover_each_page_once(total: int) -> None:
    assert [page for first, last in windows(total) for page in range(first, last + 1)] == list(
        range(1, total + 1)
    )


def test_cuts_hold_only_selected_pages() -> None:
    assert cuts(200, ((1, 3), (60, 70), (150, 150))) == ((1, 64), (65, 70), (150, 150))


def test_a_part_of_a_window_is_read_with_all_of_it() -> None:
    assert list(batches(100, ((1, 100),), 10, 12)) == [(list(range(1, 65)), [10, 11, 12])]


def test_a_chunk_over_two_windows_reads_both() -> None:
    together = [batch[0] for batch in batches(100, ((1, 100),), 60, 70)]
    wanted = [batch[1] for batch in batches(100, ((1, 100),), 60, 70)]
    assert together == [list(range(1, 65)), list(range(65, 101))]
    assert wanted == [list(range(60, 65)), list(range(65, 71))]


def test_pages_that_were_not_asked_for_are_not_read() -> None:
    assert list(batches(100, ((2, 3), (50, 50)), 1, 100)) == [([2, 3, 50], [2, 3, 50])]


def test_runs_become_numbers() -> None:
    assert numbers(((1, 3), (7, 7))) == [1, 2, 3, 7]
