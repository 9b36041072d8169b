"""Reading the text of one line."""

from dataclasses import dataclass

import numpy

from pagemill.reading.ocr.models import characters, run
from pagemill.reading.ocr.raster import planes
from pagemill.reading.ocr.recogniser import Floats, Pixels

# Narrower crops are filled up: the network has seen nothing narrower.
LEAST_WIDTH = 320
# A wider crop is read in halves: the network has seen nothing wider.
MOST_WIDTH = 3200
# The halves part where there is least ink near the middle.
PARTING_SHARE = 0.1
# From 0 to 255 it is from -1 to 1.
SCALED = numpy.broadcast_to((numpy.arange(256) / 127.5 - 1).astype(numpy.float32), (3, 256))


@dataclass(frozen=True, slots=True)
class DecodedLine:
    """The characters of a line, where each is as a share of the line's length, and how sure each is."""

    text: str
    places: tuple[float, ...]
    sureness: tuple[float, ...]

    @property
    def confidence(self) -> float:
        """How sure the network is, on average over the characters."""
        return sum(self.sureness) / len(self.sureness) if self.sureness else 0.0


def reading(crop: Pixels, network: str, alphabet: str) -> DecodedLine:
    """What a network reads in the crop of one line."""
    used = crop.shape[1]
    if used > MOST_WIDTH:
        parting = _parting(crop)
        left, right = (reading(half, network, alphabet) for half in (crop[:, :parting], crop[:, parting:]))
        return _join(left, right, parting / used)
    width = max(used, LEAST_WIDTH)
    tensor = numpy.zeros((1, 3, crop.shape[0], width), numpy.float32)
    tensor[0, :, :, :used] = planes(crop, SCALED)
    return decode_steps(run(network, tensor)[0], characters(alphabet), used / width)


def _parting(crop: Pixels) -> int:
    """The middle of the widest gap near the middle of the crop."""
    width = crop.shape[1]
    first, last = int(width * (0.5 - PARTING_SHARE)), int(width * (0.5 + PARTING_SHARE))
    lightest = crop[:, first:last].min(axis=(0, 2)).astype(numpy.float32)
    smooth = numpy.convolve(lightest, numpy.ones(crop.shape[0] // 4), "same")
    return first + int(smooth.argmax())


def _join(left: DecodedLine, right: DecodedLine, share: float) -> DecodedLine:
    """Two halves of a line; with a space between them in place of the gap."""
    parted = left.text and right.text and not left.text.endswith(" ") and not right.text.startswith(" ")
    space = DecodedLine(" ", (share,), (1.0,)) if parted else DecodedLine("", (), ())
    return DecodedLine(
        left.text + space.text + right.text,
        (
            *(place * share for place in left.places),
            *space.places,
            *(share + place * (1 - share) for place in right.places),
        ),
        left.sureness + space.sureness + right.sureness,
    )


def decode_steps(steps: Floats, alphabet: tuple[str, ...], used_share: float) -> DecodedLine:
    """The characters in the steps of a network's answer: repeated ones count once, the first of all is nothing."""
    best = steps.argmax(axis=1)
    fresh = numpy.flatnonzero((best != 0) & (best != numpy.concatenate(([0], best[:-1]))))
    places = (fresh + 0.5) / (len(best) * used_share)
    return DecodedLine(
        "".join([alphabet[number] for number in best[fresh]]),
        tuple(places.tolist()),
        tuple(steps[fresh, best[fresh]].tolist()),
    )
