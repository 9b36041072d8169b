"""Pairs of a label and its value: fields of forms, cells of tables, and labels in the text with what is beside or below them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pagemill.model.fact_types import FactSource, KeyValue
from pagemill.model.pages import Block, Box, Cell, Kind, Page
from pagemill.reading.entities.label_parts import name_by_parts
from pagemill.reading.entities.label_words import (
    AMOUNTS,
    BESIDE_LABEL,
    KNOWN,
    NUMBER_LABELS,
    NUMBERED_THINGS,
    name_of_label,
)
from pagemill.reading.entities.values import find_amounts
from pagemill.reading.facts.deduced_pairs import remaining_number, sum_pairs
from pagemill.reading.facts.pairing import next_to, pair_of
from pagemill.reading.facts.segments import Segment, block_pieces
from pagemill.reading.facts.value_reading import (
    LONGEST_LABEL,
    LONGEST_VALUE,
    NormalisedValue,
    is_number_of_thing,
    read_value,
)

MOST_WORDS = 5
# A label of words that are not known is one only with a colon behind it.
WITH_COLON = re.compile(r"\s*(?P<label>[^\W\d][^:\n\t]{0,39}?)\s*:\s+(?P<value>\S[^\n]*)")
# Between a label and its value may be a colon, dots that lead to it, and in sentences a small word before an amount.
LEADER = re.compile(r"[ :]*(?:[.…·_]{2,}[ :]*)?")
JOINING = re.compile(
    r"(?:of|von|in\s+höhe\s+von|de|di|van|em|på|av|is|ist|beträgt|est\s+de|es\s+de|è\s+di|bedraagt|wynosi|činí|ve\s+výši|w\s+wysokości)\s+",
    re.IGNORECASE,
)
LEADING = re.compile(r"[ :]*(?:[.…·_]{2,}[ :]*)?$")
# What parts pairs on one line.
BAR = re.compile(r"\s+[|•·]\s+")
# The name of a thing and its number, without a word for number between them: `Invoice 4711`, `Rechnung 2024-17 vom …`.
NUMBERED = {
    name: re.compile(
        rf"(?<!\w)(?P<label>{NUMBERED_THINGS[name]})\s+(?P<value>[A-Z0-9][A-Z0-9/._-]*[A-Z0-9])(?![\w-])",
        re.IGNORECASE,
    )
    for name in ("invoice_number", "order_number")
}
ALONE = {name: re.compile(NUMBERED_THINGS[name], re.IGNORECASE) for name in NUMBERED}
FIRST_NUMBER = re.compile(
    r"\s*(?P<label>[^\W\d][^\d:]{0,39}?)\s*:?\s+(?P<value>(?=\S*\d)[A-Z0-9][A-Z0-9/._-]*[A-Z0-9])(?![\w-])",
    re.IGNORECASE,
)
# A line of so many words is one of a sentence, which goes on in the next.
WORDS_OF_SENTENCE = 4
# After a known label within a text comes its value, or a colon and its value.
IN_TEXT = {
    name: re.compile(rf"(?<!\w)(?P<label>{pattern.pattern})(?!\w)\s*[:.]?\s*", re.IGNORECASE)
    for name, pattern in KNOWN.items()
    if name not in ("name", "address", "subject", "phone", "email")
}


def find_key_values(page: Page, segments: Sequence[Segment] = ()) -> list[KeyValue]:
    """The pairs of a page: the fields of its form, then those that are printed, each value once."""
    pieces = segments or block_pieces(page)
    tables = {block.id for block in page.blocks if block.kind is Kind.TABLE}
    found = [*form_pairs(page)]
    for block in page.blocks:
        if block.kind is Kind.TABLE:
            found += table_pairs(page, block)
    for piece in pieces:
        if piece.block not in tables:
            for part in BAR.split(piece.text):
                found += pairs_in(page, part, piece.box, piece.block, FactSource.TEXT)
    found += seam_pairs(page, [piece for piece in pieces if piece.block not in tables])
    found += beside_pairs(page, pieces, found)
    found = sum_pairs(page, pieces, found)
    found = [*remaining_number(page, found, pieces), *found]
    unique = {(one.label.casefold(), one.text): one for one in reversed(found)}
    return list(reversed(unique.values()))


def form_pairs(page: Page) -> Iterator[KeyValue]:
    """The fields of a form that were filled in; boxes to be ticked are not among them."""
    for field in page.fields:
        if field.value and field.checked is None and field.kind != "signature":
            name = name_of_label(field.shown_name.replace("_", " "))
            read = read_value(name, field.value)
            value = read.value if read else field.value
            yield KeyValue(
                field.shown_name, field.value, value, page.number, FactSource.FORM, name=name, box=field.box
            )


def table_pairs(page: Page, block: Block) -> Iterator[KeyValue]:
    """Labels in cells with the value in the next cell, or in the cell below if the labels are the header of one row."""
    for row in (*([block.header] if block.header else []), *block.rows):
        filled = [cell for cell in row if cell.text.strip()]
        for label, value in pairwise(filled):
            # Two cells in a row are a pair; in longer rows the label has to be known.
            if pair := cell_pair(page, block, label, value, sure=len(filled) == 2):
                yield pair
        for cell in filled:
            yield from pairs_in(page, cell.text, cell.box or block.box, block.id, FactSource.TABLE)
    if block.header and len(block.rows) == 1:
        for label, value in zip(block.header, block.rows[0], strict=False):
            if pair := cell_pair(page, block, label, value, sure=False):
                yield pair


def cell_pair(page: Page, block: Block, label: Cell, value: Cell, *, sure: bool) -> KeyValue | None:
    """Two cells as a pair, if the first is a label and the second can be its value."""
    name = name_of_label(BESIDE_LABEL.sub("", label.text))
    ends = label.text.rstrip().endswith(":")
    if name is None and not (ends and sure and is_label(label.text)):
        return None
    read = read_value(name, value.text)
    if read is None or name_of_label(value.text):
        return None
    box, label_box = value.box or block.box, label.box or block.box
    return KeyValue(
        label.text.strip(" :"),
        read.text,
        read.value,
        page.number,
        FactSource.TABLE,
        name=name,
        block=block.id,
        box=box,
        label_box=label_box,
    )


def pairs_in(
    page: Page, text: str, box: Box | None, block: str | None, source: FactSource
) -> Iterator[KeyValue]:
    """Known labels in a text with the value behind them; a label that is not known only at its beginning, with a colon."""

    def pair(label: str, read: NormalisedValue, name: str | None) -> KeyValue:
        label = label.strip(" :")
        return KeyValue(
            label, read.text, read.value, page.number, source, name=name, block=block, box=box, label_box=box
        )

    if whole := labelled_whole(text):
        yield pair(whole.label, whole.read, whole.name)
        return
    known = sorted(known_in(text), key=lambda one: (one[0], -one[1]))
    end_of_last = 0
    for start, end, name, label, read in known:
        if start >= end_of_last:
            yield pair(label, read, name)
            end_of_last = end
    colon = None if known else WITH_COLON.fullmatch(text)
    if colon and is_label(colon["label"]) and len(colon["value"]) <= LONGEST_VALUE:
        meant = name_of_label(colon["label"])
        if value := read_value(meant, colon["value"]):
            yield pair(colon["label"], value, meant)


@dataclass(frozen=True, slots=True)
class LabelledValue:
    """A label with the value that it names."""

    label: str
    name: str
    read: NormalisedValue


def labelled_whole(text: str) -> LabelledValue | None:
    """A label whose words are all known at the beginning of a text, with its number or the amount that ends the text."""
    return labelled_number(text) or labelled_amount(text)


def labelled_number(text: str) -> LabelledValue | None:
    """The number behind a label at the beginning of a text."""
    found = FIRST_NUMBER.match(text)
    name = name_by_parts(found["label"]) if found else None
    if found is None or name not in NUMBER_LABELS or not is_number_of_thing(text, found):
        return None
    return LabelledValue(found["label"], name, NormalisedValue(found["value"], found["value"]))


def labelled_amount(text: str) -> LabelledValue | None:
    """The amount that ends a text, and the label before it."""
    amounts = list(find_amounts(text))
    if not amounts or amounts[-1].end != len(text.rstrip()):
        return None
    start, value = amounts[-1].start, amounts[-1].value
    label = LEADING.sub("", BESIDE_LABEL.sub(" ", text[:start])).strip()
    name = name_by_parts(label)
    if name not in AMOUNTS:
        return None
    return LabelledValue(label, name, NormalisedValue(text[start:].strip(), value))


def known_in(text: str) -> Iterator[tuple[int, int, str, str, NormalisedValue]]:
    """Where known labels begin and their values end, with both."""
    for name, pattern in IN_TEXT.items():
        for found in pattern.finditer(text):
            begin = value_start(name, text, found.end())
            rest = text[begin : begin + LONGEST_VALUE].split("\n", 1)[0]
            read = read_value(name, rest, exact=False)
            if read:
                yield found.start(), text.index(read.text, begin) + len(read.text), name, found["label"], read
    for name, pattern in NUMBERED.items():
        for found in pattern.finditer(text):
            if is_number_of_thing(text, found):
                read = NormalisedValue(found["value"], found["value"])
                yield found.start(), found.end(), name, found["label"], read


def value_start(name: str, text: str, place: int) -> int:
    """Where the value of a label in a text may begin."""
    patterns = (BESIDE_LABEL, LEADER, JOINING) if name in AMOUNTS else (LEADER,)
    for pattern in patterns:
        found = pattern.match(text, place)
        place = found.end() if found else place
    return place


def seam_pairs(page: Page, pieces: Sequence[Segment]) -> Iterator[KeyValue]:
    """Labels at the end of a line of a sentence with the value at the beginning of the next."""
    for upper, lower in pairwise(pieces):
        is_sentence = len(upper.text.split()) >= WORDS_OF_SENTENCE and upper.block is not None
        if is_sentence and upper.block == lower.block and not is_above(lower, upper):
            text, seam = f"{upper.text} {lower.text}", len(upper.text)
            for start, end, name, label, read in known_in(text):
                if start < seam < end and end - len(read.text) >= seam:
                    yield pair_of(page, name, label, read, value=lower, label_box=upper.box)


def is_above(one: Segment, other: Segment) -> bool:
    """Whether a piece ends higher on the page than another; pieces without a place are in order."""
    return one.box is not None and other.box is not None and one.box.bottom < other.box.bottom


def beside_pairs(page: Page, pieces: Sequence[Segment], found: Sequence[KeyValue]) -> Iterator[KeyValue]:
    """Pieces that are a label and nothing else, with the piece right of them or below them."""
    taken = {one.text for one in found}
    for label in pieces:
        name = name_of_label(BESIDE_LABEL.sub("", label.text)) or thing_alone(label.text)
        if name is None and not (label.text.rstrip().endswith(":") and is_label(label.text)):
            continue
        for value in next_to(label, pieces):
            read = read_value(name, value.text)
            if read and read.text not in taken and not name_of_label(value.text):
                yield pair_of(page, name, label.text, read, value=value, label_box=label.box)
                break


def thing_alone(text: str) -> str | None:
    """The number that the name of a thing stands for where nothing but that is printed above or left of it."""
    return next((name for name, pattern in ALONE.items() if pattern.fullmatch(text.strip())), None)


def is_label(text: str) -> bool:
    """Whether a text is short enough to be a label and no address of the web."""
    bare = text.strip(" :")
    return (
        0 < len(bare) <= LONGEST_LABEL
        and len(bare.split()) <= MOST_WORDS
        and bare.casefold() not in ("http", "https", "mailto")
    )
