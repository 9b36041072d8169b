"""Office files as archives of XML parts, whose paragraphs can be coloured."""

import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree  # type: ignore[import-untyped]

from pagemill.reading.office.xml_parts import Element, local
from train.coded import MOST_BLOCKS, colour_of

# What the XML does not tell plainly, and what is printed in a colour that is not its own: nothing is learnt from it.
DOUBTFUL = "doubtful"


@dataclass(slots=True)
class Coding:
    """The roles of the blocks of a file; the first one is of all that is doubtful."""

    roles: list[str] = field(default_factory=lambda: [DOUBTFUL])

    def colour(self, role: str, *, again: bool = False) -> str:
        """The colour of a new block, or of the last one if it has the same role and the text goes on with it."""
        if role == DOUBTFUL or len(self.roles) >= MOST_BLOCKS:
            return colour_of(0).upper()
        if not (again and self.roles[-1] == role):
            self.roles.append(role)
        return colour_of(len(self.roles) - 1).upper()


def read_parts(path: Path) -> dict[str, bytes]:
    """The parts of a file by name."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}


def write_parts(path: Path, parts: Mapping[str, bytes]) -> None:
    """Write a file of these parts."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)


def bytes_of(root: Element) -> bytes:
    """A part again."""
    return bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True))


def is_inside(element: Element, *names: str) -> bool:
    """Whether an element is in one of these names."""
    return any(local(one) in names for one in element.iterancestors())


def children(element: Element, name: str) -> list[Element]:
    """The elements in an element that have a name."""
    return [one for one in element if local(one) == name]


def drop(element: Element, *names: str) -> None:
    """Take the elements of these names out of an element."""
    for one in [one for one in element if local(one) in names]:
        element.remove(one)


def attribute(element: Element, name: str) -> str:
    """An attribute, whatever its namespace is; empty if it is not there."""
    return next((str(value) for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")
