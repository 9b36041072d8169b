"""Invitations: what a calendar file (RFC 5545) says of its events."""

import re
from collections.abc import Iterator

from pagemill.reading.office.charset import decode

_FOLD = re.compile(r"\r?\n[ \t]")
_MOMENT = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z?))?$")
_ZONE = re.compile(r";TZID=\"?([^;\":]+)", re.IGNORECASE)
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
    count = 0
    for line in _FOLD.sub("", decode(raw[:MAX_CALENDAR_BYTES])).splitlines():
        head, _, value = line.partition(":")
        name, _, parameters = head.partition(";")
        match name.upper(), value.strip().upper():
            case "BEGIN", "VEVENT":
                found = {}
            case "END", "VEVENT" if found and count < MOST_EVENTS:
                count += 1
                yield "\n".join(f"{title}: {found[key]}" for key, title in FIELDS.items() if found.get(key))
                found = None
            case key, _ if found is not None and key in FIELDS:
                found.setdefault(key, _field_text(key, f";{parameters}", value.strip()))


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
    where = " UTC" if utc else f" {zone[1]}" if zone else ""
    return f"{year}-{month}-{day}" + (f" {hour}:{minute}{where}" if hour else "")
