"""Pairs that no label tells: the total by what it adds up to, and the number of a bill as the only one that is left."""

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from decimal import ROUND_DOWN, ROUND_UP, Decimal, InvalidOperation
from itertools import islice

from pagemill.model.fact_types import KeyValue
from pagemill.model.pages import Box, Page
from pagemill.reading.entities.finding import is_below
from pagemill.reading.entities.label_parts import is_some_number
from pagemill.reading.entities.values import find_amounts, find_percentages
from pagemill.reading.facts.pairing import next_to, pair_of
from pagemill.reading.facts.segments import Segment, is_same_line
from pagemill.reading.facts.value_reading import LONGEST_LABEL, NormalisedValue, has_number

CENT = Decimal("0.01")
# No bill has a larger amount; arithmetic with cents is exact below it.
LARGEST = Decimal(10**15)


def sum_pairs(page: Page, pieces: Sequence[Segment], found: Sequence[KeyValue]) -> list[KeyValue]:
    """The pairs, with the total by what it adds up to: an amount, and the tax on it at a rate that is printed.

    What is taxed is no total, whatever its label says; and where no label names the total, it is found by its value.
    """
    amounts = [(piece, one) for piece in pieces for one in find_amounts(piece.text)]
    nets = taxed_amounts(pieces, {value for _, one in amounts if (value := amount_in(one.value)) is not None})
    named = [
        replace(one, name="net_total") if one.name == "total" and amount_in(one.value) in nets else one
        for one in found
    ]
    if any(one.name == "total" for one in named):
        return named
    for piece, one in amounts:
        if amount_in(one.value) in nets.values() and (label := label_of_piece(piece, one.start, pieces)):
            read = NormalisedValue(piece.text[one.start : one.end], one.value)
            total = pair_of(page, "total", label.text[:LONGEST_LABEL], read, value=piece, label_box=label.box)
            return [total, *named]
    return named


def amount_in(value: str | None) -> Decimal | None:
    """The amount that a value is; None for other text, such as that of a form, and for what no bill amounts to."""
    try:
        amount = Decimal(value or "")
    except InvalidOperation:
        return None
    return amount if amount.is_finite() and abs(amount) <= LARGEST else None


def taxed_amounts(pieces: Sequence[Segment], values: Set[Decimal]) -> dict[Decimal, Decimal]:
    """The amounts that are printed with the tax on them, at a rate that is printed too, and with the sum of both."""
    rates = {Decimal(one.value) for piece in pieces for one in find_percentages(piece.text)}
    return {
        net: net + tax
        for net in values
        for rate in rates
        if net > 0 < rate
        for tax in tax_on(net, rate)
        if tax > 0 and tax in values and net + tax in values
    }


def tax_on(net: Decimal, rate: Decimal) -> tuple[Decimal, Decimal]:
    """The tax on an amount, rounded down and up to cents."""
    exact = net * rate / 100
    return exact.quantize(CENT, ROUND_DOWN), exact.quantize(CENT, ROUND_UP)


def label_of_piece(piece: Segment, start: int, pieces: Sequence[Segment]) -> Segment | None:
    """What is printed before a value: in its own piece, or else left of it or above it."""
    if own := piece.text[:start].strip(" :."):
        return replace(piece, text=own)
    box = piece.box
    near = [other for other in pieces if box and other.box and is_before(other.box, box)]
    return next((other for other in near if any(value is piece for value in next_to(other, pieces))), None)


def is_before(label: Box, value: Box) -> bool:
    """Whether a box is left of another on its line, or right above it."""
    return is_below(label, value) or (is_same_line(label, value) and value.x - label.right >= -1)


def remaining_number(page: Page, found: Sequence[KeyValue], pieces: Sequence[Segment]) -> Iterator[KeyValue]:
    """The number of a bill whose label is not known, if it is the only one of which that can be said."""
    names = {one.name for one in found}
    if "total" not in names or "invoice_number" in names:
        return
    some = [one for one in found if one.name is None and is_some_number(one.label) and has_number(one.text)]
    for label in pieces if not some else ():
        if is_some_number(label.text):
            near = (piece for piece in next_to(label, pieces) if has_number(piece.text))
            some += [
                pair_of(
                    page,
                    None,
                    label.text,
                    NormalisedValue(one.text, one.text),
                    value=one,
                    label_box=label.box,
                )
                for one in islice(near, 1)
            ]
    if len({one.text for one in some}) == 1:
        yield replace(some[0], name="invoice_number", value=some[0].text.strip())
