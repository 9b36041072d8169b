"""The flow of words: blocks that break off in the middle of a sentence are put together again."""

import re
from collections.abc import Sequence
from dataclasses import replace

from pagemill.model.pages import Block, Box, Kind, Span
from pagemill.reading.structure.notes import is_caption
from pagemill.reading.structure.pieces import HYPHENS, is_text, together

# The engine says only that a line begins in bold; a heading in it ends with a full stop or colon.
_RUN_IN = re.compile(r".{2,60}?(?<!\.)[^\W\d][.:](?=\s)")
ENDS = (".", "!", "?", ":", ";", "…", "。", "！", "？")
SAME_SIZE = 1.06
# The next line stands no further below than this share of its size.
NEXT_LINE = 0.75
FILLED_SHARE = 0.8
FILLED_ENTRY_SHARE = 0.9
LONGEST_TITLE_LINE = 120
FARTHEST_LEFT_POINTS = 30.0


def flowing(blocks: Sequence[Block]) -> list[Block]:
    """The blocks with sentences, captions and headings that were cut made whole."""
    result: list[Block] = []
    for block in blocks:
        before = result[-1] if result else None
        if before is not None and _goes_on(before, block):
            lower = replace(block, bold=False, italic=False) if _is_rest_of_title(before, block) else block
            result[-1] = together(_as_upper(before, block), lower)
        else:
            result.append(block)
    return result


def _goes_on(upper: Block, lower: Block) -> bool:
    if not is_text(upper) or not upper.text or not lower.text:
        return False
    if not is_next_line(upper, lower):
        return _goes_on_in_next_column(upper, lower) and _breaks_off(upper, lower)
    if lower.kind is Kind.HEADING:
        return _same_title(upper, lower) or _same_caption(upper, lower)
    if lower.kind is not Kind.PARAGRAPH:
        return False
    if upper.kind is Kind.HEADING:
        return _breaks_off(upper, lower) and _is_first_line(upper, lower)
    return _breaks_off(upper, lower) or _same_caption(upper, lower) or _is_filled_entry(upper, lower)


def _is_filled_entry(upper: Block, lower: Block) -> bool:
    """Whether an entry of a list stops in mid-sentence at the end of its line, above a text that is set in like it."""
    a, b = upper.box, lower.box
    if upper.kind is not Kind.LIST_ITEM or a is None or b is None or upper.text.endswith(ENDS):
        return False
    if not lower.text[0].isupper() or (_is_bold(lower) and not _is_bold(upper)):
        return False
    return b.x > a.x + FARTHEST_LEFT_POINTS / 4 and a.right > b.x + FILLED_ENTRY_SHARE * b.width


def _breaks_off(upper: Block, lower: Block) -> bool:
    """Whether the upper text stops in mid-sentence and the lower one takes it up."""
    if upper.text.endswith(HYPHENS) and upper.text[-2:-1].isalpha():
        return lower.text[0].isalpha()
    return not upper.text.endswith(ENDS) and lower.text[0].islower()


def _is_first_line(heading: Block, lower: Block) -> bool:
    """Whether what looks like a heading is the first line of a paragraph that begins with bold words."""
    if heading.box is None or lower.box is None:
        return False
    return heading.box.width > FILLED_SHARE * lower.box.width or _RUN_IN.match(heading.text) is not None


def _same_caption(upper: Block, lower: Block) -> bool:
    """Whether a caption goes on in the same bold type."""
    bold = upper.bold and (lower.bold or lower.kind is Kind.HEADING)
    return bold and is_caption(upper.text) and not is_caption(lower.text) and not upper.text.endswith(ENDS)


def _same_title(upper: Block, lower: Block) -> bool:
    """Whether two headings are one that was cut in mid-sentence."""
    return upper.kind is Kind.HEADING and lower.text[0].islower() and not upper.text.endswith(ENDS)


def _is_rest_of_title(upper: Block, lower: Block) -> bool:
    """Whether a paragraph below a heading is its last line, in bold as it is."""
    short = len(lower.text) <= LONGEST_TITLE_LINE
    return upper.kind is Kind.HEADING and lower.kind is Kind.PARAGRAPH and lower.bold and short


def is_next_line(upper: Block, lower: Block) -> bool:
    """Whether a block stands right below another, in the same size and column."""
    a, b = upper.box, lower.box
    if a is None or b is None or not upper.font_size or not lower.font_size:
        return False
    size = max(upper.font_size, lower.font_size)
    if size > SAME_SIZE * min(upper.font_size, lower.font_size):
        return False
    return -size <= b.y - a.bottom <= NEXT_LINE * size and _same_column(a, b)


def _goes_on_in_next_column(upper: Block, lower: Block) -> bool:
    """Whether a paragraph stands further up and to the right of one in the same type."""
    a, b = upper.box, lower.box
    if a is None or b is None or upper.kind is not Kind.PARAGRAPH or lower.kind is not Kind.PARAGRAPH:
        return False
    alike = (upper.font_size, upper.bold, upper.italic) == (lower.font_size, lower.bold, lower.italic)
    return alike and b.x >= a.right and b.bottom < a.bottom


def _same_column(a: Box, b: Box) -> bool:
    shared = min(a.right, b.right) - max(a.x, b.x)
    return shared > 0 and b.x >= a.x - FARTHEST_LEFT_POINTS


def _as_upper(upper: Block, lower: Block) -> Block:
    """The beginning of a sentence as a paragraph of which only the bold words are bold."""
    if _is_rest_of_title(upper, lower):
        return upper
    if upper.kind is Kind.HEADING and lower.kind is Kind.PARAGRAPH:
        upper = replace(upper, kind=Kind.PARAGRAPH, level=None, bold=False)
    elif not _is_bold(upper) or lower.bold or lower.kind is Kind.HEADING:
        return upper
    end = _end_of_run_in(upper.text)
    spans = (Span(0, end, bold=True), *(span for span in upper.spans if span.href and span.start >= end))
    return replace(upper, bold=False, spans=spans if end else ())


def _is_bold(block: Block) -> bool:
    return block.bold or any(span.bold and span.end - span.start == len(block.text) for span in block.spans)


def _end_of_run_in(text: str) -> int:
    """Where the heading at the beginning of a paragraph ends; 0 if there is none."""
    match = _RUN_IN.match(text)
    return match.end() if match else 0
