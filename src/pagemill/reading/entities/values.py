"""Dates, amounts and percentages, in the ways that ten languages write them."""

import re
from collections.abc import Iterator
from datetime import date
from decimal import Decimal

from pagemill.model.entities import EntityMatch, EntityType

# The beginnings of the names of months in English, German, French, Spanish, Italian, Dutch, Portuguese, Polish, Swedish and
# Czech.
MONTHS = {
    1: "jan ene gen jän styczeń stycznia led",
    2: "feb fév fev lut úno",
    3: "mar mär maa mrt mrz bře",
    4: "apr avr abr kwi dub",
    5: "may mai mei maj mag mayo maio kvě",
    6: "jun juin giu cze červ",
    7: "jul juil lug lip červenc",
    8: "aug aoû ago sie srp",
    9: "sep set wrz zář",
    10: "oct okt ott out paź říj",
    11: "nov lis",
    12: "dec dez déc dic gru pros",
}
MONTH_BY_START = sorted(
    ((start, month) for month, starts in MONTHS.items() for start in starts.split()),
    key=lambda pair: -len(pair[0]),
)
MONTH = r"(?P<month>[A-Za-zÀ-žäöüéûç]{3,12})\.?"
NAMED = re.compile(
    rf"(?<![\w])(?P<day>[0-3]?\d)(?:\.|st|nd|rd|th|er|º)?\s+(?:de\s+|of\s+)?{MONTH}\s+(?:de\s+)?(?P<year>\d{{4}})(?!\w)"
)
MONTH_FIRST = re.compile(rf"(?<!\w){MONTH}\s+(?P<day>[0-3]?\d)(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}})(?!\w)")
ISO = re.compile(r"(?<![\w.-])(?P<year>\d{4})[-/.](?P<month>\d{2})[-/.](?P<day>\d{2})(?![\w-]|\.\d)")
EAST_ASIAN = re.compile(r"(?P<year>\d{4})\s?[年년]\s?(?P<month>\d{1,2})\s?[月월]\s?(?P<day>\d{1,2})\s?[日일]")
NUMERIC = re.compile(r"(?<![\w./-])(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d{2})(?![\w-]|[./]\d)")
THIS_CENTURY = 2000

CODES = (
    "EUR|USD|GBP|CHF|JPY|CNY|SEK|NOK|DKK|PLN|CZK|HUF|CAD|AUD|INR|BRL|TRY|MXN|NZD|SGD|HKD|ZAR|RON|BGN|ISK|UAH|ILS|KRW|THB|MYR|IDR|PHP|"
    "AED|SAR|ARS|CLP|COP|PEN|UYU|EGP|MAD|TWD|NGN|KES"
)
SIGNS = {
    "€": "EUR",
    "£": "GBP",
    "zł": "PLN",
    "Kč": "CZK",
    "₹": "INR",
    "R$": "BRL",
    "US$": "USD",
    "Fr.": "CHF",
}
# Several countries use these.
SHARED_SIGNS = {"$": "USD", "¥": "JPY", "kr": "SEK"}
CURRENCY = "|".join(re.escape(sign) for sign in sorted({**SIGNS, **SHARED_SIGNS}, key=len, reverse=True))
NUMBER = r"\d{1,3}(?:[.,'’\u00a0\u202f ]\d{3})+(?:[.,]\d{1,2})?(?!\d)|\d+(?:[.,]\d{1,2})?(?![\d])(?![.,]\d)"
# A currency between a count and a number with cents belongs to the second, as in `1 EUR 12.50`.
MONEY = f"(?:{CODES}|{CURRENCY})"
COUNT_BEFORE = rf"\d+[^\S\n]?{MONEY}[^\S\n]?\d{{1,3}}(?:[.,'’ ]?\d{{3}})*[.,]\d\d(?!\d)(?!\s?{MONEY})"
AMOUNT = re.compile(
    rf"(?<![\w.,])(?P<sign>[-−(]\s?)?(?:(?P<before>{CODES}|{CURRENCY})\s?(?P<minus>[-−]\s?)?(?P<first>{NUMBER})"
    rf"|(?!{COUNT_BEFORE})(?P<second>{NUMBER})[^\S\t\n]?(?P<after>(?:{CODES})(?!\w)|{CURRENCY})(?!\w))"
)
PERCENTAGE = re.compile(r"(?<![\w.,])([-−+]?\d{1,4}(?:[.,]\d{1,4})?)\s?[%٪]")


def find_dates(text: str) -> Iterator[EntityMatch]:
    """Dates that the calendar has; the value is in ISO 8601."""
    for pattern in (NAMED, MONTH_FIRST, ISO, EAST_ASIAN):
        for found in pattern.finditer(text):
            month = _month(found["month"])
            if month and (value := _iso(int(found["year"]), month, int(found["day"]))):
                yield EntityMatch(EntityType.DATE, found.start(), found.end(), value, True)
    for found in NUMERIC.finditer(text):
        yield from _numeric(found)


def _numeric(found: re.Match[str]) -> Iterator[EntityMatch]:
    """A date in numbers: the day comes first, unless it can't; what could be either is not called valid."""
    first, sign, second, year = int(found[1]), found[2], int(found[3]), int(found[4])
    year += THIS_CENTURY if year < 100 else 0
    day_first = _iso(year, second, first)
    month_first = _iso(year, first, second) if sign != "." else None
    value = day_first or month_first
    if value:
        sure = day_first is None or month_first in (None, day_first)
        yield EntityMatch(
            EntityType.DATE, found.start(), found.end(), value, True if sure and len(found[4]) == 4 else None
        )


def _month(name: str) -> int | None:
    if name.isdigit():
        return int(name)
    lowered = name.lower()
    return next((month for start, month in MONTH_BY_START if lowered.startswith(start)), None)


def _iso(year: int, month: int, day: int) -> str | None:
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None


def find_amounts(text: str) -> Iterator[EntityMatch]:
    """Numbers with a currency; the value has a point and no other sign but a minus."""
    for found in AMOUNT.finditer(text):
        number, sign = found["first"] or found["second"], found["before"] or found["after"]
        value, sure = parse_number(number)
        negative = bool(found["minus"]) or (found["sign"] or "").strip() in ("-", "−")
        in_brackets = (found["sign"] or "").strip() == "(" and text[found.end() : found.end() + 1] == ")"
        start = found.start() if negative or not found["sign"] else found.end("sign")
        currency = SIGNS.get(sign) or SHARED_SIGNS.get(sign) or sign
        yield EntityMatch(
            EntityType.AMOUNT,
            start,
            found.end(),
            f"-{value}" if negative or in_brackets else value,
            True if sure and sign not in SHARED_SIGNS else None,
            currency,
        )


def parse_number(text: str) -> tuple[str, bool]:
    """The value of a number, and whether it can be nothing else: 1.250 may have a fraction of three digits."""
    bare = re.sub(r"['’\s]", "", text)
    decimal = re.search(r"[.,](\d{1,2})$", bare)
    whole = re.sub(r"[.,]", "", bare[: decimal.start()] if decimal else bare)
    separators = re.findall(r"[.,]", bare)
    ambiguous = decimal is None and len(separators) == 1
    fraction = f".{decimal[1]}" if decimal else ""
    return str(Decimal(whole + fraction)), not ambiguous


def find_percentages(text: str) -> Iterator[EntityMatch]:
    """Percentages; the value is the number before the sign."""
    for found in PERCENTAGE.finditer(text):
        value = found[1].replace(",", ".").replace("−", "-").lstrip("+")
        yield EntityMatch(EntityType.PERCENTAGE, found.start(), found.end(), str(Decimal(value)), True)
