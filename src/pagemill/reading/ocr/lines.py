"""The lines of text in an image, found and read by PP-OCR's networks."""

import math
import statistics
from collections.abc import Sequence

import numpy

from pagemill.model.pages import Box, Line
from pagemill.reading.ocr.crops import crop
from pagemill.reading.ocr.detect import DetectedLine, found_lines
from pagemill.reading.ocr.readers import QUICK, UNKNOWN_LANGUAGES, plain, readings
from pagemill.reading.ocr.recogniser import Pixels
from pagemill.reading.ocr.spaces import PartedLine, part_words
from pagemill.reading.ocr.upright import turn_picture

# Print of usual size is found in half the pixels that reading it takes, and in a picture of this size anyhow.
LEAST_SHRINKING = 0.55
USUAL_SIDE = 1280
# Small print is looked for again in a picture that is so large.
LARGEST_SIDE = 2400
SMALL_PRINT_PIXELS = 11.0
# So much of the lines must be small print.
SMALL_PRINT_SHARE = 0.2
# The network's shares are high even for scribble: after this power, noise is below 0.6 and clean print above 0.9.
SURENESS_POWER = 2.5
# Characters that the networks do not know are read as others, with much the same sureness.
UNKNOWN_POWER = 2 * SURENESS_POWER
# A box that is taller than wide but not taller than so many lines holds a character, not a line that runs upwards.
TALL_CHARACTER = 2.0


def lines_in(pixels: Pixels, languages: Sequence[str]) -> list[Line]:
    """The lines of an upright picture, with boxes in pixels."""
    places = stood_up(all_lines(pixels))
    crops = [cut_out(pixels, place) for place in places]
    power = SURENESS_POWER if spells(languages) else UNKNOWN_POWER
    lines = [
        _line_of(place, part_words(answer, cut), answer.confidence**power)
        for place, cut, answer in zip(places, crops, readings(crops, languages), strict=True)
    ]
    return [line for line in lines if line.text]


def _line_of(place: DetectedLine, parted: PartedLine, confidence: float) -> Line:
    """A line as it was read; of one that runs up or down, the places of words are not those in its upright box."""
    return Line(parted.text, box_of(place), confidence, () if place.is_upended else parted.words)


def cut_out(pixels: Pixels, place: DetectedLine) -> Pixels:
    """The crop of a line; of one that runs up or down the picture, the way round that reads better."""
    cut = crop(pixels, place)
    if not place.is_upended:
        return cut
    return max((cut, turn_picture(cut, 180)), key=lambda way: QUICK.read(way).confidence)


def spells(languages: Sequence[str]) -> bool:
    """Whether the networks know the characters of the languages."""
    return not UNKNOWN_LANGUAGES.intersection(map(plain, languages))


def all_lines(pixels: Pixels) -> list[DetectedLine]:
    """The lines of a picture, found at the smallest size at which they can be."""
    longest = max(pixels.shape[:2])
    side = min(LARGEST_SIDE, max(USUAL_SIDE, round(LEAST_SHRINKING * longest)))
    lines = found_lines(pixels, side)
    if side >= min(longest, LARGEST_SIDE) or not lines:
        return lines
    thickness = float(numpy.quantile([line.thickness for line in lines], SMALL_PRINT_SHARE)) * side / longest
    return found_lines(pixels, LARGEST_SIDE) if thickness < SMALL_PRINT_PIXELS else lines


def stood_up(lines: list[DetectedLine]) -> list[DetectedLine]:
    """The lines, with lone narrow characters, which are taller than wide, turned level as all others are."""
    level = [line.thickness for line in lines if not line.is_upended]
    if not level:
        return lines
    tallest = TALL_CHARACTER * statistics.median(level)
    return [_across(line) if line.is_upended and line.length < tallest else line for line in lines]


def _across(line: DetectedLine) -> DetectedLine:
    return DetectedLine(line.x, line.y, line.thickness, line.length, math.remainder(line.slope + 90, 180))


def box_of(found: DetectedLine) -> Box:
    """The upright rectangle around a line."""
    slope = math.radians(found.slope)
    across, up = abs(math.cos(slope)), abs(math.sin(slope))
    width = found.length * across + found.thickness * up
    height = found.length * up + found.thickness * across
    return Box(found.x - width / 2, found.y - height / 2, width, height)
