"""True pages in one form, whatever data set they come from."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import orjson


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a page whose role is known: its edges in points, its block on the page, and its place in reading order."""

    left: float
    top: float
    right: float
    bottom: float
    role: str
    block: int
    order: int


@dataclass(frozen=True, slots=True)
class TruePage:
    """A page of a document with its pieces.

    `collection` is the kind of source (papers, court documents, …), `group` the source itself: pages of one group
    are never on both sides of a split. `markdown` is there where the truth is a text, in which lines have to be found.
    """

    path: Path
    number: int
    collection: str
    group: str
    pieces: tuple[Piece, ...] = ()
    markdown: str | None = None


def write_pieces(path: Path, pages: Iterable[Iterable[Piece]]) -> None:
    """Write the pieces of the pages of a document."""
    rows = [
        [[p.left, p.top, p.right, p.bottom, p.role, p.block, p.order] for p in pieces] for pieces in pages
    ]
    path.write_bytes(orjson.dumps(rows))


def read_pieces(path: Path) -> Iterator[tuple[Piece, ...]]:
    """The pieces of the pages of a document, page by page."""
    for rows in orjson.loads(path.read_bytes()):
        yield tuple(Piece(*row) for row in rows)
