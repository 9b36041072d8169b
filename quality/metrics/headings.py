"""MHS: whether the headings are found and the right text is under each of them."""

import re
from dataclasses import dataclass, field

from apted import APTED, Config  # type: ignore[import-untyped]
from rapidfuzz.distance import Levenshtein

from quality.metrics.order import one_line
from quality.metrics.pipes import with_html_tables

HEADING = re.compile(r"#{1,6}\s+(.*)$")


@dataclass(frozen=True, slots=True)
class Node:
    """The document, a heading under it, or the text up to the next heading."""

    tag: str
    text: str = ""
    children: list["Node"] = field(default_factory=list)

    def size(self) -> int:
        """How many nodes there are from here down."""
        return 1 + sum(child.size() for child in self.children)


class Costs(Config):  # type: ignore[misc]
    """What it costs to make one node into another."""

    def rename(self, one: Node, other: Node) -> float:
        """The cost from 0 to 1: by the letters if both are headings or both are text."""
        return 1.0 if one.tag != other.tag else Levenshtein.normalized_distance(one.text, other.text)


def mhs(truth: str, answer: str) -> float | None:
    """The similarity of the headings and the text under them, whatever their levels; None if the truth has none."""
    right, found = outline(truth), outline(answer)
    if not _has_headings(right):
        return None
    if not _has_headings(found):
        return 0.0
    distance = float(APTED(right, found, Costs()).compute_edit_distance())
    return max(0.0, 1.0 - distance / max(right.size(), found.size()))


def outline(markdown: str) -> Node:
    """The document with its headings side by side, and under each the text that follows it."""
    root = Node("document")
    section, lines = root, list[str]()
    for line in with_html_tables(markdown).splitlines():
        if heading := HEADING.match(line):
            _close(section, lines)
            section, lines = Node("heading", one_line(heading.group(1))), []
            root.children.append(section)
        else:
            lines.append(line)
    _close(section, lines)
    return root


def _close(section: Node, lines: list[str]) -> None:
    if text := one_line(" ".join(lines)):
        section.children.append(Node("content", text))


def _has_headings(root: Node) -> bool:
    return any(child.tag == "heading" for child in root.children)
