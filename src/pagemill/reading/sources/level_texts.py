"""Runs of text that are nearly level: those of a scan that leans a little, and text that was slanted to look italic.

The engine says of both that they are turned, and takes turned runs for something beside the text.
"""

from collections.abc import Sequence
from math import radians, sin, tan
from statistics import median
from types import SimpleNamespace
from typing import cast, get_type_hints

from pagemill.reading.sources.liteparse_native import NativeText

# Up to the first, lines slope; up to the second, characters may be slanted and their line level.
SLOPING_DEGREES, SLANTED_DEGREES = 5.0, 20.0
# Beyond this, text is upside down.
UPENDED_DEGREES = 160.0
_FIELDS = tuple(get_type_hints(NativeText))
# A box that is higher than this, beside those of level runs, is that of a line that is really turned.
LEVEL_HEIGHT = 1.3


def with_level_texts(texts: Sequence[NativeText], width: float) -> Sequence[NativeText]:
    """The runs of a page of that width, those that are nearly level as if they were; all others stay as they are."""
    if not any(text.rotation for text in texts):
        return texts
    usual = median([text.height for text in texts if not text.rotation] or [0.0])
    return [_without_slope(text, usual, width / 2) if text.rotation else text for text in texts]


def are_upside_down(texts: Sequence[NativeText]) -> bool:
    """Whether most characters of a page are upside down."""
    turned = sum(
        [len(text.text) for text in texts if text.rotation and abs(slope_degrees(text)) > UPENDED_DEGREES]
    )
    return bool(turned) and turned * 2 > sum([len(text.text) for text in texts])


def _without_slope(text: NativeText, usual: float, middle: float) -> NativeText:
    degrees = slope_degrees(text)
    if abs(degrees) <= SLOPING_DEGREES:
        rise = text.width * abs(tan(radians(degrees)))
        # The whole page leans, so that what is further out is further up or down.
        off = (text.x + text.width / 2 - middle) * tan(radians(degrees))
        return _level(text, text.y + rise / 2 - off, max(text.height - rise, text.height / 4))
    if abs(degrees) <= SLANTED_DEGREES and _is_slanted(text, degrees, usual):
        return _level(text, text.y, text.height)
    return text


def slope_degrees(text: NativeText) -> float:
    """By how many degrees clockwise a run is turned, from -180 to 180."""
    return (text.rotation + 180.0) % 360.0 - 180.0


def _is_slanted(text: NativeText, degrees: float, usual: float) -> bool:
    """Whether the box of a run is too low for one whose characters are not only slanted but go up or down."""
    return text.height <= max(text.width * sin(radians(abs(degrees))), LEVEL_HEIGHT * usual)


def _level(text: NativeText, y: float, height: float) -> NativeText:
    """The run as it would be if it were level."""
    copied = {name: getattr(text, name) for name in _FIELDS}
    return cast(NativeText, SimpleNamespace(**{**copied, "y": y, "height": height, "rotation": 0.0}))
