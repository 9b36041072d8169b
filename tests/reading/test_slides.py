"""Decks: the titles of slides are of one level, whatever their sizes, and found where they were taken for text."""

from dataclasses import replace
from pathlib import Path

from pagemill.model.pages import Block, Page, Span
from tests.reading.made import heading, joined, page, paragraph

BODY = "The stones turn as fast as the river runs, and the miller hears when they run dry."


def slide(number: int, *blocks: Block) -> Page:
    """A page as wide as slides are."""
    return replace(page(number, *blocks), width=720.0, height=540.0)


def body(number: int, size: float = 20.0) -> Block:
    """The text of a slide."""
    return paragraph(f"p{number}-b9", BODY, top=250, size=size)


def headings_of(folder: Path, *pages: Page) -> list[str]:
    """The headings of the Markdown."""
    joined(folder, *pages)
    return [line for line in (folder / "document.md").read_text().splitlines() if line.startswith("#")]


def test_titles_of_slides_are_of_one_level_and_the_first_is_above_them(tmp_path: Path) -> None:
    deck = (
        slide(
            1, heading("p1-b1", "The mill", 30, top=200), paragraph("p1-b2", "A lecture", top=300, size=20)
        ),
        slide(2, heading("p2-b1", "Water", 44, top=40), body(2)),
        slide(3, heading("p3-b1", "A long title of another size", 32, top=40), body(3)),
        slide(4, heading("p4-b1", "Stones", 44, top=40), heading("p4-b2", "Granite", 24, top=100), body(4)),
    )
    assert headings_of(tmp_path, *deck) == [
        "# The mill",
        "## Water",
        "## A long title of another size",
        "## Stones",
        "### Granite",
    ]


def test_a_title_that_was_taken_for_text_is_a_heading(tmp_path: Path) -> None:
    missed = replace(
        paragraph("p3-b1", "Stones", top=40, size=44), spans=(Span(0, 6, italic=True),), italic=True
    )
    deck = (
        slide(1, paragraph("p1-b1", "The mill", top=200, size=48), body(1)),
        slide(2, heading("p2-b1", "Water", 44, top=40), body(2)),
        slide(3, missed, heading("p3-b2", "Granite", 24, top=100), body(3)),
        slide(4, paragraph("p4-b1", "A quotation in the middle", top=250, size=44), body(4)),
    )
    assert headings_of(tmp_path, *deck) == ["# The mill", "## Water", "## Stones", "### Granite"]


def test_text_as_large_as_all_other_text_is_no_title_where_titles_are_no_larger(tmp_path: Path) -> None:
    deck = (
        slide(1, heading("p1-b1", "The mill", 48, top=200), body(1)),
        slide(2, heading("p2-b1", "Water", 20, top=40), body(2)),
        slide(3, paragraph("p3-b1", "as was said before.", top=40, size=20), body(3)),
        slide(4, heading("p4-b1", "Stones", 20, top=40), body(4)),
    )
    assert headings_of(tmp_path, *deck) == ["# The mill", "## Water", "## Stones"]


def test_slides_without_text_or_boxes_change_nothing_for_the_others(tmp_path: Path) -> None:
    unplaced = replace(heading("p4-b1", "Stones", 44), box=None)
    deck = (slide(1), slide(2, heading("p2-b1", "Water", 44, top=40), body(2)), slide(3), slide(4, unplaced))
    assert headings_of(tmp_path, *deck) == ["## Water", "### Stones"]


def test_wide_pages_in_a_small_font_are_no_slides(tmp_path: Path) -> None:
    sizes = (30, 20, 24)
    sheets = [
        slide(n, heading(f"p{n}-b1", "Flour", size, top=40), body(n, 9)) for n, size in enumerate(sizes, 1)
    ]
    assert headings_of(tmp_path, *sheets) == ["# Flour", "### Flour", "## Flour"]
