"""Blocks of recognised paragraphs: headings, list items, captions and footnotes by how they look and begin."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pagemill.model.pages import Block, Kind
from pagemill.reading.layout.blocks import Leaf, levelled
from pagemill.reading.layout.headings import Setting, is_heading
from pagemill.reading.layout.lines import TextLine
from pagemill.reading.layout.markers import Marked, is_caption, is_footnote, marked, ordinals
from pagemill.reading.layout.pieces import confidence_of, hull, median_size
from pagemill.reading.layout.sizes import even_size
from pagemill.reading.layout.wording import running
from pagemill.reading.page.sheet import Stroke

# Notes stand in the lower part of a page and are set smaller than the text.
FOOT_SHARE, NOTE_SIZE, NOTE_LIMIT = 0.55, 0.92, 1.07
# The line over them starts at the left and is this long, in parts of the page's width.
NOTE_RULE, NOTE_RULE_LEFT = (0.1, 0.4), 0.25
LONGEST_CAPTION_LINES = 8


Paragraph = Sequence[TextLine]


@dataclass(frozen=True, slots=True)
class Part:
    """The paragraphs of one column; `space_above` says how much white space its first one has over it."""

    paragraphs: list[Paragraph]
    space_above: float


def scanned_blocks(parts: Sequence[Part], leaf: Leaf) -> list[Block]:
    """The parts of a page as blocks, in their order."""
    blocks: list[Block] = []
    for at, part in enumerate(parts):
        after = parts[at + 1].paragraphs[0] if at + 1 < len(parts) else ()
        blocks += _part_blocks(part, after, leaf)
    return levelled(blocks)


def _part_blocks(part: Part, after: Paragraph, leaf: Leaf) -> list[Block]:
    lines = [line for paragraph in part.paragraphs for line in paragraph]
    width = max(line.right for line in lines) - min(line.left for line in lines)
    found = [marked(paragraph[0].text) for paragraph in part.paragraphs]
    blocks: list[Block] = []
    for at, paragraph in enumerate(part.paragraphs):
        if paragraph[0].block:
            blocks.append(paragraph[0].block)
            continue
        upper = part.paragraphs[at - 1] if at else ()
        lower = part.paragraphs[at + 1] if at + 1 < len(part.paragraphs) else ()
        setting = Setting(
            leaf.body_size,
            above=paragraph[0].top - upper[-1].bottom if upper else part.space_above,
            below=lower[0].top - paragraph[-1].bottom if lower else leaf.height,
            width=width,
            next_letters=sum(len(line.text) for line in lower or after),
            among_others=_is_among_others(part.paragraphs, found, at),
        )
        blocks.append(_block(paragraph, setting, found[at] if _is_listed(found, at) else None, leaf))
    return blocks


def _is_among_others(paragraphs: Sequence[Paragraph], found: Sequence[Marked | None], at: int) -> bool:
    """Whether items of the same list, or labels without words, stand next to a paragraph."""
    beside = [other for other in (at - 1, at + 1) if 0 <= other < len(paragraphs)]
    if any(not paragraphs[other][0].block and _is_label(paragraphs[other]) for other in beside):
        return True
    return _is_listed(found, at) and any(found[other] for other in beside)


def _is_label(paragraph: Paragraph) -> bool:
    return not any(letter.isalpha() for line in paragraph for letter in line.text)


def _is_listed(found: Sequence[Marked | None], at: int) -> bool:
    """Whether a marker makes a list: a bullet by itself, a number if one before or after it counts on."""
    own = found[at]
    if own is None or not own.text:
        return False
    if not own.ordered:
        return True
    near = [other for other in found[max(at - 6, 0) : at + 7] if other and other is not own]
    around = set().union(*(ordinals(other.marker) for other in near))
    return any(
        (style, count + 1) in around or (style, count - 1) in around for style, count in ordinals(own.marker)
    )


def _block(lines: Paragraph, setting: Setting, listed: Marked | None, leaf: Leaf) -> Block:
    text = running([line.text for line in lines], leaf.vocabulary)
    size = even_size(median_size(lines), leaf.body_size)
    base = Block("", Kind.PARAGRAPH, hull(lines), text, font_size=size, confidence=confidence_of(lines))
    if is_caption(text) and len(lines) <= LONGEST_CAPTION_LINES:
        return replace(base, kind=Kind.CAPTION)
    if is_heading(lines, setting) and not (listed and _is_run_on(text)):
        return replace(base, kind=Kind.HEADING, level=1)
    if _is_note(base, leaf):
        return replace(base, kind=Kind.FOOTNOTE)
    if listed:
        rest = running([listed.text, *(line.text for line in lines[1:])], leaf.vocabulary)
        return _list_item(base, rest, listed)
    return base


def _is_run_on(text: str) -> bool:
    return len(text) > 60


def _is_note(block: Block, leaf: Leaf) -> bool:
    """Whether a block is a footnote: at the foot, with a sign, small or under the line over the notes."""
    if block.box is None or block.font_size is None or not is_footnote(block.text):
        return False
    small = block.font_size < NOTE_SIZE * leaf.body_size and block.box.y > FOOT_SHARE * leaf.height
    return small or (block.box.y > leaf.notes_from and block.font_size < NOTE_LIMIT * leaf.body_size)


def notes_from(strokes: Sequence[Stroke], width: float, height: float) -> float:
    """The height of the short line over the footnotes; the foot of the page if there is none."""
    rules = [
        stroke.y1
        for stroke in strokes
        if abs(stroke.y1 - stroke.y2) < 2
        and stroke.y1 > FOOT_SHARE * height
        and NOTE_RULE[0] * width < abs(stroke.x1 - stroke.x2) < NOTE_RULE[1] * width
        and min(stroke.x1, stroke.x2) < NOTE_RULE_LEFT * width
    ]
    return rules[0] if len(rules) == 1 else height


def _list_item(base: Block, text: str, listed: Marked) -> Block:
    return replace(
        base, kind=Kind.LIST_ITEM, text=text, marker=listed.marker, ordered=listed.ordered, level=0
    )
