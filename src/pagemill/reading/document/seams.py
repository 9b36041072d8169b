"""Seams between pages: paragraphs and tables that go on are made whole.

Whatever is joined moves to the page on which it began; `parts` says where its pieces were. Where it is not certain
that two blocks belong together, they stay two.
"""

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace

from pagemill.model.pages import Block, Box, Cell, Kind, Page, Part, Route, Rows, Span
from pagemill.reading.document.sideways import is_sideways

# A block may run on over so many pages; then a new one begins, so that memory stays bounded.
MOST_PAGES = 16
SAME_SIZE = 1.04
FOOTNOTE_SIZE = 0.93
SAME_EDGE_POINTS = 12.0
FLOATING = (Kind.FIGURE, Kind.RULE, Kind.CAPTION, Kind.FOOTNOTE, Kind.HEADER, Kind.FOOTER)
# Where running lines are that no search has found, as in a document of two pages.
NUMBERED, EDGE_SHARE, LONGEST_NUMBERED = (Kind.PARAGRAPH, Kind.HEADING), 0.09, 60
_PAGE_NUMBER = re.compile(r"^\W*\d{1,4}(?:\s|\W*$)|(?:^|[\s/])\W?\d{1,4}\W*$")
HYPHENS = ("-", "\u00ad", "\u2010")
_FIGURE = re.compile(r"[^\w\s]*\d[\d.,\s/:%-]*\W*")
ENDS = (".", "!", "?", ":", "…", "。", "！", "？", '"', "”", "»", ")")


def seamless(pages: Iterable[Page], body_size: float) -> Iterator[Page]:
    """The pages with what crosses from one to the next made whole."""
    held: deque[Page] = deque()
    for page in pages:
        if page.route is Route.NATIVE:
            # Blocks of an office file are whole as they are.
            yield from held
            held.clear()
            yield page
            continue
        tail = _tail(held[0], body_size) if held else None
        first = _first(page)
        whole = _join(held[0], tail, page, first) if tail is not None and first is not None else None
        if whole is None or tail is None or first is None:
            yield from held
            held = deque([page])
            continue
        held[0] = _with(held[0], tail, whole)
        held.append(_with(page, first, None))
        if _first(held[-1]) is not None or len(held) > MOST_PAGES:
            last = held.pop()
            yield from held
            held = deque([last])
    yield from held


def _with(page: Page, place: int, block: Block | None) -> Page:
    """The page with one block put in place of another, or taken out."""
    blocks = (*page.blocks[:place], *((block,) if block else ()), *page.blocks[place + 1 :])
    return replace(page, blocks=blocks)


def _tail(page: Page, body_size: float) -> int | None:
    """The place of the block that may go on on the next page: the last one that does not float."""
    for place in range(len(page.blocks) - 1, -1, -1):
        block = page.blocks[place]
        small = block.font_size is not None and block.font_size < FOOTNOTE_SIZE * body_size
        if not (small and block.kind is Kind.PARAGRAPH) and not _floats(block, page):
            return place
    return None


def _first(page: Page) -> int | None:
    """The place of the first block on a page that does not float."""
    return next((place for place, block in enumerate(page.blocks) if not _floats(block, page)), None)


def _floats(block: Block, page: Page) -> bool:
    """Whether the text of a page flows past a block: a figure, a note, a stamp or a line with the page number."""
    if block.kind in FLOATING or is_sideways(block, page.width) or _has_page_number(block, page):
        return True
    # Numbers alone are those at the edge of a chart.
    return block.kind is Kind.PARAGRAPH and not any(character.isalpha() for character in block.text)


def _has_page_number(block: Block, page: Page) -> bool:
    """Whether a block is a short line at the upper or lower edge that begins or ends with a number."""
    box = block.box
    if box is None or block.kind not in NUMBERED or len(block.text) > LONGEST_NUMBERED:
        return False
    at_edge = not EDGE_SHARE < (box.y + box.height / 2) / (page.height or 1.0) < 1 - EDGE_SHARE
    return at_edge and _PAGE_NUMBER.search(block.text) is not None


def _join(before: Page, tail: int, page: Page, first: int) -> Block | None:
    """The two blocks as one, or None if they are two."""
    upper, lower = before.blocks[tail], page.blocks[first]
    if upper.kind is Kind.TABLE and lower.kind is Kind.TABLE:
        # A title with a number in it may be no running head but that of another table.
        if any(block.kind is Kind.HEADING for block in (*before.blocks[tail:], *page.blocks[:first])):
            return None
        return _table(upper, lower, page) if _same_columns(upper, lower, page.width) else None
    if (
        upper.kind in (Kind.PARAGRAPH, Kind.LIST_ITEM)
        and lower.kind is Kind.PARAGRAPH
        and _goes_on(upper, lower)
    ):
        return _paragraph(upper, lower, page.number)
    return None


def _goes_on(upper: Block, lower: Block) -> bool:
    """Whether a text stops in mid-sentence and the next one takes it up."""
    if not upper.text or not lower.text or upper.text.endswith(ENDS) or not _same_look(upper, lower):
        return False
    return lower.text[0].islower() or (upper.text.endswith((",", ";")) and lower.text[0].isalnum())


def _same_look(upper: Block, lower: Block) -> bool:
    if (upper.bold, upper.italic) != (lower.bold, lower.italic):
        return False
    a, b = upper.font_size, lower.font_size
    return a is None or b is None or max(a, b) <= SAME_SIZE * min(a, b)


def _paragraph(upper: Block, lower: Block, page: int) -> Block:
    text, gap = upper.text, " "
    if text.endswith(HYPHENS) and text[-2:-1].isalpha() and lower.text[0].islower():
        text, gap = text[:-1], ""
    shift = len(text) + len(gap)
    spans = (
        *(_clip(span, len(text)) for span in upper.spans),
        *(span.behind(shift) for span in lower.spans),
    )
    parts = (*upper.parts, Part(page, lower.box), *lower.parts)
    sure = [block.confidence for block in (upper, lower) if block.confidence is not None]
    confidence = min(sure, default=None)
    return replace(upper, text=text + gap + lower.text, spans=spans, parts=parts, confidence=confidence)


def _clip(span: Span, end: int) -> Span:
    return replace(span, end=min(span.end, end))


def _same_columns(upper: Block, lower: Block, page_width: float) -> bool:
    """Whether two tables have as many columns and are between the same edges."""
    if _columns(upper) != _columns(lower) or _columns(upper) < 2 or upper.box is None or lower.box is None:
        return False
    last = upper.parts[-1].box if upper.parts else upper.box
    return last is not None and _same_edges(last, lower.box, max(SAME_EDGE_POINTS, page_width * 0.03))


def _same_edges(a: Box, b: Box, tolerance: float) -> bool:
    return abs(a.x - b.x) <= tolerance and abs(a.right - b.right) <= tolerance


def _columns(table: Block) -> int:
    return max((len(row) for row in table.all_rows), default=0)


def _table(upper: Block, lower: Block, page: Page) -> Block | None:
    """One table; a header that is repeated is dropped, and one of its own makes it another table."""
    heads = _texts(upper.header or upper.rows[0]) if upper.header or upper.rows else ()
    rows = lower.rows
    if lower.header and _texts(lower.header) != heads:
        if not _is_like_rows(lower.header, upper.rows):
            return None
        rows = (lower.header, *rows)
    elif lower.header:
        rows = _without_repeated(rows, upper)
    if not lower.header and rows and any(heads) and _texts(rows[0]) == heads:
        rows = _without_repeated(rows[1:], upper)
    part = Part(page.number, lower.box, first_row=len(upper.rows))
    return replace(upper, rows=upper.rows + rows, parts=(*upper.parts, part, *lower.parts))


def _without_repeated(rows: Rows, upper: Block) -> Rows:
    """The rows without those of a repeated head, after its first."""
    heads = upper.rows[: upper.header_rows - 1]
    if heads and [_texts(row) for row in rows[: len(heads)]] == [_texts(row) for row in heads]:
        return rows[len(heads) :]
    return rows


def _is_like_rows(header: tuple[Cell, ...], rows: Rows) -> bool:
    """Whether what was taken for a header has figures where the rows above have them."""
    last = rows[-1] if rows else ()
    figures = [at for at, cell in enumerate(last) if _is_figure(cell.text)]
    return bool(figures) and all(at < len(header) and _is_figure(header[at].text) for at in figures)


def _is_figure(text: str) -> bool:
    return _FIGURE.fullmatch(text.strip()) is not None


def _texts(row: tuple[Cell, ...]) -> tuple[str, ...]:
    return tuple(" ".join(cell.text.split()).casefold() for cell in row)
