"""Corrections: what a person changes of a document that was read, as it is asked for, stored and carried out."""

from dataclasses import dataclass
from typing import Any, ClassVar

from pagemill.model.pages import Kind
from pagemill.model.visits import FileRequest

# The list of all corrections of a document, among the artifacts of its result.
CORRECTIONS_FILE = "corrections.json"
# How the folder of a corrected result ends.
CORRECTED = ".corrected"
# The list is written with every correction, so that it is bounded as well.
MOST_LISTED_BYTES = 20_000_000
MOST_CHANGES = 1_000
MOST_CHARACTERS = 100_000
# What a block of text can be made.
TEXT_KINDS = tuple(kind.value for kind in Kind if kind not in (Kind.TABLE, Kind.FIGURE, Kind.RULE))
KEEP = "keep"


@dataclass(frozen=True, slots=True)
class CellChange:
    """New text of a cell; rows are counted from 0, the header first if there is one."""

    row: int
    column: int
    text: str


@dataclass(frozen=True, slots=True)
class BlockChange:
    """What is changed of a block; `after` is the block that it is to follow on its page, None if it is to be the first."""

    block: str
    text: str | None = None
    kind: str | None = None
    level: int | None = None
    cells: tuple[CellChange, ...] = ()
    after: str | None = KEEP
    remove: bool = False

    @property
    def page(self) -> int:
        """The page that the block is on."""
        return page_of(self.block)

    @classmethod
    def from_row(cls, row: dict[str, Any]) -> "BlockChange":
        """The change in a row of JSON."""
        return cls(**{**row, "cells": tuple(CellChange(**cell) for cell in row.get("cells", ()))})


def page_of(block: str) -> int:
    """The page in the id of a block."""
    return int(block[1 : block.index("-")])


@dataclass(frozen=True, slots=True)
class FactChange:
    """The value of a fact on a page, or that it is none."""

    page: int
    type: str
    text: str
    value: str | None = None
    block: str | None = None
    remove: bool = False


@dataclass(frozen=True, slots=True)
class CorrectionRequest(FileRequest):
    """Write a document again with corrections, which are given as JSON."""

    READS: ClassVar[tuple[str, ...]] = ("document_json", "index")

    document_json: str
    index: str | None
    scratch: str
    formats: tuple[str, ...]
    blocks: tuple[dict[str, Any], ...]
    facts: tuple[dict[str, Any], ...]
    failed: tuple[dict[str, Any], ...] = ()
    warnings: tuple[str, ...] = ()
