"""Blocks cut in two, put together and reworded, with their emphasis and links kept in place."""

import re
from bisect import bisect_right
from dataclasses import replace
from itertools import pairwise

from pagemill.model.pages import Block, Box, Kind, Span

HYPHENS = ("-", "\u00ad", "\u2010")


def is_text(block: Block) -> bool:
    """Whether a block is made of running words."""
    return block.kind in (Kind.PARAGRAPH, Kind.HEADING, Kind.LIST_ITEM, Kind.CAPTION, Kind.FOOTNOTE)


def with_marker(block: Block) -> Block:
    """An entry of a list as a paragraph that begins with its marker; any other block as it is."""
    if block.kind is not Kind.LIST_ITEM:
        return block
    shift = len(block.marker) + 1 if block.marker else 0
    text = f"{block.marker} {block.text}" if block.marker else block.text
    spans = tuple(replace(span, start=span.start + shift, end=span.end + shift) for span in block.spans)
    return replace(block, kind=Kind.PARAGRAPH, text=text, spans=spans, marker=None, level=None, ordered=False)


def part_of(block: Block, start: int, end: int, box: Box | None) -> Block:
    """The words of a block from `start` up to `end`, without spaces around them."""
    text = block.text[start:end]
    start += len(text) - len(text.lstrip())
    text = text.strip()
    end = start + len(text)
    spans = tuple(_within(span, start, end) for span in block.spans if span.start < end and span.end > start)
    if len(spans) == 1 and spans[0] == Span(0, len(text), spans[0].bold, spans[0].italic):
        return replace(block, text=text, spans=(), box=box, bold=spans[0].bold, italic=spans[0].italic)
    return replace(block, text=text, spans=spans, box=box)


def together(upper: Block, lower: Block) -> Block:
    """Two blocks as one of the first one's kind; a word that was broken between them is mended."""
    text, gap = upper.text, " "
    if is_broken(text, lower.text):
        text, gap = text[:-1], ""
    elif text.endswith(HYPHENS) and text[-2:-1].isalpha():
        gap = ""
    shift = len(text) + len(gap)
    spans = (
        *(replace(span, end=min(span.end, len(text))) for span in _explicit(upper)),
        *(replace(span, start=span.start + shift, end=span.end + shift) for span in _explicit(lower)),
    )
    styled = (upper.bold or upper.italic) and (upper.bold, upper.italic) == (lower.bold, lower.italic)
    return replace(
        upper,
        text=text + gap + lower.text,
        spans=tuple(span for span in spans if span.href) if styled else _as_one(spans, len(text), shift),
        bold=upper.bold and styled,
        italic=upper.italic and styled,
        box=around(upper.box, lower.box),
    )


def _as_one(spans: tuple[Span, ...], end: int, start: int) -> tuple[Span, ...]:
    """The spans, with one that ends where a text did and the one that begins with the next made one."""
    for place, (a, b) in enumerate(pairwise(spans)):
        if a.end == end and b.start == start and (a.bold, a.italic, a.href) == (b.bold, b.italic, b.href):
            return (*spans[:place], replace(a, end=b.end), *spans[place + 2 :])
    return spans


def is_broken(upper: str, lower: str) -> bool:
    """Whether a word is broken by a hyphen between two texts."""
    return upper.endswith(HYPHENS) and upper[-2:-1].isalpha() and lower[:1].islower()


def around(a: Box | None, b: Box | None) -> Box | None:
    """The box around two boxes."""
    if a is None or b is None:
        return a or b
    x, y = min(a.x, b.x), min(a.y, b.y)
    return Box(x, y, round(max(a.right, b.right) - x, 2), round(max(a.bottom, b.bottom) - y, 2))


def reworded(block: Block, pattern: re.Pattern[str], replacement: str) -> Block:
    """The block with every match of a pattern replaced, groups being named as in `re.sub`."""
    pieces: list[str] = []
    at, ends, shifts = 0, [0], [0]
    for match in pattern.finditer(block.text):
        new = match.expand(replacement)
        pieces += (block.text[at : match.start()], new)
        at = match.end()
        ends.append(at)
        shifts.append(shifts[-1] + len(new) - len(match[0]))
    if not pieces:
        return block
    pieces.append(block.text[at:])

    def moved(place: int) -> int:
        return max(0, place + shifts[bisect_right(ends, place) - 1])

    spans = tuple(replace(span, start=moved(span.start), end=moved(span.end)) for span in block.spans)
    return replace(block, text="".join(pieces), spans=tuple(span for span in spans if span.start < span.end))


def _explicit(block: Block) -> tuple[Span, ...]:
    """The spans of a block, with one for a style that holds for all of it."""
    if not block.text or not (block.bold or block.italic):
        return block.spans
    return (Span(0, len(block.text), block.bold, block.italic), *(s for s in block.spans if s.href))


def _within(span: Span, start: int, end: int) -> Span:
    return replace(span, start=max(span.start, start) - start, end=min(span.end, end) - start)
