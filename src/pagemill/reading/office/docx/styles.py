"""Styles of a Word document: which of them are headings, lists, captions or code, and how they look."""

import re
from dataclasses import dataclass, field

from pagemill.reading.office.xml_parts import Element, attribute, child, children, is_on, number, value_of

_HEADING = re.compile(r"heading\s?([1-9])$", re.IGNORECASE)
_CODE = re.compile(r"source code|html preformatted|macro text|code\b", re.IGNORECASE)
# Body text in the outline of a document.
BODY_LEVEL = 9
MOST_ANCESTORS = 20


@dataclass(frozen=True, slots=True)
class ParagraphStyle:
    """What a style says itself, without the styles that it is based on."""

    name: str
    based_on: str | None = None
    outline: int | None = None
    num_id: str | None = None
    list_level: int | None = None
    bold: bool | None = None
    italic: bool | None = None
    hidden: bool | None = None


@dataclass(slots=True)
class Styles:
    """All styles of a document, by id."""

    known: dict[str, ParagraphStyle] = field(default_factory=dict)

    def chain(self, style_id: str | None) -> list[ParagraphStyle]:
        """A style and those that it is based on, nearest first."""
        found: list[ParagraphStyle] = []
        seen: set[str] = set()
        while style_id and style_id not in seen and len(found) < MOST_ANCESTORS:
            seen.add(style_id)
            style = self.known.get(style_id) or ParagraphStyle(style_id)
            found.append(style)
            style_id = style.based_on
        return found

    def heading_level(self, style_id: str | None) -> int | None:
        """The level of the headings of a style; None if it is no style of headings."""
        for style in self.chain(style_id):
            if level := _level_by_name(style.name):
                return level
            if style.outline is not None:
                return style.outline + 1 if style.outline < BODY_LEVEL else None
        return None

    def is_caption(self, style_id: str | None) -> bool:
        """Whether paragraphs of a style are captions."""
        return any(style.name.casefold() == "caption" for style in self.chain(style_id))

    def is_code(self, style_id: str | None) -> bool:
        """Whether paragraphs of a style are code."""
        return any(_CODE.match(style.name) for style in self.chain(style_id))

    def numbering(self, style_id: str | None) -> tuple[str | None, int]:
        """The list that a style belongs to, and its level in it."""
        chain = self.chain(style_id)
        list_id = next((style.num_id for style in chain if style.num_id is not None), None)
        level = next((style.list_level for style in chain if style.list_level is not None), 0)
        return list_id, level

    def switch(self, style_id: str | None, name: str) -> bool:
        """Whether a style is bold, italic or hidden."""
        return bool(
            next((on for style in self.chain(style_id) if (on := getattr(style, name)) is not None), False)
        )


def read_styles(root: Element | None) -> Styles:
    """The styles of a document; none if it has no part for them."""
    found = Styles()
    for row in children(root, "style") if root is not None else ():
        style_id = attribute(row, "styleId")
        if style_id:
            found.known[style_id] = _read_style(row, style_id)
    return found


def _read_style(row: Element, style_id: str) -> ParagraphStyle:
    paragraph, run = child(row, "pPr"), child(row, "rPr")
    outline, level = value_of(paragraph, "outlineLvl"), value_of(paragraph, "numPr", "ilvl")
    return ParagraphStyle(
        name=value_of(row, "name") or style_id,
        based_on=value_of(row, "basedOn"),
        outline=number(outline) if outline is not None else None,
        num_id=value_of(paragraph, "numPr", "numId"),
        list_level=number(level) if level is not None else None,
        bold=is_switched_on(run, "b"),
        italic=is_switched_on(run, "i"),
        hidden=is_switched_on(run, "vanish"),
    )


def is_switched_on(properties: Element | None, name: str) -> bool | None:
    """Whether properties turn something on or off; None if they don't mention it."""
    found = child(properties, name)
    return None if found is None else is_on(found)


def _level_by_name(name: str) -> int | None:
    plain = name.strip().casefold()
    if plain in ("title", "toc heading"):
        return 1
    match = _HEADING.match(plain)
    return min(int(match[1]), 6) if match else None
