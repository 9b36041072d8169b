"""Text that a reader of the page does not see: white on white, invisible, off the page, or too small to be read."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pagemill.model.pages import Box
from pagemill.reading.routing.look import Look
from pagemill.reading.sources.liteparse_native import NativePage, NativeRect, NativeText
from pagemill.reading.sources.missed_words import FEWEST_TINY_CHARACTERS, TINY_POINTS
from pagemill.reading.sources.text_layer import box_of

# A run is as high as its line: that of Helvetica is 1.17 times its size, that of most fonts between 1.1 and 1.25.
LINE_SHARE = 1.15
# A few places are enough; each of them has to be drawn.
MOST_PLACES = 3

# Alpha, red, green, blue: nothing of a colour, or nearly all of each.
_PALE = re.compile("00......|..f.f.f.")
_COLOUR = re.compile("[0-9a-f]{8}")
# Of 256 steps of red, green and blue; text that differs less from its ground can't be read.
ALIKE_STEPS = 40
Edges = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class HiddenSigns:
    """What a document may have that is not seen: text drawn invisibly, layers that are switched off."""

    invisible: bool
    layers: bool


def hidden_runs(
    native: NativePage, texts: Sequence[NativeText], look: Look, *, unsure: bool
) -> list[NativeText]:
    """The runs of a page that can't be seen where they are; if `unsure`, all that are on no picture are looked at."""
    outside = [text for text in texts if is_outside(text, native) and letters_of(text)]
    small = [text for text in texts if is_tiny(text) and letters_of(text)]
    tiny = small if sum(map(letters_of, small)) >= FEWEST_TINY_CHARACTERS else []
    doubtful = _on_no_picture(native, texts) if unsure else _doubtful(native, texts, look)
    blank = look.blank(native.page_num, [box_of(text) for text in doubtful]) if doubtful else []
    unseen = [text for text, is_blank in zip(doubtful, blank, strict=True) if is_blank]
    return list({id(text): text for text in (*outside, *tiny, *unseen)}.values())


def _doubtful(native: NativePage, texts: Sequence[NativeText], look: Look) -> list[NativeText]:
    """The runs whose colour is that of the paper or of what is below them, if a few of them really can't be seen."""
    # Colours are known for all runs of a page or for none.
    if not texts or texts[0].fill_color is None:
        return []
    pale = [text for text in texts if is_pale(text) and letters_of(text)]
    bare = without_ground([box_of(text) for text in pale], native) if pale else []
    covered = under_cover(native, texts)
    places = [*bare[:MOST_PLACES], *covered[:MOST_PLACES]]
    if not any(is_empty(look, native.page_num, box) for box in places):
        return []
    boxes = {*bare, *covered}
    return [text for text in texts if letters_of(text) and box_of(text) in boxes]


def _on_no_picture(native: NativePage, texts: Sequence[NativeText]) -> list[NativeText]:
    """The runs that are not those of a recogniser over a picture."""
    pictures = [
        edges_of(block.bbox) for block in native.blocks or () if block.kind == "figure" and block.bbox
    ]
    return [text for text in texts if letters_of(text) and not stands_on(box_of(text), pictures)]


def is_outside(text: NativeText, native: NativePage) -> bool:
    """Whether a run is wholly off the page."""
    return (
        text.x + text.width <= 0
        or text.y + text.height <= 0
        or text.x >= native.width
        or text.y >= native.height
    )


def under_cover(native: NativePage, texts: Sequence[NativeText]) -> list[Box]:
    """The boxes of text, largest first, that are on a shape of nearly their own colour, as under a black bar."""
    shapes = native.vector_graphics.shapes if native.vector_graphics else []
    filled = [(s, colour) for s in shapes if s.fill and (colour := s.fill_color)]
    # Pages have many runs and shapes, but few colours.
    grounds = {colour for _, colour in filled if not _PALE.fullmatch(colour)}
    owns = {text.fill_color or "" for text in texts}
    near = {colour for colour in grounds if any(is_alike(own, colour) for own in owns)}
    if not near:
        return []
    bars = {(edges_of(shape.bbox), colour) for shape, colour in filled if colour in near}
    alike = {own: {edges for edges, colour in bars if is_alike(own, colour)} for own in owns}
    coloured = [(box_of(text), text) for text in texts if alike[text.fill_color or ""]]
    covered = [
        box for box, text in coloured if stands_on(box, alike[text.fill_color or ""]) and letters_of(text)
    ]
    return sorted(covered, key=lambda box: -box.width)


@lru_cache(maxsize=4096)
def is_alike(own: str, colour: str) -> bool:
    """Whether two colours are nearly the same."""
    if not _COLOUR.fullmatch(own) or not _COLOUR.fullmatch(colour):
        return False
    parts = zip(bytes.fromhex(own)[1:], bytes.fromhex(colour)[1:], strict=True)
    return all(abs(one - other) < ALIKE_STEPS for one, other in parts)


def is_tiny(text: NativeText) -> bool:
    """Whether text is too small to be read, both in height and in width."""
    return text.height < TINY_POINTS * LINE_SHARE and text.width < TINY_POINTS * len(text.text)


def letters_of(text: NativeText) -> int:
    """How many letters a run has."""
    return sum(map(str.isalpha, text.text))


def is_pale(text: NativeText) -> bool:
    """Whether a run is white or has no colour at all, as far as its colour is known."""
    return bool(text.fill_color and _PALE.fullmatch(text.fill_color))


def without_ground(boxes: Sequence[Box], native: NativePage) -> list[Box]:
    """The boxes, largest first, that are on no coloured shape and on no picture."""
    shapes = native.vector_graphics.shapes if native.vector_graphics else []
    grounds = [s.bbox for s in shapes if s.fill and not _PALE.fullmatch(s.fill_color or "00000000")]
    grounds += [block.bbox for block in native.blocks or () if block.kind == "figure" and block.bbox]
    around = {edges_of(ground) for ground in grounds}
    bare = [box for box in boxes if not stands_on(box, around)]
    return sorted(bare, key=lambda box: -box.width)


def edges_of(rect: NativeRect) -> Edges:
    """The left, right, top and bottom edge of a ground; a page may have thousands, so they are no boxes."""
    left, top = round(rect.x, 2), round(rect.y, 2)
    return left, left + round(rect.width, 2), top, top + round(rect.height, 2)


def stands_on(box: Box, grounds: Iterable[Edges]) -> bool:
    """Whether the middle of a box is on one of the grounds."""
    x, y = box.x + box.width / 2, box.y + box.height / 2
    return any(left <= x <= right and top <= y <= bottom for left, right, top, bottom in grounds)


def is_empty(look: Look, number: int, box: Box) -> bool:
    """Whether nothing is to be seen in a box of the page."""
    ink = look.ink(number, box)
    return bool(ink and ink.is_blank)
