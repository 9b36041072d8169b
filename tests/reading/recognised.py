"""Lines as a recogniser gives them, made by hand."""

from collections.abc import Sequence

from pagemill.model.pages import Block, Box, Kind, Line
from pagemill.reading.layout import laid_out
from pagemill.reading.page.scripts import breadth
from pagemill.reading.page.sheet import Stroke
from pagemill.reading.sources.recognised import recognised_sheet

WIDTH, HEIGHT = 600.0, 800.0
# A character is half as wide as its size; a box is a little higher than its characters.
CHARACTER_WIDTH, BOX_HEIGHT = 0.5, 1.23


def line(text: str, x: float, y: float, size: float = 10.0, width: float | None = None) -> Line:
    """A line of characters of a size; its box starts at a place."""
    length = breadth(text) * size * CHARACTER_WIDTH if width is None else width
    return Line(text, Box(x, y, length, size * BOX_HEIGHT), 0.95)


def column(texts: Sequence[str], x: float, y: float, size: float = 10.0, step: float = 13.0) -> list[Line]:
    """Lines under each other, all at one edge."""
    return [line(text, x, y + at * step, size) for at, text in enumerate(texts)]


def prose(
    x: float, y: float, lines: int, characters: int = 48, step: float = 13.0, word: str = "word"
) -> list[Line]:
    """Running text: full lines, and a shorter last one that ends the sentence."""
    text = " ".join([word] * characters)[:characters].rstrip()
    texts = [
        f"Then {text}"[:characters].rstrip(),
        *[text] * (lines - 2),
        f"{text[: characters // 2].rstrip()}.",
    ]
    return [
        line(one, x, y + at * step, width=(characters if at < lines - 1 else characters / 2) * 5.0)
        for at, one in enumerate(texts)
    ]


def grid(rows: Sequence[Sequence[str]], xs: Sequence[float], y: float, step: float = 16.0) -> list[Line]:
    """The cells of a table as pieces; an empty text is a cell in which nothing stands."""
    return [
        line(text, x, y + at * step)
        for at, row in enumerate(rows)
        for x, text in zip(xs, row, strict=True)
        if text
    ]


def ruling(xs: Sequence[float], ys: Sequence[float]) -> list[Stroke]:
    """The lines of a table in which every cell is drawn."""
    return [
        *(Stroke(xs[0], y, xs[-1], y) for y in ys),
        *(Stroke(x, ys[0], x, ys[-1]) for x in xs),
    ]


def read(lines: Sequence[Line], strokes: Sequence[Stroke] = ()) -> list[Block]:
    """The blocks of a page with those lines."""
    return laid_out(recognised_sheet(lines, WIDTH, HEIGHT, strokes))


def texts(blocks: Sequence[Block], kind: Kind) -> list[str]:
    """The texts of all blocks of a kind."""
    return [block.text for block in blocks if block.kind is kind]


def cells(table: Block) -> list[list[str]]:
    """The texts of a table, its header first."""
    rows = (table.header, *table.rows) if table.header else table.rows
    return [[cell.text for cell in row] for row in rows]
