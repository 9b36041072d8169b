"""The check digits of VAT ids, by country: whether a number without its prefix can be right, or None if that can't be told."""

from collections.abc import Callable, Sequence

from pagemill.reading.entities.vat_personal import bulgarian, czech, latvian, lithuanian

# The letter of a Spanish person by the number, and that of an Irish number by its weighted sum.
SPANISH_LETTERS, SPANISH_COMPANIES = "TRWAGMYFPDXBNJZSQVHLCKE", "JABCDEFGHI"
IRISH_LETTERS = "WABCDEFGHIJKLMNOPQRSTUV"
FRENCH_KEYS = "0123456789ABCDEFGHJKLMNPQRSTUVWXYZ"
CYPRIOT_ODD = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21)
# Italian offices by the three digits before the last.
ITALIAN_OFFICES = {*range(1, 101), 120, 121, 888, 999}


def weighted_sum(number: str, weights: Sequence[int]) -> int:
    """The sum of the digits, each times its weight; digits beyond the weights don't count."""
    return sum(weight * int(digit) for weight, digit in zip(weights, number, strict=False))


def luhn(number: str) -> bool:
    """Whether digits end with the check digit of Luhn."""
    doubled = [int(digit) * (2 if place % 2 else 1) for place, digit in enumerate(reversed(number))]
    return sum(one - 9 if one > 9 else one for one in doubled) % 10 == 0


def product_check(number: str) -> bool:
    """Whether digits end with the check digit of ISO 7064 mod 11,10."""
    product = 10
    for digit in number[:-1]:
        total = (int(digit) + product) % 10 or 10
        product = 2 * total % 11
    return (11 - product) % 10 == int(number[-1])


def _austrian(number: str) -> bool:
    digits = [int(digit) for digit in number[1:]]
    doubled = sum(digits[place] // 5 + digits[place] * 2 % 10 for place in (1, 3, 5))
    return (10 - (doubled + digits[0] + digits[2] + digits[4] + digits[6] + 4) % 10) % 10 == digits[7]


def _cypriot(number: str) -> bool:
    total = sum(CYPRIOT_ODD[int(digit)] for digit in number[:8:2]) + sum(map(int, number[1:8:2]))
    return not number.startswith("12") and chr(ord("A") + total % 26) == number[8]


def _french(number: str) -> bool:
    """The key of the number of an enterprise, which has a check digit of its own (but in Monaco)."""
    key, siren = number[:2], number[2:]
    if not (siren.startswith("000") or luhn(siren)):
        return False
    if key.isdigit():
        return (12 + 3 * (int(siren) % 97)) % 97 == int(key)
    first, second = map(FRENCH_KEYS.index, key)
    check = first * 24 + second - 10 if key[0].isdigit() else first * 34 + second - 100
    return (int(siren) + 1 + check // 11) % 11 == check % 11


def _greek(number: str) -> bool:
    return weighted_sum(number, (256, 128, 64, 32, 16, 8, 4, 2)) % 11 % 10 == int(number[8])


def _irish(number: str) -> bool:
    if not number[1].isdigit():
        # The older form: its second character doesn't count, and its first digit comes last.
        number = f"0{number[2:7]}{number[0]}{number[7]}"
    total = weighted_sum(number, range(8, 1, -1)) + 9 * (IRISH_LETTERS.index(number[8]) if number[8:] else 0)
    return IRISH_LETTERS[total % 23] == number[7]


def _italian(number: str) -> bool:
    return number[:7] != "0000000" and int(number[7:10]) in ITALIAN_OFFICES and luhn(number)


def _dutch(number: str) -> bool:
    """The number of a person with its check digit, or the whole with check digits as an IBAN has them."""
    digits = "".join(str(int(character, 36)) for character in f"NL{number}")
    is_personal = weighted_sum(number, range(9, 1, -1)) % 11 == int(number[8])
    return not number.endswith("B00") and (is_personal or int(digits) % 97 == 1)


def _portuguese(number: str) -> bool:
    check = 11 - weighted_sum(number, range(9, 1, -1)) % 11
    return (0 if check > 9 else check) == int(number[8])


def _romanian(number: str) -> bool:
    padded = number.zfill(10)
    return weighted_sum(padded, (7, 5, 3, 2, 1, 7, 5, 3, 2)) * 10 % 11 % 10 == int(padded[9])


def _slovak(number: str) -> bool | None:
    """A company; persons may have the number of their birth, as in Czechia."""
    if number[2] in "234789" and int(number) % 11 == 0:
        return True
    return None if czech(number) else False


def _slovenian(number: str) -> bool:
    check = 11 - weighted_sum(number, range(8, 1, -1)) % 11
    return (0 if check == 10 else check) == int(number[7])


def _spanish(number: str) -> bool | None:
    """The letter of a person, or the digit or the letter of a company: which of them is a custom of its kind."""
    first, digits, last = number[0], number[1:8], number[8]
    if first in "XYZ" or first.isdigit():
        return SPANISH_LETTERS[int(number[:8].translate(str.maketrans("XYZ", "012"))) % 23] == last
    if first in "KLM":
        return SPANISH_LETTERS[int(digits) % 23] == last
    check = next(digit for digit in range(10) if luhn(f"{digits}{digit}"))
    if last not in (str(check), SPANISH_COMPANIES[check]):
        return False
    is_usual = last.isdigit() if first in "ABEH" else last.isalpha() or first not in "NPQRSW"
    return True if is_usual else None


def _swedish(number: str) -> bool | None:
    """The number of the organisation, and 01; other ends are for groups of companies, which are not checked."""
    return (True if number.endswith("01") else None) if luhn(number[:10]) else False


def _british(number: str) -> bool | None:
    """Nine digits, before the three of a branch; those of the government have no check."""
    if not number[:2].isdigit():
        return None
    rest = weighted_sum(number, (8, 7, 6, 5, 4, 3, 2, 10, 1)) % 97
    return rest in ((0, 42, 55) if number[0] != "0" else (0,))


def _norwegian(number: str) -> bool:
    return -weighted_sum(number, (3, 2, 7, 6, 5, 4, 3, 2)) % 11 == int(number[8])


def _swiss(number: str) -> bool:
    return -weighted_sum(number, (5, 4, 3, 2, 7, 6, 5, 4)) % 11 == int(number[8])


CHECKS: dict[str, Callable[[str], bool | None]] = {
    "AT": _austrian,
    "BE": lambda number: 97 - int(number[:8]) % 97 == int(number[8:]),
    "BG": bulgarian,
    "CH": _swiss,
    "CY": _cypriot,
    "CZ": czech,
    "DE": product_check,
    "DK": lambda number: weighted_sum(number, (2, 7, 6, 5, 4, 3, 2, 1)) % 11 == 0,
    "EE": lambda number: weighted_sum(number, (3, 7, 1) * 3) % 10 == 0,
    "EL": _greek,
    "ES": _spanish,
    "FI": lambda number: weighted_sum(number, (7, 9, 10, 5, 8, 4, 2, 1)) % 11 == 0,
    "FR": _french,
    "GB": _british,
    "HR": product_check,
    "HU": lambda number: weighted_sum(number, (9, 7, 3, 1) * 2) % 10 == 0,
    "IE": _irish,
    "IT": _italian,
    "LT": lithuanian,
    "LU": lambda number: int(number[:6]) % 89 == int(number[6:]),
    "LV": latvian,
    "MT": lambda number: weighted_sum(number, (3, 4, 6, 7, 8, 9, 10, 1)) % 37 == 0,
    "NL": _dutch,
    "NO": _norwegian,
    "PL": lambda number: weighted_sum(number, (6, 5, 7, 2, 3, 4, 5, 6, 7)) % 11 == int(number[9]),
    "PT": _portuguese,
    "RO": _romanian,
    "SE": _swedish,
    "SI": _slovenian,
    "SK": _slovak,
    "XI": _british,
}
