"""The join: running headers go, seams are mended, heading levels agree, and no word is lost or doubled."""

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from pagemill.model.pages import Block, Box, Kind, Page, Part, Span
from pagemill.reading.document.heading_levels import heading_levels
from pagemill.reading.document.join import PagesAtHand, join
from pagemill.reading.document.seams import MOST_PAGES, seamless
from pagemill.reading.writers import Facts
from tests import samples
from tests.reading.journey import at_once
from tests.reading.made import heading, joined, list_item, page, paragraph, rows, table


def words(text: str) -> Counter[str]:
    """How often each word stands in a text."""
    return Counter(re.findall(r"\w+", text))


def mended(*pages: Page) -> list[Page]:
    """The pages after their seams were looked at."""
    return list(seamless(pages, body_size=11.0))


def texts(pages: list[Page]) -> list[list[str]]:
    """The texts of all blocks, page by page."""
    return [[block.text for block in page.blocks] for page in pages]


def test_running_headers_and_page_numbers_go(tmp_path: Path) -> None:
    outcome = at_once(tmp_path, samples.report(6))
    assert "Annual report of the mill" not in outcome.markdown
    assert "Page 3 of 6" not in outcome.markdown


def test_running_headers_stay_if_asked(tmp_path: Path) -> None:
    outcome = at_once(tmp_path, samples.report(6), keep_running_headers=True)
    assert outcome.text.count("Annual report of the mill") == 6
    assert outcome.text.count("Page 3 of 6") == 1


def test_nothing_but_running_headers_goes(tmp_path: Path) -> None:
    kept = words(at_once(tmp_path / "kept", samples.report(6), keep_running_headers=True).text)
    without = words(at_once(tmp_path / "without", samples.report(6)).text)
    numbers = words("".join(f"Page {number} of 6 " for number in range(1, 7)))
    assert kept - without == words("Annual report of the mill " * 6) + numbers
    assert without - kept == Counter()


@pytest.mark.parametrize("pages", [1, 2])
def test_short_documents_lose_nothing_to_the_search_for_headers(tmp_path: Path, pages: int) -> None:
    assert at_once(tmp_path, samples.report(pages)).text.count("Annual report of the mill") == pages


def numbered_pages(texts_at_top: list[str], size: float = 9.0) -> list[Page]:
    """Pages with a text at the top and something else in the middle of each."""
    return [
        page(
            number,
            paragraph(f"p{number}-b1", text, top=30, size=size),
            paragraph(f"p{number}-b2", f"Body {text}."),
        )
        for number, text in enumerate(texts_at_top, 1)
    ]


def top_texts(folder: Path, pages: list[Page]) -> list[str]:
    """What is left at the tops of the pages."""
    joined(folder, *pages)
    found = orjson.loads((folder / "document.json").read_bytes())["pages"]
    return [block["text"] for row in found for block in row["blocks"] if block["box"][1] == 30]


def test_left_and_right_headers_both_go(tmp_path: Path) -> None:
    tops = ["The mill" if number % 2 else f"{number} Grain" for number in range(1, 9)]
    assert top_texts(tmp_path, numbered_pages(tops)) == []


def sideways(name: str, text: str, left: float = 560) -> Block:
    """A line that runs up the edge of a page."""
    return Block(name, Kind.PARAGRAPH, Box(left, 200, 9, 460), text)


def test_a_stamp_on_its_side_that_is_on_every_page_goes(tmp_path: Path) -> None:
    stamps = ("Down loaded on Monday", "Downloa ded on Monday", "Downloaded on Mo nday")
    joined(
        tmp_path,
        *(
            page(number, paragraph(f"p{number}-b1", f"Body {text}."), sideways(f"p{number}-b2", text))
            for number, text in enumerate(stamps, 1)
        ),
    )
    assert [line for line in (tmp_path / "document.md").read_text().splitlines() if line] == [
        f"Body {text}." for text in stamps
    ]


def test_a_line_on_its_side_within_the_page_stays(tmp_path: Path) -> None:
    pages = [
        page(n, paragraph(f"p{n}-b1", f"Body {n}."), sideways(f"p{n}-b2", "Tons", left=300))
        for n in range(1, 5)
    ]
    joined(tmp_path, *pages)
    assert (tmp_path / "document.md").read_text().count("Tons") == len(pages)


@pytest.mark.parametrize(
    ("foot", "head"),
    [("1", "2"), ("The mill 1", "2 Grain"), ("- 1 -", "Page 2 of 2"), ("Page 1/2", "2 | Grain")],
)
def test_page_numbers_that_stay_do_not_come_between(foot: str, head: str) -> None:
    first, second = mended(
        page(1, paragraph("p1-b1", "it goes"), paragraph("p1-b2", foot, top=800)),
        page(2, paragraph("p2-b1", head, top=30), paragraph("p2-b2", "on here.")),
    )
    assert texts([first, second]) == [["it goes on here.", foot], [head]]


@pytest.mark.parametrize(("foot", "top"), [("it goes in", 800), ("it goes in 1787", 700)])
def test_a_last_line_without_a_page_number_goes_on(foot: str, top: float) -> None:
    first, _ = mended(
        page(1, paragraph("p1-b1", "Before it."), paragraph("p1-b2", foot, top=top)),
        page(2, paragraph("p2-b1", "on here.")),
    )
    assert texts([first]) == [["Before it.", f"{foot} on here."]]


def test_numbers_along_a_chart_do_not_come_between() -> None:
    first, _ = mended(
        page(1, paragraph("p1-b1", "it goes"), paragraph("p1-b2", "01/2019 03/2019 05/2019")),
        page(2, paragraph("p2-b1", "on here.")),
    )
    assert texts([first]) == [["it goes on here.", "01/2019 03/2019 05/2019"]]


def test_a_stamp_on_its_side_does_not_come_between() -> None:
    first, _ = mended(
        page(1, paragraph("p1-b1", "it goes"), sideways("p1-b2", "Stamp")),
        page(2, paragraph("p2-b1", "on here.")),
    )
    assert [block.text for block in first.blocks] == ["it goes on here.", "Stamp"]


def test_large_headers_of_left_and_right_pages_both_go(tmp_path: Path) -> None:
    tops = ["The mill" if number % 2 else "Grain and flour" for number in range(1, 13)]
    assert top_texts(tmp_path, numbered_pages(tops, size=14.0)) == []
    tops = ["The mill" if number % 2 else f"Page {number} The miller" for number in range(1, 9)]
    assert top_texts(tmp_path, numbered_pages(tops, size=14.0)) == ["The mill"] * 4


def test_large_page_numbers_at_the_foot_go(tmp_path: Path) -> None:
    pages = [
        page(
            number,
            heading(f"p{number}-b1", f"Section {number}", 16.0, top=30),
            paragraph(f"p{number}-b2", "The mill ground until the morning. " * 3),
            paragraph(f"p{number}-b3", f"Grain and flour {number}", top=800, size=16.0),
        )
        for number in range(1, 5)
    ]
    joined(tmp_path, *pages)
    text = (tmp_path / "document.txt").read_text()
    assert [text.count(word) for word in ("flour", "Section")] == [0, 4]


def test_roman_page_numbers_go(tmp_path: Path) -> None:
    assert top_texts(tmp_path, numbered_pages(["i", "ii", "iii", "iv", "v"])) == []


def test_numbers_that_do_not_count_pages_stay(tmp_path: Path) -> None:
    tops = ["14 sacks", "3 sacks", "92 sacks", "27 sacks"]
    assert top_texts(tmp_path, numbered_pages(tops)) == tops


def test_a_title_that_returns_on_a_few_pages_stays(tmp_path: Path) -> None:
    titles = ["Agenda", "Agenda", "Agenda", "Goals", "Means", "Plans", "Costs", "Risks"]
    assert top_texts(tmp_path, numbered_pages(titles, size=30.0)) == titles


def test_numbered_headings_at_the_top_of_pages_stay(tmp_path: Path) -> None:
    pages = numbered_pages([f"Section {number}" for number in range(1, 11)], size=16.0)
    joined(tmp_path, *pages)
    assert (tmp_path / "document.txt").read_text().count("Section 7") == 2


def test_a_document_of_nothing_but_edges_keeps_them(tmp_path: Path) -> None:
    pages = [page(n, paragraph(f"p{n}-b1", f"This is page {n}.", top=30)) for n in range(1, 6)]
    assert top_texts(tmp_path, pages) == [f"This is page {n}." for n in range(1, 6)]


def test_captions_that_are_repeated_stay(tmp_path: Path) -> None:
    tops = ["Table 3. Sacks of flour (continued)"] * 4
    assert top_texts(tmp_path, numbered_pages(tops)) == tops


def test_the_name_of_an_exhibit_on_each_of_its_pages_is_left_out(tmp_path: Path) -> None:
    assert top_texts(tmp_path, numbered_pages(["Exhibit 10.1"] * 5)) == []


def test_the_same_words_in_the_middle_of_pages_stay(tmp_path: Path) -> None:
    pages = [page(number, paragraph(f"p{number}-b1", "Not a header.")) for number in range(1, 9)]
    joined(tmp_path, *pages)
    assert (tmp_path / "document.txt").read_text().count("Not a header.") == 8


def test_a_paragraph_that_crosses_pages_is_made_whole() -> None:
    first, second = mended(
        page(1, paragraph("p1-b1", "It goes")),
        page(2, paragraph("p2-b1", "on here."), paragraph("p2-b2", "New.")),
    )
    assert texts([first, second]) == [["It goes on here."], ["New."]]
    assert first.blocks[0].id == "p1-b1"
    assert first.blocks[0].parts == (Part(2, second.blocks[0].box),)


def test_a_hyphenated_word_is_made_whole() -> None:
    pages = mended(page(1, paragraph("p1-b1", "a wind-")), page(2, paragraph("p2-b1", "mill turns.")))
    assert texts(pages) == [["a windmill turns."], []]


def test_a_paragraph_over_three_pages_is_made_whole() -> None:
    pages = [
        page(1, paragraph("p1-b1", "It goes")),
        page(2, paragraph("p2-b1", "on and")),
        page(3, paragraph("p3-b1", "ends.")),
    ]
    assert texts(mended(*pages)) == [["It goes on and ends."], [], []]


def test_emphasis_moves_with_its_words() -> None:
    upper = paragraph("p1-b1", "a wind-", spans=(Span(2, 7, bold=True),))
    lower = paragraph("p2-b1", "mill turns.", spans=(Span(5, 10, italic=True),))
    block = mended(page(1, upper), page(2, lower))[0].blocks[0]
    assert [block.text[span.start : span.end] for span in block.spans] == ["wind", "turns"]


@pytest.mark.parametrize(
    ("upper", "lower"),
    [
        (paragraph("p1-b1", "It ends."), paragraph("p2-b1", "and so on")),
        (paragraph("p1-b1", "It goes"), paragraph("p2-b1", "Elsewhere")),
        (paragraph("p1-b1", "It goes"), paragraph("p2-b1", "on in small print", size=8)),
        (paragraph("p1-b1", "It goes"), paragraph("p2-b1", "on in bold", bold=True)),
        (heading("p1-b1", "A title", 20), paragraph("p2-b1", "goes not on")),
        (paragraph("p1-b1", "It goes"), list_item("p2-b1", "on in a list")),
    ],
)
def test_blocks_that_do_not_belong_together_stay_two(upper: Block, lower: Block) -> None:
    pages = [page(1, upper), page(2, lower)]
    assert mended(*pages) == pages


def test_a_footnote_does_not_come_between() -> None:
    pages = mended(
        page(1, paragraph("p1-b1", "It goes"), paragraph("p1-b2", "1 A note.", size=8)),
        page(2, paragraph("p2-b1", "on.")),
    )
    assert texts(pages) == [["It goes on.", "1 A note."], []]


def test_a_list_item_goes_on_on_the_next_page() -> None:
    pages = mended(page(1, list_item("p1-b1", "an item that goes")), page(2, paragraph("p2-b1", "on here")))
    assert texts(pages) == [["an item that goes on here"], []]


def test_an_unread_page_ends_what_came_before() -> None:
    pages = [page(1, paragraph("p1-b1", "It goes")), page(2), page(3, paragraph("p3-b1", "on."))]
    assert mended(*pages) == pages


def test_a_table_with_a_repeated_header_is_made_whole() -> None:
    head = ("Name", "Amount")
    upper, lower = table("p1-b1", rows(("a", "1")), head), table("p2-b1", rows(("b", "2")), head)
    first, second = mended(page(1, upper), page(2, lower))
    assert first.blocks[0].rows == rows(("a", "1"), ("b", "2"))
    assert first.blocks[0].parts == (Part(2, lower.box, first_row=1),)
    assert second.blocks == ()


def test_all_rows_of_a_repeated_head_are_dropped() -> None:
    head, named = ("Men", ""), ("in", "out")
    upper = replace(table("p1-b1", rows(named, ("1", "2")), head), header_rows=2)
    lower = replace(table("p2-b1", rows(named, ("3", "4")), head), header_rows=2)
    assert mended(page(1, upper), page(2, lower))[0].blocks[0].rows == rows(named, ("1", "2"), ("3", "4"))


def test_a_table_without_a_second_header_is_made_whole() -> None:
    upper, lower = table("p1-b1", rows(("a", "1")), ("Name", "Amount")), table("p2-b1", rows(("b", "2")))
    assert mended(page(1, upper), page(2, lower))[0].blocks[0].rows == rows(("a", "1"), ("b", "2"))


def test_a_table_below_a_title_of_its_own_is_another() -> None:
    head = ("Name", "Amount")
    pages = [
        page(1, heading("p1-b1", "January 2023", 14, top=40), table("p1-b2", rows(("a", "1")), head)),
        page(2, heading("p2-b1", "February 2023", 14, top=40), table("p2-b2", rows(("b", "2")), head)),
    ]
    assert mended(*pages) == pages


@pytest.mark.parametrize(
    "lower",
    [
        table("p2-b1", rows(("b", "2")), ("Other", "Columns")),
        table("p2-b1", rows(("b", "2", "3"))),
        table("p2-b1", rows(("b", "2")), left=200),
    ],
)
def test_tables_that_differ_stay_two(lower: Block) -> None:
    pages = [page(1, table("p1-b1", rows(("a", "1")), ("Name", "Amount"))), page(2, lower)]
    assert mended(*pages) == pages


@pytest.mark.parametrize("repeat_header", [True, False])
def test_a_printed_table_over_pages_has_each_row_once(tmp_path: Path, repeat_header: bool) -> None:
    outcome = at_once(tmp_path, samples.long_table(3, repeat_header=repeat_header))
    assert [block.kind for block in outcome.blocks()] == [Kind.TABLE]
    numbers = [line.split("|")[1].strip() for line in outcome.markdown.splitlines()[2:]]
    assert numbers == [str(number) for number in range(1, 91)]


def test_what_goes_on_without_end_starts_anew_after_some_pages() -> None:
    count = 3 * MOST_PAGES
    pages = [page(number, paragraph(f"p{number}-b1", f"and {number}")) for number in range(1, count + 1)]
    whole = mended(*pages)
    assert len(whole) == count
    assert max(len(block.parts) for one in whole for block in one.blocks) <= MOST_PAGES
    assert " ".join(block.text for one in whole for block in one.blocks) == " ".join(
        f"and {n}" for n in range(1, count + 1)
    )


def test_no_word_is_lost_or_doubled_where_pages_meet(tmp_path: Path) -> None:
    outcome = at_once(tmp_path, samples.report(5))
    for number in range(1, 5):
        whole = f"This sentence {number} is longer than the page has room for, it goes on and so sentence {number} comes"
        assert outcome.text.count(whole) == 1


def test_heading_levels_follow_the_sizes_of_the_whole_document(tmp_path: Path) -> None:
    pages = [
        page(1, heading("p1-b1", "Part", 20, level=1)),
        page(2, heading("p2-b1", "Section", 14, level=1)),
        page(3, heading("p3-b1", "Section too", 14.2, level=2)),
    ]
    joined(tmp_path, *pages)
    assert (tmp_path / "document.md").read_text() == "# Part\n\n## Section\n\n## Section too\n"


def test_there_are_at_most_six_levels_and_larger_is_never_lower() -> None:
    ranks = Counter({(float(size), 1): 3 for size in range(10, 40, 2)})
    levels = heading_levels(ranks)
    ordered = [levels[rank] for rank in sorted(ranks, reverse=True)]
    assert ordered == sorted(ordered)
    assert set(ordered) == {1, 2, 3, 4, 5, 6}


def test_of_headings_of_one_size_those_with_more_numbers_stand_below(tmp_path: Path) -> None:
    texts = ("Abstract", "1 Methods", "1.1 Sites", "1.1.1 Soils", "2. Results")
    joined(tmp_path, page(1, *(heading(f"p1-b{at}", text, 12) for at, text in enumerate(texts, 1))))
    written = (tmp_path / "document.md").read_text().split("\n\n")
    assert [line.count("#") for line in written] == [1, 1, 2, 3, 1]


def test_a_row_that_was_taken_for_a_header_does_not_part_a_table() -> None:
    upper = table("p1-b1", rows(("a", "1"), ("b", "2")), ("Name", "Amount"))
    lower = table("p2-b1", rows(("d", "4")), ("c", "3"))
    assert mended(page(1, upper), page(2, lower))[0].blocks[0].rows == rows(
        ("a", "1"), ("b", "2"), ("c", "3"), ("d", "4")
    )


def test_a_text_goes_on_past_the_footnotes_and_captions_of_its_page() -> None:
    note = Block("p1-b2", Kind.FOOTNOTE, Box(72, 760, 300, 9), "1 A note.", font_size=8.0)
    caption = Block("p2-b1", Kind.CAPTION, Box(72, 80, 300, 9), "Figure 1. A map", font_size=9.0)
    first, second = mended(
        page(1, paragraph("p1-b1", "it goes"), note), page(2, caption, paragraph("p2-b2", "on here."))
    )
    assert [block.text for block in first.blocks] == ["it goes on here.", "1 A note."]
    assert [block.text for block in second.blocks] == ["Figure 1. A map"]


def test_chapters_and_sections_have_the_same_levels_on_every_page(tmp_path: Path) -> None:
    outcome = at_once(tmp_path, samples.report(9))
    levels = {
        (block.text.split()[0], block.level) for block in outcome.blocks() if block.kind is Kind.HEADING
    }
    assert levels == {("Chapter", 1), ("Section", 2)}


def test_signs_of_print_are_written_in_ascii_if_that_is_asked(tmp_path: Path) -> None:
    text = "“Of ﬁsh – and…” he said"
    block = paragraph("p1-b1", text, spans=(Span(text.index("he"), len(text), italic=True),))
    cells = table("p1-b2", rows(("1–2", "‘a’"), ("3", "4")), header=("Time", "Name"))
    source = PagesAtHand([page(1, block, cells)])
    join(source, Facts(1), ("markdown",), tmp_path, keep_running=False, typography="ascii")
    markdown = (tmp_path / "document.md").read_text()
    assert '"Of fish - and..." *he said*' in markdown
    assert "| 1-2 | 'a' |" in markdown
