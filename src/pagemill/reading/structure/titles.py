"""Headings of a page: what only looks like one becomes a paragraph, what is one becomes a heading."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pagemill.model.pages import Block, Box, Kind
from pagemill.reading.structure.body import Body
from pagemill.reading.structure.bylines import without_bylines
from pagemill.reading.structure.notes import is_caption, is_source
from pagemill.reading.structure.pieces import is_text, with_marker

LARGER = 1.15
MUCH_LARGER = 1.3
EDGE_SHARE = 0.06
# At the edge of a page only a very large line is a heading.
EDGE_SIZE = 1.6
LONGEST_WORDS = 14
# The engine's headings may be longer; only a short one may end in a full stop.
LONGEST_STAYING_WORDS, SHORT_WORDS = 18, 7
LEAST_BODY_CHARACTERS = 40
LABEL_CHARACTERS = 12
LEVELS = 6
QUOTES = "\"'“”‘’«»„¿¡("
LONG_WORD, CAPITALS_SHARE = 3, 0.7
LEAST_SIZE = 0.95
# The gap above a heading, in its own size.
APART = 0.35

_NUMBER = re.compile(
    r"(?:chapter|part|section|unit|lesson|kapitel|teil|chapitre|capítulo)?\s*(?:\d{1,3}|[IVXLC]+)[.:]?",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"(?:(?:\d{1,2}\.){1,4}\d{0,2}|[IVX]{1,5}[.)]|[A-Z]\.(?=\s+\S+\s+\S)|[A-Z]\.\d{1,2}(?:\.\d{1,2})*|§+\s?\d+[a-z]?\.?"
    r"|(?i:appendix|chapter|section|part|article|annex|unit|lesson|step|anhang|kapitel|abschnitt|artikel|annexe|chapitre)"
    r"\s+(?:\d+|[A-Z]|[IVXLC]+)\b[.:]?)\s*[–—-]?\s*"
)
_LEADING_NUMBER = re.compile(r"\d{1,2}\s*[–—-]?\s+(?=\S)")
# Two numbered lines that were run together are no heading.
_SECOND_NUMBER = re.compile(r"\s\d+\.\d+\s")
_SECOND_SENTENCE = re.compile(r"\w{3}\. +\S")
_ADDRESS = re.compile(r"(?:https?://|www\.|\S+@\S+\.\w|\+?\d[\d ()/-]{7,}$|//)")
_FORMULA = re.compile(r"[=≈≠≤≥∑∏∫√∂∇→⇒⇔∈∉⊂⊆∪∩∀∃∞]|\\\w")


@dataclass(frozen=True, slots=True)
class Setting:
    """What headings are judged by: the body of the page and its height."""

    body: Body
    height: float


def titled(blocks: Sequence[Block], page: Setting) -> list[Block]:
    """The blocks with headings where a reader sees headings."""
    result = without_bylines(blocks)
    for place, block in enumerate(result):
        following = result[place + 1 : place + 3]
        if block.kind is Kind.HEADING:
            if not _stays(block, following, page):
                result[place] = replace(block, kind=Kind.PARAGRAPH, level=None)
        elif block.kind is Kind.LIST_ITEM and _is_alone(result, place):
            line = with_marker(block)
            if _is_title_case(block.text) and _is_missed(line, result, place, page):
                result[place] = replace(
                    line, kind=Kind.HEADING, level=_level(line, result), bold=False, italic=False
                )
        elif block.kind is Kind.PARAGRAPH and _is_missed(block, result, place, page):
            result[place] = replace(
                block, kind=Kind.HEADING, level=_level(block, result), bold=False, italic=False
            )
    return result


def _is_alone(blocks: Sequence[Block], place: int) -> bool:
    """Whether a numbered entry has no other before or after it."""
    neighbours = (*blocks[max(place - 1, 0) : place], *blocks[place + 1 : place + 2])
    return blocks[place].ordered and not any(block.kind is Kind.LIST_ITEM for block in neighbours)


def _is_title_case(text: str) -> bool:
    """Whether the long words of a text have capitals, which those of an entry in a list have not."""
    words = [word for word in text.split() if len(word) > LONG_WORD]
    return sum(word[0].isupper() for word in words) >= CAPITALS_SHARE * len(words)


def _stays(block: Block, following: Sequence[Block], page: Setting) -> bool:
    """Whether what the engine took for a heading is one."""
    text, size = block.text, block.font_size or page.body.size
    larger = size > LARGER * page.body.size
    if not any(letter.isalpha() for letter in text):
        return larger and any(letter.isalnum() for letter in text)
    if text[0].islower() and (text.endswith(".") or not larger):
        return False
    if larger:
        return True
    return not (
        _is_at_edge(block.box, page) or _is_sentence(text) or _is_no_title(text) or _is_label(following)
    )


def _is_at_edge(box: Box | None, page: Setting) -> bool:
    """Whether a block stands where running headers and footers do."""
    return (
        box is not None and not EDGE_SHARE < (box.y + box.height / 2) / (page.height or 1.0) < 1 - EDGE_SHARE
    )


def _is_sentence(text: str) -> bool:
    """Whether a text is too long for a heading in the size of the body, or ends as a sentence does."""
    words = len(text.split())
    if text.endswith(("。", "！", "？")):
        return True
    return words > LONGEST_STAYING_WORDS or (text.endswith((".", ",", ";")) and words > SHORT_WORDS)


def _is_no_title(text: str) -> bool:
    """Whether a text is a caption, a source, an address, a formula or a single letter."""
    return (
        is_caption(text)
        or is_source(text)
        or _ADDRESS.search(text) is not None
        or _FORMULA.search(text) is not None
        or len(text) < 2
    )


def _is_label(following: Sequence[Block]) -> bool:
    """Whether only other labels follow, as they do in a chart."""
    return len(following) == 2 and all(
        block.kind is Kind.PARAGRAPH and len(block.text) <= LABEL_CHARACTERS for block in following
    )


def _is_missed(block: Block, blocks: Sequence[Block], place: int, page: Setting) -> bool:
    """Whether a paragraph is a heading that the engine took for text."""
    text = block.text
    following = next((other for other in blocks[place + 1 :] if is_text(other)), None)
    if following is None or not text or len(text) > 120:
        return False
    if _is_chapter_number(block, following, page):
        return True
    if not _looks_like_title(text) or _is_at_edge(block.box, page) or not _leads(block, following, page):
        return False
    size = block.font_size or 0.0
    if size > MUCH_LARGER * page.body.size:
        return True
    before = blocks[place - 1] if place else None
    if size < LEAST_SIZE * page.body.size or not _is_apart(before, block):
        return False
    return size > LARGER * page.body.size or _stands_out(block, page)


def _is_apart(before: Block | None, block: Block) -> bool:
    """Whether there is more than the gap of a line above a block."""
    if before is None or before.box is None or block.box is None or not is_text(before):
        return True
    gap = block.box.y - before.box.bottom
    if gap < 0 or gap > APART * (block.font_size or 0.0):
        return True
    return block.bold and not before.bold and before.text.endswith(".")


def _is_chapter_number(block: Block, following: Block, page: Setting) -> bool:
    """Whether a block is the large number above the title of a chapter."""
    large = (block.font_size or 0.0) > MUCH_LARGER * page.body.size
    return (
        large
        and following.kind is Kind.HEADING
        and _NUMBER.fullmatch(block.text.replace(" .", ".")) is not None
    )


def _looks_like_title(text: str) -> bool:
    words = text.split()
    if len(words) > LONGEST_WORDS or text.endswith((".", ",", ";", "-")) or _is_no_title(text):
        return False
    rest = _LEADING_NUMBER.sub("", _NUMBERED.sub("", text, count=1), count=1)
    if not rest:
        return len(words) > 1
    if _SECOND_NUMBER.search(rest) or _SECOND_SENTENCE.search(rest):
        return False
    return rest.lstrip(QUOTES)[:1].isupper() and sum(letter.isalpha() for letter in rest) > 2 * len(rest) / 3


def _leads(block: Block, following: Block, page: Setting) -> bool:
    """Whether text of the body follows right below, in the same column."""
    a, b = block.box, following.box
    if a is None or b is None or following.kind not in (Kind.PARAGRAPH, Kind.LIST_ITEM):
        return False
    below = -2.0 <= b.y - a.bottom < 3 * page.body.size and min(a.right, b.right) > max(a.x, b.x)
    return below and len(following.text) >= LEAST_BODY_CHARACTERS and not following.bold


def _stands_out(block: Block, page: Setting) -> bool:
    """Whether a line of the size of the body is set apart from it by its type or its number."""
    capitals = block.text.isupper() and len(block.text) > 4
    bold = block.bold and page.body.bold_stands_out
    return bold or block.italic or capitals or _NUMBERED.match(block.text) is not None


def _level(block: Block, blocks: Sequence[Block]) -> int:
    """The level of the engine's headings of that size, or the one below them all; the document settles it."""
    headings = [other for other in blocks if other.kind is Kind.HEADING]
    same = [other.level for other in headings if other.level and other.font_size == block.font_size]
    return same[0] if same else min(LEVELS, 1 + max((other.level or 1 for other in headings), default=0))
