"""The characters of a page as PDFium has them: where they are, how large, in which type; the one place that asks it for them."""

import ctypes
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, Self

import pypdfium2
import pypdfium2.raw as pdfium

from pagemill.model.pages import Box
from pagemill.reading.page.typefaces import Typeface, typeface

LONGEST_FONT = 128
# No print is as small: a font of this size is scaled.
SCALED_SIZE = 2.0
# Of 255: lighter characters can't be told from white ones.
NEARLY_WHITE = 240
LINE_END = "\r\n"

INVISIBLE = pdfium.FPDF_TEXTRENDERMODE_INVISIBLE

# Give addresses as numbers; the objects that pypdfium2's own declarations make of them cost more than the calls.
_text_object = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)(
    ctypes.cast(pdfium.FPDFText_GetTextObject, ctypes.c_void_p).value or 0
)
_font_of = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(
    ctypes.cast(pdfium.FPDFTextObj_GetFont, ctypes.c_void_p).value or 0
)


# The two halves of a character beyond those that a number of 16 bits can name.
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


class CharacterEdges(NamedTuple):
    """The edges of a character in points from the top left of the page."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def box(self) -> Box:
        """The same as a box."""
        return Box(self.left, self.top, self.right - self.left, self.bottom - self.top)


class PageCharacters:
    """The characters of a page by their places in its text.

    All characters of a text object have one size and one style, and follow each other: few of them have to be asked for.
    Edges are those of the page before it is turned as its file says, baselines those of the page as it is shown.
    """

    def __init__(self, page: pypdfium2.PdfPage) -> None:
        self._textpage = page.get_textpage()
        self._raw = self._textpage.raw
        self._address = ctypes.cast(self._raw, ctypes.c_void_p).value
        self._left, self._low, self._right, self._top = page.get_bbox()
        self.width, self.height = self._right - self._left, self._top - self._low
        self._turn = page.get_rotation()
        self._font, self._flags = ctypes.create_string_buffer(LONGEST_FONT), ctypes.c_int()
        self._objects: dict[int, int] = {}
        # By the addresses of text objects, and of their fonts.
        self._styles: dict[int, tuple[bool, bool]] = {}
        self._fonts: dict[int | None, tuple[bool, bool]] = {}
        self.text = self._whole_text()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._textpage.close()

    def _whole_text(self) -> str:
        """One character for each of PDFium's, so that the second half of one that takes two is "\\0"."""
        text: str = self._textpage.get_text_range()
        count = self._textpage.count_chars()
        if len(text) == count:
            return text
        halves = "".join([chr(pdfium.FPDFText_GetUnicode(self._raw, at)) for at in range(count)])
        return _PAIR.sub(lambda pair: _whole_character(pair[0]) + "\0", halves)

    def lines(self) -> list[tuple[int, str]]:
        """The lines that PDFium sees, each with the place of its first character."""
        found, at = [], 0
        for line in self.text.split(LINE_END):
            found.append((at, line))
            at += len(line) + len(LINE_END)
        return found

    def edges(self, place: int, *, loose: bool = False) -> CharacterEdges:
        """Where the ink of a character is, or the box that its font has for it."""
        left, bottom, right, top = self._textpage.get_charbox(place, loose=loose)
        return CharacterEdges(left - self._left, self._top - top, right - self._left, self._top - bottom)

    def baseline(self, place: int) -> float:
        """How far down the page, as it is shown, the baseline of a character is."""
        x, y = ctypes.c_double(), ctypes.c_double()
        pdfium.FPDFText_GetCharOrigin(self._raw, place, ctypes.byref(x), ctypes.byref(y))
        match self._turn:
            case 90:
                return float(x.value - self._left)
            case 180:
                return float(y.value - self._low)
            case 270:
                return float(self._right - x.value)
        return float(self._top - y.value)

    def sizes(self, places: Sequence[int]) -> list[float]:
        """The sizes of characters, or their heights where the font is scaled."""
        sizes = [pdfium.FPDFText_GetFontSize(self._raw, place) for place in places]
        return sizes if max(sizes) > SCALED_SIZE else [self._height(place) for place in places]

    def _height(self, place: int) -> float:
        edges = self.edges(place, loose=True)
        return round(edges.bottom - edges.top, 1)

    def object(self, place: int) -> int:
        """The address of the text object of a character, 0 if it has none."""
        if (found := self._objects.get(place)) is None:
            found = self._objects[place] = _text_object(self._address, place) or 0
        return found

    def style(self, place: int) -> tuple[bool, bool]:
        """Whether a character is bold and italic."""
        drawn = self.object(place)
        if (style := self._styles.get(drawn)) is None:
            font = _font_of(drawn) if drawn else None
            if (style := self._fonts.get(font)) is None:
                style = self._fonts[font] = self._named_style(place)
            self._styles[drawn] = style
        return style

    def _named_style(self, place: int) -> tuple[bool, bool]:
        pdfium.FPDFText_GetFontInfo(self._raw, place, self._font, LONGEST_FONT, self._flags)
        face = _face(self._font.value)
        return face.is_bold(pdfium.FPDFText_GetFontWeight(self._raw, place)), face.italic

    def is_shown(self, place: int) -> bool:
        """Whether a character can be seen."""
        drawn = pdfium.FPDFText_GetTextObject(self._raw, place)
        if not drawn or pdfium.FPDFTextObj_GetTextRenderMode(drawn) == INVISIBLE:
            return False
        # White words may be hidden ones: what is behind them is not looked at here.
        red, green, blue, alpha = (ctypes.c_uint(0) for _ in range(4))
        known = pdfium.FPDFPageObj_GetFillColor(drawn, red, green, blue, alpha)
        return not known or (alpha.value > 0 and min(red.value, green.value, blue.value) < NEARLY_WHITE)


def _whole_character(halves: str) -> str:
    return halves.encode("utf-16-le", "surrogatepass").decode("utf-16-le")


@lru_cache(maxsize=1024)
def _face(font: bytes) -> Typeface:
    return typeface(font.decode("utf-8", "replace"))
