"""Links: what the engine found to be linked, marked in the blocks that have the same words."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pagemill.model.pages import Block, Kind, Span
from pagemill.reading.page.geometry import is_near
from pagemill.reading.sources.printed import PLAIN

Linked = tuple[str, str, Block]


def with_links(blocks: Sequence[Block], engine: Sequence[Block]) -> list[Block]:
    """The blocks with the links of the engine's blocks at the same places."""
    links = list(_links(engine))
    if not links:
        return list(blocks)
    return [_link(block, links) if block.text and block.kind is not Kind.CODE else block for block in blocks]


def _links(engine: Sequence[Block]) -> Iterator[Linked]:
    for block in engine:
        for span in block.spans:
            if span.href:
                yield block.text[span.start : span.end].strip(), span.href, block


def _link(block: Block, links: Sequence[Linked]) -> Block:
    at, plain = 0, block.text.translate(PLAIN)
    spans = list(block.spans)
    for label, href, origin in links:
        if not label or (origin.box and block.box and not is_near(block.box, origin.box)):
            continue
        start = plain.find(label.translate(PLAIN), at)
        if start >= 0:
            at = start + len(label)
            spans = [*_around(spans, start, at), Span(start, at, href=href)]
    return replace(block, spans=tuple(sorted(spans, key=lambda span: span.start)))


def _around(spans: Sequence[Span], start: int, end: int) -> Iterator[Span]:
    """The spans without what is between two places."""
    for span in spans:
        if span.end <= start or span.start >= end:
            yield span
            continue
        if span.start < start:
            yield replace(span, end=start)
        if span.end > end:
            yield replace(span, start=end)
