"""Diagrams of office files (SmartArt): the text of their points."""

from collections.abc import Iterator

from pagemill.model.pages import Block, Kind
from pagemill.reading.office.package import Package
from pagemill.reading.office.writing import Text, text_block
from pagemill.reading.office.xml_parts import Element, attribute, descendants

# Points that are lines between others, or say how something looks.
_SILENT = ("parTrans", "sibTrans", "pres")
DEEPEST = 8


def diagram_blocks(package: Package, part: str | None) -> list[Block]:
    """The points of a diagram as a list, as deep as they hang below each other."""
    root = package.xml_if_any(part)
    if root is None:
        return []
    points = {
        attribute(one, "modelId") or "": one
        for one in descendants(root, "pt")
        if attribute(one, "type") not in _SILENT
    }
    parents = dict(_parents(root))
    return [
        block for name, one in points.items() if (block := _block(one, _depth(name, parents, points))).text
    ]


def _parents(root: Element) -> Iterator[tuple[str, str]]:
    for one in descendants(root, "cxn"):
        if attribute(one, "type", "parOf") == "parOf":
            yield attribute(one, "destId") or "", attribute(one, "srcId") or ""


def _depth(name: str, parents: dict[str, str], points: dict[str, Element]) -> int:
    """How many points with text are above; the root has none."""
    depth = 0
    while (name := parents.get(name, "")) in points and depth < DEEPEST:
        depth += attribute(points[name], "type") != "doc"
    return depth


def _block(point: Element, depth: int) -> Block:
    text = Text()
    for at, paragraph in enumerate(descendants(point, "p")):
        text.add("\n" if at else "")
        for run in descendants(paragraph, "t"):
            text.add(run.text or "")
    return text_block(Kind.LIST_ITEM, text, depth)
