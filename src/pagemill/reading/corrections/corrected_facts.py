"""What people say of facts, laid over those that were found."""

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from typing import Any

from pagemill.model.entities import EntityMatch, EntityType
from pagemill.model.pages import CorrectedFact, Page
from pagemill.reading.entities.finding import find_emails, find_urls
from pagemill.reading.entities.ibans import find_ibans
from pagemill.reading.entities.label_words import AMOUNTS, DATES
from pagemill.reading.entities.vat_ids import find_vat_ids
from pagemill.reading.facts.value_reading import read_value
from pagemill.reading.passages.units import Unit

Row = dict[str, Any]
# The type of entity that the value of a named pair is.
TYPE_OF_NAME = dict.fromkeys(DATES, EntityType.DATE.value) | dict.fromkeys(AMOUNTS, EntityType.AMOUNT.value)
DECIMAL = re.compile(r"-?\d+(?:\.\d+)?")
NUMBERS = (EntityType.AMOUNT, EntityType.PERCENTAGE)
# Those of countries that are not known are not checked any further.
WITH_COUNTRY = re.compile(r"[A-Z]{2}(?=.*\d)[0-9A-Z+*]{2,32}")
OF_COUNTRIES = {EntityType.IBAN.value: find_ibans, EntityType.VAT_ID.value: find_vat_ids}
ADDRESSES = {EntityType.EMAIL.value: find_emails, EntityType.URL.value: find_urls}


def type_of(name: str) -> str:
    """The type of entity that a fact is: its own, or that of the value of a named pair."""
    return TYPE_OF_NAME.get(name, name)


def check_value(name: str, value: str) -> tuple[str, bool | None]:
    """A value that a person gives a fact, normalised, and whether it is valid as far as can be checked.

    Raises ValueError if the fact can have no such value: a date that the calendar does not have, an amount that is no number.
    An IBAN or a VAT id with wrong check digits may be what is printed, so it is kept, and is not valid.
    """
    kind = type_of(name)
    if kind == EntityType.DATE:
        return checked_date(value), True
    if kind in NUMBERS:
        if not DECIMAL.fullmatch(value):
            raise ValueError(f"{value!r} is not a number such as 1190.60")
        return value, True
    if kind in OF_COUNTRIES:
        bare = "".join(value.split()).upper()
        if not WITH_COUNTRY.fullmatch(bare):
            raise ValueError(f"{value!r} does not begin with a country as {kind.replace('_', ' ')}s do")
        return checked_by(OF_COUNTRIES[kind], bare) or (bare, None)
    found = checked_by(ADDRESSES[kind], value) if kind in ADDRESSES else (value, None)
    if found is None:
        raise ValueError(f"{value!r} is not a valid address of this kind")
    return found


def checked_date(value: str) -> str:
    """A date in ISO 8601; raises ValueError if the calendar has none such."""
    try:
        return date.fromisoformat(value).isoformat()
    except ValueError:
        raise ValueError(f"{value!r} is not a date such as 2026-05-03") from None


def checked_by(find: Callable[[str], Iterable[EntityMatch]], text: str) -> tuple[str, bool | None] | None:
    """The value of the entity that a text is as a whole, and whether it is valid; None if it is no such entity."""
    whole = (one for one in find(text) if one.end - one.start == len(text))
    return next(((one.value, one.valid) for one in whole), None)


def validity(correction: CorrectedFact) -> bool | None:
    """Whether a corrected value is valid as far as can be checked."""
    try:
        return None if correction.value is None else check_value(correction.type, correction.value)[1]
    except ValueError:
        # It was stored before values were checked.
        return False


def correct_entities(page: Page, rows: Iterable[Row], units: Sequence[Unit]) -> list[Row]:
    """The entities of a page with the values that people gave them, without those that are none, and with new ones.

    The value of a named pair, such as a total, is that of the amount or the date with the same text as well.
    """
    found = list(rows)
    for correction in page.corrected_facts:
        same = [row for row in found if row["type"] == type_of(correction.type) and is_same(row, correction)]
        if correction.remove:
            # What is no total may still be an amount.
            found = [row for row in found if row not in same or row["type"] != correction.type]
        elif same:
            for row in same:
                row |= {"value": correction.value, "valid": validity(correction), "corrected": True}
        else:
            found.append(new_entity(page, correction, units))
    return found


def is_same(row: Row, correction: CorrectedFact) -> bool:
    """Whether a fact is the one that was corrected."""
    return row["text"] == correction.text and correction.block in (None, row.get("block"))


def new_entity(page: Page, correction: CorrectedFact, units: Sequence[Unit]) -> Row:
    """An entity that was not found; its place is null where its text is not printed like that."""
    block = next((one for one in page.blocks if one.id == correction.block), None)
    box = block.box if block else None
    start = next(
        (
            unit.start + unit.text.index(correction.text)
            for unit in units
            if correction.text and correction.text in unit.text
        ),
        None,
    )
    return {
        "type": correction.type,
        "text": correction.text,
        "value": correction.value,
        "valid": validity(correction),
        "page": page.number,
        "block": correction.block,
        "box": box.sides if box else None,
        "start": start,
        "end": None if start is None else start + len(correction.text),
        "corrected": True,
    }


def correct_pairs(rows: Iterable[Row], said_of_pages: Sequence[tuple[int, CorrectedFact]]) -> list[Row]:
    """Pairs of label and value with the values that people gave them, without those that are none."""
    found = []
    for row in rows:
        last = next(
            (
                correction
                for page, correction in reversed(said_of_pages)
                if row["page"] == page and is_pair(row, correction)
            ),
            None,
        )
        if last is None:
            found.append(row)
        elif not last.remove:
            found.append(row | {"value": last.value, "corrected": True})
    return found


def is_pair(row: Row, correction: CorrectedFact) -> bool:
    """Whether a pair is what was corrected, or has the entity that was as its value, with its currency or without."""
    name = row.get("name")
    if correction.type in (name, row["label"]) and is_same(row, correction):
        return True
    if name is None or correction.type != type_of(name) or correction.block not in (None, row.get("block")):
        return False
    meant = read_value(name, correction.text)
    return row["text"] == correction.text or (meant is not None and meant.value == row["value"])
