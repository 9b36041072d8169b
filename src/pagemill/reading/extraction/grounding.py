"""Grounding: whether the words that a value is said to come from are in the document, and say it."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pagemill.model.extraction import ExtractedValue
from pagemill.model.pages import Box, Kind, Page, box_around
from pagemill.reading.entities.values import NUMBER, find_dates, parse_number
from pagemill.reading.writers.text import block_words

Leaf = str | int | float | bool
LEAST_CHARACTERS = 2
NUMBERS = re.compile(NUMBER)
ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
MOST_QUOTE = 300


@dataclass(frozen=True, slots=True)
class NumberedBlock:
    """A block of the document, or a row of a table, as the model sees it and as quotes are looked up in it."""

    block: str
    text: str
    page: int
    box: Box | None
    bare: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a model says that a value comes from."""

    pointer: str
    block: str
    quote: str


def passages_of(pages: Iterable[Page]) -> Iterator[NumberedBlock]:
    """The passages of a document in reading order; the rows of a table are passages of their own."""
    for page in pages:
        for block in page.blocks:
            if block.kind is Kind.TABLE:
                for row in block.all_rows:
                    text = "\t".join(" ".join(cell.text.split()) for cell in row)
                    boxes = [cell.box for cell in row if cell.box]
                    if text.strip():
                        yield passage(block.id, text, page.number, box_around(boxes) if boxes else block.box)
            elif text := block_words(block):
                yield passage(block.id, text, page.number, block.box)


def passage(block: str, text: str, page: int, box: Box | None) -> NumberedBlock:
    """A passage with its words as they are compared."""
    return NumberedBlock(block, text, page, box, bare_text(text))


def bare_text(text: str) -> str:
    """A text as it is compared: without case, accents on their own and differences of spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def ground(
    pointer: str, value: Leaf, evidence: Sequence[Evidence], passages: Sequence[NumberedBlock]
) -> ExtractedValue:
    """A value with the passage that supports it: the one that the model quoted, otherwise one that has the value itself."""
    for given in (one for one in evidence if one.pointer == pointer):
        if found := find_quote(given, value, passages):
            return locate(pointer, value, given.quote, found)
    if found := find_value(value, passages):
        return locate(pointer, value, None, found)
    quote = next((one.quote for one in evidence if one.pointer == pointer), None)
    return ExtractedValue(pointer, value, quote[:MOST_QUOTE] if quote else None)


def find_quote(given: Evidence, value: Leaf, passages: Sequence[NumberedBlock]) -> NumberedBlock | None:
    """The passage that has a quote, if the quote supports the value; the one that was named is looked at first."""
    quote = bare_text(given.quote)
    if len(quote) < LEAST_CHARACTERS or not supports(given.quote, value):
        return None
    ordered = sorted(passages, key=lambda one: one.block != given.block)
    return next((one for one in ordered if quote in one.bare), None)


def find_value(value: Leaf, passages: Sequence[NumberedBlock]) -> NumberedBlock | None:
    """The first passage that has the words of a value; numbers, dates and truth values are too often there by chance."""
    if not isinstance(value, str) or ISO_DATE.fullmatch(value):
        return None
    words = re.compile(rf"(?<!\w){re.escape(bare_text(value))}(?!\w)")
    return next((one for one in passages if len(value) > LEAST_CHARACTERS and words.search(one.bare)), None)


def supports(quote: str, value: Leaf) -> bool:
    """Whether a quote says a value: its words, its number in any way of writing it, or its date."""
    if isinstance(value, bool):
        return True
    if isinstance(value, int | float):
        return any(same_number(found[0], value) for found in NUMBERS.finditer(quote))
    if ISO_DATE.fullmatch(value):
        return value in quote or any(found.value == value for found in find_dates(quote))
    return bare_text(value) in bare_text(quote)


def same_number(text: str, value: float) -> bool:
    """Whether a printed number is a value."""
    return abs(abs(float(parse_number(text)[0])) - abs(value)) < 0.005


def locate(pointer: str, value: Leaf, quote: str | None, found: NumberedBlock) -> ExtractedValue:
    """A value that a passage supports."""
    words = (quote or found.text)[:MOST_QUOTE]
    return ExtractedValue(pointer, value, words, True, found.page, found.block, found.box)
