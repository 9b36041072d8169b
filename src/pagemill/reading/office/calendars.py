"""Invitations: what a calendar file (RFC 5545) says of its events."""

import re
from collections.abc import Iterator

from pagemill.reading.office.charset import decode

_FOLD = re.compile(r"\r?\n[ \t]")
_MOMENT = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z?))?$")
# The name and the parameters of a line, which may have colons in quotes, then the value.
_LINE = re.compile(r'((?:[^":]|"[^"]*")*+):(.*)', re.DOTALL)
_ZONE = re.compile(r';TZID=(?:"([^"]+)"|([^;":]+))', re.IGNORECASE)
_ESCAPE = re.compile(r"\\([nN,;\\])")
_MAIL_ADDRESS = re.compile(r"mailto:", re.IGNORECASE)
FIELDS = {
    "SUMMARY": "Summary",
    "DTSTART": "Start",
    "DTEND": "End",
    "LOCATION": "Location",
    "ORGANIZER": "Organizer",
    "DESCRIPTION": "Description",
}
MAX_CALENDAR_BYTES = 4 << 20
MOST_EVENTS = 100


def calendar_events(raw: bytes) -> Iterator[str]:
    """Each event of a calendar: its summary, time, place and description, a line each."""
    found: dict[str, str] | None = None
    # `inner` counts the components inside of an event, such as its alarms.
    count = inner = 0
    for line in _FOLD.sub("", decode(raw[:MAX_CALENDAR_BYTES])).splitlines():
        name, parameters, value = _split_line(line)
        match name, value.upper():
            case "BEGIN", "VEVENT":
                found, inner = {}, 0
            case "END", "VEVENT":
                if found and count < MOST_EVENTS:
                    count += 1
                    yield "\n".join(
                        f"{title}: {found[key]}" for key, title in FIELDS.items() if found.get(key)
                    )
                found = None
            case "BEGIN", _:
                inner += 1
            case "END", _:
                inner = max(inner - 1, 0)
            case key, _ if found is not None and inner == 0 and key in FIELDS:
                found.setdefault(key, _field_text(key, parameters, value))


def _split_line(line: str) -> tuple[str, str, str]:
    """The name of a line in capitals, its parameters, each after a semicolon, and its value."""
    whole = _LINE.match(line)
    head, value = whole.groups() if whole else line.partition(":")[::2]
    name, mark, parameters = head.partition(";")
    return name.upper(), mark + parameters, value.strip()


def _field_text(name: str, parameters: str, value: str) -> str:
    """A value without its escapes; a moment with the zone that it is in."""
    plain = _ESCAPE.sub(lambda match: "\n" if match[1] in "nN" else match[1], value)
    if name == "ORGANIZER":
        return _MAIL_ADDRESS.sub("", plain)
    moment = _MOMENT.match(plain)
    if moment is None or not name.startswith("DT"):
        return plain
    year, month, day, hour, minute, utc = moment.groups()
    zone = _ZONE.search(parameters)
    where = " UTC" if utc else f" {zone[1] or zone[2]}" if zone else ""
    return f"{year}-{month}-{day}" + (f" {hour}:{minute}{where}" if hour else "")
