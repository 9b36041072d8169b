"""Labels and values that are printed beside each other."""

from collections.abc import Iterator, Sequence

from pagemill.model.fact_types import FactSource, KeyValue
from pagemill.model.pages import Box, Page
from pagemill.reading.entities.finding import is_below
from pagemill.reading.facts.segments import Segment, is_same_line
from pagemill.reading.facts.value_reading import NormalisedValue


def pair_of(
    page: Page, name: str | None, label: str, read: NormalisedValue, *, value: Segment, label_box: Box | None
) -> KeyValue:
    """A label with the value that was read in a piece of its own."""
    return KeyValue(
        label.strip(" :"),
        read.text,
        read.value,
        page.number,
        FactSource.TEXT,
        name=name,
        block=value.block,
        box=value.box,
        label_box=label_box,
    )


def next_to(label: Segment, pieces: Sequence[Segment]) -> Iterator[Segment]:
    """The nearest piece right of a label on its line, then the nearest below it."""
    own = label.box
    if own is None:
        return
    others = [(piece.box, piece) for piece in pieces if piece.box and piece is not label]
    # However far to the right: the amounts of a list are often set flush right.
    right = [
        (box.x - own.right, place)
        for place, (box, _) in enumerate(others)
        if is_same_line(own, box) and box.x - own.right >= -1
    ]
    below = [(box.y - own.bottom, place) for place, (box, _) in enumerate(others) if is_below(own, box)]
    for near in (right, below):
        if near:
            yield others[min(near)[1]][1]
