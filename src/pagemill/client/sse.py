"""Server-sent events out of the lines of a stream."""

import json
from collections.abc import Iterable, Iterator

from pagemill.client.shapes import Event


def parse_events(lines: Iterable[str]) -> Iterator[Event]:
    """The events in the lines; comments and retry hints are left out."""
    fields: dict[str, str] = {}
    for line in lines:
        if line:
            take(fields, line)
        elif "data" in fields:
            yield Event.from_json(json.loads(fields["data"]))
            fields = {}
        else:
            fields = {}


def take(fields: dict[str, str], line: str) -> None:
    """Add one line to the fields of the event under way; further lines of `data` go below the first."""
    name, _, value = line.partition(":")
    value = value.removeprefix(" ")
    if name == "data" and "data" in fields:
        fields["data"] += f"\n{value}"
    elif name:
        fields[name] = value
