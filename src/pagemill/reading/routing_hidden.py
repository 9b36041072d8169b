"""Text that a reader of the page does not see: white on white, or too small to be read."""

import re
from collections.abc import Sequence

from pagemill.model.pages import Box
from pagemill.reading.liteparse_native import NativePage, NativeText
from pagemill.reading.routing_look import Look
from pagemill.reading.sheet import box_of

# Smaller print is not meant to be read; dots that lead to a page number may be as small.
TINY_POINTS = 2.0
FEWEST_TINY_LETTERS = 10
# A few places tell; each of them has to be drawn.
MOST_PLACES = 3

# Alpha, red, green, blue: nothing of a colour, or nearly all of each.
_PALE = re.compile("00......|..f.f.f.")
_COLOUR = re.compile("[0-9a-f]{8}")
# Of 256 steps of red, green and blue; letters that differ less from their ground can't be read.
ALIKE_STEPS = 40


def has_hidden_text(native: NativePage, texts: Sequence[NativeText], look: Look) -> bool:
    """Whether some of the page's text, all of which is given, can't be seen where it stands."""
    tiny = [text for text in texts if text.height < TINY_POINTS]
    if sum(letters_of(text) for text in tiny if is_tiny(text)) >= FEWEST_TINY_LETTERS:
        return True
    # Colours are known for all runs of a page or for none.
    if not texts or texts[0].fill_color is None:
        return False
    pale = [box_of(text) for text in texts if is_pale(text) and letters_of(text)]
    places = (without_ground(pale, native) if pale else [])[:MOST_PLACES]
    places += under_cover(native, texts)[:MOST_PLACES]
    return any(is_empty(look, native.page_num, box) for box in places)


def under_cover(native: NativePage, texts: Sequence[NativeText]) -> list[Box]:
    """The boxes of text, largest first, that stand on a shape of nearly their own colour, as under a black bar."""
    shapes = native.vector_graphics.shapes if native.vector_graphics else []
    filled = [(box_of(s.bbox), s.fill_color) for s in shapes if s.fill and s.fill_color]
    bars = [(box, colour) for box, colour in filled if not _PALE.fullmatch(colour)]
    if not bars:
        return []
    covered = [
        box_of(text)
        for text in texts
        if letters_of(text)
        and any(is_alike(text, colour) and stands_on(box_of(text), box) for box, colour in bars)
    ]
    return sorted(covered, key=lambda box: -box.width)


def is_alike(text: NativeText, colour: str) -> bool:
    """Whether a run has nearly a colour."""
    own = text.fill_color or ""
    if not _COLOUR.fullmatch(own) or not _COLOUR.fullmatch(colour):
        return False
    parts = zip(bytes.fromhex(own)[1:], bytes.fromhex(colour)[1:], strict=True)
    return all(abs(one - other) < ALIKE_STEPS for one, other in parts)


def is_tiny(text: NativeText) -> bool:
    """Whether letters are too small to be read, both in height and in width."""
    return text.height < TINY_POINTS and text.width < TINY_POINTS * len(text.text)


def letters_of(text: NativeText) -> int:
    """How many letters a run has."""
    return sum(map(str.isalpha, text.text))


def is_pale(text: NativeText) -> bool:
    """Whether a run is white or has no colour at all, as far as its colour is known."""
    return bool(text.fill_color and _PALE.fullmatch(text.fill_color))


def without_ground(boxes: Sequence[Box], native: NativePage) -> list[Box]:
    """The boxes, largest first, that stand on no coloured shape and on no picture."""
    shapes = native.vector_graphics.shapes if native.vector_graphics else []
    grounds = [s.bbox for s in shapes if s.fill and not _PALE.fullmatch(s.fill_color or "00000000")]
    grounds += [block.bbox for block in native.blocks or () if block.kind == "figure" and block.bbox]
    around = [box_of(ground) for ground in grounds]
    bare = [box for box in boxes if not any(stands_on(box, ground) for ground in around)]
    return sorted(bare, key=lambda box: -box.width)


def stands_on(box: Box, ground: Box) -> bool:
    """Whether the middle of a box lies on a ground."""
    x, y = box.x + box.width / 2, box.y + box.height / 2
    return ground.x <= x <= ground.right and ground.y <= y <= ground.bottom


def is_empty(look: Look, number: int, box: Box) -> bool:
    """Whether nothing is to be seen in a box of the page."""
    ink = look.ink(number, box)
    return bool(ink and ink.is_blank)
