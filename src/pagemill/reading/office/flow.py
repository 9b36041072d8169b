"""Documents that flow: blocks without printed pages, cut into pages of a size that can be handled.

A page begins where the file says that one does, and where a page would otherwise grow too long.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from pagemill.model.pages import Block, Kind, Origin, Page, Span
from pagemill.reading.office.reading_limits import MAX_BLOCKS, check_count

# A page of more blocks is slow to show. 300 is about ten printed pages.
MOST_BLOCKS = 300
# The rows of a table are written on one line of JSON; a long one is cut into several.
MOST_ROWS = 1_000
LONGEST_PATH_TEXT = 200
NOTE = "#note:"


@dataclass(slots=True)
class Flow:
    """The blocks of a document in order, where pages begin, and the notes that blocks refer to."""

    blocks: list[Block] = field(default_factory=list)
    breaks: set[int] = field(default_factory=set)
    notes: dict[int, list[tuple[str, Block]]] = field(default_factory=dict)
    labels: dict[int, str] = field(default_factory=dict)
    # Bookmarks that wait for the next block, and those that are kept although no link leads to them.
    pending_names: list[str] = field(default_factory=list)
    named: set[str] = field(default_factory=set)
    # Width and height of its pages in points, where blocks have boxes.
    size: tuple[float, float] = (0.0, 0.0)

    def add(self, *blocks: Block) -> None:
        """Add blocks at the end; empty ones are left out."""
        for block in blocks:
            if not _is_empty(block):
                self.blocks.append(_mark(block, self.pending_names) if self.pending_names else block)
                self.pending_names = []
        check_count(len(self.blocks), MAX_BLOCKS, "blocks")

    def mark(self, *names: str, named: bool = False) -> None:
        """Set bookmarks on the next block; those that an author named are kept even if no link leads to them."""
        self.pending_names += names
        if named:
            self.named.update(names)

    def break_page(self, label: str | None = None) -> None:
        """Begin a page with the next block."""
        self.breaks.add(len(self.blocks))
        if label:
            self.labels[len(self.blocks)] = label

    def add_note(self, name: str, *blocks: Block) -> None:
        """Note what the last block refers to; it goes to the end of that block's page."""
        known = self.notes.setdefault(max(len(self.blocks) - 1, 0), [])
        known.extend((name, block) for block in blocks if not _is_empty(block))


def flow_pages(flow: Flow, provider: str, warnings: Sequence[str] = ()) -> tuple[Page, ...]:
    """The pages of a flowing document; there is at least one."""
    pages: list[Page] = []
    path: list[tuple[int, str]] = []
    settle_places(flow)
    for first, last in _cuts(flow):
        numbered = list(_number_blocks(flow, first, last, len(pages) + 1, path))
        page = Page(
            len(pages) + 1, *flow.size, provider, tuple(_link_notes(numbered)), flow.labels.get(first)
        )
        pages.append(page)
    if warnings and pages:
        pages[0] = replace(pages[0], warnings=tuple(warnings))
    return tuple(pages)


def _cuts(flow: Flow) -> Iterator[tuple[int, int]]:
    """The first block and the one after the last, for each page."""
    first, total = 0, len(flow.blocks)
    for end in (*sorted(at for at in flow.breaks if 0 < at < total), total):
        while end - first > MOST_BLOCKS:
            cut = _best_cut(flow.blocks, first)
            yield first, cut
            first = cut
        if end > first or total == 0:
            yield first, end
            first = end


def _best_cut(blocks: Sequence[Block], first: int) -> int:
    """Where a page that is too long ends: before the highest heading in its second half."""
    window = range(first + MOST_BLOCKS // 2, first + MOST_BLOCKS + 1)
    headings = [at for at in window if blocks[at].kind is Kind.HEADING]
    return min(headings, key=lambda at: (blocks[at].level or 6, -at), default=first + MOST_BLOCKS)


def _number_blocks(
    flow: Flow, first: int, last: int, page: int, path: list[tuple[int, str]]
) -> Iterator[tuple[str, Block]]:
    """The blocks of a page with their ids and origins, then its notes, each with its name."""
    count = 0
    for at in range(first, last):
        block = flow.blocks[at]
        if block.kind is Kind.HEADING:
            _enter(path, block)
        count += 1
        yield "", _place(block, page, count, at + 1, path)
    for at in range(first, last):
        for name, note in flow.notes.get(at, ()):
            count += 1
            yield name, _place(note, page, count, at + 1, path)


def _enter(path: list[tuple[int, str]], block: Block) -> None:
    level = block.level or 1
    while path and path[-1][0] >= level:
        path.pop()
    path.append((level, block.text[:LONGEST_PATH_TEXT]))


def _place(block: Block, page: int, count: int, index: int, path: list[tuple[int, str]]) -> Block:
    origin = block.origin or Origin()
    above = tuple(text for _, text in (path[:-1] if block.kind is Kind.HEADING else path))
    return replace(block, id=f"p{page}-b{count}", origin=replace(origin, path=above, index=index))


def _link_notes(numbered: list[tuple[str, Block]]) -> Iterator[Block]:
    """The blocks, with references to notes turned into links to the blocks that have them."""
    ids: dict[str, str] = {}
    for name, block in numbered:
        if name:
            ids.setdefault(name, block.id)
    for _, block in numbered:
        has_notes = any(span.href and span.href.startswith(NOTE) for span in block.spans)
        yield replace(block, spans=tuple(_linked_spans(block.spans, ids))) if has_notes else block


def _linked_spans(spans: Sequence[Span], ids: dict[str, str]) -> Iterator[Span]:
    for span in spans:
        if not span.href or not span.href.startswith(NOTE):
            yield span
        elif name := ids.get(span.href.removeprefix(NOTE)):
            yield replace(span, href=f"#{name}")


def settle_places(flow: Flow) -> None:
    """Keep the bookmarks that something leads to or that an author named, and no link that leads nowhere."""
    if flow.pending_names and flow.blocks:
        flow.blocks[-1] = _mark(flow.blocks[-1], flow.pending_names)
        flow.pending_names = []
    linked = {name for block in flow.blocks for span in block.spans if (name := _place_of(span))}
    known = {name for block in flow.blocks if block.origin for name in block.origin.bookmarks}
    if not linked and not known:
        return
    kept = known & (linked | flow.named)
    flow.blocks = [_with_places(block, kept) for block in flow.blocks]


def _with_places(block: Block, kept: set[str]) -> Block:
    """A block with its bookmarks that are kept, each of which is used up, and without links to others."""
    if block.origin and block.origin.bookmarks:
        own = tuple(name for name in dict.fromkeys(block.origin.bookmarks) if name in kept)
        block = replace(block, origin=replace(block.origin, bookmarks=own))
    lost = {name for span in block.spans if (name := _place_of(span)) and name not in kept}
    if not lost:
        return block
    spans = (replace(span, href=None) if _place_of(span) in lost else span for span in block.spans)
    return replace(block, spans=tuple(span for span in spans if replace(span, start=0, end=0) != Span(0, 0)))


def _place_of(span: Span) -> str | None:
    """The bookmark that a link leads to; None if it leads elsewhere."""
    href = span.href or ""
    return href[1:] if href.startswith("#") and not href.startswith(NOTE) else None


def _mark(block: Block, names: Sequence[str]) -> Block:
    origin = block.origin or Origin()
    return replace(block, origin=replace(origin, bookmarks=(*origin.bookmarks, *names)))


def _is_empty(block: Block) -> bool:
    if block.kind is Kind.TABLE:
        return not any(cell.text.strip() for cell in block.cells)
    if block.kind is Kind.FIGURE:
        return not block.text and block.origin is None
    return block.kind is not Kind.RULE and not block.text.strip()
