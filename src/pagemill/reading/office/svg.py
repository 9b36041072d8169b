"""Drawings (SVG): their words as text, line by line as they are seen.

Nothing that a drawing refers to is fetched, and no script in it is run.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from pagemill.errors import DocumentCorrupt
from pagemill.model.pages import Block, Box, Kind, Origin
from pagemill.reading.office.flow import Flow
from pagemill.reading.office.package import EXTERNAL, MACROS
from pagemill.reading.office.writing import heading, tidy
from pagemill.reading.office.xml_parts import Element, attribute, child, children, local, parse_xml

# What is defined to be used elsewhere, and what describes or clips what is drawn.
UNSEEN = frozenset("defs symbol clipPath mask marker pattern metadata style script filter".split())
POINTS_PER_PIXEL = 0.75
USUAL_SIZE = 16.0
# Characters are about half as wide as they are high; how wide they are exactly, only a font has.
CHARACTER_WIDTH = 0.5
# Words further apart than this many character heights are not of the same line.
WIDEST_GAP = 1.5
# Lines further apart than this many character heights, from base to base, are not of the same paragraph.
LINE_GAP = 1.6
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?")
_TRANSFORM = re.compile(r"(matrix|translate|scale|rotate)\s*\(([^)]{0,200})\)")
_UNITS = {"pt": 4 / 3, "in": 96.0, "mm": 96 / 25.4, "cm": 96 / 2.54, "px": 1.0, "": 1.0}
_LENGTH = re.compile(r"\s*([+-]?[\d.]+(?:[eE][+-]?\d{1,3})?)\s*(pt|in|mm|cm|px|)\s*")


@dataclass(frozen=True, slots=True)
class Scale:
    """How the numbers of an element become those of the page: enlarged and moved; turns are passed over."""

    x: float = 1.0
    y: float = 1.0
    left: float = 0.0
    top: float = 0.0

    def then(self, inner: "Scale") -> "Scale":
        """The scale of what is inside of an element."""
        return Scale(
            self.x * inner.x, self.y * inner.y, self.left + self.x * inner.left, self.top + self.y * inner.top
        )


@dataclass(frozen=True, slots=True)
class Words:
    """Words on one line: where they begin, where their base is, and how high their characters are."""

    text: str
    x: float
    y: float
    size: float
    end: float


def read_svg(raw: bytes, warnings: dict[str, None]) -> Flow:
    """The title of a drawing, its words as paragraphs with boxes, and the images that it shows."""
    root = parse_xml(raw)
    if local(root) != "svg":
        raise DocumentCorrupt("The file is no drawing.")
    left, top, width, height = _view(root)
    flow = Flow(size=(round(POINTS_PER_PIXEL * width, 2), round(POINTS_PER_PIXEL * height, 2)))
    flow.add(heading(_text_of(child(root, "title")), 1))
    flow.add(Block("", Kind.PARAGRAPH, text=_text_of(child(root, "desc")), role="description"))
    found = sorted(
        _words(root, Scale(left=-left, top=-top), USUAL_SIZE, warnings), key=lambda one: (one.y, one.x)
    )
    flow.add(*map(_block, _paragraphs(_lines(found))))
    flow.add(*_figures(root, warnings))
    return flow


def _view(root: Element) -> tuple[float, float, float, float]:
    """What of its plane a drawing shows: left, top, width and height in its own units."""
    box = [float(one) for one in _NUMBER.findall(attribute(root, "viewBox") or "")]
    if len(box) == 4 and min(box[2:]) > 0:
        return box[0], box[1], box[2], box[3]
    return 0.0, 0.0, max(_first(root, "width"), 0.0), max(_first(root, "height"), 0.0)


def _words(element: Element, scale: Scale, size: float, warnings: dict[str, None]) -> Iterator[Words]:
    """The words in and below an element that are drawn."""
    for one in children(element):
        name = local(one)
        if name == "script":
            warnings[MACROS] = None
        if name in UNSEEN or _is_hidden(one):
            continue
        inner = scale.then(_transform(one))
        own = _size(one, size)
        if name == "text":
            yield from _text_words(one, inner, own)
        elif name == "foreignObject":
            yield _place_text(one, _text_of(one), inner, own)
        else:
            yield from _words(one, inner, own, warnings)


def _text_words(text: Element, scale: Scale, size: float) -> Iterator[Words]:
    """The words of a text element; each of its parts with a place of its own is a line."""
    placed = [one for one in text.iterdescendants() if local(one) == "tspan" and _has_place(one)]
    if not placed:
        yield _place_text(text, _text_of(text), scale, size)
        return
    first = tidy(text.text or "")
    if first:
        yield _place_text(text, first, scale, size)
    x, y = _first(text, "x"), _first(text, "y")
    for part in placed:
        own = _size(part, size)
        x = _first(part, "x", x) + _shift(part, "dx", own)
        y = _first(part, "y", y) + _shift(part, "dy", own)
        yield _at(f"{_text_of(part)} {tidy(part.tail or '')}".strip(), x, y, scale, own)


def _place_text(element: Element, words: str, scale: Scale, size: float) -> Words:
    x, y = _first(element, "x"), _first(element, "y")
    return _at(words, x, y, scale, size)


def _at(words: str, x: float, y: float, scale: Scale, size: float) -> Words:
    left, base = scale.left + scale.x * x, scale.top + scale.y * y
    height = abs(scale.y) * size
    return Words(words, left, base, height, left + abs(scale.x) * size * CHARACTER_WIDTH * len(words))


def _lines(found: list[Words]) -> list[Words]:
    """Words that follow each other on one base as one line."""
    lines: list[Words] = []
    for one in found:
        if not one.text:
            continue
        last = lines[-1] if lines else None
        same = last is not None and abs(last.y - one.y) < 0.3 * one.size
        if last is not None and same and -one.size < one.x - last.end < WIDEST_GAP * one.size:
            lines[-1] = replace(last, text=f"{last.text} {one.text}", end=one.end)
        else:
            lines.append(one)
    return lines


def _paragraphs(lines: list[Words]) -> list[list[Words]]:
    """Lines that begin below each other in the same font size."""
    groups: list[list[Words]] = []
    for line in lines:
        for group in reversed(groups):
            last = group[-1]
            near = 0 < line.y - last.y < LINE_GAP * last.size and abs(line.size - last.size) < 0.1 * last.size
            if near and abs(line.x - last.x) < last.size:
                group.append(line)
                break
        else:
            groups.append([line])
    return groups


def _block(lines: list[Words]) -> Block:
    left, right = min(line.x for line in lines), max(line.end for line in lines)
    top, bottom = lines[0].y - lines[0].size, lines[-1].y + 0.25 * lines[-1].size
    box = Box(*(round(POINTS_PER_PIXEL * side, 2) for side in (left, top, right - left, bottom - top)))
    size = round(POINTS_PER_PIXEL * lines[0].size, 2)
    return Block(
        "", Kind.PARAGRAPH, box, " ".join(line.text for line in lines), font_size=size, role="text_box"
    )


def _figures(root: Element, warnings: dict[str, None]) -> Iterator[Block]:
    for one in root.iterdescendants():
        if local(one) not in ("image", "use"):
            continue
        target = attribute(one, "href") or ""
        if target and not target.startswith(("data:", "#")):
            warnings[EXTERNAL] = None
        if local(one) == "image":
            words = _text_of(child(one, "title")) or attribute(one, "aria-label") or ""
            yield Block("", Kind.FIGURE, text=tidy(words), origin=Origin())


def _is_hidden(element: Element) -> bool:
    style = (attribute(element, "style") or "").replace(" ", "")
    return attribute(element, "display") == "none" or "display:none" in style


def _text_of(element: Element | None) -> str:
    return tidy(" ".join(element.itertext()).replace("\n", " ")) if element is not None else ""


def _has_place(element: Element) -> bool:
    return any(attribute(element, name) is not None for name in ("x", "y", "dy"))


def _first(element: Element, name: str, default: float = 0.0) -> float:
    """The first number of an attribute."""
    found = _NUMBER.match((attribute(element, name) or "").strip())
    return float(found[0]) if found else default


def _shift(element: Element, name: str, size: float) -> float:
    """How far words are moved; in character heights if the unit is one."""
    moved = _first(element, name)
    return moved * size if (attribute(element, name) or "").strip().endswith("em") else moved


def _size(element: Element, default: float) -> float:
    """The height of characters in an element."""
    style = re.search(r"font-size\s*:\s*([^;]{1,20})", attribute(element, "style") or "")
    found = _LENGTH.fullmatch(style[1] if style else attribute(element, "font-size") or "")
    return float(found[1]) * _UNITS[found[2]] if found and found[1].count(".") < 2 else default


def _transform(element: Element) -> Scale:
    """What an element does to the places inside of it."""
    scale = Scale()
    for name, inside in _TRANSFORM.findall(attribute(element, "transform") or ""):
        values = [float(one) for one in _NUMBER.findall(inside)]
        if name == "matrix" and len(values) == 6:
            scale = scale.then(Scale(values[0] or 1.0, values[3] or 1.0, values[4], values[5]))
        elif name == "translate" and values:
            scale = scale.then(Scale(left=values[0], top=values[1] if len(values) > 1 else 0.0))
        elif name == "scale" and values:
            scale = scale.then(Scale(values[0] or 1.0, (values[1] if len(values) > 1 else values[0]) or 1.0))
    return scale
