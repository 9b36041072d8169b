"""Presentations: the role of each paragraph by its placeholder, and the paragraphs in colours of their own."""

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lxml import etree  # type: ignore[import-untyped]

from pagemill.reading.layout.markers import find_marker
from pagemill.reading.office.xml_parts import Element, local, parse_xml
from train.office.package import DOUBTFUL, Coding, attribute, bytes_of, children, drop, is_inside

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_SLIDE = re.compile(r"ppt/slides/slide\d+\.xml$")
FILLS = ("solidFill", "gradFill", "noFill", "blipFill", "pattFill", "grpFill", "hlinkClick")
LONGEST_TITLE, LONGEST_CELL = 140, 300
# Shorter texts in boxes of their own may be labels of a drawing.
SHORTEST_TEXT = 60
TITLES, RUNNING = ("title", "ctrTitle"), {"dt": "footer", "ftr": "footer", "hdr": "header"}


def is_slide(name: str) -> bool:
    """Whether a part of a file is a slide."""
    return _SLIDE.match(name) is not None


def coloured_parts(parts: Mapping[str, bytes], coding: Coding) -> dict[str, bytes]:
    """The parts of a presentation with each block in its colour; the roles of the blocks are added to the coding."""
    coloured = dict(parts)
    for name in filter(is_slide, parts):
        slide = Slide(parse_xml(parts[name]), tuple(_masters(name, parts)))
        for paragraph in slide.root.iter(f"{A}p"):
            role = slide.role(paragraph)
            again = role == "table" and paragraph is not next(_table(paragraph).iter(f"{A}p"))
            _paint(paragraph, coding.colour(role, again=again))
        coloured[name] = bytes_of(slide.root)
    return coloured


def _masters(name: str, parts: Mapping[str, bytes]) -> Iterator[Element]:
    """The layout of a slide and the master of that."""
    for kind in ("slideLayout", "slideMaster"):
        relations = posixpath.join(posixpath.dirname(name), "_rels", f"{posixpath.basename(name)}.rels")
        if relations not in parts:
            return
        targets = [
            attribute(one, "Target")
            for one in parse_xml(parts[relations])
            if attribute(one, "Type").endswith(f"/{kind}")
        ]
        if not targets:
            return
        name = posixpath.normpath(posixpath.join(posixpath.dirname(name), targets[0])).lstrip("/")
        if name not in parts:
            return
        yield parse_xml(parts[name])


def _table(paragraph: Element) -> Element:
    return next(one for one in paragraph.iterancestors() if local(one) == "tbl")


@dataclass(frozen=True)
class Slide:
    """A slide with its layout and its master."""

    root: Element
    masters: tuple[Element, ...]

    def role(self, paragraph: Element) -> str:
        """What a paragraph is; doubtful where it may be a label of a drawing."""
        text = "".join(one.text or "" for one in paragraph.iter(f"{A}t")).strip()
        if is_inside(paragraph, "tbl"):
            return "table" if _is_table(_table(paragraph)) else DOUBTFUL
        shape = next((one for one in paragraph.iterancestors() if local(one) == "sp"), None)
        if shape is None or is_inside(paragraph, "grpSp", "Fallback"):
            return DOUBTFUL
        place = next(shape.iter(f"{P}ph"), None)
        if place is None:
            return "text" if len(text) >= SHORTEST_TEXT and not find_marker(text) else DOUBTFUL
        kind = place.get("type", "obj")
        if kind in TITLES:
            return "heading" if len(text) <= LONGEST_TITLE else DOUBTFUL
        if kind == "sldNum":
            return "page_number"
        if kind in RUNNING:
            return RUNNING[kind]
        if kind == "subTitle":
            return "text"
        return self._body_role(paragraph, place, text)

    def _body_role(self, paragraph: Element, place: Element, text: str) -> str:
        if self._has_bullet(paragraph, place):
            return "list_item"
        return "text" if len(text) >= SHORTEST_TEXT and not find_marker(text) else DOUBTFUL

    def _has_bullet(self, paragraph: Element, place: Element) -> bool:
        own = paragraph.find(f"{A}pPr")
        level = int(own.get("lvl", "0")) if own is not None else 0
        for properties in (own, *self._inherited(place, level)):
            if properties is None:
                continue
            if children(properties, "buNone"):
                return False
            if children(properties, "buChar") or children(properties, "buAutoNum"):
                return True
        return False

    def _inherited(self, place: Element, level: int) -> Iterator[Element]:
        """What the layout and the master say of paragraphs of a level in a placeholder, the nearest first."""
        shape = next(one for one in place.iterancestors() if local(one) == "sp")
        tag = f"{A}lvl{level + 1}pPr"
        yield from shape.iter(tag)
        for master in self.masters:
            for other in master.iter(f"{P}ph"):
                if other.get("idx") == place.get("idx") or other.get("type") == place.get("type", "body"):
                    yield from next(one for one in other.iterancestors() if local(one) == "sp").iter(tag)
        for master in self.masters[1:]:
            for style in master.iter(f"{P}bodyStyle"):
                yield from style.iter(tag)


def _is_table(table: Element) -> bool:
    rows = children(table, "tr")
    wide = max((len(children(row, "tc")) for row in rows), default=0)
    longest = max((len("".join(cell.itertext())) for cell in table.iter(f"{A}tc")), default=0)
    return len(rows) > 1 and wide > 1 and longest <= LONGEST_CELL


def _paint(paragraph: Element, colour: str) -> None:
    """Give all runs of a paragraph a colour, and its bullet with them."""
    for run in paragraph:
        if local(run) in ("r", "fld", "br"):
            properties = run.find(f"{A}rPr")
            if properties is None:
                properties = etree.Element(f"{A}rPr")
                run.insert(0, properties)
            drop(properties, *FILLS)
            fill = etree.Element(f"{A}solidFill")
            etree.SubElement(fill, f"{A}srgbClr").set("val", colour)
            outline = children(properties, "ln")
            properties.insert(len(outline), fill)
    own = paragraph.find(f"{A}pPr")
    if own is not None:
        drop(own, "buClr")
