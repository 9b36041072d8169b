"""Segments: the words of a page in runs on one line, as people set labels and values beside each other."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pypdfium2

from pagemill.model.pages import Box, Kind, Page, box_around
from pagemill.reading.clean import clean

# A wider gap than this many heights of the line parts a label from a value.
WIDEST_GAP = 0.9
MOST_RECTANGLES = 20_000
# Dots that lead from a label to its value are neither.
LEADER = re.compile(r"(?:[.…·_]\s?){3,}")


@dataclass(frozen=True, slots=True)
class Segment:
    """Words on one line with nothing but single spaces between them, where that is known, and the block that they are in."""

    text: str
    box: Box | None
    block: str | None = None


def segments_of(pdf: pypdfium2.PdfDocument | None, page: Page) -> list[Segment]:
    """The segments of a page: recognised lines, or the runs of its own text; none of a page that is turned.

    Where a person changed what was read, the print does not count any more, and the lines of the block do.
    """
    if page.lines:
        return [Segment(one.text, one.box, block_at(page, one.box)) for one in page.lines]
    printed = printed_segments(pdf, page) if pdf is not None and not page.turned else []
    if not printed or not page.corrected_boxes:
        return printed
    kept = [one for one in printed if not is_corrected(page, one.box)]
    return [*kept, *(one for one in block_pieces(page) if one.box in page.corrected_boxes)]


def is_corrected(page: Page, box: Box | None) -> bool:
    """Whether what is at a place was changed by a person."""
    return box is not None and any(has_middle(changed, box) for changed in page.corrected_boxes)


def block_pieces(page: Page) -> list[Segment]:
    """The blocks of a page as pieces that may be labels or values, where no segments are known."""
    return [
        Segment(line, block.box, block.id)
        for block in page.blocks
        if block.kind not in (Kind.FIGURE, Kind.CODE, Kind.FORMULA, Kind.TABLE)
        for line in block.text.split("\n")
        if line.strip()
    ]


def printed_segments(pdf: pypdfium2.PdfDocument, page: Page) -> list[Segment]:
    """The runs of the text of a page."""
    printed = pdf[page.number - 1]
    try:
        runs = [] if printed.get_rotation() else list(runs_of(printed))
    finally:
        printed.close()
    return [Segment(text, box, block_at(page, box)) for text, box in join_runs(runs)]


def runs_of(page: pypdfium2.PdfPage) -> Iterator[tuple[str, Box]]:
    """The runs of text that PDFium tells apart, from the top down."""
    left, _, _, top = page.get_bbox()
    textpage = page.get_textpage()
    try:
        for place in range(min(textpage.count_rects(), MOST_RECTANGLES)):
            x1, y1, x2, y2 = textpage.get_rect(place)
            text = " ".join(clean(textpage.get_text_bounded(x1, y1, x2, y2)).split())
            if text and not LEADER.fullmatch(text):
                x, y = round(x1 - left, 2), round(top - y2, 2)
                yield text, Box(x, y, round(x2 - x1, 2), round(y2 - y1, 2))
    finally:
        textpage.close()


def join_runs(runs: Sequence[tuple[str, Box]]) -> list[tuple[str, Box]]:
    """The runs, joined where they follow each other on a line with no more than a space between them."""
    joined: list[tuple[str, Box]] = []
    for text, box in sorted(runs, key=lambda run: (round(run[1].bottom / 3), run[1].x)):
        last = joined[-1][1] if joined else None
        if (
            last
            and is_same_line(last, box)
            and -1 <= box.x - last.right < WIDEST_GAP * max(last.height, box.height)
        ):
            space = " " if box.x - last.right > 0.1 * box.height else ""
            joined[-1] = (joined[-1][0] + space + text, box_around([last, box]))
        else:
            joined.append((text, box))
    return joined


def is_same_line(one: Box, other: Box) -> bool:
    """Whether two boxes share most of the height of the smaller one."""
    shared = min(one.bottom, other.bottom) - max(one.y, other.y)
    return shared > 0.5 * min(one.height, other.height)


def block_at(page: Page, box: Box) -> str | None:
    """The block that has the middle of a box."""
    return next((block.id for block in page.blocks if block.box and has_middle(block.box, box)), None)


def has_middle(box: Box, other: Box) -> bool:
    """Whether a box has the middle of another."""
    x, y = other.x + other.width / 2, other.y + other.height / 2
    return box.x <= x <= box.right and box.y <= y <= box.bottom
