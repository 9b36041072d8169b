"""Placeholders of a slide, and what they inherit from its layout and its master."""

from collections.abc import Iterator
from dataclasses import dataclass

from pagemill.reading.office.xml_parts import Element, attribute, child, children, descendants, number

TITLES = ("title", "ctrTitle")
# What repeats on every slide: the date, the footer and the number.
RUNNING = ("dt", "ftr", "sldNum", "hdr")
# Placeholders of these types inherit the look of the master's body.
_BODY = ("body", "subTitle", "obj", "tbl", "chart", "dgm", "media", "clipArt", "pic", "half", "quarter")
DEEPEST_LEVEL = 9


@dataclass(frozen=True, slots=True)
class Placeholder:
    """What a placeholder is for, and its number among the others of the slide."""

    kind: str
    index: str


@dataclass(frozen=True, slots=True)
class Ancestry:
    """The layout and the master of a slide, and the shapes in them that placeholders inherit from."""

    layout: Element | None
    master: Element | None

    def parents(self, own: Placeholder | None) -> list[Element]:
        """The shapes that a placeholder inherits from, nearest first."""
        if own is None:
            return []
        found = [_match(self.layout, own), _match_kind(self.master, own)]
        return [one for one in found if one is not None]

    def list_styles(self, shape: Element, own: Placeholder | None) -> Iterator[Element]:
        """Where the look of a paragraph is looked up, nearest first."""
        for one in (shape, *self.parents(own)):
            style = child(one, "txBody", "lstStyle")
            if style is not None:
                yield style
        texts = child(self.master, "txStyles")
        name = "otherStyle" if own is None else "titleStyle" if own.kind in TITLES else "bodyStyle"
        style = child(texts, name)
        if style is not None:
            yield style


def placeholder_of(shape: Element) -> Placeholder | None:
    """What a shape is a placeholder for; None if it is none."""
    for properties in children(shape, "nvSpPr", "nvPicPr", "nvGraphicFramePr"):
        mark = child(properties, "nvPr", "ph")
        if mark is not None:
            return Placeholder(attribute(mark, "type") or "obj", attribute(mark, "idx") or "0")
    return None


def _shapes(root: Element | None) -> Iterator[tuple[Element, Placeholder]]:
    for shape in descendants(root, "sp", "pic", "graphicFrame") if root is not None else ():
        own = placeholder_of(shape)
        if own is not None:
            yield shape, own


def _match(root: Element | None, own: Placeholder) -> Element | None:
    """The placeholder of a layout with the same number; titles are known by their kind."""
    every = list(_shapes(root))
    if own.kind in (*TITLES, *RUNNING):
        return next((shape for shape, other in every if _same_kind(other, own)), None)
    by_index = next((shape for shape, other in every if other.index == own.index), None)
    return (
        by_index
        if by_index is not None
        else next((shape for shape, other in every if other.kind == own.kind), None)
    )


def _match_kind(root: Element | None, own: Placeholder) -> Element | None:
    return next((shape for shape, other in _shapes(root) if _same_kind(other, own)), None)


def _same_kind(other: Placeholder, own: Placeholder) -> bool:
    if other.kind == own.kind or (other.kind in TITLES and own.kind in TITLES):
        return True
    return other.kind == "body" and own.kind in _BODY


def bullet(properties: Element | None, styles: list[Element]) -> Element | None:
    """What is in front of a paragraph; None if nothing is."""
    level = min(number(attribute(properties, "lvl")), DEEPEST_LEVEL - 1) + 1
    for one in (properties, *(child(style, f"lvl{level}pPr") for style in styles)):
        if one is not None:
            mark = next(children(one, "buNone", "buChar", "buAutoNum", "buBlip"), None)
            if mark is not None:
                return None if mark.tag.endswith("buNone") else mark
    return None
