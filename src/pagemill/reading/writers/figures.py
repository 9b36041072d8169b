"""Figures: where their images are found, and the words that stand in for them."""

from collections.abc import Sequence
from itertools import pairwise

from pagemill.model.artifacts import IMAGES_FOLDER
from pagemill.model.pages import ALT_TEXT, LABELS, Block, Kind

# Images inside of office files that can be shown; drawings of Windows (EMF, WMF) can't.
RASTER_SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".tif", ".tiff", ".webp")


def image_of(block: Block) -> str:
    """The address of a figure's image, seen from the document."""
    return f"{IMAGES_FOLDER}/{block.id}.png"


def has_image(block: Block) -> bool:
    """Whether there is an image of a figure: a part of its page, or a file inside of the document."""
    if block.kind is not Kind.FIGURE:
        return False
    part = block.origin.part if block.origin else None
    return (part or "").lower().endswith(RASTER_SUFFIXES) if block.origin else block.box is not None


def figure_words(block: Block) -> str:
    """What is written for a figure whose image is not shown: its labels, or what its author says that it shows."""
    if block.role == LABELS:
        return block.text
    is_described = block.text and (block.origin or block.role == ALT_TEXT)
    return f"[Image: {_one_line(block.text)}]" if is_described else ""


def captions(blocks: Sequence[Block]) -> dict[str, str]:
    """The captions of figures and tables, by the name of the block: the one right below, otherwise the one right above."""
    found: dict[str, str] = {}
    for above, below in pairwise(blocks):
        if above.kind in (Kind.FIGURE, Kind.TABLE) and below.kind is Kind.CAPTION and below.role != "chart":
            found[above.id] = _one_line(below.text)
    taken = set(found.values())
    for above, below in pairwise(blocks):
        free = below.kind in (Kind.FIGURE, Kind.TABLE) and below.id not in found
        if free and above.kind is Kind.CAPTION and _one_line(above.text) not in taken:
            found[below.id] = _one_line(above.text)
    return found


def _one_line(text: str) -> str:
    return " ".join(text.split())
