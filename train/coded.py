"""Truth by colour: a document is set twice, as it should look and with every block in a colour of its own.

Colours change nothing about where letters are, so the coloured twin tells which block each letter of the other one belongs to.
"""

import ctypes
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pypdfium2
import pypdfium2.raw as raw

from train.truth import Piece

# Levels per channel: far enough apart to survive a typesetter's rounding.
LEVELS = 15
STEP = 17
MOST_BLOCKS = LEVELS**3
_SPACES = frozenset(" \t\r\n\u00a0\u00ad\u200b\ufffe")


def colour_of(block: int) -> str:
    """The colour of a block as six hexadecimal digits; white is never used."""
    channels = (block // LEVELS**2 % LEVELS, block // LEVELS % LEVELS, block % LEVELS)
    return "".join(f"{channel * STEP:02x}" for channel in channels)


def block_of(red: int, green: int, blue: int) -> int:
    """The block that a colour stands for."""
    first, second, third = (min(round(channel / STEP), LEVELS - 1) for channel in (red, green, blue))
    return first * LEVELS**2 + second * LEVELS + third


@dataclass(slots=True)
class _Run:
    """Letters of one block on one line."""

    block: int
    left: float
    top: float
    right: float
    bottom: float

    def takes(self, block: int, box: tuple[float, float, float, float]) -> bool:
        """Whether a letter goes on with this run."""
        left, top, _, bottom = box
        height = max(self.bottom - self.top, bottom - top)
        overlap = min(self.bottom, bottom) - max(self.top, top)
        near = -2.5 * height < left - self.right < 2.5 * height or self.left <= left <= self.right
        return block == self.block and overlap > 0.3 * min(self.bottom - self.top, bottom - top) and near

    def add(self, box: tuple[float, float, float, float]) -> None:
        """Take a letter in."""
        self.left, self.top = min(self.left, box[0]), min(self.top, box[1])
        self.right, self.bottom = max(self.right, box[2]), max(self.bottom, box[3])


def coded_pages(path: Path, roles: Sequence[str]) -> Iterator[list[Piece]]:
    """The pieces of each page of a coloured document; `roles` has the role of each block."""
    document = pypdfium2.PdfDocument(path)
    try:
        for page in document:
            yield _pieces(page, roles)
    finally:
        document.close()


def _pieces(page: pypdfium2.PdfPage, roles: Sequence[str]) -> list[Piece]:
    runs = _runs(page)
    order = sorted(range(len(runs)), key=lambda place: (runs[place].block, place))
    return [
        Piece(run.left, run.top, run.right, run.bottom, roles[run.block], run.block, rank)
        for rank, place in enumerate(order)
        if (run := runs[place]).block < len(roles)
    ]


def _runs(page: pypdfium2.PdfPage) -> list[_Run]:
    runs: list[_Run] = []
    for block, box in _letters(page):
        if runs and runs[-1].takes(block, box):
            runs[-1].add(box)
        else:
            runs.append(_Run(block, *box))
    return runs


def _letters(page: pypdfium2.PdfPage) -> Iterator[tuple[int, tuple[float, float, float, float]]]:
    """The block and the edges of each visible letter, from the top left of the page."""
    height = page.get_height()
    text = page.get_textpage()
    colours = [ctypes.c_uint() for _ in range(4)]
    for index in range(text.count_chars()):
        if chr(raw.FPDFText_GetUnicode(text, index)) in _SPACES:
            continue
        if not raw.FPDFText_GetFillColor(text, index, *colours):
            continue
        left, bottom, right, top = text.get_charbox(index, loose=True)
        yield block_of(*(one.value for one in colours[:3])), (left, height - top, right, height - bottom)
