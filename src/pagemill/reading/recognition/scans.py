"""Reading a page by its picture: the whole of it, or only the pictures on it that may hold words."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from pagemill.model.pages import Block, Box, FormField, Kind, Line, Page, Route
from pagemill.reading.clean import solid_length
from pagemill.reading.layout import laid_out
from pagemill.reading.layout.figures import with_figures, with_words
from pagemill.reading.ocr.recogniser import Recogniser
from pagemill.reading.ocr.scan import Scan, scan_page
from pagemill.reading.page.block_parts import moved_block, numbered_copies, printed_words
from pagemill.reading.page.geometry import apart, shared_area, shift_box
from pagemill.reading.page.sheet import Stroke
from pagemill.reading.providers.chain import ReadableDocument
from pagemill.reading.recognition.comparing import (
    LAYER_CONFIRMED,
    LAYER_READS_BETTER,
    reason_to_keep,
    share_recognised,
    stays_beside_recognised,
)
from pagemill.reading.recognition.repeated import news
from pagemill.reading.routing.look import Look
from pagemill.reading.routing.route import (
    BLANK,
    NO_TEXT,
    TEXT_LAYER_GARBAGE,
    WHOLE_PAGE_SHARE,
    is_blank,
)
from pagemill.reading.sources.recognised import recognised_sheet

LOW_CONFIDENCE = "low_confidence"
# Of clean print nearly all lines are recognised with more than 0.9; handwriting and formulas stay below this.
LOW_CONFIDENCE_BELOW = 0.75
# There may have been nothing to read, but that is not certain.
NOTHING_FOUND_CONFIDENCE = 0.7
# In a picture that was not made to be read, a line must be surer than on a page of words.
SURE_IN_PICTURE = 0.8
# A page is hardly recognised if less of its printed words was; there, shorter lines are no words.
LEAST_RECOGNISED, FEWEST_CHARACTERS = 0.5, 3
# A line with so much of its box over a block of the text layer is a reading of that.
OVER_PRINT = 0.5
# So many, the largest first: a page with more has icons, not pictures with words.
MOST_PICTURES = 8
# What the recognised page no longer has wrong.
MENDED = (NO_TEXT, TEXT_LAYER_GARBAGE)


def read_scan(source: ReadableDocument, page: Page, recogniser: Recogniser, languages: Sequence[str]) -> Page:
    """The page with its text recognised: all of it by its route, else that in its pictures."""
    if page.route is Route.OCR:
        return read_whole(source, page, recogniser, languages)
    return read_pictures(source, page, recogniser, languages)


def read_whole(
    source: ReadableDocument, page: Page, recogniser: Recogniser, languages: Sequence[str]
) -> Page:
    """The page as it is recognised, unless its text layer says more or reads better, or has words that were not recognised."""
    scan = scan_page(source.path, page.number, source.password, recogniser, languages)
    lines = [line for line in scan.lines if not is_field(line, page.fields, scan.turned)]
    if not lines:
        return without_words(source, page, recogniser)
    if not scan.turned and (reason := reason_to_keep(page, lines)):
        return keep_layer(page, reason, scan.confidence)
    if not scan.turned and stays_beside_recognised(page, lines):
        return add_to_layer(page, recogniser, lines, scan)
    laid = laid_out(recognised_sheet(lines, scan.width, scan.height, scan.strokes))
    blocks = with_figures(laid, figures_of(page, scan))
    return replace(
        page,
        width=round(scan.width, 2),
        height=round(scan.height, 2),
        provider=recogniser.name,
        blocks=numbered_copies(page.number, blocks),
        lines=tuple(lines),
        turned=scan.turned,
        confidence=round(scan.confidence, 2),
        warnings=warnings_of(page, scan.confidence),
        pictures=(),
    )


def keep_layer(page: Page, reason: str, confidence: float) -> Page:
    """The page as its text layer has it; one that was suspected and is right is as sure as its text was recognised."""
    kept = replace(page, route=Route.TEXT, reason=reason, pictures=())
    if reason != LAYER_CONFIRMED:
        return kept
    return replace(kept, confidence=round(confidence, 2), warnings=warnings_of(page, confidence))


def add_to_layer(page: Page, recogniser: Recogniser, lines: Sequence[Line], scan: Scan) -> Page:
    """The page as its text layer has it, with the lines that were recognised elsewhere.

    Guesses are left out where most of what is known was recognised as something else.
    """
    printed = [block.box for block in page.blocks if block.box and block.kind is not Kind.FIGURE]
    kept = elsewhere = [
        line
        for line in news(lines, page.blocks)
        if not any(shared_area(line.box, box) > OVER_PRINT for box in printed)
    ]
    if scan.confidence < LOW_CONFIDENCE_BELOW and share_recognised(page, lines) < LEAST_RECOGNISED:
        kept = [
            one for one in kept if one.confidence >= SURE_IN_PICTURE and len(one.text) >= FEWEST_CHARACTERS
        ]
    whole = Box(0, 0, page.width, page.height)
    words = words_in(kept, whole, scan.strokes, page)
    if words:
        read = with_recognised(page, recogniser, with_words(page.blocks, whole, words), kept)
    else:
        read = keep_layer(page, LAYER_READS_BETTER, scan.confidence)
    # What is left out may have been words.
    confidence = overall(page, elsewhere)
    return replace(read, confidence=confidence, warnings=warnings_of(page, confidence))


def without_words(source: ReadableDocument, page: Page, recogniser: Recogniser) -> Page:
    """The page in whose picture nothing was found: what it had stays."""
    with Look(source.path, source.password) as look:
        blank = not page.blocks and is_blank(look, page.number)
    if blank:
        return replace(page, provider=recogniser.name, route=Route.BLANK, reason=BLANK)
    confidence = min(page.confidence, NOTHING_FOUND_CONFIDENCE)
    return replace(page, provider=recogniser.name, confidence=confidence, pictures=())


def figures_of(page: Page, scan: Scan) -> list[Block]:
    """The figures that are part of the page and not the picture of it; a turned page has none that fit."""
    area = page.width * page.height * WHOLE_PAGE_SHARE
    if scan.turned:
        return []
    return [b for b in page.blocks if b.kind is Kind.FIGURE and b.box and b.box.width * b.box.height < area]


def is_field(line: Line, fields: Sequence[FormField], turned: int) -> bool:
    """Whether a line is the value of a form field, which the page has already."""
    if turned:
        return False
    return any(
        field.value and field.box and shared_area(line.box, field.box) > SURE_IN_PICTURE for field in fields
    )


def read_pictures(
    source: ReadableDocument, page: Page, recogniser: Recogniser, languages: Sequence[str]
) -> Page:
    """The page with the words of its pictures added, each after its picture."""
    blocks = list(page.blocks)
    kept: list[Line] = []
    for picture in largest(apart(page.pictures)):
        scan = scan_page(source.path, page.number, source.password, recogniser, languages, picture)
        lines = [line for line in news(scan.lines, page.blocks) if line.confidence >= SURE_IN_PICTURE]
        if words := words_in(lines, picture, scan.strokes, page):
            blocks, kept = with_words(blocks, picture, words), [*kept, *lines]
    return with_recognised(page, recogniser, blocks, kept) if kept else replace(page, pictures=())


def with_recognised(
    page: Page, recogniser: Recogniser, blocks: Sequence[Block], lines: Sequence[Line]
) -> Page:
    """The page with blocks of its text layer and of lines that were recognised beside it."""
    confidence = overall(page, lines)
    return replace(
        page,
        route=Route.MIXED,
        provider=f"{page.provider}+{recogniser.name}",
        blocks=numbered_copies(page.number, blocks),
        lines=tuple(lines),
        confidence=confidence,
        warnings=warnings_of(page, confidence),
        pictures=(),
    )


def largest(boxes: Sequence[Box]) -> list[Box]:
    """The largest boxes, from the top of the page down."""
    chosen = sorted(boxes, key=lambda box: -box.width * box.height)[:MOST_PICTURES]
    return sorted(chosen, key=lambda box: (box.y, box.x))


def words_in(lines: Sequence[Line], picture: Box, strokes: Sequence[Stroke], page: Page) -> list[Block]:
    """The lines of a picture as blocks; what looks like a heading there heads nothing on the page."""
    moved = [replace(line, box=shift_box(line.box, -picture.x, -picture.y)) for line in lines]
    drawn = [stroke.shift(-picture.x, -picture.y) for stroke in strokes]
    blocks = laid_out(recognised_sheet(moved, picture.width, picture.height, drawn))
    placed = [moved_block(block, partial(shift_box, x=picture.x, y=picture.y)) for block in blocks]
    if page.route is not Route.TEXT and not any(block.kind is Kind.HEADING for block in page.blocks):
        return placed
    return [replace(b, kind=Kind.PARAGRAPH, level=None) if b.kind is Kind.HEADING else b for b in placed]


def overall(page: Page, lines: Sequence[Line]) -> float:
    """How sure all characters of a page are, those of its text layer and the recognised ones."""
    printed = solid_length(printed_words(page.blocks))
    found = [(line.confidence, len(line.text)) for line in lines]
    characters = printed + sum(length for _, length in found)
    sure = printed * page.confidence + sum(confidence * length for confidence, length in found)
    return round(sure / characters, 2) if characters else page.confidence


def warnings_of(page: Page, confidence: float) -> tuple[str, ...]:
    """What a reader of the recognised page should know."""
    still = tuple(code for code in page.warnings if code not in MENDED)
    return (*still, LOW_CONFIDENCE) if confidence < LOW_CONFIDENCE_BELOW else still
