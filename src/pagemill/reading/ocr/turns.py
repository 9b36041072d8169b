"""The rotation of a page, found by reading a few of its lines in each direction."""

from pagemill.reading.ocr.crops import crop
from pagemill.reading.ocr.detect import DetectedLine, found_lines
from pagemill.reading.ocr.readers import QUICK
from pagemill.reading.ocr.recogniser import Pixels
from pagemill.reading.ocr.upright import shrunk, turn_picture

SIDE_PIXELS = 1280
SAMPLE_LINES = 4
# A line this many times longer than thick holds a few words, enough to decide and quick to read.
BEST_SLENDERNESS = 8.0
# A direction must read this much better than the one that was guessed.
LEAST_LEAD = 0.05


def lying_by_reading(pixels: Pixels, guess: int) -> int:
    """By how many degrees clockwise the picture has been turned from upright: where its lines read best."""
    small = shrunk(pixels, SIDE_PIXELS)
    sample = sorted(found_lines(small, SIDE_PIXELS), key=_oddness)[:SAMPLE_LINES]
    if not sample:
        return guess
    upended = sum(line.is_upended for line in sample) * 2 > len(sample)
    sample = [line for line in sample if line.is_upended == upended]
    ways = (90, 270) if upended else (0, 180)
    scores = {way: _readability(small, sample, way) for way in ways}
    if guess in scores:
        scores[guess] += LEAST_LEAD
    return max(scores, key=lambda way: scores[way])


def _oddness(line: DetectedLine) -> float:
    return abs(line.length / max(line.thickness, 1.0) - BEST_SLENDERNESS)


def _readability(pixels: Pixels, sample: list[DetectedLine], way: int) -> float:
    sure = 0.0
    for line in sample:
        # A line that runs upwards is cut so that it reads from the bottom to the top.
        cut = crop(pixels, _read_upwards(line))
        cut = turn_picture(cut, 180) if way in (90, 180) else cut
        sure += QUICK.read(cut).confidence
    return sure / len(sample)


def _read_upwards(line: DetectedLine) -> DetectedLine:
    slope = line.slope - 180 if line.slope > 45 else line.slope
    return DetectedLine(line.x, line.y, line.length, line.thickness, slope)
