"""Telephone numbers: international ones, and national ones behind a word for telephone.

Which numbers a country has is known to the package phonenumbers; the language of the label says which countries are meant.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

import phonenumbers

from pagemill.model.entities import EntityMatch, EntityType
from pagemill.reading.entities.label_words import (
    ANY_PHONE,
    BETWEEN,
    NUMBER_SIGN,
    ORDINARY_WORDS,
    PHONE_WORDS,
)
from pagemill.reading.entities.values import find_dates

# Where numbers behind a word of a language are at home.
REGIONS = {
    "en": "GB US CA IE AU NZ",
    "de": "DE AT CH LU",
    "fr": "FR BE CH LU CA",
    "es": "ES MX AR CO CL PE UY",
    "it": "IT CH",
    "nl": "NL BE",
    "pt": "PT BR",
    "pl": "PL",
    "sv": "SE FI",
    "cs": "CZ SK",
}
EVERYWHERE = tuple(dict.fromkeys(" ".join(REGIONS.values()).split()))
GAP = r"[ \u00a0./()–-]{0,3}"
DIGITS = rf"\(?\d(?:{GAP}\d){{5,14}}(?!\d)"
INTERNATIONAL = re.compile(rf"(?<![\w+])(?:\+ ?|00)[1-9](?:{GAP}\d){{6,14}}(?!\d)")
CALLED = re.compile(
    rf"(?<!\w)(?P<word>{ANY_PHONE})(?:-?{NUMBER_SIGN}|\.?(?!\w))(?:\s?[/&+]\s?(?:{ANY_PHONE})\.?(?!\w))?"
    rf"(?:\s*{NUMBER_SIGN})?"
    rf"\s*(?P<colon>:?)\s*(?P<value>{DIGITS})",
    re.IGNORECASE,
)
LABEL = re.compile(
    rf"(?:{NUMBER_SIGN}\s*{BETWEEN}\s*)?(?P<word>{ANY_PHONE})\.?(?:\s?[/&+]\s?(?:{ANY_PHONE})\.?)?(?:\s*-?{NUMBER_SIGN})?\s*:?",
    re.IGNORECASE,
)
GROUPS = re.compile(r"\d+")
FEWEST_DIGITS = 6


def find_phones(text: str) -> Iterator[EntityMatch]:
    """Telephone numbers: international ones, and others behind a word for telephone; whether they exist is not known."""
    for found in INTERNATIONAL.finditer(text):
        if number := international(found[0]):
            yield EntityMatch(EntityType.PHONE, found.start(), found.start() + len(number), digits_of(number))
    for found in CALLED.finditer(text):
        is_sure = bool(found["colon"]) or not ORDINARY.fullmatch(found["word"])
        if not is_sure and not found["value"].startswith(("0", "(0")):
            continue
        if number := national(found["value"], regions_of(found["word"]), is_sure=is_sure):
            start = found.start("value")
            yield EntityMatch(EntityType.PHONE, start, start + len(number), digits_of(number))


def phone_at_start(text: str, label: str = "") -> str | None:
    """The telephone number that a text begins with, as printed, behind a label."""
    if found := INTERNATIONAL.match(text):
        return international(found[0])
    found = FIRST_DIGITS.match(text)
    return national(found[0], regions_of(label), is_sure=True) if found else None


def is_phone_label(text: str) -> bool:
    """Whether a text says that a telephone number follows, and nothing else."""
    return LABEL.fullmatch(text.strip()) is not None


def digits_of(printed: str) -> str:
    """A number as digits, with + if it is international; a zero in brackets is only dialled at home."""
    digits = re.sub(r"\D", "", re.sub(r"\(\s?0\s?\)", "", printed))
    if printed.startswith("+"):
        return f"+{digits}"
    return f"+{digits.removeprefix('00')}" if INTERNATIONAL.match(printed) else digits


def international(printed: str) -> str | None:
    """The part of a text that is a number of some country; after a + what looks like one is taken for one."""
    for part in parts_of(printed):
        if is_valid(digits_of(part), None):
            return part
    return printed if printed.startswith("+") else None


def national(printed: str, regions: Sequence[str], *, is_sure: bool) -> str | None:
    """The part of a text that is a number in one of the regions.

    Where it is sure that some telephone number is meant, one that no country has given out is taken if it is written in
    groups or with a zero before it; examples and old numbers are like that.
    """
    day = next((one.start for one in find_dates(printed)), len(printed))
    parts = parts_of(printed[:day].rstrip(" .-/("))
    for part in parts:
        if any(is_valid(digits_of(part), region) for region in regions):
            return part
    whole = parts[0] if parts and is_sure else ""
    is_written_so = len(GROUPS.findall(whole)) > 1 or whole.startswith(("0", "(0"))
    return whole if is_written_so and any(is_possible(digits_of(whole), one) for one in regions) else None


def parts_of(printed: str) -> list[str]:
    """The beginnings of a number that end where a group of digits does, the longest first."""
    ends = [found.end() for found in GROUPS.finditer(printed)]
    parts = [printed[:end] for end in reversed(ends)]
    return [part for part in parts if sum(map(str.isdigit, part)) >= FEWEST_DIGITS]


@lru_cache(maxsize=1_024)
def regions_of(label: str) -> tuple[str, ...]:
    """The countries whose numbers a label may be in front of: those of its languages, or all if it is one of many."""
    found = LABEL.fullmatch(label.strip())
    word = found["word"] if found else label
    spoken = [language for language, words in WORDS.items() if words.fullmatch(word)]
    if not spoken or "any" in spoken:
        return EVERYWHERE
    return tuple(dict.fromkeys(" ".join(REGIONS[one] for one in spoken).split()))


@lru_cache(maxsize=4_096)
def is_valid(digits: str, region: str | None) -> bool:
    """Whether a country has such numbers."""
    parsed = parse(digits, region)
    return parsed is not None and phonenumbers.is_valid_number(parsed)


def is_possible(digits: str, region: str) -> bool:
    """Whether numbers of a country can have so many digits."""
    parsed = parse(digits, region)
    possible = phonenumbers.ValidationResult.IS_POSSIBLE
    return parsed is not None and phonenumbers.is_possible_number_with_reason(parsed) == possible


def parse(digits: str, region: str | None) -> phonenumbers.PhoneNumber | None:
    """A number as the package has it; None if it can be none."""
    try:
        return phonenumbers.parse(digits, region)
    except phonenumbers.NumberParseException:
        return None


WORDS = {language: re.compile(words, re.IGNORECASE) for language, words in PHONE_WORDS.items()}
ORDINARY = re.compile(ORDINARY_WORDS, re.IGNORECASE)
FIRST_DIGITS = re.compile(DIGITS)
