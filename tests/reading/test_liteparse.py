"""LiteParse's pages as ours: kinds, sizes, emphasis, and no text left behind."""

from pathlib import Path
from typing import cast

import pytest

from pagemill.model.pages import Block, Box, Kind, Page, Span
from pagemill.reading.clean import clean, garbage_in
from pagemill.reading.page.page_json import page_bytes, page_from
from pagemill.reading.providers.liteparse import (
    LiteParseProvider,
    PlainLiteParseProvider,
    label_of,
    without_borders,
)
from pagemill.reading.routing.hidden import HiddenSigns
from pagemill.reading.routing.look import Look
from pagemill.reading.sources.inline import plain_and_spans
from pagemill.reading.sources.liteparse_native import NativePage
from pagemill.reading.sources.recover import EngineText, lost_pieces, paragraphs
from pagemill.reading.sources.sizes import font_size
from tests import samples
from tests.reading.drawn import PROSE, pdf_of, pen
from tests.reading.journey import stored


def read(folder: Path, pdf: bytes, *pages: int) -> list[Page]:
    """Pages read by LiteParse alone."""
    return list(LiteParseProvider().read(stored(folder, pdf), pages or (1,), None))


def test_blocks_have_kinds_ids_sizes_and_boxes(tmp_path: Path) -> None:
    page = read(tmp_path, samples.report(3), 1, 2, 3)[2]
    kinds = [block.kind for block in page.blocks]
    assert {Kind.HEADING, Kind.PARAGRAPH, Kind.LIST_ITEM, Kind.TABLE} <= set(kinds)
    assert [block.id for block in page.blocks] == [f"p3-b{count}" for count in range(1, len(kinds) + 1)]
    heading = next(block for block in page.blocks if block.kind is Kind.HEADING)
    assert heading.font_size == 14
    assert heading.box is not None
    assert heading.box.x == pytest.approx(72, abs=1)


def test_a_page_that_we_stumble_over_is_unread_and_harms_no_other(tmp_path: Path) -> None:
    class Odd:
        """A page that lacks what every page has."""

        page_num = 7

    with Look(stored(tmp_path, samples.report(1)), None) as look:
        page = LiteParseProvider().read_one(cast(NativePage, Odd()), look, HiddenSigns(False, False))
    assert page.number == 7
    assert page.error is not None
    assert "AttributeError" in page.error.message


def test_a_table_has_cells_with_boxes(tmp_path: Path) -> None:
    page = read(tmp_path, samples.long_table(1))[0]
    table = page.blocks[0]
    texts = [
        [cell.text for cell in row] for row in ((table.header, *table.rows) if table.header else table.rows)
    ]
    assert texts[:2] == [["Number", "Name", "Amount"], ["1", "stone 0", "1.50"]]
    assert all(cell.box for row in table.rows for cell in row)


def test_the_lines_of_a_table_are_part_of_it() -> None:
    table = Block("", Kind.TABLE, Box(72, 100, 400, 80))
    above, inside, below = (Block("", Kind.RULE, Box(72, top, 400, 1)) for top in (95, 120, 300))
    assert without_borders([above, table, inside, below]) == [table, below]


def test_text_in_the_form_of_a_link_is_no_link(tmp_path: Path) -> None:
    line = "See ![x](http://127.0.0.1:9/track.png) and [click](javascript:alert) here"
    page = read(tmp_path, samples.text_pages([[line]]))[0]
    assert " ".join(block.text for block in page.blocks) == line
    assert [span.href for block in page.blocks for span in block.spans if span.href] == []


def test_list_items_have_markers(tmp_path: Path) -> None:
    items = [block for block in read(tmp_path, samples.report(1))[0].blocks if block.kind is Kind.LIST_ITEM]
    first = items[0]
    assert (first.marker, first.ordered, first.text) == ("-", False, "first point of page 1")


def test_characters_beyond_ascii_are_kept(tmp_path: Path) -> None:
    text = " ".join(block.text for block in read(tmp_path, samples.unicode_text())[0].blocks)
    assert "Zürich, façade, naïve, Ærø, 5 €" in text
    assert "汉字也可以读。" in text


def test_a_page_survives_json(tmp_path: Path) -> None:
    for page in (*read(tmp_path, samples.report(3), 1, 2, 3), *read(tmp_path, samples.form())):
        assert page_from(page_bytes(page)) == page


def test_turned_text_is_not_left_behind(tmp_path: Path) -> None:
    page = read(tmp_path, samples.turned_text())[0]
    assert "Seen from the side" in " ".join(block.text for block in page.blocks)
    assert page.confidence < 1


def test_a_stamp_on_its_side_stands_behind_the_text_that_it_runs_along(tmp_path: Path) -> None:
    sketch = pen(y=700).prose().prose(above=30).prose(above=30)
    sketch.canvas.saveState()
    sketch.canvas.rotate(90)
    sketch.canvas.drawString(450, -30, "Kept in the archive of the northern district since 1787")
    sketch.canvas.restoreState()
    texts = [block.text for block in read(tmp_path, pdf_of(sketch))[0].blocks]
    assert texts == [PROSE, PROSE, PROSE, "Kept in the archive of the northern district since 1787"]


@pytest.mark.parametrize(
    ("marked", "plain", "spans"),
    [
        ("plain", "plain", ()),
        (r"a \*star\* and back\\slash", r"a *star* and back\slash", ()),
        ("**bold** rest", "bold rest", (Span(0, 4, bold=True),)),
        ("a *b* c", "a b c", (Span(2, 3, italic=True),)),
        ("***both***", "both", (Span(0, 4, bold=True, italic=True),)),
        ("**one** **two**", "one two", (Span(0, 7, bold=True),)),
        ("see [here](https://a.b/c) now", "see here now", (Span(4, 8, href="https://a.b/c"),)),
        ("run [this](javascript:alert(1)) now", "run this now", ()),
        ("[1] and [2](x)y", "[1] and [2](x)y", ()),
    ],
)
def test_inline_markup_is_taken_apart(marked: str, plain: str, spans: tuple[Span, ...]) -> None:
    assert plain_and_spans(marked) == (plain, spans)


def piece(text: str, top: float = 10, rotation: float = 0.0) -> EngineText:
    """A run of text on a page."""
    return EngineText(text, Box(10, top, 100, 10), rotation)


def test_text_in_no_block_is_found() -> None:
    pieces = [piece("in a block", 10), piece("in no block", 20)]
    assert [lost.text for lost in lost_pieces(pieces, ["in a block"], missing=9)] == ["in no block"]


def test_text_that_is_there_twice_and_printed_once_is_found_once() -> None:
    pieces = [piece("the very same", 10), piece("the very same", 20)]
    assert len(lost_pieces(pieces, ["the very same"], missing=11)) == 1


def test_mended_hyphens_and_other_quotes_are_not_lost_text() -> None:
    pieces = [piece("an exam-", 10), piece("ple of “quotes” – here", 20)]
    assert lost_pieces(pieces, ['an example of "quotes" - here'], missing=8) == []


def test_text_that_is_only_written_differently_is_not_doubled() -> None:
    assert lost_pieces([piece("completely other letters")], ["quite different words here"], missing=0) == []


def test_a_lost_line_is_whole_though_some_of_its_words_are_printed_elsewhere() -> None:
    [lost] = lost_pieces([piece("Stamped on the northern harbour")], ["It goes on to the mill"], 26)
    assert lost.text == "Stamped on the northern harbour"


def test_lost_lines_that_follow_each_other_are_one_paragraph() -> None:
    lines = [piece("one", 10), piece("two", 22), piece("far below", 300), piece("turned", 20, rotation=90)]
    assert [whole.text for whole in paragraphs(lines)] == ["one two", "far below", "turned"]


def test_a_size_hidden_in_a_matrix_is_told_from_the_height() -> None:
    assert font_size(12.0, 13.5) == 12.0
    assert font_size(1.0, 12.0) == 10.0
    assert font_size(None, 12.0) == 10.0


def test_what_cannot_be_written_is_taken_out() -> None:
    assert clean("a\x00b\x03c\ud800d\u200be\u00adf") == "abcdef"
    assert clean("kept: \t\n é 汉 \u200d") == "kept: \t\n é 汉 \u200d"
    assert garbage_in("\x01\ufffd\ue000ok") == 3


def test_the_plain_provider_reads_the_same_words_and_arranges_nothing(tmp_path: Path) -> None:
    path = stored(tmp_path, samples.report(1))
    [arranged], [plain] = (
        list(one.read(path, [1], None)) for one in (LiteParseProvider(), PlainLiteParseProvider())
    )
    assert plain.provider == "liteparse-plain"
    assert plain.route is arranged.route
    assert {block.text for block in plain.blocks if block.text}


def test_a_long_label_of_a_field_is_cut_at_a_space_if_its_script_has_any() -> None:
    assert label_of(" Name of\nthe mill ") == "Name of the mill"
    assert label_of("m" * 200) == "m" * 200
    assert label_of("miller " * 40) == "miller " * 27 + "miller …"
    assert label_of("水車" * 150) == "水車" * 99 + " …"
    assert label_of("名 " + "水車" * 150) == "名 " + "水車" * 98 + " …"
