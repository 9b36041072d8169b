"""A page as JSON and back: the one shape for drafts, page files and document.json.

Boxes are written as [x, y, width, height]; fields of a block that have their defaults are left out.
"""

from typing import Any

import orjson

from pagemill.model.pages import (
    Block,
    Box,
    Cell,
    CorrectedFact,
    FormField,
    Kind,
    Line,
    Origin,
    Page,
    PageError,
    Part,
    Route,
    Script,
    Span,
    Try,
)
from pagemill.reading.page.scripts import is_right_to_left

Json = dict[str, Any]

_KINDS = {kind.value: kind for kind in Kind}
_ROUTES = {route.value: route for route in Route}


def page_bytes(page: Page) -> bytes:
    """The page as one line of JSON."""
    corrected = {
        "corrected_facts": page.corrected_facts,
        "corrected_boxes": [box.sides for box in page.corrected_boxes],
    }
    return orjson.dumps(
        {
            "number": page.number,
            "width": page.width,
            "height": page.height,
            "label": page.label,
            "provider": page.provider,
            "route": page.route.value,
            "reason": page.reason,
            "turned": page.turned,
            "confidence": page.confidence,
            "warnings": page.warnings,
            "tries": page.tries,
            "error": page.error,
            "fields": [_field_json(field) for field in page.fields],
            "blocks": [block_json(block) for block in page.blocks],
            "lines": [_line_json(line) for line in page.lines],
        }
        | {name: listed for name, listed in corrected.items() if listed}
    )


def page_from(line: bytes) -> Page:
    """The page that `page_bytes` was given."""
    row = orjson.loads(line)
    error = row["error"]
    return Page(
        number=row["number"],
        width=row["width"],
        height=row["height"],
        provider=row["provider"],
        blocks=tuple([_block_from(block) for block in row["blocks"]]),
        label=row["label"],
        confidence=row["confidence"],
        warnings=tuple(row["warnings"]),
        fields=tuple([_field_from(field) for field in row["fields"]]),
        error=PageError(error["code"], error["message"]) if error else None,
        tries=tuple([Try(**one) for one in row["tries"]]),
        route=_ROUTES[row["route"]],
        reason=row["reason"],
        lines=tuple([_line_from(line) for line in row["lines"]]),
        turned=row["turned"],
        corrected_facts=tuple([CorrectedFact(**one) for one in row.get("corrected_facts", ())]),
        corrected_boxes=tuple([Box(*box) for box in row.get("corrected_boxes", ())]),
    )


def _box_from(row: list[float] | None) -> Box | None:
    return Box(*row) if row else None


def block_json(block: Block) -> Json:
    """A block as it is in the JSON of its page."""
    row: Json = {"id": block.id, "kind": block.kind.value, "box": block.box.sides if block.box else None}
    if block.kind is Kind.TABLE:
        row["header"] = [_cell_json(cell) for cell in block.header]
        row["rows"] = [[_cell_json(cell) for cell in cells] for cells in block.rows]
        if block.header_rows > 1:
            row["header_rows"] = block.header_rows
    elif block.text:
        row["text"] = block.text
    if block.level is not None:
        row["level"] = block.level
    if block.font_size is not None:
        row["font_size"] = block.font_size
    if block.bold:
        row["bold"] = True
    if block.italic:
        row["italic"] = True
    if block.kind is Kind.LIST_ITEM:
        row["ordered"], row["marker"] = block.ordered, block.marker
    if block.lang:
        row["lang"] = block.lang
    if is_right_to_left(words_in(block)):
        row["rtl"] = True
    if block.spans:
        row["spans"] = [_span_json(span) for span in block.spans]
    if block.parts:
        row["parts"] = [_part_json(part) for part in block.parts]
    if block.confidence is not None:
        row["confidence"] = block.confidence
    if block.role:
        row["role"] = block.role
    if block.origin is not None:
        row["origin"] = _origin_json(block.origin)
    return row


def words_in(block: Block) -> str:
    """All words of a block: its text, or the first cells of a table, which decide its direction."""
    cells = [cell.text for cell in (*block.header, *(cell for row in block.rows[:3] for cell in row))]
    return " ".join((block.text, *cells)) if cells else block.text


def _origin_json(origin: Origin) -> Json:
    named = {"part": origin.part, "path": origin.path, "sheet": origin.sheet, "cells": origin.cells}
    row: Json = {name: value for name, value in named.items() if value}
    if origin.bookmarks:
        row["bookmarks"] = origin.bookmarks
    return row | ({"index": origin.index} if origin.index is not None else {})


def _origin_from(row: Json) -> Origin:
    get = row.get
    return Origin(
        part=get("part"),
        path=tuple(get("path", ())),
        sheet=get("sheet"),
        cells=get("cells"),
        index=get("index"),
        bookmarks=tuple(get("bookmarks", ())),
    )


def _block_from(row: Json) -> Block:
    get = row.get
    header, rows, spans, parts = get("header"), get("rows"), get("spans"), get("parts")
    return Block(
        id=row["id"],
        kind=_KINDS[row["kind"]],
        box=_box_from(row["box"]),
        text=get("text", ""),
        level=get("level"),
        bold=get("bold", False),
        italic=get("italic", False),
        ordered=get("ordered", False),
        marker=get("marker"),
        lang=get("lang"),
        header=tuple([_cell_from(cell) for cell in header]) if header else (),
        rows=tuple([tuple([_cell_from(cell) for cell in cells]) for cells in rows]) if rows else (),
        font_size=get("font_size"),
        spans=tuple([_span_from(span) for span in spans]) if spans else (),
        parts=tuple([_part_from(part) for part in parts]) if parts else (),
        confidence=get("confidence"),
        role=get("role"),
        origin=_origin_from(row["origin"]) if "origin" in row else None,
        header_rows=get("header_rows", 1),
    )


def _cell_json(cell: Cell) -> Json:
    row: Json = {"text": cell.text, "box": cell.box.sides if cell.box else None}
    if cell.row_span > 1:
        row["row_span"] = cell.row_span
    if cell.column_span > 1:
        row["column_span"] = cell.column_span
    if cell.value is not None:
        row["value"], row["value_type"] = cell.value, cell.value_type
    if cell.href is not None:
        row["href"] = cell.href
    return row


def _cell_from(row: Json) -> Cell:
    get, box = row.get, _box_from(row["box"])
    spans = get("row_span", 1), get("column_span", 1)
    value, kind, href = get("value"), get("value_type"), get("href")
    return Cell(row["text"], box, *spans, value=value, value_type=kind, href=href)


def _line_json(line: Line) -> Json:
    return {"text": line.text, "box": line.box.sides, "confidence": line.confidence}


def _line_from(row: Json) -> Line:
    return Line(row["text"], Box(*row["box"]), row["confidence"])


def _span_json(span: Span) -> Json:
    row: Json = {"start": span.start, "end": span.end}
    for name in ("bold", "italic", "href", "change", "script"):
        if value := getattr(span, name):
            row[name] = value
    return row


def _span_from(row: Json) -> Span:
    get, script = row.get, row.get("script")
    style = get("bold", False), get("italic", False), get("href"), get("change")
    return Span(row["start"], row["end"], *style, Script(script) if script else None)


def _part_json(part: Part) -> Json:
    row: Json = {"page": part.page, "box": part.box.sides if part.box else None}
    if part.first_row is not None:
        row["first_row"] = part.first_row
    return row


def _part_from(row: Json) -> Part:
    return Part(row["page"], _box_from(row["box"]), row.get("first_row"))


def _field_json(field: FormField) -> Json:
    return {
        "name": field.name,
        "label": field.label,
        "kind": field.kind,
        "value": field.value,
        "checked": field.checked,
        "options": field.options,
        "box": field.box.sides if field.box else None,
    }


def _field_from(row: Json) -> FormField:
    return FormField(
        name=row["name"],
        kind=row["kind"],
        value=row["value"],
        checked=row["checked"],
        options=tuple(row["options"]),
        box=_box_from(row["box"]),
        label=row.get("label"),
    )
