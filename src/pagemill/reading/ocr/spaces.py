"""Spaces that a reader has left out between words."""

import unicodedata

import numpy
from numpy.typing import NDArray

from pagemill.reading.ocr.decode import DecodedLine
from pagemill.reading.ocr.recogniser import Pixels

# Of a crop's height: gaps inside words stay below an eighth of it, spaces are a fifth and more.
LEAST_SPACE_SHARE = 0.19
# In print with wide gaps between all letters, a space is still this much wider than those.
LEAST_SPACE_BY_GAP = 2.5
# The rest of the crop may show the feet and heads of the lines above and below.
MIDDLE = slice(6, -6)
# How far from paper to ink a pixel must be to count as ink.
INK_SHARE = 0.35
PAPER_PERCENT, DARK_PERCENT = 80, 2
NARROW = frozenset("ijlrtfIJ|!'")


def add_spaces(reading: DecodedLine, crop: Pixels) -> str:
    """The text of a line, with spaces where the picture shows them."""
    gaps = _gaps(crop)
    if not len(gaps) or not reading.text:
        return reading.text
    widths = gaps[:, 1] - gaps[:, 0]
    least = max(LEAST_SPACE_SHARE * crop.shape[0], LEAST_SPACE_BY_GAP * float(numpy.median(widths)))
    middles = gaps[widths >= least].mean(axis=1) / crop.shape[1]
    after = {int(place) for place in numpy.searchsorted(reading.places, middles)}
    text = reading.text
    parted = [
        f" {text[at]}" if at in after and at and _may_part(text[at - 1], text[at]) else text[at]
        for at in range(len(text))
    ]
    return "".join(parted)


def _may_part(before: str, after: str) -> bool:
    """Whether a missing space may be set: before a letter, in scripts that set spaces.

    Not after digits, nor between narrow letters: these are far apart in many fonts.
    """
    if before in NARROW and after in NARROW:
        return False
    unspaced = any(unicodedata.east_asian_width(letter) in "WF" for letter in (before, after))
    return after.isalpha() and not (before.isdigit() or before.isspace() or unspaced)


def _gaps(crop: Pixels) -> NDArray[numpy.int64]:
    """Where columns without ink begin and end, between the first and the last ink."""
    red, green, blue = (crop[MIDDLE, :, channel] for channel in range(3))
    grey = numpy.minimum(numpy.minimum(red, green), blue)
    paper, dark = numpy.percentile(grey, [PAPER_PERCENT, DARK_PERCENT])
    inked = (grey < paper - (paper - dark) * INK_SHARE).any(axis=0)
    columns = numpy.flatnonzero(inked)
    ends = numpy.flatnonzero(numpy.diff(columns) > 1)
    return numpy.stack([columns[ends] + 1, columns[ends + 1]], axis=1)
