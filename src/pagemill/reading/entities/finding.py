"""All entities of a page: found in its texts, and beside its labels."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from urllib.parse import urlsplit

from pagemill.model.entities import Entity, EntityMatch, EntityType
from pagemill.model.pages import Box
from pagemill.reading.entities.ibans import find_ibans
from pagemill.reading.entities.labelled import (
    bare_number,
    find_numbers,
    find_stacked_numbers,
    is_total,
    label_of,
)
from pagemill.reading.entities.organisations import find_organisations
from pagemill.reading.entities.phones import digits_of, find_phones, is_phone_label, phone_at_start
from pagemill.reading.entities.values import find_amounts, find_dates, find_percentages
from pagemill.reading.entities.vat_ids import find_vat_ids
from pagemill.reading.passages.units import Unit

# The recogniser often sees a space beside the sign.
EMAIL = re.compile(r"(?<![\w.+-])[A-Za-z0-9][\w.+-]* ?@ ?[A-Za-z0-9](?:[\w-]*\.)+[A-Za-z]{2,24}(?!\w)")
URL = re.compile(r"(?<![\w@])(?:https?://|www\.)[^\s<>\"'）)\]]+[^\s<>\"'.,;:!?）)\]]")
# How far right or below a label its number may be, in heights of the label.
REACH_RIGHT, REACH_BELOW = 40.0, 2.5


def find_emails(text: str) -> Iterator[EntityMatch]:
    """E-mail addresses; one with spaces in it is not checked."""
    for found in EMAIL.finditer(text):
        value = found[0].replace(" ", "").lower()
        valid = ".." not in value if value == found[0].lower() else None
        yield EntityMatch(EntityType.EMAIL, found.start(), found.end(), value, valid)


def find_urls(text: str) -> Iterator[EntityMatch]:
    """Addresses of web pages, with a scheme or with www."""
    for found in URL.finditer(text):
        value = found[0] if "://" in found[0] else f"http://{found[0]}"
        try:
            host = urlsplit(value).hostname or ""
        except ValueError:
            continue
        if "." in host.strip("."):
            yield EntityMatch(EntityType.URL, found.start(), found.end(), value, True)


# In this order: what is found later must not overlap what was found before.
FINDERS: Sequence[Callable[[str], Iterator[EntityMatch]]] = (
    find_emails,
    find_urls,
    find_ibans,
    find_vat_ids,
    find_numbers,
    find_stacked_numbers,
    find_dates,
    find_amounts,
    find_percentages,
    find_phones,
    find_organisations,
)


def matches_in(text: str) -> list[EntityMatch]:
    """The entities of a text in order, none over another."""
    found: list[EntityMatch] = []
    for finder in FINDERS:
        for one in finder(text):
            if all(one.end <= other.start or one.start >= other.end for other in found):
                found.append(one)
    return label_totals(text, sorted(found, key=lambda one: one.start))


def label_totals(text: str, found: Sequence[EntityMatch]) -> list[EntityMatch]:
    """The entities, where an amount whose words before it call it a total is labelled so."""
    labelled, begin = [], 0
    for one in found:
        begin = max(begin, text.rfind("\n", 0, one.start) + 1)
        is_labelled = one.type is EntityType.AMOUNT and is_total(text[begin : one.start])
        labelled.append(replace(one, label="total") if is_labelled else one)
        # What is before another amount is not about this one; a rate of tax may be.
        begin = one.end if one.type is EntityType.AMOUNT else begin
    return labelled


def find_entities(units: Sequence[Unit]) -> list[Entity]:
    """The entities of a page, in the order of its text."""
    found = [entity_of(unit, match) for unit in units for match in matches_in(unit.text)]
    found += [entity for unit in units for entity in beside_label(unit, units)]
    found = mark_totals(found, units)
    unique = {(one.match.type, one.match.start): one for one in found}
    return sorted(unique.values(), key=lambda one: one.match.start)


def entity_of(unit: Unit, match: EntityMatch) -> Entity:
    """A match in a unit as an entity of the document."""
    page, box = unit.printed[0]
    moved = replace(match, start=unit.start + match.start, end=unit.start + match.end)
    return Entity(moved, unit.text[match.start : match.end], page, unit.block, box)


def beside_label(label: Unit, units: Sequence[Unit]) -> Iterator[Entity]:
    """The number that is printed right of a label, or below it."""
    kind = label_of(label.text)
    is_phone = kind is None and is_phone_label(label.text)
    value = neighbour(label, units) if kind or is_phone else None
    if value and is_phone and (printed := phone_at_start(value.text, label.text)):
        yield entity_of(value, EntityMatch(EntityType.PHONE, 0, len(printed), digits_of(printed)))
    number = bare_number(value.text) if value else None
    if kind and value and number:
        start, end = number.span("value")
        name = label.text.strip(" :")
        yield entity_of(value, EntityMatch(kind, start, end, number["value"], None, None, name))


def mark_totals(found: Sequence[Entity], units: Sequence[Unit]) -> list[Entity]:
    """The entities, where an amount that is printed beside the word for a total is labelled so."""
    labels = [
        unit for unit in units if len(unit.text) < 40 and is_total(unit.text) and not matches_in(unit.text)
    ]
    beside = {value.start for label in labels if (value := neighbour(label, units))}
    by_start = {unit.start: unit for unit in units if unit.start in beside}
    return [
        replace(one, match=replace(one.match, label="total"))
        if one.match.type is EntityType.AMOUNT
        and any(unit.start <= one.match.start < unit.end for unit in by_start.values())
        else one
        for one in found
    ]


def neighbour(label: Unit, units: Sequence[Unit]) -> Unit | None:
    """The nearest unit right of a label on its line; the nearest below it if there is none."""
    box = label.printed[0][1]
    if box is None:
        return None
    boxes = [(unit, unit.printed[0][1]) for unit in units if unit is not label]
    right = [
        (other.x - box.right, place)
        for place, (_, other) in enumerate(boxes)
        if other and is_beside(box, other)
    ]
    below = [
        (other.y - box.bottom, place)
        for place, (_, other) in enumerate(boxes)
        if other and is_below(box, other)
    ]
    nearest = min(right or below, default=None)
    return boxes[nearest[1]][0] if nearest else None


def is_beside(label: Box, other: Box) -> bool:
    """Whether a box is right of a label, on its line."""
    shared = min(label.bottom, other.bottom) - max(label.y, other.y)
    return (
        shared > 0.5 * min(label.height, other.height)
        and -1 <= other.x - label.right < REACH_RIGHT * label.height
    )


def is_below(label: Box, other: Box) -> bool:
    """Whether a box is right below a label, and begins, ends or has its middle where the label has."""
    is_next = -1 <= other.y - label.bottom < REACH_BELOW * label.height
    off = (other.x - label.x, other.right - label.right, (other.x + other.right - label.x - label.right) / 2)
    return is_next and min(map(abs, off)) < label.height
