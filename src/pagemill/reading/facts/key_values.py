"""Pairs of a label and its value: fields of forms, cells of tables, and labels in the text with what is beside or below them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pagemill.model.fact_types import FactSource, KeyValue
from pagemill.model.pages import Block, Box, Cell, Kind, Page
from pagemill.reading.entities.checked import find_ibans, find_vat_ids
from pagemill.reading.entities.finding import is_below
from pagemill.reading.entities.label_words import (
    AMOUNTS,
    BESIDE_LABEL,
    DATES,
    KNOWN,
    NUMBER_LABELS,
    name_of_label,
)
from pagemill.reading.entities.labelled import bare_number
from pagemill.reading.entities.values import NUMBER, find_amounts, find_dates, parse_number
from pagemill.reading.facts.segments import Segment, block_pieces, is_same_line

LONGEST_LABEL, LONGEST_VALUE = 40, 200
MOST_WORDS = 5
# A label of words that are not known is one only with a colon behind it.
WITH_COLON = re.compile(r"\s*(?P<label>[^\W\d][^:\n\t]{0,39}?)\s*:\s+(?P<value>\S[^\n]*)")
BARE_AMOUNT = re.compile(rf"\s*(?P<value>[-−]?(?:{NUMBER}))\s*$")
BIC = re.compile(r"\b[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?\b")
EMAIL = re.compile(r"\S+@\S+\.\w+")
SOME_DIGITS = re.compile(r"(?:\D?\d){6,}")
# Between a label and its value may be a colon, dots that lead to it, and in sentences a small word before an amount.
LEADER = re.compile(r"[ :]*(?:[.…·_]{2,}[ :]*)?")
JOINING = re.compile(
    r"(?:of|von|in\s+höhe\s+von|de|di|van|em|på|av|is|ist|beträgt|est\s+de|es\s+de|è\s+di|bedraagt|wynosi|činí|ve\s+výši|w\s+wysokości)\s+",
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


@dataclass(frozen=True, slots=True)
class NormalisedValue:
    """The value of a kind in a text: as printed, and normalised."""

    text: str
    value: str


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
            found += pairs_in(page, piece.text, piece.box, piece.block, FactSource.TEXT)
    found += seam_pairs(page, [piece for piece in pieces if piece.block not in tables])
    found += beside_pairs(page, pieces, found)
    unique = {(one.label.casefold(), one.text): one for one in reversed(found)}
    return list(reversed(unique.values()))


def form_pairs(page: Page) -> Iterator[KeyValue]:
    """The fields of a form that were filled in; boxes to be ticked are not among them."""
    for field in page.fields:
        if field.value and field.checked is None and field.kind != "signature":
            name = name_of_label(field.name.replace("_", " "))
            read = read_value(name, field.value)
            value = read.value if read else field.value
            yield KeyValue(
                field.name, field.value, value, page.number, FactSource.FORM, name=name, box=field.box
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

    known = sorted(known_in(text), key=lambda one: (one[0], -one[1]))
    end_of_last = 0
    for start, end, name, label, read in known:
        if start >= end_of_last:
            yield pair(label, read, name)
            end_of_last = end
    whole = None if known else WITH_COLON.fullmatch(text)
    if whole and is_label(whole["label"]) and len(whole["value"]) <= LONGEST_VALUE:
        meant = name_of_label(whole["label"])
        if value := read_value(meant, whole["value"]):
            yield pair(whole["label"], value, meant)


def known_in(text: str) -> Iterator[tuple[int, int, str, str, NormalisedValue]]:
    """Where known labels begin and their values end, with both."""
    for name, pattern in IN_TEXT.items():
        for found in pattern.finditer(text):
            begin = value_start(name, text, found.end())
            rest = text[begin : begin + LONGEST_VALUE].split("\n", 1)[0]
            read = read_value(name, rest, exact=False)
            if read:
                yield found.start(), text.index(read.text, begin) + len(read.text), name, found["label"], read


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
        if is_sentence and upper.block == lower.block and upper.box.bottom <= lower.box.bottom:
            text, seam = f"{upper.text} {lower.text}", len(upper.text)
            for start, end, name, label, read in known_in(text):
                if start < seam < end and end - len(read.text) >= seam:
                    yield pair_of(page, name, label, read, value=lower, label_box=upper.box)


def pair_of(
    page: Page, name: str | None, label: str, read: NormalisedValue, *, value: Segment, label_box: Box
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


def beside_pairs(page: Page, pieces: Sequence[Segment], found: Sequence[KeyValue]) -> Iterator[KeyValue]:
    """Pieces that are a label and nothing else, with the piece right of them or below them."""
    taken = {one.text for one in found}
    for label in pieces:
        name = name_of_label(BESIDE_LABEL.sub("", label.text))
        if name is None and not (label.text.rstrip().endswith(":") and is_label(label.text)):
            continue
        for value in next_to(label, pieces):
            read = read_value(name, value.text)
            if read and read.text not in taken and not name_of_label(value.text):
                yield pair_of(page, name, label.text, read, value=value, label_box=label.box)
                break


def next_to(label: Segment, pieces: Sequence[Segment]) -> Iterator[Segment]:
    """The nearest piece right of a label on its line, then the nearest below it."""
    own = label.box
    others = [(piece.box, piece) for piece in pieces if piece is not label]
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


def is_label(text: str) -> bool:
    """Whether a text is short enough to be a label and no address of the web."""
    bare = text.strip(" :")
    return (
        0 < len(bare) <= LONGEST_LABEL
        and len(bare.split()) <= MOST_WORDS
        and bare.casefold() not in ("http", "https", "mailto")
    )


def read_value(name: str | None, text: str, *, exact: bool = True) -> NormalisedValue | None:
    """The value in a text, normalised if its kind is known; None if a value of that kind is not there.

    With `exact` the text has nothing but the value; without, the value is at its beginning.
    """
    stripped = text.strip()
    if not stripped:
        return None
    if name in NUMBER_LABELS or name == "tax_number":
        found = bare_number(stripped)
        return NormalisedValue(found["value"], found["value"]) if found else None
    if name in DATES:
        return at_start(
            [NormalisedValue(stripped[one.start : one.end], one.value) for one in find_dates(stripped)],
            stripped,
        )
    if name in AMOUNTS:
        return read_amount(stripped, exact=exact)
    if name in ("iban", "vat_id", "bic", "email", "phone"):
        return read_checked(name, stripped)
    return NormalisedValue(stripped, stripped) if exact and len(stripped) <= LONGEST_VALUE else None


def at_start(found: Sequence[NormalisedValue], text: str) -> NormalisedValue | None:
    """The first of some values, if it begins where the text does."""
    return next((one for one in found if text.find(one.text) <= 2), None)


def read_amount(text: str, *, exact: bool) -> NormalisedValue | None:
    """An amount with its currency, or a number alone where there is nothing else."""
    amounts = [NormalisedValue(text[one.start : one.end], one.value) for one in find_amounts(text)]
    if first := at_start(amounts, text):
        return first
    bare = BARE_AMOUNT.match(text)
    if bare is None or not (exact or re.search(r"[.,]\d{2}$", bare["value"])):
        return None
    return NormalisedValue(bare["value"], parse_number(bare["value"].replace("−", "-").lstrip("-"))[0])


def read_checked(name: str, text: str) -> NormalisedValue | None:
    """A value that is known by its own form."""
    if name in ("iban", "vat_id"):
        finder = find_ibans if name == "iban" else find_vat_ids
        return at_start([NormalisedValue(text[one.start : one.end], one.value) for one in finder(text)], text)
    pattern = {"bic": BIC, "email": EMAIL}.get(name)
    found = pattern.search(text) if pattern else None
    if pattern:
        return NormalisedValue(found[0], found[0]) if found else None
    return NormalisedValue(text, text) if SOME_DIGITS.search(text) and len(text) < LONGEST_LABEL else None
