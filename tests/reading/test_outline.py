"""Headings, paragraphs, captions, footnotes and contents on pages that are drawn for it."""

from pathlib import Path

import pytest

from pagemill.model.pages import Kind, Page
from pagemill.reading.document.typography import ascii_text
from pagemill.reading.layout.markers import find_marker
from pagemill.reading.page.block_parts import words_of
from pagemill.reading.providers.liteparse import LiteParseProvider
from pagemill.reading.sources.liteparse_native import parse
from tests import samples
from tests.reading.drawn import BOLD, PLAIN, PROSE, Pen, pdf_of, pen, read, told
from tests.reading.journey import stored


def headings(page: Page) -> list[str]:
    """The headings of a page."""
    return [block.text for block in page.blocks if block.kind is Kind.HEADING]


@pytest.mark.parametrize(
    ("text", "font"),
    [
        ("2.1 Methods of the Survey", PLAIN),
        ("RESULTS AND DISCUSSION", PLAIN),
        ("IV. Findings", PLAIN),
        ("Appendix A", PLAIN),
        ("What the Farmers Said", BOLD),
        ("Conclusion:", BOLD),
    ],
)
def test_a_heading_in_the_size_of_the_text_is_found(tmp_path: Path, text: str, font: str) -> None:
    page = pen().prose().line(text, font, above=10).prose(above=4).prose(above=10)
    assert headings(read(tmp_path, pdf_of(page))) == [text]


@pytest.mark.parametrize("text", ["12 400", "Source: own survey", "Figure 3: The valley", "x = 2y + 3"])
def test_a_bold_line_that_says_something_else_is_no_heading(tmp_path: Path, text: str) -> None:
    page = pen().prose().line(text, BOLD, above=10).prose(above=4)
    assert headings(read(tmp_path, pdf_of(page))) == []


def test_a_title_of_two_lines_is_one_heading(tmp_path: Path) -> None:
    page = (
        pen().line("A Title that Runs Over Two Lines and", BOLD, 20).line("Goes On in the Second", BOLD, 20)
    )
    assert headings(read(tmp_path, pdf_of(page.prose(above=10)))) == [
        "A Title that Runs Over Two Lines and Goes On in the Second"
    ]


def test_the_box_of_a_heading_goes_around_all_of_its_lines(tmp_path: Path) -> None:
    page = (
        pen()
        .line("A Survey of the Farms of the Northern", BOLD, 20)
        .line("District", BOLD, 20)
        .prose(above=20)
    )
    title = read(tmp_path, pdf_of(page)).blocks[0]
    assert title.text == "A Survey of the Farms of the Northern District"
    assert title.box is not None
    assert title.box.height > 40


def test_the_number_of_a_chapter_is_a_heading_of_its_own(tmp_path: Path) -> None:
    page = (
        pen().line("2", PLAIN, 30).line("The Lost Valley", BOLD, 22, above=20).prose(above=20).prose(above=8)
    )
    assert headings(read(tmp_path, pdf_of(page))) == ["2", "The Lost Valley"]


def test_authors_between_title_and_abstract_are_no_headings(tmp_path: Path) -> None:
    page = pen().line("On Crops in the Valley", BOLD, 18)
    page.line("Ada Stone, Ben Field, Carl Hill, Dora Brook", BOLD, 12, above=8)
    page.line("Institute of Soils", BOLD, 12, above=4).line("Abstract", BOLD, 12, above=14).prose(above=4)
    assert headings(read(tmp_path, pdf_of(page))) == ["On Crops in the Valley", "Abstract"]


def test_a_heading_in_the_text_stays_in_its_paragraph(tmp_path: Path) -> None:
    page = pen().prose()
    page.line(
        "Base model. Any farm that kept its crops was counted as one of the old farms, but", BOLD, above=8
    )
    page.prose("only if it had done so for more than three years. " + PROSE)
    block = read(tmp_path, pdf_of(page)).blocks[1]
    assert block.kind is Kind.PARAGRAPH
    assert block.text.startswith("Base model. Any farm")
    assert "but only if it had done so" in block.text
    assert [block.text[span.start : span.end] for span in block.spans if span.bold] == ["Base model."]


def test_paragraphs_with_space_between_them_are_parted(tmp_path: Path) -> None:
    page = pen().prose().prose("Another matter altogether. " + PROSE, above=7)
    assert [text[:20] for _, text in told(read(tmp_path, pdf_of(page)).blocks)] == [
        PROSE[:20],
        "Another matter altog",
    ]


def test_a_page_number_right_above_the_text_is_no_part_of_it(tmp_path: Path) -> None:
    text = f"and so {PROSE}"
    page = pen().line("-2-", at=210).prose(text).prose(above=12)
    assert [block.text for block in read(tmp_path, pdf_of(page)).blocks] == ["-2-", text, PROSE]


def test_paragraphs_whose_first_lines_are_set_in_are_parted(tmp_path: Path) -> None:
    page = (
        pen()
        .prose()
        .line("Another matter is the water, which in this valley comes from the hills far", at=18)
    )
    page.prose("away and is led to the fields in ditches that were dug by hand. " + PROSE)
    assert [text[:15] for _, text in told(read(tmp_path, pdf_of(page)).blocks)] == [
        PROSE[:15],
        "Another matter ",
    ]


def test_small_marked_lines_at_the_foot_are_footnotes(tmp_path: Path) -> None:
    page = pen().prose()
    page.y = 90
    page.line("1 This was said by a farmer of the valley in the year of the survey.", size=8)
    assert told(read(tmp_path, pdf_of(page)).blocks)[1][0] == "footnote"


def test_a_caption_is_called_so_and_keeps_its_lines(tmp_path: Path) -> None:
    page = pen().prose().line("TABLE 28: WHAT WAS SOWN IN THE FIELDS OF THE VALLEY", BOLD, 12, above=20)
    page.line("BY YEAR*", BOLD, 12).prose(above=12)
    assert ("caption", "TABLE 28: WHAT WAS SOWN IN THE FIELDS OF THE VALLEY BY YEAR*") in told(
        read(tmp_path, pdf_of(page)).blocks
    )


def test_contents_have_a_line_for_each_entry(tmp_path: Path) -> None:
    page = pen().line("Contents", BOLD, 18)
    entries = ["1. The Valley", "2. The Farms", "3. What Was Sown", "4. The Water", "5. The Harvest"]
    for number, entry in enumerate(entries, 3):
        dots = " ." * 40
        page.line(f"{entry}{dots}", above=4)
        page.canvas.drawRightString(522, page.y + 13.2, str(number * 7))
    texts = [text for _, text in told(read(tmp_path, pdf_of(page)).blocks)]
    assert [text.split(".....")[0].strip(" .") for text in texts[1:]] == entries
    assert [text.split()[-1].strip(".") for text in texts[1:]] == ["21", "28", "35", "42", "49"]
    assert not any(". ." in text for text in texts)


def test_the_grid_of_a_chart_leaves_no_rules(tmp_path: Path) -> None:
    page = pen().prose()
    for step in range(6):
        page.canvas.line(100, 600 - 30 * step, 480, 600 - 30 * step)
        page.canvas.drawString(80, 597 - 30 * step, str(100 - 20 * step))
        page.canvas.drawString(200 + 20 * step, 597 - 30 * step, str(99 - 20 * step))
    read_page = read(tmp_path, pdf_of(page))
    assert Kind.RULE not in {block.kind for block in read_page.blocks}
    assert not any("~~" in block.text for block in read_page.blocks)


def test_a_drop_cap_is_put_back_before_its_word(tmp_path: Path) -> None:
    page = pen()
    page.canvas.setFont(PLAIN, 40)
    page.canvas.drawString(72, 725, "T")
    page.line("his valley has been known for its crops since the days of old, when the first of", at=30)
    page.line("the farms were built along the river, and it is still known for them in our days", at=30)
    page.line("even though", at=30)
    page.y = 715
    page.prose("most of the farms have changed what they sow. " + PROSE)
    assert read(tmp_path, pdf_of(page)).blocks[0].text.startswith("This valley has been known")


def test_two_columns_are_read_one_after_the_other(tmp_path: Path) -> None:
    left = pen(left=60, width=220)
    left.prose("First of all. " + PROSE).prose("Second in turn. " + PROSE, above=10)
    right = Pen(left.canvas, left.file, left=320, width=220)
    right.prose("Third to come. " + PROSE).prose("Fourth and last. " + PROSE, above=10)
    text = " ".join(text for _, text in told(read(tmp_path, pdf_of(left)).blocks))
    places = [text.index(words) for words in ("First of", "Second in", "Third to", "Fourth and")]
    assert places == sorted(places)


def _odd_page() -> bytes:
    page = (
        pen().line("An Odd Page", BOLD, 18).prose(above=6).line("1.1 Plain Heading", above=10).prose(above=3)
    )
    page.line(
        "Run-in words. The rest of this line is not bold but the engine can not know that", BOLD, above=8
    )
    page.prose("which is why it is looked at again. " + PROSE).line("Figure 2. A map", BOLD, above=8)
    for entry in ("• first", "• second"):
        page.line(entry, above=2, at=18)
    page.y = 80
    return pdf_of(page.line("2 A note at the foot of the page.", size=8))


@pytest.mark.parametrize(
    "pdf",
    [
        _odd_page(),
        samples.report(1),
        samples.letter(),
        samples.unicode_text(),
        samples.turned_text(),
        samples.form(),
    ],
    ids=["odd", "report", "letter", "unicode", "turned", "form"],
)
def test_no_character_is_lost_or_doubled(tmp_path: Path, pdf: bytes) -> None:
    path = stored(tmp_path, pdf)
    native = parse(path, (1,), None).pages[0]
    [page] = LiteParseProvider().read(path, [1], None)
    values = {"".join((field.value or "").split()) for field in page.fields}
    runs = ["".join(text.text.split()) for text in native.text_items]
    before = sorted("".join(run for run in runs if run not in values))
    words = "".join(words for block in page.blocks for words in words_of(block))
    # The engine has plain quotes and dashes; blocks have them as they are printed.
    after = sorted(ascii_text(words).replace(" ", ""))
    assert [character for character in after if character != "-"] == [
        character for character in before if character != "-"
    ]


def test_a_numbered_line_alone_above_text_is_a_heading_and_no_list(tmp_path: Path) -> None:
    page = (
        pen()
        .prose()
        .line("3. What Was Sown", above=12)
        .prose(above=6)
        .line("4. The Water", above=12)
        .prose(above=6)
    )
    assert headings(read(tmp_path, pdf_of(page))) == ["3. What Was Sown", "4. The Water"]


def test_a_list_of_numbered_lines_stays_a_list(tmp_path: Path) -> None:
    page = (
        pen().prose().line("1. Wheat and Barley", above=12).line("2. Rye", above=2).line("3. Oats", above=2)
    )
    read_page = read(tmp_path, pdf_of(page.prose(above=12)))
    assert headings(read_page) == []
    assert [block.marker for block in read_page.blocks if block.kind is Kind.LIST_ITEM] == ["1.", "2.", "3."]


def test_a_line_that_begins_with_a_raised_sign_is_no_heading(tmp_path: Path) -> None:
    page = pen().line("Hope or Hype at Sea", BOLD, 20, above=8)
    for count in ("1", "2", "3"):
        page.canvas.setFont(PLAIN, 6)
        page.canvas.drawString(200, page.y - 4, count)
        page.canvas.setFont(PLAIN, 10)
        page.canvas.drawString(205, page.y - 8, f"Institute of Harbours, City {count}")
        page.y -= 24
    blocks = read(tmp_path, pdf_of(page.prose(above=12).prose(above=12))).blocks
    assert [block.text for block in blocks if block.kind is Kind.HEADING] == ["Hope or Hype at Sea"]


def test_headings_in_two_colours_are_two(tmp_path: Path) -> None:
    page = pen().prose()
    page.canvas.setFillColorRGB(0.2, 0.6, 0)
    page.line("Recently Issued Standards", BOLD, 14, above=16)
    page.canvas.setFillColorRGB(0, 0, 0)
    page.line("Recently Adopted Standards", BOLD, 14).prose(above=6).prose(above=12)
    headings = [b.text for b in read(tmp_path, pdf_of(page)).blocks if b.kind is Kind.HEADING]
    assert headings == ["Recently Issued Standards", "Recently Adopted Standards"]


def test_bullets_of_lists_side_by_side_belong_to_their_items(tmp_path: Path) -> None:
    items = (
        "The role of the team",
        "The life of a thing",
        "Changes and how to keep",
        "Where the roots are",
        "Ideas",
    )
    page = pen()
    for item in items:
        for left in (72, 310):
            page.canvas.setFont(PLAIN, 11)
            page.canvas.drawString(left, page.y, "•")
            page.canvas.drawString(left + 20, page.y, item)
        page.y -= 16
    blocks = read(tmp_path, pdf_of(page)).blocks
    assert [(block.kind, block.text) for block in blocks] == [(Kind.LIST_ITEM, item) for item in items * 2]


def test_entries_of_contents_with_spaced_leaders_stay_apart(tmp_path: Path) -> None:
    page = pen().line("Contents", BOLD, 18)
    page.y -= 20
    for title, number in (
        ("1.1 The harbour", "3"),
        ("1.2 The ferry and its crew", "5"),
        ("1.3 The lock", "8"),
    ):
        y = page.y
        page.line(title)
        for at in range(260, 420, 8):
            page.canvas.drawString(page.left + at, y, ".")
        page.canvas.drawString(page.left + 445, y, number)
    entries = [block.text for block in read(tmp_path, pdf_of(page)).blocks][1:]
    assert [entry[:3] for entry in entries] == ["1.1", "1.2", "1.3"]
    assert [entry[-1] for entry in entries] == ["3", "5", "8"]


@pytest.mark.parametrize(
    ("text", "marker"),
    [
        ("\uf0b7 the boats", "\uf0b7"),
        ("\uf0a7the nets", "\uf0a7"),
        ("\uf07d the lamps", "\uf07d"),
        ("\uf07dlamps", None),
        ("10.The lamps", "10."),
        ("2.5 miles", None),
    ],
)
def test_signs_of_symbol_fonts_and_numbers_without_a_space_are_markers(text: str, marker: str | None) -> None:
    found = find_marker(text)
    assert (found.marker if found else None) == marker


def test_items_may_begin_with_angle_signs(tmp_path: Path) -> None:
    page = pen().prose()
    for text in ("› the boats of the town", "› the nets of the guild", "› the lamps of the pier"):
        page.line(text, above=4)
    found = [block for block in read(tmp_path, pdf_of(page)).blocks if block.kind is Kind.LIST_ITEM]
    assert [block.text for block in found] == [
        "the boats of the town",
        "the nets of the guild",
        "the lamps of the pier",
    ]
