"""entities.json: what was found of dates, amounts, numbers and names, one entity per line."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from pagemill.model.entities import Entity, EntityType
from pagemill.model.formats import ON_DEMAND
from pagemill.model.pages import Page
from pagemill.model.work import WrittenArtifact
from pagemill.reading.corrections.corrected_facts import correct_entities
from pagemill.reading.entities import find_entities
from pagemill.reading.passages.units import UnitReader
from pagemill.reading.writers.base import Ending, Facts, HashedFile

SCHEMA = "pagemill/entities@1"
WITH_CHECK = (EntityType.IBAN, EntityType.VAT_ID)


class EntitiesWriter:
    """Writes entities.json, page by page."""

    def __init__(self, folder: Path) -> None:
        self._file = HashedFile(folder, ON_DEMAND["entities"].file)
        self._reader = UnitReader()
        self._between = b"\n"

    def open(self, _: Facts) -> None:
        """Write the head, up to the opening bracket."""
        self._file.write(orjson.dumps({"schema": SCHEMA})[:-1] + b',"entities":[')

    def page(self, page: Page) -> None:
        """Write the entities of a page."""
        units, rows = list(self._reader.units(page)), list[dict[str, Any]]()
        for one in find_entities(units):
            # A character may have been recognised wrongly, which only a check digit shows.
            sure = not page.lines or one.match.type in WITH_CHECK
            known = one if sure else replace(one, match=replace(one.match, valid=one.match.valid and None))
            rows.append(entity_row(known))
        for row in correct_entities(page, rows, units):
            self._file.write(self._between + orjson.dumps(row))
            self._between = b",\n"

    def close(self, _: Ending) -> dict[str, WrittenArtifact]:
        """Close the list."""
        self._file.write(b"\n]}\n")
        return self._file.close()


def entity_row(one: Entity) -> dict[str, Any]:
    """An entity as JSON."""
    match, box = one.match, one.box
    row: dict[str, Any] = {
        "type": match.type.value,
        "text": one.text,
        "value": match.value,
        "valid": match.valid,
        "page": one.page,
        "block": one.block,
        "box": box.sides if box else None,
        "start": match.start,
        "end": match.end,
    }
    more = {"currency": match.currency, "label": match.label}
    return row | {name: value for name, value in more.items() if value is not None}
