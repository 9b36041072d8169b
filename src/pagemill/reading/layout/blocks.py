"""Blocks from groups of lines: what the models take them for, written as headings, lists, notes and text."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pagemill.model.pages import LABELS, Block, Box, Kind
from pagemill.reading.layout.certainty import block_certainty
from pagemill.reading.layout.composing import common_style, compose_text, with_run_in
from pagemill.reading.layout.judging import Judged
from pagemill.reading.layout.lines import TextLine
from pagemill.reading.layout.markers import are_counted, are_counted_on, find_marker
from pagemill.reading.layout.pieces import confidence_of, median_size
from pagemill.reading.layout.roles import LEVELS
from pagemill.reading.layout.settling import settled_role
from pagemill.reading.layout.wording import Vocabulary, mend_text
from pagemill.reading.page.geometry import hull
from pagemill.reading.page.sheet import Precision

USUAL_SIZE = 10.0
CONFIDENCE_DIGITS = 3
# Font sizes of recognised text are even in such steps; smaller differences can't be told from the looseness of the boxes.
SIZE_STEP = 1.14


@dataclass(frozen=True, slots=True)
class Leaf:
    """What all blocks of a page share: its size, that of its text, its words."""

    width: float
    height: float
    body_size: float
    vocabulary: Vocabulary


def blocks_of(groups: Sequence[Sequence[TextLine]], judged: Judged, leaf: Leaf) -> list[Block]:
    """The blocks of lines in reading order, those of each block together; a line without words is a finished block."""
    roles = _roles_of(groups, judged)
    blocks = [
        group[0].block or block_of(group, role, leaf, _certainty(group, role, judged))
        for group, role in zip(groups, roles, strict=True)
    ]
    return assign_levels(blocks)


def _roles_of(groups: Sequence[Sequence[TextLine]], judged: Judged) -> list[str]:
    """The role of each group. What counts on right below another is an entry of a list, for headings have a text below them.

    Of the type of recognised lines too little is known to tell numbered texts from notes.
    """
    recognised = judged.sheet.precision is Precision.RECOGNISED
    starts = [group[0].text for group in groups]
    counted = are_counted(starts) if recognised else [False] * len(groups)
    roles = ["" if group[0].block else settled_role(group, judged) for group in groups]
    return [
        "list_item" if (role == "heading" and on) or (one and role in ("text", "footnote")) else role
        for role, on, one in zip(roles, are_counted_on(starts), counted, strict=True)
    ]


def _certainty(lines: Sequence[TextLine], role: str, judged: Judged) -> float:
    """How sure a block is to be right; of recognised lines, how sure their characters are."""
    if judged.sheet.precision is Precision.RECOGNISED:
        return confidence_of(lines)
    return round(block_certainty(lines, role, judged), CONFIDENCE_DIGITS)


def block_of(lines: Sequence[TextLine], role: str, leaf: Leaf, confidence: float) -> Block:
    """The block of lines that have a role."""
    whole = with_run_in(compose_text(lines, leaf.vocabulary), lines)
    bold, italic, spans = common_style(whole)
    recognised = lines[0].is_recognised
    size = median_size(lines)
    base = Block(
        "",
        Kind.PARAGRAPH,
        hull(lines),
        whole.text,
        bold=bold,
        italic=italic,
        font_size=even_size(size, leaf.body_size) if recognised else round(size, 1),
        spans=spans,
        confidence=confidence,
    )
    return mend_text(_MAKERS.get(role, _paragraph)(base, lines, leaf))


def even_size(size: float, body: float) -> float:
    """The size in whole steps from that of the text, so that headings of one kind get one size on all pages."""
    steps = round(math.log(max(size, 1.0) / body) / math.log(SIZE_STEP))
    return round(max(round(body * 2) / 2, 1.0) * SIZE_STEP**steps, 1)


def _paragraph(base: Block, _: Sequence[TextLine], __: Leaf) -> Block:
    return base


def _heading(base: Block, _: Sequence[TextLine], __: Leaf) -> Block:
    raised = tuple(replace(span, bold=False, italic=False) for span in base.spans if span.script or span.href)
    return replace(base, kind=Kind.HEADING, level=1, italic=False, spans=raised)


def _of_kind(kind: Kind) -> Callable[[Block, Sequence[TextLine], Leaf], Block]:
    return lambda base, _, __: replace(base, kind=kind)


def _list_item(base: Block, _: Sequence[TextLine], __: Leaf) -> Block:
    """An entry of a list without its marker."""
    found = find_marker(base.text)
    if found is None or not found.text:
        return base
    cut = len(base.text) - len(found.text)
    moved = [replace(s, start=max(s.start - cut, 0), end=s.end - cut) for s in base.spans if s.end > cut]
    return replace(
        base,
        kind=Kind.LIST_ITEM,
        text=found.text,
        marker=found.marker,
        ordered=found.ordered,
        level=0,
        spans=tuple(moved),
    )


def _labels(base: Block, lines: Sequence[TextLine], _: Leaf) -> Block:
    """Words that are drawn in a figure, label by label; of a recognised page too little is known of its drawings."""
    if lines[0].is_recognised:
        return base
    text = "\n".join(line.text for line in lines)
    return replace(base, kind=Kind.FIGURE, role=LABELS, text=text, spans=(), bold=False, italic=False)


def _furniture(base: Block, _: Sequence[TextLine], leaf: Leaf) -> Block:
    lower = base.box is not None and base.box.y > leaf.height / 2
    return replace(base, kind=Kind.FOOTER if lower else Kind.HEADER)


def _code(base: Block, lines: Sequence[TextLine], _: Leaf) -> Block:
    """Code line by line, set in as it is printed."""
    left = min(line.left for line in lines)
    width = sum(line.width for line in lines) / max(sum(len(line.text) for line in lines), 1)
    text = "\n".join(" " * round((line.left - left) / max(width, 1.0)) + line.text for line in lines)
    return replace(base, kind=Kind.CODE, text=text, spans=(), bold=False, italic=False)


_MAKERS: dict[str, Callable[[Block, Sequence[TextLine], Leaf], Block]] = {
    "heading": _heading,
    "list_item": _list_item,
    "caption": _of_kind(Kind.CAPTION),
    "footnote": _of_kind(Kind.FOOTNOTE),
    "formula": _of_kind(Kind.FORMULA),
    "figure": _labels,
    "header": _furniture,
    "footer": _furniture,
    "page_number": _furniture,
    "code": _code,
}


def assign_levels(blocks: Sequence[Block]) -> list[Block]:
    """The blocks with the ranks of headings by their size and the depth of list items by their indent."""
    sizes = sorted({b.font_size for b in blocks if b.kind is Kind.HEADING and b.font_size}, reverse=True)
    ranks = {size: min(rank, LEVELS) for rank, size in enumerate(sizes, 1)}
    indents: list[float] = []
    levels = [(block, _level(block, ranks, indents)) for block in blocks]
    return [block if block.level == level else replace(block, level=level) for block, level in levels]


def _level(block: Block, ranks: dict[float, int], indents: list[float]) -> int | None:
    """The rank of a heading, the depth of a list item; anything but text between two items ends their list."""
    if block.kind is Kind.LIST_ITEM and block.box:
        return _depth(block.box, block.font_size or USUAL_SIZE, indents)
    if block.kind is not Kind.PARAGRAPH:
        indents.clear()
    return ranks.get(block.font_size or 0.0, 1) if block.kind is Kind.HEADING else None


def _depth(box: Box, size: float, indents: list[float]) -> int:
    """How many open lists an item's indent is within; the open lists are brought up to date."""
    while indents and box.x < indents[-1] - 0.8 * size:
        indents.pop()
    if not indents or box.x > indents[-1] + 0.8 * size:
        indents.append(box.x)
    return len(indents) - 1
