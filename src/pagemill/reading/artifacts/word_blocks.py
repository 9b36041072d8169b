"""Blocks as the XML of a word processor's file."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from zlib import crc32

from pagemill.model.pages import Block, Cell, Kind, Script, Span
from pagemill.reading.clean import clean
from pagemill.reading.page.scripts import is_right_to_left
from pagemill.reading.writers.html_writer import number_of
from pagemill.reading.writers.runs import styled_runs
from pagemill.reading.writers.spans import covered_places
from pagemill.reading.writers.table_html import head_rows

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
# Units of drawings in an inch, what a pixel takes at 150 of them in an inch, and the room between the margins.
UNITS_PER_PIXEL, WIDEST_UNITS, HIGHEST_UNITS = 914_400 // 150, 5_760_000, 7_200_000
DEEPEST_LEVEL = 8
STYLES = {
    Kind.CAPTION: "Caption",
    Kind.FOOTNOTE: "FootnoteText",
    Kind.CODE: "Code",
    Kind.FORMULA: "Formula",
    Kind.HEADER: "Header",
    Kind.FOOTER: "Footer",
}
SCRIPTS = {Script.ABOVE: "superscript", Script.BELOW: "subscript"}
# Relations 1 and 2 are the styles and the numbering.
FIRST_FREE = 3
# The numbers of bookmarks that the document named, above those of its blocks.
NAMED_BOOKMARKS = 0x40000000
LONGEST_NAME = 40


@dataclass(slots=True)
class Links:
    """What the body refers to: addresses and images as relations, and its numbered lists."""

    targets: dict[tuple[str, str], int] = field(default_factory=dict)
    # The first number of each numbered list, in the order of the lists.
    lists: list[int] = field(default_factory=list)
    _last_number: tuple[int, int] | None = None

    def add_link(self, href: str) -> int:
        """The number of the relation of an address."""
        return self.targets.setdefault(("hyperlink", href), len(self.targets) + FIRST_FREE)

    def add_image(self, target: str) -> int:
        """The number of the relation of an image."""
        return self.targets.setdefault(("image", target), len(self.targets) + FIRST_FREE)

    def list_number(self, block: Block) -> int:
        """The list of an item: 1 for bullets, and one for each run of numbers."""
        number = number_of(block)
        if not number:
            return 1
        level = block.level or 0
        goes_on = self._last_number == (level, int(number) - 1) and bool(self.lists)
        if not goes_on:
            self.lists.append(int(number))
        self._last_number = (level, int(number))
        return len(self.lists) + 1

    def relations_xml(self) -> str:
        """The relations of the body."""
        rows = [
            f'<Relationship Id="rId1" Type="{OFFICE}/styles" Target="styles.xml"/>',
            f'<Relationship Id="rId2" Type="{OFFICE}/numbering" Target="numbering.xml"/>',
        ]
        for (kind, target), number in self.targets.items():
            outside = ' TargetMode="External"' if kind == "hyperlink" else ""
            rows.append(
                f'<Relationship Id="rId{number}" Type="{OFFICE}/{kind}" Target="{escape(target)}"{outside}/>'
            )
        namespace = "http://schemas.openxmlformats.org/package/2006/relationships"
        return f'<Relationships xmlns="{namespace}">{"".join(rows)}</Relationships>'


def block_xml(block: Block, links: Links) -> Iterator[str]:
    """A block as paragraphs or a table."""
    match block.kind:
        case Kind.TABLE:
            yield table_xml(block, links)
        case Kind.HEADING:
            yield paragraph_xml(block, links, f'<w:pStyle w:val="Heading{block.level or 1}"/>', anchor=True)
        case Kind.LIST_ITEM:
            level, number = min(block.level or 0, DEEPEST_LEVEL), links.list_number(block)
            yield paragraph_xml(
                block,
                links,
                '<w:pStyle w:val="ListParagraph"/>'
                f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>',
            )
        case Kind.RULE:
            yield '<w:p><w:pPr><w:pBdr><w:bottom w:val="single" w:sz="6" w:space="1" w:color="auto"/></w:pBdr></w:pPr></w:p>'
        case Kind.FIGURE:
            yield paragraph_xml(block, links, '<w:pStyle w:val="Caption"/>') if block.text else ""
        case _:
            style = STYLES.get(block.kind)
            named = f'<w:pStyle w:val="{style}"/>' if style else ""
            yield paragraph_xml(block, links, named, anchor=block.kind is Kind.FOOTNOTE)


def paragraph_xml(block: Block, links: Links, properties: str, *, anchor: bool = False) -> str:
    """A paragraph with its runs; one that others may link to is a bookmark."""
    if is_right_to_left(block.text):
        properties += "<w:bidi/>"
    words = "".join(run_xml(block, text, span, links) for text, span in styled_runs(block))
    for name in block.origin.bookmarks if block.origin else ():
        number = NAMED_BOOKMARKS | (crc32(name.encode()) & (NAMED_BOOKMARKS - 1))
        start = f'<w:bookmarkStart w:id="{number}" w:name="{escape(place_name(name))}"/>'
        words = f'{start}{words}<w:bookmarkEnd w:id="{number}"/>'
    if anchor:
        words = f'{bookmark_xml(block.id)}{words}<w:bookmarkEnd w:id="{bookmark_number(block.id)}"/>'
    return f"<w:p><w:pPr>{properties}</w:pPr>{words}</w:p>"


def place_name(name: str) -> str:
    """The name of a bookmark, as Word takes it: 40 letters, digits and underscores."""
    return re.sub(r"\W", "_", name)[:LONGEST_NAME]


def bookmark_xml(block_id: str) -> str:
    """The start of a bookmark that is called as its block."""
    return f'<w:bookmarkStart w:id="{bookmark_number(block_id)}" w:name="{place_name(block_id)}"/>'


def bookmark_number(block_id: str) -> int:
    """A number for each block of a document: that of its page and its place on it."""
    page, _, place = block_id[1:].partition("-b")
    return int(page) * 100_000 + int(place) if page.isdecimal() and place.isdecimal() else 0


def run_xml(block: Block, text: str, span: Span, links: Links) -> str:
    """A run in its style, inside of a link or a tracked change where it is one."""
    looks = [
        "<w:b/>" if (span.bold or block.bold) and block.kind is not Kind.HEADING else "",
        "<w:i/>" if span.italic or block.italic else "",
        '<w:color w:val="0563C1"/><w:u w:val="single"/>' if span.href else "",
        f'<w:vertAlign w:val="{SCRIPTS[span.script]}"/>' if span.script else "",
    ]
    inner = f"<w:rPr>{''.join(looks)}</w:rPr>" if any(looks) else ""
    tag = "w:delText" if span.change == "deleted" else "w:t"
    run = f"<w:r>{inner}{text_xml(text, tag)}</w:r>"
    if span.change:
        name = "w:del" if span.change == "deleted" else "w:ins"
        run = f'<{name} w:id="0" w:author="">{run}</{name}>'
    if not span.href:
        return run
    if span.href.startswith("#"):
        return f'<w:hyperlink w:anchor="{escape(place_name(span.href[1:]))}">{run}</w:hyperlink>'
    return f'<w:hyperlink r:id="rId{links.add_link(span.href)}">{run}</w:hyperlink>'


def text_xml(text: str, tag: str = "w:t") -> str:
    """Words as text elements; line breaks as breaks."""
    lines = clean(text).split("\n")
    return "<w:br/>".join(
        f'<{tag} xml:space="preserve">{escape(line, quote=False)}</{tag}>' for line in lines
    )


def table_xml(block: Block, links: Links) -> str:
    """A table with a grid; rows of its head are repeated on every page, and spans are merged cells."""
    rows = block.all_rows
    width, heads, hidden = max(map(len, rows), default=0), head_rows(block), covered_places(rows)
    grid = "".join(f'<w:gridCol w:w="{9_000 // max(width, 1)}"/>' for _ in range(width))
    reach: dict[int, tuple[int, int]] = {}
    lines = []
    for at, row in enumerate(rows):
        head = "<w:trPr><w:tblHeader/></w:trPr>" if at < heads else ""
        lines.append(f"<w:tr>{head}{''.join(row_cells(row, hidden[at], reach, at < heads, links))}</w:tr>")
    style = (
        '<w:tblPr><w:tblStyle w:val="TableGrid"/><w:tblW w:w="0" w:type="auto"/>'
        f'<w:tblLook w:val="{"0020" if heads else "0000"}"/></w:tblPr>'
    )
    # Two tables without a paragraph between them would become one.
    return f"<w:tbl>{style}<w:tblGrid>{grid}</w:tblGrid>{''.join(lines)}</w:tbl><w:p/>"


def row_cells(
    row: tuple[Cell, ...],
    hidden: set[int],
    reach: dict[int, tuple[int, int]],
    is_head: bool,
    links: Links,
) -> Iterator[str]:
    """The cells of a row; `reach` has the columns and further rows of cells from above that go on here."""
    place = 0
    while place < len(row):
        if place in reach:
            columns, left = reach.pop(place)
            if left > 1:
                reach[place] = (columns, left - 1)
            yield cell_xml(Cell(""), columns, "<w:vMerge/>", is_head, links)
            place += columns
        elif place in hidden:
            place += 1
        else:
            cell = row[place]
            columns = min(max(cell.column_span, 1), len(row) - place)
            if cell.row_span > 1:
                reach[place] = (columns, cell.row_span - 1)
            merge = '<w:vMerge w:val="restart"/>' if cell.row_span > 1 else ""
            yield cell_xml(cell, columns, merge, is_head, links)
            place += columns


def cell_xml(cell: Cell, columns: int, merge: str, is_head: bool, links: Links) -> str:
    """A cell with its paragraph, which is a link if the cell is one."""
    text = cell.text
    span = f'<w:gridSpan w:val="{columns}"/>' if columns > 1 else ""
    bold = "<w:rPr><w:b/></w:rPr>" if is_head else ""
    direction = "<w:pPr><w:bidi/></w:pPr>" if is_right_to_left(text) else ""
    words = f"<w:r>{bold}{text_xml(text)}</w:r>" if text else ""
    if words and cell.href:
        words = f'<w:hyperlink r:id="rId{links.add_link(cell.href)}">{words}</w:hyperlink>'
    return f"<w:tc><w:tcPr>{span}{merge}</w:tcPr><w:p>{direction}{words}</w:p></w:tc>"


def picture_xml(relation: int, size: tuple[int, int], text: str) -> str:
    """A paragraph with an image that fits between the margins."""
    wide, high = size[0] * UNITS_PER_PIXEL, size[1] * UNITS_PER_PIXEL
    scale = min(1.0, WIDEST_UNITS / max(wide, 1), HIGHEST_UNITS / max(high, 1))
    extent = f'cx="{max(int(wide * scale), 1)}" cy="{max(int(high * scale), 1)}"'
    words = escape(clean(text))
    picture = "http://schemas.openxmlformats.org/drawingml/2006/picture"
    return (
        f'<w:p><w:r><w:drawing><wp:inline><wp:extent {extent}/><wp:docPr id="{relation}" '
        f'name="Picture {relation}" descr="{words}"/><a:graphic><a:graphicData uri="{picture}"><pic:pic>'
        f'<pic:nvPicPr><pic:cNvPr id="{relation}" name="Picture {relation}" descr="{words}"/><pic:cNvPicPr/></pic:nvPicPr>'
        f'<pic:blipFill><a:blip r:embed="rId{relation}"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill>'
        f'<pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext {extent}/></a:xfrm>'
        '<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic>'
        "</wp:inline></w:drawing></w:r></w:p>"
    )
