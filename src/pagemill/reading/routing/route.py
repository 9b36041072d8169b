"""How a page is to be read, and why: by its text layer, by recognising its text, by both, or not at all.

Recognising costs hundreds of times what reading text does, so a page must give a reason for it. Most pages are
settled by their text alone; only the others get a look at what is drawn on them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pagemill.model.pages import Box, Kind, Page, Route
from pagemill.reading.clean import solid_length
from pagemill.reading.routing.look import Look, PageContent
from pagemill.reading.routing.words import is_garbled, reads_well

# A page with fewer characters may be a picture with a header, a stamp or a page number on it.
LITTLE_TEXT = 200
# With this much of the page under pictures, the pictures are what the page is about.
PICTURE_SHARE = 0.5
# With this much, it is one picture, and any text is over or under it.
WHOLE_PAGE_SHARE = 0.85
# Less text than this beside many small shapes: the words are drawn as outlines.
NEXT_TO_NO_TEXT = 50
FEWEST_GLYPHS = 150
# A picture smaller than this is a logo, a bullet or an icon.
LEAST_PICTURE_POINTS = (60.0, 20.0)
# Somebody's recognition was good enough to be kept, but it was a guess all the same.
OCR_LAYER_CONFIDENCE = 0.9
POOR_LAYER_CONFIDENCE = 0.5
GARBLED_CONFIDENCE = 0.2
BLANK, OCR_LAYER, GARBLED_LAYER = "blank", "ocr_layer_good", "garbled_text_layer"
PICTURE_PAGE = "page_is_a_picture"
HIDDEN_TEXT, TEXT_LAYER_GARBAGE, NO_TEXT = "hidden_text", "text_layer_garbage", "no_text"


@dataclass(frozen=True, slots=True)
class Routing:
    """The way a page goes, the reason, and what a reader of it should know."""

    route: Route
    reason: str
    pictures: tuple[Box, ...] = ()
    warnings: tuple[str, ...] = ()
    confidence: float = 1.0


def route_page(
    page: Page, printed: str, look: Look, *, suspicious: bool = False, upside_down: bool = False
) -> Page:
    """The page with its route, given all text that its text layer has; a suspicious one gets a look in any case.

    The lines of a page that is upside down come in no order; a single one is as it should be.
    """
    if upside_down and solid_length(printed) >= LITTLE_TEXT:
        way = Routing(Route.OCR, GARBLED_LAYER, (), (TEXT_LAYER_GARBAGE,), GARBLED_CONFIDENCE)
    else:
        way = routing(page, printed, look, suspicious)
    return replace(
        page,
        route=way.route,
        reason=way.reason,
        pictures=way.pictures,
        warnings=(*page.warnings, *way.warnings),
        confidence=round(min(page.confidence, way.confidence), 2),
    )


def with_hidden_text_warning(page: Page) -> Page:
    """The page with the warning that not all of its text can be seen."""
    return page if HIDDEN_TEXT in page.warnings else replace(page, warnings=(*page.warnings, HIDDEN_TEXT))


def routing(page: Page, printed: str, look: Look, suspicious: bool) -> Routing:
    """The way for a page; only a suspicious one is looked at."""
    characters = solid_length(printed)
    garbled = bool(characters) and is_garbled(printed)
    if characters >= LITTLE_TEXT and not garbled and not suspicious:
        return Routing(Route.TEXT, "text_layer_good", pictures_of(page))
    if garbled:
        return Routing(Route.OCR, GARBLED_LAYER, (), (TEXT_LAYER_GARBAGE,), GARBLED_CONFIDENCE)
    seen = look.seen(page.number)
    if seen is None:
        warnings = () if characters else (NO_TEXT,)
        return Routing(Route.TEXT, "page_not_drawn", pictures_of(page), warnings)
    return with_text(page, printed, seen, look) if characters else without_text(page, seen, look)


def without_text(page: Page, seen: PageContent, look: Look) -> Routing:
    """The way for a page that has no text layer: its text is recognised, unless there is nothing to see."""
    if page.fields and not seen.pictures and seen.glyphs < FEWEST_GLYPHS:
        return Routing(Route.TEXT, "form_fields_only", warnings=(NO_TEXT,))
    if not seen.is_inked and is_blank(look, page.number):
        return Routing(Route.BLANK, BLANK, warnings=(NO_TEXT,))
    if covered_share(page, seen.pictures) >= PICTURE_SHARE:
        return Routing(Route.OCR, PICTURE_PAGE, warnings=(NO_TEXT,))
    reason = "drawn_words" if seen.glyphs >= FEWEST_GLYPHS else "no_text_layer"
    return Routing(Route.OCR, reason, warnings=(NO_TEXT,))


def with_text(page: Page, printed: str, seen: PageContent, look: Look) -> Routing:
    """The way for a page with legible text: is it all there is to read, and can it be seen?"""
    share = covered_share(page, seen.pictures)
    if share >= PICTURE_SHARE:
        return on_pictures(page, printed, seen, look, share)
    if solid_length(printed) < NEXT_TO_NO_TEXT and seen.glyphs >= FEWEST_GLYPHS:
        return Routing(Route.OCR, "drawn_words")
    warnings = (HIDDEN_TEXT,) if seen.hidden or seen.invisible * 2 > seen.texts else ()
    return Routing(Route.TEXT, "text_layer_good", pictures_of(page), warnings)


def on_pictures(page: Page, printed: str, seen: PageContent, look: Look, share: float) -> Routing:
    """The way for a page of pictures: a scan with or without a layer of text, a poster, a photograph."""
    little = solid_length(printed) < LITTLE_TEXT
    pictures = worth_reading(seen.pictures)
    if seen.invisible * 2 > seen.texts:
        if little or not reads_well(printed):
            return Routing(Route.OCR, "poor_ocr_layer", confidence=POOR_LAYER_CONFIDENCE)
        return Routing(Route.TEXT, OCR_LAYER, confidence=OCR_LAYER_CONFIDENCE)
    if little and any(is_printed(look, page, picture) for picture in pictures):
        if share >= WHOLE_PAGE_SHARE:
            return Routing(Route.OCR, PICTURE_PAGE)
        return Routing(Route.MIXED, "pictures_hold_words", pictures)
    return Routing(Route.TEXT, "text_over_picture", pictures)


def is_blank(look: Look, number: int) -> bool:
    """Whether nothing is to be seen on a page."""
    ink = look.ink(number)
    return bool(ink and ink.is_blank)


def is_printed(look: Look, page: Page, picture: Box) -> bool:
    """Whether a picture shows something printed or drawn on paper, not a photograph, beside the text layer of the page."""
    texts = [block.box for block in page.blocks if block.box and block.kind is not Kind.FIGURE]
    ink = look.ink(page.number, picture, texts)
    return ink is None or (ink.on_paper and not ink.is_blank)


def covered_share(page: Page, pictures: Sequence[Box]) -> float:
    """The share of the page that is under pictures; strips of a scan add up."""
    area = page.width * page.height
    return min(1.0, sum(box.width * box.height for box in pictures) / area) if area else 0.0


def pictures_of(page: Page) -> tuple[Box, ...]:
    """The page's figures that may hold words."""
    return worth_reading([block.box for block in page.blocks if block.kind is Kind.FIGURE and block.box])


def worth_reading(boxes: Sequence[Box]) -> tuple[Box, ...]:
    """The boxes that are large enough for words."""
    width, height = LEAST_PICTURE_POINTS
    return tuple(box for box in boxes if box.width >= width and box.height >= height)
