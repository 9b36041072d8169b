"""What carries its own check: IBANs and VAT ids."""

import re
from collections.abc import Callable, Iterator

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
VAT = re.compile(
    r"(?<![A-Za-z0-9])(?:(DE) ?(\d{9})|(FR) ?([0-9A-HJ-NP-Z]{2} ?\d{3} ?\d{3} ?\d{3})|(IT) ?(\d{11})"
    r"|(ES) ?([A-Z0-9]\d{7}[A-Z0-9])|(NL) ?(\d{9}B\d{2})|(AT) ?(U\d{8})|(BE) ?([01]\d{3}\.?\d{3}\.?\d{3})"
    r"|(PL) ?(\d{10})|(LU) ?(\d{8})|(PT) ?(\d{9}))"
    r"(?![A-Za-z0-9])"
)


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
    digits = "".join(str(int(letter, 36)) for letter in value[4:] + value[:4])
    return int(digits) % 97 == 1


def find_vat_ids(text: str) -> Iterator[EntityMatch]:
    """VAT ids of some countries; valid where a check digit says so, invalid where it says the contrary."""
    for found in VAT.finditer(text):
        country, number = (part for part in found.groups() if part is not None)
        number = re.sub(r"[ .]", "", number)
        check = CHECKS.get(country)
        valid = check(number) if check else None
        yield EntityMatch(EntityType.VAT_ID, found.start(), found.end(), country + number, valid)


def _german(number: str) -> bool:
    product = 10
    for digit in number[:8]:
        total = (int(digit) + product) % 10 or 10
        product = 2 * total % 11
    return (11 - product) % 10 == int(number[8])


def _french(number: str) -> bool | None:
    if not number[:2].isdigit():
        return None
    return (12 + 3 * (int(number[2:]) % 97)) % 97 == int(number[:2])


def _luhn(number: str) -> bool:
    doubled = [int(digit) * (2 if place % 2 else 1) for place, digit in enumerate(reversed(number))]
    return sum(one - 9 if one > 9 else one for one in doubled) % 10 == 0


def _austrian(number: str) -> bool:
    digits = [int(digit) for digit in number[1:]]
    doubled = sum(digits[place] // 5 + digits[place] * 2 % 10 for place in (1, 3, 5))
    return (10 - (doubled + digits[0] + digits[2] + digits[4] + digits[6] + 4) % 10) % 10 == digits[7]


def _dutch(number: str) -> bool:
    weighted = sum(int(digit) * (9 - place) for place, digit in enumerate(number[:8]))
    letters = "".join(str(int(letter, 36)) for letter in f"NL{number}")
    return weighted % 11 == int(number[8]) or int(letters) % 97 == 1


def _polish(number: str) -> bool:
    weights = (6, 5, 7, 2, 3, 4, 5, 6, 7)
    return sum(weight * int(digit) for weight, digit in zip(weights, number[:9], strict=True)) % 11 == int(
        number[9]
    )


CHECKS: dict[str, Callable[[str], bool | None]] = {
    "DE": _german,
    "FR": _french,
    "IT": _luhn,
    "AT": _austrian,
    "NL": _dutch,
    "PL": _polish,
    "BE": lambda number: 97 - int(number[:8]) % 97 == int(number[8:]),
    "LU": lambda number: int(number[:6]) % 89 == int(number[6:]),
}
