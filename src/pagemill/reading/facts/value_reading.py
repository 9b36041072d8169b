"""Values as labels name them: read in a text, and normalised."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pagemill.reading.entities.ibans import find_ibans
from pagemill.reading.entities.label_words import AMOUNTS, DATES, NUMBER_LABELS
from pagemill.reading.entities.labelled import bare_number
from pagemill.reading.entities.phones import digits_of, phone_at_start
from pagemill.reading.entities.values import NUMBER, find_amounts, find_dates, parse_number
from pagemill.reading.entities.vat_ids import find_vat_ids

LONGEST_LABEL, LONGEST_VALUE = 40, 200
FEWEST_DIGITS = 3
BARE_AMOUNT = re.compile(rf"\s*(?P<value>[-−]?(?:{NUMBER}))\s*$")
BIC = re.compile(r"\b[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?\b")
EMAIL = re.compile(r"\S+@\S+\.\w+")
SOME_DIGITS = re.compile(r"(?:\D?\d){6,}")
YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True, slots=True)
class NormalisedValue:
    """The value of a kind in a text: as printed, and normalised."""

    text: str
    value: str


def read_value(name: str | None, text: str, *, exact: bool = True) -> NormalisedValue | None:
    """The value in a text, normalised if its kind is known; None if a value of that kind is not there.

    With `exact` the text has nothing but the value; without, the value is at its beginning.
    """
    stripped = text.strip()
    if not stripped:
        return None
    if name in NUMBER_LABELS or name == "tax_number":
        found = bare_number(stripped)
        is_date = any(one.start == 0 for one in find_dates(stripped))
        return NormalisedValue(found["value"], found["value"]) if found and not is_date else None
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
    if name == "phone":
        return read_phone(text)
    found = (BIC if name == "bic" else EMAIL).search(text)
    return NormalisedValue(found[0], found[0]) if found else None


def read_phone(text: str) -> NormalisedValue | None:
    """The telephone number that a text begins with; what no country has is one too, if there is little else."""
    printed = phone_at_start(text)
    if printed is None and SOME_DIGITS.search(text) and len(text) < LONGEST_LABEL:
        printed = text
    return NormalisedValue(printed, digits_of(printed)) if printed else None


def is_number_of_thing(text: str, found: re.Match[str]) -> bool:
    """Whether what follows the name of a thing is its number: no year, day or amount, and more than a count."""
    value, rest = found["value"], text[found.start("value") :]
    digits = sum(character.isdigit() for character in value)
    others = [*find_dates(rest), *find_amounts(rest)]
    return digits >= FEWEST_DIGITS and not YEAR.fullmatch(value) and not any(one.start == 0 for one in others)


def has_number(text: str) -> bool:
    """Whether a text is a number of a thing and nothing else."""
    bare = text.strip()
    found = bare_number(bare)
    return found is not None and found.end() == len(bare) and is_number_of_thing(bare, found)
