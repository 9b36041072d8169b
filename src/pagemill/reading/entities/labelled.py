"""What is known by the words around it: numbers by their labels, and totals."""

import re
from collections.abc import Iterator

from pagemill.model.entities import EntityMatch, EntityType
from pagemill.reading.entities.label_parts import name_by_parts
from pagemill.reading.entities.label_words import NUMBER_LABELS, PARTIAL, TOTAL

LABELS = {
    EntityType.INVOICE_NUMBER: NUMBER_LABELS["invoice_number"],
    EntityType.ORDER_NUMBER: NUMBER_LABELS["order_number"],
    EntityType.CUSTOMER_NUMBER: NUMBER_LABELS["customer_number"] + r"|codice\s*cliente",
}
LABEL_PATTERNS = {
    kind: re.compile(rf"(?<!\w)(?:{words})\s*[:.]?\s*$", re.IGNORECASE) for kind, words in LABELS.items()
}
NUMBERED = {
    kind: re.compile(
        rf"(?<!\w)(?:{words})\s*[:.]?[\s\t]*(?P<value>[A-Z0-9][A-Z0-9/._-]*[A-Z0-9]|\d)(?![\w-])",
        re.IGNORECASE,
    )
    for kind, words in LABELS.items()
}
WORD = re.compile(r"\S+")
BARE_NUMBER = re.compile(r"\s*(?P<value>[A-Z0-9][A-Z0-9/._-]*[A-Z0-9])(?![\w-])", re.IGNORECASE)
IS_TOTAL = re.compile(rf"(?<!\w)(?:{TOTAL})(?!\w)", re.IGNORECASE)
IS_PARTIAL = re.compile(rf"(?<!\w)(?:{PARTIAL})(?!\w)", re.IGNORECASE)


def find_numbers(text: str) -> Iterator[EntityMatch]:
    """Numbers of invoices, orders and customers after their labels."""
    for kind, pattern in NUMBERED.items():
        for found in pattern.finditer(text):
            if any(character.isdigit() for character in found["value"]):
                label = " ".join(text[found.start() : found.start("value")].split()).rstrip(" :")
                yield EntityMatch(
                    kind, found.start("value"), found.end("value"), found["value"], None, None, label
                )


def find_stacked_numbers(text: str) -> Iterator[EntityMatch]:
    """Numbers in a cell whose labels are stacked in the cell before: `Invoice no.: Order no.:` and then both numbers."""
    labels, tab, _ = text.partition("\t")
    kinds = [label_of(label) for label in labels.split(":") if label.strip()]
    if not tab or len(kinds) < 2:
        return
    values = WORD.finditer(text, len(labels) + 1)
    # Labels of other kinds have values of several words, so only those before the first of them can be counted off.
    for kind, word in zip(kinds, values, strict=False):
        number = bare_number(word[0])
        if kind is None or number is None:
            return
        yield EntityMatch(kind, word.start(), word.start() + number.end("value"), number["value"])


def label_of(text: str) -> EntityType | None:
    """The kind of number that a text is the label of, if it is nothing else."""
    stripped = text.strip()
    for kind, pattern in LABEL_PATTERNS.items():
        found = pattern.search(stripped)
        if found and found.start() == 0:
            return kind
    return None


def bare_number(text: str) -> re.Match[str] | None:
    """The number that a text begins with, if it has a digit."""
    found = BARE_NUMBER.match(text)
    return found if found and any(character.isdigit() for character in found["value"]) else None


def is_total(words: str) -> bool:
    """Whether words before an amount call it a total."""
    meant = name_by_parts(words)
    return meant == "total" or (
        meant is None and bool(IS_TOTAL.search(words)) and not IS_PARTIAL.search(words)
    )
