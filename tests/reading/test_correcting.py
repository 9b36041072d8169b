"""Correcting pages: what a person changes of a block is in the recognised lines of the page as well."""

from dataclasses import replace

from pagemill.model.corrections import BlockChange, CellChange
from pagemill.model.pages import Block, Box, Cell, Kind, Line, Page
from pagemill.reading.corrections.correcting import corrected_page


def line(text: str, x: float, y: float, width: float) -> Line:
    """A recognised line of twelve points."""
    return Line(text, Box(x, y, width, 12), 0.8)


def cell(text: str, column: int, row: int) -> Cell:
    """A cell of a table."""
    return Cell(text, Box(50 + 100 * column, 200 + 20 * row, 90, 16))


TABLE = Block(
    id="p1-b2",
    kind=Kind.TABLE,
    text="",
    box=Box(50, 200, 290, 40),
    header=(cell("Part", 0, 0), cell("Amount", 1, 0), cell("Price", 2, 0)),
    rows=((cell("Sieve", 0, 1), cell("5", 1, 1), cell("5", 2, 1)),),
)
PAGE = Page(
    number=1,
    width=600,
    height=800,
    provider="tesseract",
    blocks=(
        Block(id="p1-b1", kind=Kind.PARAGRAPH, text="The secret of the mill.", box=Box(40, 90, 300, 32)),
        TABLE,
        Block(id="p1-b3", kind=Kind.FIGURE, text="", box=Box(40, 80, 400, 600)),
    ),
    lines=(line("The secret", 40, 92, 100), line("of the mill.", 40, 108, 110)),
)


def lines_after(page: Page, change: BlockChange) -> list[str]:
    """The words of the lines after a change."""
    return [one.text for one in corrected_page(page, change).lines]


def test_a_removed_block_takes_its_lines_along() -> None:
    assert lines_after(PAGE, BlockChange("p1-b1", remove=True)) == []
    # What is in a smaller block inside of it stays.
    assert lines_after(PAGE, BlockChange("p1-b3", remove=True)) == ["The secret", "of the mill."]


def test_a_new_text_is_on_the_lines_of_its_block() -> None:
    assert lines_after(PAGE, BlockChange("p1-b1", text="No word of the old mill.")) == [
        "No word",
        "of the old mill.",
    ]
    assert lines_after(PAGE, BlockChange("p1-b1", text="Short")) == ["Short"]


def test_a_changed_cell_is_on_its_line() -> None:
    single = replace(PAGE, lines=(line("Sieve", 52, 222, 40), line("5", 152, 222, 8), line("5", 252, 222, 8)))
    change = BlockChange("p1-b2", cells=(CellChange(1, 2, "7,50"),))
    assert lines_after(single, change) == ["Sieve", "5", "7,50"]
    emptied = BlockChange("p1-b2", cells=(CellChange(1, 0, ""),))
    assert lines_after(single, emptied) == ["5", "5"]


def test_a_line_over_a_whole_row_has_the_new_words_of_a_cell() -> None:
    whole = replace(PAGE, lines=(line("Part Amount Price", 52, 202, 280), line("Sieve 5 5", 52, 222, 280)))
    change = BlockChange("p1-b2", cells=(CellChange(1, 2, "7,50"), CellChange(0, 1, "Number")))
    assert lines_after(whole, change) == ["Part Number Price", "Sieve 5 7,50"]
    unplaced = replace(TABLE, rows=(tuple(replace(one, box=None) for one in TABLE.rows[0]),))
    page = replace(whole, blocks=(unplaced,))
    assert lines_after(page, BlockChange("p1-b2", cells=(CellChange(1, 0, "Screen"),)))[1] == "Screen 5 5"
