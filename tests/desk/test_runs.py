"""What a new run takes over from the former one, and what it reads again: every page once."""

from typing import Any

from pagemill.db.chunks import NewChunk
from pagemill.desk.runs import Parts, failed_parts, parts_without
from pagemill.model.jobs import Chunk
from pagemill.model.states import ChunkState, Lane, Step

FIRST, LAST = 1, 8


def chunk(
    number: int,
    step: Step,
    first: int,
    last: int,
    *,
    failed: tuple[int, ...] = (),
    handed: tuple[int, ...] = (),
) -> Chunk:
    """A chunk of a run, the first of which has the number 1."""
    broken: list[Any] = [{"page": page, "code": "page_unreadable", "message": ""} for page in failed]
    return Chunk(
        f"{number}",
        "job",
        "default",
        1,
        step.value,
        Lane.BULK.value,
        first,
        last,
        first == last,
        ChunkState.DONE.value,
        1,
        None,
        0,
        0,
        0,
        f"pages/{number}",
        broken,
        list(handed),
        None,
    )


def pages_of(parts: Parts) -> list[int]:
    """The pages that are taken over or read again, one time for each."""
    kept = [
        page
        for one in parts.kept
        for page in range(one.first_page or 0, (one.last_page or 0) + 1)
        if page not in one.handed_pages
    ]
    new = [page for one in parts.new for page in range(one.first_page or 0, (one.last_page or 0) + 1)]
    return sorted(kept + new)


def test_a_failed_scan_is_read_again_and_the_text_is_kept() -> None:
    text = chunk(1, Step.EXTRACT, FIRST, LAST, handed=(3, 5))
    scans = [chunk(2, Step.RECOGNISE, 3, 3), chunk(3, Step.RECOGNISE, 5, 5, failed=(5,))]
    parts = failed_parts([text, *scans])
    assert parts.kept == [text, scans[0]]
    assert pages_of(parts) == list(range(FIRST, LAST + 1))


def test_only_the_page_that_failed_is_read_again_and_its_scans_are_kept() -> None:
    text = chunk(1, Step.EXTRACT, FIRST, LAST, failed=(2,), handed=(3,))
    scan = chunk(2, Step.RECOGNISE, 3, 3)
    parts = failed_parts([text, scan])
    assert parts.new == [NewChunk(Step.EXTRACT, Lane.BULK, 2, 2)]
    assert scan in parts.kept
    assert pages_of(parts) == list(range(FIRST, LAST + 1))


def test_pages_that_failed_together_are_read_again_together() -> None:
    text = chunk(1, Step.EXTRACT, FIRST, LAST, failed=(2, 3, 4, 7))
    parts = failed_parts([text])
    assert [(new.first_page, new.last_page) for new in parts.new] == [(2, 4), (7, 7)]
    assert pages_of(parts) == list(range(FIRST, LAST + 1))


def test_of_a_chunk_that_failed_as_a_whole_nothing_is_taken_over() -> None:
    parts = failed_parts([chunk(1, Step.EXTRACT, FIRST, LAST, failed=tuple(range(FIRST, LAST + 1)))])
    assert parts == Parts([], [NewChunk(Step.EXTRACT, Lane.BULK, FIRST, LAST)])


def test_a_page_that_was_read_again_by_its_text_is_not_there_twice() -> None:
    text = chunk(1, Step.EXTRACT, FIRST, LAST, failed=(2,), handed=(3,))
    parts = failed_parts([text, chunk(2, Step.EXTRACT, 3, 3)])
    assert pages_of(parts) == list(range(FIRST, LAST + 1))


def test_a_page_that_was_taken_out_of_a_run_of_scans_is_not_there_twice() -> None:
    text = chunk(1, Step.EXTRACT, FIRST, LAST, handed=(1, 2, 3))
    scans = chunk(2, Step.RECOGNISE, 1, 3, failed=(2,), handed=(1,))
    parts = failed_parts([text, scans, chunk(3, Step.RECOGNISE, 1, 1)])
    assert [new.first_page for new in parts.new] == [2]
    assert pages_of(parts) == list(range(FIRST, LAST + 1))


def test_one_page_is_read_again_and_all_others_are_kept() -> None:
    text = chunk(1, Step.EXTRACT, FIRST, LAST, handed=(5,))
    scan = chunk(2, Step.RECOGNISE, 5, 5)
    for page in (2, 5):
        parts = parts_without([text, scan], NewChunk(Step.RECOGNISE, Lane.OCR, page, page))
        assert pages_of(parts) == list(range(FIRST, LAST + 1))
