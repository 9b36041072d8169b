"""Dates and times as the formats of a workbook show them."""

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta

from pagemill.reading.office.sheets.number_formats import FormatToken, Tokens, elapsed_mark, sections

MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
NOON, HALF_DAY = 12, 12
# Workbooks count days from here.
FIRST_DAY = date(1899, 12, 30)
_LANGUAGE = re.compile(r"\[\$[^\]-]*-([0-9A-Fa-f]+)")
ENGLISH, LANGUAGE_BITS = 0x09, 0x3FF
NAME_LETTERS = 3
Moment = datetime | date | time | timedelta


def shown_moment(value: Moment, code: str) -> str | None:
    """A date, a time or a duration as a format shows it.

    None if the format is not known, has names in another language, or has the day and the month as numbers in an order
    that depends on the reader's country.
    """
    tokens = list(_with_minutes(sections(code)[0]))
    if isinstance(value, timedelta) or any(map(elapsed_mark, tokens)):
        return _duration_text(_seconds(value), tokens)
    kinds = {token.kind for token in tokens}
    if "date" not in kinds or "bracket" in kinds or _is_ambiguous(tokens) or _is_foreign(code, tokens):
        return None
    moment = _moment(value)
    half = any(token.kind == "noon" for token in tokens)
    shown = "".join(_piece(token, moment, half=half) for token in tokens)
    return " ".join(shown.split()) or None


def _is_ambiguous(tokens: Sequence[FormatToken]) -> bool:
    """Whether day and month are numbers, and the year is not in front."""
    letters = [token.text.lower() for token in tokens if token.kind == "date"]
    numbers = [one for one in letters if one in ("d", "dd", "m", "mm")]
    return len(numbers) > 1 and not letters[0].startswith("yyy")


def _is_foreign(code: str, tokens: Sequence[FormatToken]) -> bool:
    """Whether a format has the names of months or days in a language that is not English."""
    language = _LANGUAGE.search(code)
    names = any(token.kind == "date" and _is_name(token.text.lower()) for token in tokens)
    return names and language is not None and int(language[1][-4:], 16) & LANGUAGE_BITS != ENGLISH


def _is_name(letters: str) -> bool:
    return len(letters) >= NAME_LETTERS and letters[0] in "md"


def _with_minutes(tokens: Tokens) -> Iterator[FormatToken]:
    """The tokens, with `m` turned into minutes (`n`) after hours or before seconds."""
    dates = [token for token in tokens if token.kind == "date" or elapsed_mark(token)]
    at = 0
    for token in tokens:
        if token not in dates:
            yield token
            continue
        before = _unit(dates[at - 1]) if at else ""
        after = _unit(dates[at + 1]) if at + 1 < len(dates) else ""
        is_minute = _unit(token) == "m" and (before == "h" or after == "s") and len(token.text) < 3
        at += 1
        yield FormatToken("date", "n" * len(token.text)) if is_minute else token


def _unit(token: FormatToken) -> str:
    return elapsed_mark(token) or token.text[0].lower()


def _moment(value: Moment) -> datetime:
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime.combine(value, time())
    return datetime.combine(FIRST_DAY, value if isinstance(value, time) else time())


def _piece(token: FormatToken, moment: datetime, *, half: bool) -> str:
    """What is written for one token."""
    if token.kind == "literal" or token.kind == "rest":
        return token.text
    if token.kind == "noon":
        return "AM" if moment.hour < NOON else "PM"
    if token.kind != "date":
        return ""
    width, letter = len(token.text), token.text[0].lower()
    match letter:
        case "y":
            return f"{moment.year:04d}" if width > 2 else f"{moment.year % 100:02d}"
        case "m":
            return _name_or_number(MONTHS[moment.month - 1], moment.month, width)
        case "d":
            return _name_or_number(DAYS[moment.weekday()], moment.day, width)
        case "h":
            hour = (moment.hour % HALF_DAY or HALF_DAY) if half else moment.hour
            return f"{hour:0{min(width, 2)}d}"
        case "n":
            return f"{moment.minute:0{min(width, 2)}d}"
    return _second(moment.second + moment.microsecond / 1e6, token.text)


def _name_or_number(name: str, number: int, width: int) -> str:
    if width < NAME_LETTERS:
        return f"{number:0{width}d}"
    return {3: name[:3], 5: name[:1]}.get(width, name)


def _second(seconds: float, letters: str) -> str:
    whole, _, decimals = letters.partition(".")
    width = min(len(whole), 2) + (len(decimals) + 1 if decimals else 0)
    return f"{seconds:0{width}.{len(decimals)}f}" if decimals else f"{int(seconds):0{width}d}"


def _seconds(value: Moment) -> float:
    """The seconds of a duration; a date counts from the day before the first of a workbook."""
    if isinstance(value, timedelta):
        return value.total_seconds()
    return (_moment(value) - _moment(FIRST_DAY)).total_seconds()


def _duration_text(seconds: float, tokens: Sequence[FormatToken]) -> str | None:
    """A duration: the unit in brackets counts on, those after it start again."""
    left, out = abs(seconds), []
    sizes = {"h": 3_600, "n": 60, "m": 60, "s": 1}
    for token in tokens:
        letter = _unit(token) if token.kind in ("date", "bracket") and token.text else ""
        if token.kind in ("literal", "rest"):
            out.append(token.text)
        elif letter in sizes and (elapsed_mark(token) or token.kind == "date"):
            count = int(left // sizes[letter])
            left -= count * sizes[letter]
            out.append(str(count) if elapsed_mark(token) else f"{count:0{min(len(token.text), 2)}d}")
        else:
            return None
    return ("-" if seconds < 0 else "") + "".join(out)
