"""DeepSeek-OCR's grounding tags, which say what each part of a page is and where it is."""

import re
from collections.abc import Iterator

from pagemill.model.pages import Block, Box
from pagemill.reading.remote.base import Picture
from pagemill.reading.remote.regions import Region, knows, region_blocks

# Coordinates run from 0 to this over the width and over the height of the picture.
GRID = 999

_TAGGED = re.compile(
    r"<\|ref\|>(.{0,2000}?)<\|/ref\|>\s{0,9}<\|det\|>(.{0,500}?)<\|/det\|>[ \t]*\n?", re.DOTALL
)
_LEFT_OVER = re.compile(
    r"<\|ref\|>[^<\n]{0,40}(?:<\|/ref\|>\s{0,9}(?:<\|det\|>[^<]{0,80})?)?\Z|<\|/?(?:ref|det|grounding)\|>"
)
_CORNERS = re.compile(r"\[?\s*(\d{1,4})\s*,\s*(\d{1,4})\s*,\s*(\d{1,4})\s*,\s*(\d{1,4})\s*\]?")


def is_grounded(text: str) -> bool:
    """Whether an answer has grounding tags."""
    return _TAGGED.search(text) is not None


def grounded_blocks(text: str, picture: Picture) -> list[Block]:
    """The blocks of an answer with grounding tags, each with the box of its region."""
    return [block for region in regions_of(text, picture) for block in region_blocks(region)]


def regions_of(text: str, picture: Picture) -> Iterator[Region]:
    """The regions in the order of the answer; words in front of the first tag have no box."""
    matches = list(_TAGGED.finditer(text))
    before = text[: matches[0].start()] if matches else text
    if words := without_tags(before):
        yield Region("text", words)
    ends = [match.start() for match in matches[1:]] + [len(text)]
    for match, end in zip(matches, ends, strict=True):
        yield _region(match[1], without_tags(text[match.end() : end]), box_in(match[2], picture))


def _region(label: str, content: str, box: Box | None) -> Region:
    """A region; when asked for words and not for Markdown, the model puts the words where the label would be."""
    if not content and not knows(label):
        return Region("text", label, box)
    return Region(label, content, box)


def without_tags(text: str) -> str:
    """The text without tags that lost their other half, as at the end of an answer that was cut."""
    return _LEFT_OVER.sub("", text).strip("\n ")


def box_in(corners: str, picture: Picture) -> Box | None:
    """The box around all the rectangles that a tag names, in points; None if they have no area."""
    found = [tuple(map(int, match)) for match in _CORNERS.findall(corners)]
    if not found:
        return None
    left, top = min(c[0] for c in found), min(c[1] for c in found)
    right, bottom = max(c[2] for c in found), max(c[3] for c in found)
    return box_between(left / GRID, top / GRID, right / GRID, bottom / GRID, picture)


def box_between(left: float, top: float, right: float, bottom: float, picture: Picture) -> Box | None:
    """The box in points between two corners that are given as shares of the width and the height."""
    x, y, end, base = (min(max(share, 0.0), 1.0) for share in (left, top, right, bottom))
    if end <= x or base <= y:
        return None
    width, height = picture.width, picture.height
    return Box(
        round(x * width, 2), round(y * height, 2), round((end - x) * width, 2), round((base - y) * height, 2)
    )
