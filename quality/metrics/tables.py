"""TEDS and TEDS-S: how near the tables of a reading come to the true ones, with and without their words."""

import re
from dataclasses import dataclass, field
from html import unescape
from typing import Any

from apted import APTED, Config  # type: ignore[import-untyped]
from bs4 import BeautifulSoup
from lxml import html  # type: ignore[import-untyped]
from rapidfuzz.distance import Levenshtein

from quality.metrics.order import one_line
from quality.metrics.pipes import with_html_tables

GROUPS = re.compile(r"</?t(?:head|body)>")
BREAK = re.compile(r"<br\s*/?>")
CELL = "td"


@dataclass(frozen=True, slots=True)
class Node:
    """A table, a row or a cell; only cells have spans and text."""

    tag: str
    columns: int = 1
    rows: int = 1
    text: str = ""
    children: list["Node"] = field(default_factory=list)


class Costs(Config):  # type: ignore[misc]
    """What it costs to make one node into another: all for another span, otherwise by the letters."""

    def rename(self, one: Node, other: Node) -> float:
        """The cost from 0 to 1."""
        if (one.tag, one.columns, one.rows) != (other.tag, other.columns, other.rows):
            return 1.0
        return Levenshtein.normalized_distance(one.text, other.text)


class StructureCosts(Costs):
    """The same where words don't matter."""

    def rename(self, one: Node, other: Node) -> float:
        """0 or 1."""
        return float((one.tag, one.columns, one.rows) != (other.tag, other.columns, other.rows))


def teds(truth: str, answer: str) -> float | None:
    """The similarity of the tables; None where the truth has none."""
    return _compared(truth, answer, Costs())


def teds_structure(truth: str, answer: str) -> float | None:
    """The similarity of the tables' rows, columns and spans; None where the truth has no table."""
    return _compared(truth, answer, StructureCosts())


def tables_of(markdown: str) -> list[str]:
    """The tables of a Markdown document as HTML."""
    soup = BeautifulSoup(with_html_tables(markdown), "html.parser")
    return [str(table) for table in soup.find_all("table")]


def _compared(truth: str, answer: str, costs: Config) -> float | None:
    right, found = tables_of(truth), tables_of(answer)
    if not right:
        return None
    if not found:
        return 0.0
    wanted, got = _together(right), _together(found)
    elements = max(len(wanted.xpath(".//*")), len(got.xpath(".//*")))
    distance: float = APTED(_node(got), _node(wanted), costs).compute_edit_distance()
    return 1.0 - distance / elements


def _together(tables: list[str]) -> Any:
    """All tables of a document in a table of ours, so that one that falls apart costs something."""
    body = GROUPS.sub("", "\n".join(tables))
    parser = html.HTMLParser(remove_comments=True, encoding="utf-8")
    page = html.fromstring(f"<html><body><table>{body}</table></body></html>".encode(), parser=parser)
    outer = page.xpath("body/table")[0]
    for header in outer.xpath(".//th"):
        header.tag = CELL
    return outer


def _node(element: Any) -> Node:
    if element.tag != CELL:
        return Node(element.tag, children=[_node(child) for child in element])
    text = one_line(BREAK.sub("\n", unescape(_inside(element))))
    return Node(CELL, _span(element, "colspan"), _span(element, "rowspan"), text)


def _inside(element: Any) -> str:
    """What is in a cell, tags without their attributes."""
    parts = (f"<{child.tag}>{_inside(child)}</{child.tag}>{child.tail or ''}" for child in element)
    return (element.text or "") + "".join(parts)


def _span(element: Any, name: str) -> int:
    value = element.get(name, "1")
    return int(value) if value.isdecimal() else 1
