"""A file inside of another: its name, its size, and its bytes."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import IO

from pagemill.model.pages import Block, Kind
from pagemill.reading.clean import clean

EMBEDDED = "embedded_files"
PIECE_BYTES = 1 << 16
LONGEST_NAME = 255


@dataclass(frozen=True, slots=True)
class ContainedFile:
    """A file inside of a document; its bytes can be read once."""

    name: str
    size_bytes: int
    pieces: Iterable[bytes] = field(repr=False)


def pieces_of(opened: IO[bytes] | None) -> Iterator[bytes]:
    """The bytes of an open file."""
    while opened is not None and (piece := opened.read(PIECE_BYTES)):
        yield piece


def list_blocks(files: Iterable[tuple[str, int]]) -> Iterator[Block]:
    """Files by name and size, as items of a list."""
    for name, size_bytes in files:
        words = f"{clean(name)[:LONGEST_NAME]} ({size_bytes:,} bytes)"
        yield Block("", Kind.LIST_ITEM, text=words, level=0, role="attachment")
