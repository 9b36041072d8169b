"""What people say of facts, laid over those that were found."""

from collections.abc import Iterable, Sequence
from typing import Any

from pagemill.model.pages import CorrectedFact, Page
from pagemill.reading.passages.units import Unit

Row = dict[str, Any]


def correct_entities(page: Page, rows: Iterable[Row], units: Sequence[Unit]) -> list[Row]:
    """The entities of a page with the values that people gave them, without those that are none, and with new ones."""
    found = list(rows)
    for said in page.corrected_facts:
        same = [row for row in found if row["type"] == said.type and is_same(row, said)]
        if said.remove:
            found = [row for row in found if row not in same]
        elif same:
            for row in same:
                row |= {"value": said.value, "valid": None, "corrected": True}
        else:
            found.append(new_entity(page, said, units))
    return found


def is_same(row: Row, said: CorrectedFact) -> bool:
    """Whether a fact is the one that was corrected."""
    return row["text"] == said.text and said.block in (None, row.get("block"))


def new_entity(page: Page, said: CorrectedFact, units: Sequence[Unit]) -> Row:
    """An entity that was not found; its place is null where its text is not printed like that."""
    block = next((one for one in page.blocks if one.id == said.block), None)
    box = block.box if block else None
    start = next(
        (unit.start + unit.text.index(said.text) for unit in units if said.text and said.text in unit.text),
        None,
    )
    return {
        "type": said.type,
        "text": said.text,
        "value": said.value,
        "valid": None,
        "page": page.number,
        "block": said.block,
        "box": (box.x, box.y, box.width, box.height) if box else None,
        "start": start,
        "end": None if start is None else start + len(said.text),
        "corrected": True,
    }


def correct_pairs(rows: Iterable[Row], said_of_pages: Sequence[tuple[int, CorrectedFact]]) -> list[Row]:
    """Pairs of label and value with the values that people gave them, without those that are none."""
    found = []
    for row in rows:
        last = None
        for page, said in said_of_pages:
            if row["page"] == page and said.type in (row.get("name"), row["label"]) and is_same(row, said):
                last = said
        if last is None:
            found.append(row)
        elif not last.remove:
            found.append(row | {"value": last.value, "corrected": True})
    return found
