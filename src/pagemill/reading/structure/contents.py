"""Tables of contents: a line for each entry, with the page number that stands at its end."""

import re
from collections.abc import Sequence
from statistics import median

from pagemill.model.pages import Block, Box, Kind
from pagemill.reading.clean import clean
from pagemill.reading.liteparse_blocks import words_of
from pagemill.reading.structure.lines import Line, Runs, box_around
from pagemill.reading.structure.pieces import is_text

_HEADING = re.compile(
    r"(?:(?:table|list) of )?(?:contents|figures|tables|illustrations)|inhalt(?:sverzeichnis|sübersicht)?|sommaire"
    r"|table des matières|índice|indice|sumário|inhoud(?:sopgave)?|содержание|оглавление|目录|目錄|目次|차례",
    re.IGNORECASE,
)
_LEADER = re.compile(r"(?:\. ?){5}|(?:· ?){5}|_{5}|…{2}")
# Looking for these first is ten times as fast.
_LEADER_BEGINNINGS = ("..", ". .", "··", "· ·", "__", "……")
_ENTRY = re.compile(r".*\D[\s.·…_]+(?:\d{1,4}|[ivxlc]{1,7}|[A-Z]-?\d{1,3})$")
FEWEST_ENTRIES = 4
ENTRY_SHARE = 0.6
SAME_EDGE_POINTS = 8.0
LEADER_LINES = 3
# The entries must say what the blocks said, but for hyphens and the like.
SAME_LENGTH = 0.02


def with_contents(blocks: Sequence[Block], runs: Runs, width: float) -> list[Block]:
    """The blocks, with a table of contents among them set line by line."""
    first = _beginning(blocks)
    if first is None:
        return list(blocks)
    old = [block for block in blocks[first:] if is_text(block) or block.kind is Kind.TABLE]
    lines = [line for line in _lines_of(old, runs, width) if line.text.strip()]
    if not _are_entries(lines) or not _say_the_same(old, lines):
        return list(blocks)
    others = [block for block in blocks[first:] if not (is_text(block) or block.kind is Kind.TABLE)]
    headings = {"".join(block.text.split()): block for block in old if block.kind is Kind.HEADING}
    return [*blocks[:first], *(_entry(line, old[0], headings) for line in lines), *others]


def _beginning(blocks: Sequence[Block]) -> int | None:
    """The place of the first block that may be an entry; None on a page that has no contents."""
    for place, block in enumerate(blocks):
        if block.kind is Kind.HEADING and _HEADING.fullmatch(block.text.strip()):
            return place + 1
    leading = [place for place, block in enumerate(blocks) if _has_leader(block)]
    count = sum(len(_LEADER.findall(words)) for place in leading for words in words_of(blocks[place]))
    return leading[0] if leading and count >= LEADER_LINES else None


def _has_leader(block: Block) -> bool:
    return any(
        _LEADER.search(words)
        for words in words_of(block)
        if any(dots in words for dots in _LEADER_BEGINNINGS)
    )


def _lines_of(blocks: Sequence[Block], runs: Runs, width: float) -> list[Line]:
    boxes = [block.box for block in blocks if block.box]
    if not boxes:
        return []
    top, bottom = min(box.y for box in boxes), max(box.bottom for box in boxes)
    return runs.lines_in(Box(0, top, width, bottom - top))


def _are_entries(lines: Sequence[Line]) -> bool:
    """Whether most lines end in a page number, and the numbers in one column."""
    ends = [line.right for line in lines if _ENTRY.match(line.text.strip())]
    if len(ends) < max(FEWEST_ENTRIES, ENTRY_SHARE * len(lines)):
        return False
    edge = median(ends)
    return sum(abs(end - edge) < SAME_EDGE_POINTS for end in ends) >= ENTRY_SHARE * len(ends)


def _say_the_same(blocks: Sequence[Block], lines: Sequence[Line]) -> bool:
    before = sorted("".join(words for block in blocks for words in words_of(block)).replace(" ", ""))
    after = sorted("".join(clean(line.text) for line in lines).replace(" ", ""))
    return abs(len(before) - len(after)) <= SAME_LENGTH * len(before)


def _entry(line: Line, like: Block, headings: dict[str, Block]) -> Block:
    """A line as a paragraph; one that is a heading between the entries stays one."""
    heading = headings.get("".join(line.text.split()))
    if heading and not _ENTRY.match(line.text.strip()):
        return heading
    return Block("", Kind.PARAGRAPH, box_around([line]), clean(line.text).strip(), font_size=like.font_size)
