"""line_labels.json: the printed lines of a document with what they are, in the form that layout models are trained with."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson

from pagemill.model.artifacts import MadeFile
from pagemill.model.formats import ON_DEMAND
from pagemill.model.pages import Block, Box, Kind, Page
from pagemill.reading.artifacts.stored import Original, appearing, made_file
from pagemill.reading.layout.lines import lines_of
from pagemill.reading.page.geometry import is_inside
from pagemill.reading.sources.liteparse_native import parse
from pagemill.reading.sources.text_layer import sheet_of
from pagemill.reading.stored_document import StoredDocument

SCHEMA = "pagemill/line-labels@1"
ROLES = {
    Kind.HEADING: "heading",
    Kind.PARAGRAPH: "text",
    Kind.LIST_ITEM: "list_item",
    Kind.TABLE: "table",
    Kind.FIGURE: "figure",
    Kind.CODE: "text",
    Kind.CAPTION: "caption",
    Kind.FOOTNOTE: "footnote",
    Kind.FORMULA: "formula",
    Kind.HEADER: "header",
    Kind.FOOTER: "footer",
}


def make_line_labels(document: StoredDocument, original: Original, folder: Path) -> tuple[MadeFile, ...]:
    """line_labels.json, one page per line."""
    file = folder / ON_DEMAND["line_labels"].file
    with appearing(file) as part, part.open("wb") as out:
        out.write(orjson.dumps({"schema": SCHEMA})[:-1] + b',"pages":[')
        between = b"\n"
        for page in document.pages():
            out.write(between + orjson.dumps(labelled_page(page, original)))
            between = b",\n"
        out.write(b"\n]}\n")
    return (made_file(file),)


def labelled_page(page: Page, original: Original) -> dict[str, Any]:
    """The lines of a page by the blocks that they are in, in reading order."""
    printed = [] if page.error else list(printed_lines(page, original))
    lines: list[dict[str, Any]] = []
    for paragraph, block in enumerate(block for block in page.blocks if block.kind in ROLES):
        own = [line for line in printed if block.box is not None and is_inside(line[0], block.box)]
        printed = [line for line in printed if line not in own]
        lines += [
            line_row(line, block, paragraph, len(lines) + place) for place, line in enumerate(in_order(own))
        ]
    return {"number": page.number, "width": page.width, "height": page.height, "lines": lines}


def printed_lines(page: Page, original: Original) -> Iterator[tuple[Box, str]]:
    """The lines of a page: those that were recognised, or those of its text layer as the layout analysis sees them."""
    if page.lines:
        yield from ((line.box, line.text) for line in page.lines)
        return
    for native in parse(original.path, [page.number], original.password).pages:
        for line in lines_of(sheet_of(native, native.text_items)):
            yield line.box, line.text


def in_order(lines: Sequence[tuple[Box, str]]) -> list[tuple[Box, str]]:
    """The lines of a block from top to bottom."""
    return sorted(lines, key=lambda line: (round(line[0].y + line[0].height / 2), line[0].x))


def line_row(line: tuple[Box, str], block: Block, paragraph: int, order: int) -> dict[str, Any]:
    """A line as JSON."""
    box, text = line
    return {
        "box": [round(side, 2) for side in box.sides],
        "role": ROLES[block.kind],
        "order": order,
        "paragraph": paragraph,
        "text": text,
    }
