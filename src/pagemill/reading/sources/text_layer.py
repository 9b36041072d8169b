"""The sheet of a page that the engine has parsed."""

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import accumulate
from operator import attrgetter

from pagemill.model.pages import Box
from pagemill.reading.clean import clean
from pagemill.reading.page.sheet import Hint, Precision, Sheet, Stroke, Word
from pagemill.reading.page.typefaces import typeface
from pagemill.reading.sources.liteparse_native import (
    NativeBlock,
    NativePage,
    NativeRect,
    NativeText,
    NativeWord,
)
from pagemill.reading.sources.recognised import Extent, even_sizes
from pagemill.reading.sources.sizes import font_size

FIGURE = "figure"
_ENDS = attrgetter("x1", "y1", "x2", "y2")
# How far characters and the space around them reach above and below the baseline, in sizes.
ABOVE, BELOW = 0.87, 0.36
# The part of a box that is above the baseline, where the font does not say.
USUAL_ASCENT, SAME_HEIGHT = 0.78, 0.06


def sheet_of(
    native: NativePage, texts: Sequence[NativeText], precision: Precision = Precision.EXACT
) -> Sheet:
    """The sheet of a parsed page, all texts of which are given; a layer that a recogniser made is no exact one."""
    blocks = [(block, block.bbox) for block in native.blocks or ()]
    boxed = [(block, box_of(rect)) for block, rect in blocks if rect]
    return Sheet(
        width=native.width,
        height=native.height,
        precision=precision,
        words=_all_words(texts, precision),
        strokes=strokes_of(native),
        pictures=[box for block, box in boxed if block.kind == FIGURE],
        hints=_hints(boxed) if precision is Precision.EXACT else (),
        number=native.page_num,
    )


def strokes_of(native: NativePage) -> list[Stroke]:
    """The straight lines that are drawn on a page."""
    drawn = native.vector_graphics
    # Drawings have tens of thousands of them.
    return list(map(partial(tuple.__new__, Stroke), map(_ENDS, drawn.lines))) if drawn else []


def _hints(boxed: Iterable[tuple[NativeBlock, Box]]) -> list[Hint]:
    return [Hint(block.kind, box, block.level, block.text or "") for block, box in boxed]


def _all_words(texts: Sequence[NativeText], precision: Precision) -> list[Word]:
    """The words of all runs; the type of those that a recogniser has put under a picture says nothing."""
    if precision is Precision.EXACT:
        return [word for run, text in enumerate(texts) for word in words_of(text, run, _size(text))]
    sizes = even_sizes([Extent(text.text, text.width, _unstretched_size(text)) for text in texts])
    words = [
        word
        for run, (text, size) in enumerate(zip(texts, sizes, strict=True))
        for word in words_of(text, run, size)
    ]
    for word in words:
        word.font, word.bold, word.italic, word.mono, word.colour = "", None, None, None, None
    return words


def words_of(text: NativeText, run: int, size: float) -> list[Word]:
    """The words of a run in that font size, as high as characters are and not as the font's box is."""
    face = typeface(text.font_name or "")
    rotation, size = text.rotation, round(size, 2)
    bold = face.is_bold(text.font_weight or 0)
    looks = (run, face.family, bold, face.italic, face.mono, text.fill_color, rotation)
    if rotation:
        edges = place_words(text)
        return [
            Word(spelt, left, top, right, low, size, low, *looks) for spelt, left, top, right, low in edges
        ]
    baseline = _baseline(text, size)
    top, bottom = baseline - ABOVE * size, baseline + BELOW * size
    type_ = (size, baseline, *looks)
    words = text.words or ()
    if _are_plain(words, text.text):
        return [Word(word.text, left := word.x, top, left + word.width, bottom, *type_) for word in words]
    return [Word(spelt, left, top, right, bottom, *type_) for spelt, left, _, right, _ in place_words(text)]


def _are_plain(words: Sequence[NativeWord], whole: str) -> bool:
    """Whether the words of a run are just those that its spaces part."""
    if not words or len(words) != whole.count(" ") + 1 or not whole.isprintable():
        return False
    return "  " not in whole and whole[0] != " " and whole[-1] != " "


def _size(text: NativeText) -> float:
    """The size of a run; a turned one has the height of its line across the page."""
    if text.font_height:
        return text.font_height
    high = font_size(text.font_size, text.height)
    return min(high, font_size(text.font_size, text.width)) if text.rotation else high


def _unstretched_size(text: NativeText) -> float:
    """The size of a run whose words were stretched to fill boxes, each by itself, which its height does not tell of."""
    return _size(text) if text.rotation else font_size(text.font_size, text.height)


def _baseline(text: NativeText, size: float) -> float:
    """Where the characters are: the box of a run reaches from the font's ascent to its descent, where they are known."""
    ascent, descent = text.font_ascent, text.font_descent
    if ascent and descent and abs((ascent - descent) * size - text.height) < SAME_HEIGHT * text.height:
        return text.y + ascent * size
    return text.y + USUAL_ASCENT * text.height


Edged = tuple[str, float, float, float, float]


def place_words(text: NativeText) -> list[Edged]:
    """The words of a run with their edges, those put together again that only kerning tore apart."""
    whole, printed = text.text, text.text.isprintable()
    spelt = whole.split()
    if not spelt:
        return []
    words = [
        (word.text, word.x, word.y, word.x + word.width, word.y + word.height) for word in text.words or ()
    ]
    if len(words) > len(spelt):
        words = _mend_words(words, spelt)
    words = words or [(whole.strip(), text.x, text.y, text.x + text.width, text.y + text.height)]
    if not printed:
        words = [(clean(each[0]).strip(), *each[1:]) for each in words]
    return [each for each in words if each[0]]


def _mend_words(words: list[Edged], spelt: list[str]) -> list[Edged]:
    starts = set(accumulate(map(len, spelt), initial=0))
    mended: list[Edged] = []
    at = 0
    for word in words:
        if at in starts or not mended:
            mended.append(word)
        else:
            text, left, top, right, bottom = mended[-1]
            mended[-1] = (text + word[0], left, min(top, word[2]), max(right, word[3]), max(bottom, word[4]))
        at += len(word[0])
    return mended


def box_of(rect: NativeRect) -> Box:
    """A box in hundredths of a point."""
    return Box(round(rect.x, 2), round(rect.y, 2), round(rect.width, 2), round(rect.height, 2))
