"""IBANs, which carry their own check."""

import re
from collections.abc import Iterator

from pagemill.model.entities import EntityMatch, EntityType

# The length of an IBAN by country (ISO 13616).
IBAN_LENGTHS = {
    entry[:2]: int(entry[2:])
    for entry in (
        "AD24 AE23 AT20 BE16 BG22 CH21 CY28 CZ24 DE22 DK18 EE20 ES24 FI18 FR27 GB22 GR27 HR21 HU28 IE22 "
        "IS26 IT27 LI21 LT20 LU20 LV21 MC27 MT31 NL18 NO15 PL28 PT25 RO24 SE24 SI19 SK24 SM27 TR26 UA29"
    ).split()
}
IBAN_START = re.compile(r"(?<![A-Za-z0-9])([A-Z]{2})\d{2}(?=[ ]?[A-Z0-9])")


def find_ibans(text: str) -> Iterator[EntityMatch]:
    """IBANs of the right length; valid if their check digits are."""
    for found in IBAN_START.finditer(text):
        length = IBAN_LENGTHS.get(found[1])
        end = _end_of(text, found.start(), length) if length else None
        if end is None:
            continue
        value = re.sub(r"\s", "", text[found.start() : end])
        yield EntityMatch(EntityType.IBAN, found.start(), end, value, _iban_is_valid(value))


def _end_of(text: str, start: int, length: int) -> int | None:
    """Where so many letters and digits end, with single spaces between groups of them; None if there are fewer or more."""
    count, place = 0, start
    while place < len(text) and count < length:
        if text[place].isascii() and (text[place].isdigit() or text[place].isupper()):
            count += 1
        elif text[place] != " " or text[place - 1] == " ":
            return None
        place += 1
    is_over = place == len(text) or not text[place].isalnum()
    return place if count == length and is_over else None


def _iban_is_valid(value: str) -> bool:
    digits = "".join(str(int(character, 36)) for character in value[4:] + value[:4])
    return int(digits) % 97 == 1
