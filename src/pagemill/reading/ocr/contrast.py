"""Making faint print dark."""

import numpy

from pagemill.reading.ocr.recogniser import Pixels

# A sample of every so many pixels is enough.
SAMPLE_STEP = 4
# Ink that covers less of the picture than this is not counted on.
INK_PERCENT = 0.1
PAPER_PERCENT, BRIGHT_PERCENT = 50.0, 95.0
# Steps of 255 between ink and paper that are enough for any recogniser.
ENOUGH_CONTRAST = 110
# With less than this there is nothing but paper.
LEAST_CONTRAST = 8


def strengthen_contrast(pixels: Pixels) -> Pixels:
    """The picture with its greys spread from black to white, if it is faint; otherwise as it is."""
    grey = pixels[::SAMPLE_STEP, ::SAMPLE_STEP, 1]
    dark, paper, bright = numpy.percentile(grey, [INK_PERCENT, PAPER_PERCENT, BRIGHT_PERCENT])
    # Where much is far brighter than the middle grey, that is not paper: a dark picture with light text.
    if not LEAST_CONTRAST <= paper - dark <= bright - dark < ENOUGH_CONTRAST:
        return pixels
    spread = (numpy.arange(256) - dark) * 255.0 / (paper - dark)
    table: Pixels = spread.round().clip(0, 255).astype(numpy.uint8)
    return table.take(pixels)


def blank(pixels: Pixels) -> bool:
    """Whether there is nothing but paper."""
    return int(pixels.max()) - int(pixels.min()) < LEAST_CONTRAST
