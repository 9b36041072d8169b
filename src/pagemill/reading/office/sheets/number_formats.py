"""Number formats of a workbook: numbers, dates and durations as the sheet shows them.

A format that is not understood, or that depends on the settings of the machine that shows the sheet, gives no text.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import lru_cache

_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"?|\\(?P<escaped>.)|(?P<gap>_.)|\*.|(?P<bracket>\[[^\]]*\])|(?P<general>General)'
    r"|(?P<noon>AM/PM|A/P)|(?P<exponent>E[+-])|(?P<date>y+|m+|d+|h+|s+(?:\.0+)?)|(?P<digit>[0#?])|(?P<rest>.)",
    re.IGNORECASE | re.DOTALL,
)
_CONDITION = re.compile(r"\[(<=|>=|<>|=|<|>)(-?\d+(?:\.\d+)?)\]")
_CURRENCY = re.compile(r"\[\$([^\]-]*)(?:-[^\]]*)?\]")
_ELAPSED = re.compile(r"\[(h+|m+|s+)\]", re.IGNORECASE)
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "=": lambda a, b: a == b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
    "<>": lambda a, b: a != b,
}
MOST_DECIMALS = 30
LONGEST_CODE = 255


@dataclass(frozen=True, slots=True)
class FormatToken:
    """A piece of a format: a literal, a place for a digit, a part of a date, or a mark."""

    kind: str
    text: str


Tokens = tuple[FormatToken, ...]


@lru_cache(maxsize=1_024)
def sections(code: str) -> tuple[Tokens, ...]:
    """The sections of a format code: positive numbers, negative ones, zero and text."""
    found: list[list[FormatToken]] = [[]]
    for token in _tokens(code[:LONGEST_CODE]):
        if token == FormatToken("rest", ";"):
            found.append([])
        else:
            found[-1].append(token)
    return tuple(map(tuple, found))


def _tokens(code: str) -> Iterator[FormatToken]:
    for match in _TOKEN.finditer(code):
        kind, text = match.lastgroup or "fill", match[match.lastgroup] if match.lastgroup else ""
        if kind in ("quoted", "escaped"):
            yield FormatToken("literal", text)
        elif kind == "gap":
            yield FormatToken("literal", " ")
        elif kind == "bracket" and (money := _CURRENCY.fullmatch(text)):
            yield FormatToken("literal", money[1])
        elif kind != "fill":
            yield FormatToken(kind, text)


def is_plain(code: str) -> bool:
    """Whether a format shows values as they are."""
    first = sections(code)[0]
    return len(first) == 1 and (first[0].kind == "general" or first[0].text == "@")


def shown_number(value: float, code: str) -> str | None:
    """A number as a format shows it; None if the format says nothing that is known."""
    chosen, magnitude = _choose_section(value, sections(code))
    kinds = {token.kind for token in chosen}
    if "date" in kinds or "noon" in kinds or "general" in kinds or FormatToken("rest", "@") in chosen:
        return None
    if "digit" not in kinds:
        text = "".join(token.text for token in chosen if token.kind in ("literal", "rest"))
        return text.strip() or None
    exact = Decimal(repr(magnitude))
    if FormatToken("rest", "/") in chosen:
        body = _fraction(exact, chosen)
    elif "exponent" in kinds:
        body = _scientific(exact, chosen)
    else:
        body = _decimal(exact, chosen)
    if body is None:
        return None
    has_own_sign = value >= 0 or magnitude >= 0
    return " ".join(body.split()) if has_own_sign else f"-{' '.join(body.split())}"


def _choose_section(value: float, found: Sequence[Tokens]) -> tuple[Tokens, float]:
    """The section for a value, and the value without the sign that the section writes itself."""
    for section in found:
        if (condition := _condition(section)) and _COMPARE[condition[1]](value, float(condition[2])):
            return section, abs(value) if len(found) > 1 and value < 0 else value
    if any(_condition(section) for section in found):
        rest = [section for section in found if not _condition(section)]
        return (rest[0] if rest else ()), value
    if value < 0 and len(found) > 1:
        return found[1], -value
    return (found[2] if value == 0 and len(found) > 2 else found[0]), value


def _condition(section: Tokens) -> re.Match[str] | None:
    marks = (_CONDITION.fullmatch(token.text) for token in section if token.kind == "bracket")
    return next((mark for mark in marks if mark), None)


def _decimal(value: Decimal, tokens: Tokens) -> str:
    """A number with a fixed count of decimals."""
    point = next((at for at, token in enumerate(tokens) if token == FormatToken("rest", ".")), len(tokens))
    whole, decimals = tokens[:point], tokens[point + 1 :]
    percent = sum(token == FormatToken("rest", "%") for token in tokens)
    thousands, scale = _commas(tokens, point)
    places = min(sum(token.kind == "digit" for token in decimals), MOST_DECIMALS)
    scaled = abs(value).scaleb(2 * percent - 3 * scale)
    rounded = scaled.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
    digits, _, fraction = f"{rounded:f}".partition(".")
    after = _fill_decimals(decimals, fraction)
    dot = "." if point < len(tokens) and places and (fraction.strip("0") or "0" in _places(decimals)) else ""
    return _fill_whole(whole, digits, thousands=thousands) + dot + after


def _places(tokens: Tokens) -> str:
    return "".join(token.text for token in tokens if token.kind == "digit")


def _commas(tokens: Tokens, point: int) -> tuple[bool, int]:
    """Whether commas part thousands, and by how many thousands the number is divided."""
    digits = [at for at, token in enumerate(tokens[:point]) if token.kind == "digit"]
    if not digits:
        return False, 0
    comma = FormatToken("rest", ",")
    every = [at for at, token in enumerate(tokens) if token.kind == "digit"]
    thousands = any(token == comma for token in tokens[digits[0] : digits[-1]])
    scale = 0
    for end in {digits[-1], every[-1]}:
        at = end + 1
        while at < len(tokens) and tokens[at] == comma:
            scale, at = scale + 1, at + 1
    return thousands, scale


def _fill_whole(tokens: Tokens, digits: str, *, thousands: bool) -> str:
    """The digits before the point in their places, from the right; the first place takes what is left."""
    places = [at for at, token in enumerate(tokens) if token.kind == "digit"]
    rest, out, count = "" if digits.strip("0") == "" else digits, [], 0
    for at in range(len(tokens) - 1, -1, -1):
        token = tokens[at]
        if token.kind != "digit":
            out.append(_mark(token))
            continue
        taken = rest[::-1] if at == places[0] else rest[-1:]
        rest = rest[: len(rest) - len(taken)]
        for digit in taken or {"0": "0", "?": " "}.get(token.text, ""):
            out.append("," if thousands and count and count % 3 == 0 and digit.isdigit() else "")
            out.append(digit)
            count += 1
    if not places:
        out.append(rest)
    return "".join(reversed(out))


def _fill_decimals(tokens: Tokens, digits: str) -> str:
    out, at = [], 0
    kept = len(digits.rstrip("0"))
    for token in tokens:
        if token.kind != "digit":
            out.append(_mark(token))
            continue
        digit = digits[at : at + 1]
        out.append(digit if at < kept or token.text == "0" else "")
        at += 1
    return "".join(out)


def _mark(token: FormatToken) -> str:
    """What is written of a token that is no place for a digit."""
    if token.kind == "literal":
        return token.text
    return token.text if token.kind == "rest" and token.text not in ",." else ""


def _scientific(value: Decimal, tokens: Tokens) -> str | None:
    at = next(index for index, token in enumerate(tokens) if token.kind == "exponent")
    before, after = tokens[:at], tokens[at + 1 :]
    point = next((index for index, token in enumerate(before) if token.text == "."), len(before))
    if sum(token.kind == "digit" for token in before[:point]) != 1:
        return None
    places = sum(token.kind == "digit" for token in before[point:])
    mantissa, _, exponent = f"{abs(value):.{min(places, MOST_DECIMALS)}E}".partition("E")
    width = sum(token.kind == "digit" for token in after)
    sign = "-" if exponent.startswith("-") else "+" if tokens[at].text.endswith("+") else ""
    return f"{mantissa}E{sign}{exponent.lstrip('+-').zfill(width)}"


def _fraction(value: Decimal, tokens: Tokens) -> str | None:
    """A number as a whole part and a fraction, the denominator of which has as many digits as the format."""
    slash = tokens.index(FormatToken("rest", "/"))
    places = sum(token.kind == "digit" for token in tokens[slash + 1 :])
    has_whole = any(token == FormatToken("rest", " ") for token in tokens[:slash])
    if not places or any(token.kind == "rest" and token.text.isdigit() for token in tokens):
        return None
    exact = Fraction(abs(value)).limit_denominator(10 ** min(places, 4) - 1)
    whole, left = divmod(exact.numerator, exact.denominator) if has_whole else (0, exact.numerator)
    if not left:
        return str(whole)
    part = f"{left}/{exact.denominator}"
    return f"{whole} {part}" if whole else part


def elapsed_mark(token: FormatToken) -> str | None:
    """The unit of a bracket that counts on past a day or an hour: h, m or s."""
    match = _ELAPSED.fullmatch(token.text) if token.kind == "bracket" else None
    return match[1][0].lower() if match else None
