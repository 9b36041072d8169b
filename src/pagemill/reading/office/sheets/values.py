"""Values of cells: what they say, and what they mean."""

from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

from pagemill.model.pages import Cell
from pagemill.reading.clean import clean

Value = int | float | str | bool | time | date | datetime | timedelta | None
# More digits than a spreadsheet shows are noise of the arithmetic.
DIGITS = 15
EMPTY = Cell("")
LARGEST_WHOLE = 1e15
SECONDS_PER_HOUR, SECONDS_PER_MINUTE = 3_600, 60


@dataclass(frozen=True, slots=True)
class ShownValue:
    """A value, and the text that its sheet shows for it."""

    value: Value
    text: str


def cell_of(value: Value | ShownValue) -> Cell:
    """A cell with its text, and its value where it is more than text."""
    # Most cells are texts and numbers; a workbook has a great many.
    if value is None or value == "":
        return EMPTY
    if isinstance(value, str):
        return Cell(clean(value.strip()))
    match value:
        case bool():
            return Cell("TRUE" if value else "FALSE", value=value, value_type="boolean")
        case int() | float():
            return _number(value)
        case ShownValue():
            return replace(cell_of(value.value), text=clean(value.text))
        case timedelta():
            return Cell(_duration(value), value=_duration(value), value_type="duration")
        case datetime() if value.time() != time():
            return Cell(value.isoformat(" ", "seconds"), value=value.isoformat(), value_type="datetime")
        case datetime():
            return Cell(value.date().isoformat(), value=value.date().isoformat(), value_type="date")
        case date():
            return Cell(value.isoformat(), value=value.isoformat(), value_type="date")
        case time():
            return Cell(value.isoformat("seconds"), value=value.isoformat(), value_type="time")


def _number(value: float) -> Cell:
    if isinstance(value, int) or (value.is_integer() and abs(value) < LARGEST_WHOLE):
        return Cell(str(int(value)), value=int(value), value_type="number")
    if value != value or abs(value) == float("inf"):
        return Cell(str(value))
    return Cell(f"{value:.{DIGITS}g}", value=value, value_type="number")


def _duration(value: timedelta) -> str:
    seconds = int(value.total_seconds())
    hours, rest = divmod(abs(seconds), SECONDS_PER_HOUR)
    minutes, left = divmod(rest, SECONDS_PER_MINUTE)
    return f"{'-' if seconds < 0 else ''}{hours}:{minutes:02d}:{left:02d}"


@dataclass(frozen=True, slots=True)
class CellRange:
    """A rectangle of cells; rows and columns are counted from 0, the last ones are part of it."""

    top: int
    left: int
    bottom: int
    right: int

    def name(self) -> str:
        """The range as spreadsheets call it: `B3:D20`, or `B3` for one cell."""
        first, last = f"{column_name(self.left)}{self.top + 1}", f"{column_name(self.right)}{self.bottom + 1}"
        return first if first == last else f"{first}:{last}"


def column_name(column: int) -> str:
    """A, B, … Z, AA and so on."""
    name = ""
    column += 1
    while column:
        column, letter = divmod(column - 1, 26)
        name = chr(ord("A") + letter) + name
    return name


def column_number(letters: bytes) -> int:
    """The number of a column from its letters, counted from 0."""
    number = 0
    for letter in letters:
        number = number * 26 + letter - ord("A") + 1
    return number - 1
