"""Word documents: the role of each paragraph by its style, and the paragraphs in colours of their own."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from lxml import etree  # type: ignore[import-untyped]

from pagemill.reading.layout.markers import find_marker, is_caption
from pagemill.reading.office.xml_parts import Element, local, parse_xml
from train.office.package import DOUBTFUL, Coding, attribute, bytes_of, children, drop, is_inside

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
BODY = "word/document.xml"
_PARTS = re.compile(r"word/(document|header\d*|footer\d*|footnotes|endnotes)\.xml$")
# Headings are no longer than this, and no text of a cell either.
LONGEST_HEADING, LONGEST_CELL = 140, 300
# A paragraph is short, and may be a heading by its looks, up to so many letters.
SHORT = 90
_ENDS = (".", ":", ";", ",", "!", "?")
_HEADING = re.compile(r"(?i)heading \d|title$|toc heading")
_MONO = re.compile(r"(?i)courier|consolas|mono|menlo")
_PAGE_FIELD = re.compile(r"\b(?:PAGE|NUMPAGES)\b")


def is_part(name: str) -> bool:
    """Whether a part of a file has paragraphs."""
    return _PARTS.match(name) is not None


def coloured_parts(parts: Mapping[str, bytes], coding: Coding) -> dict[str, bytes]:
    """The parts of a document with each block in its colour; the roles of the blocks are added to the coding."""
    styles = Styles(parse_xml(parts["word/styles.xml"])) if "word/styles.xml" in parts else None
    coloured = dict(parts)
    for name in filter(is_part, parts):
        root = parse_xml(parts[name])
        kind = name.removeprefix("word/").removesuffix(".xml").rstrip("0123456789")
        _colour_part(root, kind, styles, coding)
        coloured[name] = bytes_of(root)
    if "word/numbering.xml" in parts:
        root = parse_xml(parts["word/numbering.xml"])
        for one in list(root.iter(f"{W}color")):
            one.getparent().remove(one)
        coloured["word/numbering.xml"] = bytes_of(root)
    return coloured


@dataclass(frozen=True)
class Styles:
    """The styles of paragraphs of a document."""

    root: Element

    @cached_property
    def _by_id(self) -> dict[str, Element]:
        return {attribute(one, "styleId"): one for one in children(self.root, "style")}

    def chain(self, style: str) -> Iterator[Element]:
        """A style and those that it is based on."""
        seen = set()
        while style in self._by_id and style not in seen:
            seen.add(style)
            yield self._by_id[style]
            based = children(self._by_id[style], "basedOn")
            style = attribute(based[0], "val") if based else ""

    def names(self, style: str) -> list[str]:
        """What a style and those that it is based on are called."""
        return [attribute(one, "val") for each in self.chain(style) for one in children(each, "name")]

    def has(self, style: str, name: str) -> bool:
        """Whether a style has a property."""
        return any(next(each.iter(f"{W}{name}"), None) is not None for each in self.chain(style))

    def size(self, style: str) -> int:
        """The size of a style in half points; 0 if it says none."""
        sizes = (attribute(one, "val") for each in self.chain(style) for one in each.iter(f"{W}sz"))
        return next((int(size) for size in sizes if size.isdigit()), 0)


def _colour_part(root: Element, kind: str, styles: Styles | None, coding: Coding) -> None:
    last, is_table = None, False
    for paragraph in list(root.iter(f"{W}p")):
        tables = [one for one in paragraph.iterancestors() if local(one) == "tbl"]
        again = bool(tables) and tables[-1] is last
        if tables and not again:
            is_table = _is_table(tables[-1])
        last = tables[-1] if tables else None
        role = ("table" if is_table else DOUBTFUL) if tables else _role(paragraph, kind, styles)
        _paint(paragraph, coding.colour(role, again=again or role == "contents"))


def _role(paragraph: Element, kind: str, styles: Styles | None) -> str:
    """What a paragraph is; doubtful where its looks and its style may say different things."""
    text = _text(paragraph)
    if kind in ("header", "footer"):
        fields = " ".join(
            [one.text or "" for one in paragraph.iter(f"{W}instrText")]
            + [attribute(one, "instr") for one in paragraph.iter(f"{W}fldSimple")]
        )
        is_number = _PAGE_FIELD.search(fields) and sum(map(str.isalpha, text)) <= len("Page of")
        return "page_number" if is_number else kind
    if kind == "footnotes":
        return "footnote"
    if kind == "endnotes" or is_inside(paragraph, "txbxContent", "Fallback"):
        return DOUBTFUL
    return _body_role(paragraph, text, styles)


def _body_role(paragraph: Element, text: str, styles: Styles | None) -> str:
    style = next((attribute(one, "val") for one in paragraph.iterfind(f"{W}pPr/{W}pStyle")), "")
    names = styles.names(style) if styles else []
    if any(_HEADING.match(name) for name in names):
        return "heading" if len(text) <= LONGEST_HEADING else DOUBTFUL
    if any(name.lower().startswith("toc ") for name in names):
        return "contents"
    if "caption" in map(str.lower, names):
        return "caption"
    if next(paragraph.iter("{*}oMathPara"), None) is not None:
        return "formula" if not text else DOUBTFUL
    numbered = paragraph.find(f"{W}pPr/{W}numPr") is not None or bool(styles and styles.has(style, "numPr"))
    if numbered:
        return "list_item" if not _looks_like_heading(paragraph, text, style, styles) else DOUBTFUL
    if find_marker(text) or is_caption(text) or _is_mono(paragraph):
        return DOUBTFUL
    return DOUBTFUL if _looks_like_heading(paragraph, text, style, styles) else "text"


def _text(paragraph: Element) -> str:
    return "".join(one.text or "" for one in paragraph.iter(f"{W}t")).strip()


def _is_table(table: Element) -> bool:
    """Whether a table has rows and columns of short texts."""
    rows = children(table, "tr")
    wide = max((len(children(row, "tc")) for row in rows), default=0)
    longest = max((len("".join(cell.itertext())) for cell in table.iter(f"{W}tc")), default=0)
    return len(rows) > 1 and wide > 1 and longest <= LONGEST_CELL


def _is_mono(paragraph: Element) -> bool:
    fonts = [attribute(one, "ascii") for one in paragraph.iter(f"{W}rFonts")]
    return any(_MONO.search(font) for font in fonts)


def _looks_like_heading(paragraph: Element, text: str, style: str, styles: Styles | None) -> bool:
    """Whether a short text is bold, in capitals, centred or larger than others of its style."""
    if len(text) > SHORT or text.endswith(_ENDS):
        return False
    runs = [one for one in paragraph.iter(f"{W}r") if one.find(f"{W}t") is not None]
    marked = sum(
        any(run.find(f"{W}rPr/{W}{name}") is not None for name in ("b", "caps", "u")) for run in runs
    )
    sizes = [attribute(one, "val") for one in paragraph.iter(f"{W}sz")]
    usual = (styles.size(style) if styles else 0) or 22
    larger = any(size.isdigit() and int(size) > usual for size in sizes)
    centred = any(attribute(one, "val") == "center" for one in paragraph.iterfind(f"{W}pPr/{W}jc"))
    own_bold = bool(styles and styles.has(style, "b"))
    return text.isupper() or centred or larger or own_bold or bool(runs and marked >= len(runs))


def _paint(paragraph: Element, colour: str) -> None:
    """Give all runs of a paragraph, and its mark, a colour."""
    for run in paragraph.iter(f"{W}r"):
        if next(one for one in run.iterancestors() if local(one) == "p") is paragraph:
            _paint_properties(_properties(run, "rPr"), colour)
    mark = _properties(_properties(paragraph, "pPr"), "rPr", at_end=True)
    _paint_properties(mark, colour)


def _properties(element: Element, name: str, *, at_end: bool = False) -> Element:
    found = element.find(f"{W}{name}")
    if found is None:
        found = etree.Element(f"{W}{name}")
        element.insert(len(element) if at_end else 0, found)
    return found


def _paint_properties(properties: Element, colour: str) -> None:
    drop(properties, "color", "textFill")
    etree.SubElement(properties, f"{W}color").set(f"{W}val", colour)
