"""The kinds of made documents: which pieces are on their pages, in how many columns."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from quality.synthetic.grids import Grid, Ruling, plain_rows, spanned_rows
from quality.synthetic.pieces import Entry, Heading, Listing, Piece, Prose
from quality.synthetic.words import Words

UNRULED = (Ruling.NONE, Ruling.SHADED)
RULED = (Ruling.FULL, Ruling.FULL, Ruling.HORIZONTAL, Ruling.BOOK)
JUSTIFIED = 4


@dataclass(frozen=True, slots=True)
class Layout:
    """What a made document holds."""

    pieces: tuple[Piece, ...]
    columns: int = 1


def around(words: Words, grid: Grid) -> Layout:
    """A table as it is in a report: a heading and words before it, words after it."""
    head: list[Piece] = [Heading(words.title(), 2), Prose(words.prose(words.random.randint(1, 3)))]
    if words.random.random() < 0.5:
        head.append(Prose(f"Table {words.random.randint(1, 9)}. {words.phrase(4)}"))
    placed = replace(grid, side=words.random.choice(["LEFT", "CENTER"]))
    return Layout((*head, placed, Prose(words.prose(2))))


def some_table(words: Words, ruling: Ruling, most_rows: int = 14) -> Grid:
    """A table of three to six columns."""
    columns = words.random.randint(3, 6)
    wrapped = columns < 6 and words.random.random() < 0.4
    rows = plain_rows(words, words.random.randint(3, most_rows), columns, wrapped=wrapped, gaps=_gaps(words))
    widths = _widths(words, columns, wrapped=wrapped)
    return Grid(rows, ruling, bold_header=words.random.random() < 0.7, widths=widths)


def _gaps(words: Words) -> float:
    return words.random.choice([0.0, 0.0, 0.1])


def _widths(words: Words, columns: int, *, wrapped: bool) -> tuple[float, ...]:
    others = words.random.uniform(58, 72)
    second = 130.0 if wrapped else others
    return (words.random.uniform(100, 115), second, *[others] * (columns - 2))


def ruled(words: Words) -> Layout:
    """A table with lines."""
    return around(words, some_table(words, words.random.choice(RULED)))


def unruled(words: Words) -> Layout:
    """A table without lines."""
    return around(words, some_table(words, words.random.choice(UNRULED)))


def pairs(words: Words) -> Layout:
    """A table of two columns: names and what belongs to them."""
    ruling = words.random.choice([*UNRULED, Ruling.FULL, Ruling.HORIZONTAL])
    wrapped = words.random.random() < 0.4
    rows = plain_rows(words, words.random.randint(4, 12), 2, wrapped=wrapped)
    return around(
        words, Grid(rows, ruling, widths=(words.random.uniform(110, 170), 200.0 if wrapped else 90.0))
    )


def spans(words: Words) -> Layout:
    """A table with cells that span rows and columns."""
    groups = [words.random.randint(2, 4) for _ in range(words.random.randint(2, 3))]
    rows = spanned_rows(words, groups, words.random.randint(1, 2))
    widths = (80.0, 75.0, *[62.0] * (len(rows[0]) - 2))
    return around(words, Grid(rows, Ruling.FULL, header_rows=2, widths=widths))


def two_tables(words: Words) -> Layout:
    """Two tables with words between them."""
    first, second = (some_table(words, words.random.choice(RULED), most_rows=7) for _ in range(2))
    return Layout((Heading(words.title(), 1), first, Prose(words.prose(2)), second))


def table_in_column(words: Words) -> Layout:
    """A narrow table in one column of a page with two."""
    rows = plain_rows(words, words.random.randint(4, 9), 3, wrapped=False)
    grid = Grid(rows, words.random.choice([*RULED, *UNRULED]), widths=(95.0, 62.0, 62.0))
    before: tuple[Piece, ...] = (
        Heading(words.title(), 2),
        *(Prose(words.prose(4)) for _ in range(words.random.randint(1, 3))),
    )
    after = [Prose(words.prose(5)) for _ in range(4)]
    return Layout((*before, grid, Heading(words.title(), 2), *after), columns=2)


def columns(words: Words) -> Layout:
    """Text in two or three columns with headings."""
    pieces: list[Piece] = []
    for _ in range(words.random.randint(3, 5)):
        pieces.append(Heading(words.title(), 2))
        pieces += [Prose(words.prose(words.random.randint(3, 6)), JUSTIFIED) for _ in range(2)]
    return Layout(tuple(pieces), columns=words.random.choice([2, 2, 3]))


def headings(words: Words) -> Layout:
    """Headings under headings, some with numbers."""
    numbered = words.random.random() < 0.5
    return Layout((Heading(words.title(), 1), Prose(words.prose(2)), *_chapters(words, numbered=numbered)))


def _chapters(words: Words, *, numbered: bool) -> Iterator[Piece]:
    for chapter in range(1, words.random.randint(3, 4)):
        yield Heading(f"{chapter} {words.title()}" if numbered else words.title(), 2)
        yield Prose(words.prose(2))
        for section in range(1, words.random.randint(2, 4)):
            yield Heading(f"{chapter}.{section} {words.title()}" if numbered else words.title(), 3)
            yield Prose(words.prose(words.random.randint(1, 3)))


def lists(words: Words) -> Layout:
    """Lists with lists in them, between paragraphs."""
    pieces: list[Piece] = [Heading(words.title(), 2)]
    for _ in range(words.random.randint(2, 3)):
        pieces += [Prose(words.prose(2)), Listing(tuple(_entries(words)))]
    return Layout((*pieces, Prose(words.prose(2))))


def _entries(words: Words) -> Iterator[Entry]:
    numbered = words.random.random() < 0.4
    for index in range(1, words.random.randint(4, 6)):
        yield Entry(words.sentence(), 0, index if numbered else None)
        for _ in range(words.random.choice([0, 0, 2, 3])):
            yield Entry(words.phrase(words.random.randint(3, 14)), 1)


KINDS: Mapping[str, Callable[[Words], Layout]] = {
    "ruled": ruled,
    "unruled": unruled,
    "pairs": pairs,
    "spans": spans,
    "two_tables": two_tables,
    "table_in_column": table_in_column,
    "columns": columns,
    "headings": headings,
    "lists": lists,
}
