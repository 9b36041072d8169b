"""Units: what of a document is kept whole when it is cut into passages. Blocks, or sentences of long ones; rows of tables."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pagemill.model.pages import Block, Box, Cell, Kind, Page, box_around
from pagemill.reading.passages.sentences import sentence_spans, spans_within
from pagemill.reading.passages.tokens import TokenCount, count_tokens
from pagemill.reading.writers.table_html import head_rows
from pagemill.reading.writers.text import BodyPart, BodyText

Printed = tuple[tuple[int, Box | None], ...]


class Unit(NamedTuple):
    """A run of the plain text from character `start`, after its `separator`; `printed` says where.

    `level` is that of a heading. A unit that `leads` belongs to what follows it. The rows of a table have its `header` as
    text, or an empty one; other units have None.
    """

    start: int
    separator: str
    text: str
    tokens: int
    page: int
    printed: Printed
    block: str | None
    path: tuple[str, ...]
    level: int | None = None
    leads: bool = False
    header: str | None = None

    @property
    def end(self) -> int:
        """The character after the last."""
        return self.start + len(self.text)

    def split(self, room: int, count: TokenCount) -> list["Unit"]:
        """The unit in parts of at most so many tokens; the row of a table is never split."""
        if self.header is not None:
            return [self]
        return list(self._parts(spans_within(self.text, room, count), count))

    def sentences(self, count: TokenCount) -> list["Unit"]:
        """The sentences of the unit, which may be none of a table."""
        if self.header is not None or self.leads:
            return []
        return list(self._parts(sentence_spans(self.text), count))

    def _parts(self, spans: Iterable[tuple[int, int]], count: TokenCount) -> Iterator["Unit"]:
        separator = self.separator
        for start, end in spans:
            whole = self.text[start:end]
            # The space after a sentence separates it from the next; after the last there is none.
            text = whole if end == len(self.text) else whole.rstrip() or whole
            yield self._replace(
                start=self.start + start,
                separator=separator,
                text=text,
                tokens=count(text),
            )
            separator = self.text[start + len(text) : end]


class UnitReader:
    """Makes units of pages that go by in order."""

    def __init__(self, count: TokenCount = count_tokens, body: BodyText | None = None) -> None:
        self._count = count
        self._body = body or BodyText()
        self._position = 0
        # The headings above, each of a lower level than the next.
        self._levels: tuple[int, ...] = ()
        self._path: tuple[str, ...] = ()

    def units(self, page: Page) -> list[Unit]:
        """The units of the next page."""
        units = list[Unit]()
        for part in self._body.parts(page):
            start = self._position + len(part.separator)
            self._position = start + len(part.text)
            block = part.block
            if block is not None and block.kind is Kind.TABLE:
                units += self._rows(part, block, start)
            elif block is not None and block.kind is Kind.HEADING:
                units.append(self._heading(part, block, start))
            else:
                units.append(self._whole(part, start))
        return units

    def _whole(self, part: BodyPart, start: int, level: int | None = None) -> Unit:
        separator, text, page, block, field = part
        block_id = block.id if block is not None else None
        printed = _places_of(page, block) if block is not None else ((page, field.box if field else None),)
        # By their places, for names take half of the time.
        return Unit(
            start,
            separator,
            text,
            self._count(text),
            page,
            printed,
            block_id,
            self._path,
            level,
            level is not None,
        )

    def _heading(self, part: BodyPart, block: Block, start: int) -> Unit:
        level = block.level or 1
        above = bisect_left(self._levels, level)
        self._levels, self._path = self._levels[:above], self._path[:above]
        unit = self._whole(part, start, level)
        self._levels, self._path = (*self._levels, level), (*self._path, " ".join(part.text.split()))
        return unit

    def _rows(self, part: BodyPart, block: Block, start: int) -> Iterator[Unit]:
        separator, text, page, _, _ = part
        lines = text.split("\n")
        first = 1 if block.header else 0
        heads = head_rows(block)
        header, count, path = "\n".join(lines[:heads]), self._count, self._path
        for number, (line, row) in enumerate(zip(lines, block.all_rows, strict=True)):
            if line.strip():
                printed = (_row_place(page, block, row, number - first),)
                leads = number < heads
                yield Unit(
                    start, separator, line, count(line), page, printed, block.id, path, None, leads, header
                )
                separator = ""
            else:
                separator += line
            start += len(line) + 1
            separator += "\n"


def _places_of(page: int, block: Block) -> Printed:
    """Where a block is printed: on its page, and where it goes on."""
    if not block.parts:
        return ((page, block.box),)
    return ((page, block.box), *((more.page, more.box) for more in block.parts))


def _row_place(page: int, block: Block, row: Sequence[Cell], number: int) -> tuple[int, Box | None]:
    """The page and the box of a row: around its cells, or that of the part of the table that it is in."""
    box = block.box
    for part in block.parts:
        if part.first_row is not None and number >= part.first_row:
            page, box = part.page, part.box
    boxes = [cell.box for cell in row if cell.box]
    return page, box_around(boxes) if boxes else box
