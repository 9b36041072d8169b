"""Check boxes: fields of forms, signs in the text, and squares that are drawn or printed on the page."""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy

from pagemill.model.fact_types import CheckBox, FactSource
from pagemill.model.pages import Box, Kind, Page
from pagemill.reading.facts.segments import Segment
from pagemill.reading.ocr.components import components, level_runs
from pagemill.reading.ocr.raster import Mask
from pagemill.reading.page.geometry import overlap

if TYPE_CHECKING:
    from PIL.Image import Image

TICKED, EMPTY = "☑☒✓✔✗✘🗹🗷⊠", "☐□⬜◻"
SIGN = re.compile(
    rf"(?P<sign>[{TICKED}{EMPTY}]|\[(?P<mark>[ xX✓])\])\s*(?P<label>[^{TICKED}{EMPTY}\[\n]{{1,80}})"
)
# Squares of this size are boxes to be ticked; characters are smaller or not square, figures are larger.
LEAST_SIDE_POINTS, MOST_SIDE_POINTS = 6.5, 20.0
MOST_ASKEW = 1.25
# How much of each side must be ink, and of the inside for the box to count as ticked; fitted on drawn forms at 200 dpi.
LEAST_SIDE_INK, TICKED_INK = 0.85, 0.06
MOST_INSIDE_INK = 0.75
DARK = 150
LABEL_REACH_POINTS = 30.0


def find_check_boxes(
    page: Page,
    segments: Sequence[Segment] = (),
    picture: "Image | None" = None,
    scale: tuple[float, float] = (1.0, 1.0),
) -> list[CheckBox]:
    """The boxes of a page; what is a field of a form is not looked for in the picture again."""
    texts = [(one.text, one.box) for one in segments if one.box] or words_of(page)
    found = [*field_boxes(page, texts)]
    drawn = [*drawn_boxes(page, texts, picture, scale)] if picture is not None else []
    found += [
        one
        for one in drawn
        if not any(one.box and other.box and overlap(one.box, other.box) for other in found)
    ]
    labels = {one.label for one in found}
    return found + [one for one in sign_boxes(page) if one.label not in labels]


def field_boxes(page: Page, texts: Sequence[tuple[str, Box]]) -> Iterator[CheckBox]:
    """The boxes of a form that can be filled in."""
    for field in page.fields:
        if field.checked is not None:
            label = label_beside(texts, field.box) if field.box else ""
            yield CheckBox(label or field.shown_name, field.checked, page.number, FactSource.FORM, field.box)


def sign_boxes(page: Page) -> Iterator[CheckBox]:
    """Boxes that are signs of the text: ☐, ☑, [ ] and [x]."""
    for block in page.blocks:
        text = f"{block.marker or ''} {block.text}".strip() if block.kind is Kind.LIST_ITEM else block.text
        for found in SIGN.finditer(text):
            ticked = found["sign"] in TICKED if found["mark"] is None else found["mark"] != " "
            label = found["label"].strip(" :")
            if label:
                yield CheckBox(label, ticked, page.number, FactSource.TEXT, block.box)


def drawn_boxes(
    page: Page, texts: Sequence[tuple[str, Box]], picture: "Image", scale: tuple[float, float]
) -> Iterator[CheckBox]:
    """Squares in the picture of a page that have words beside them."""
    ink: Mask = numpy.asarray(picture.convert("L")) < DARK
    for box in squares(ink, scale):
        label = label_beside(texts, box)
        if label:
            yield CheckBox(label, is_ticked(ink, box, scale), page.number, FactSource.PICTURE, box)


def squares(ink: Mask, scale: tuple[float, float]) -> Iterator[Box]:
    """The outlines of squares, in points."""
    found = components(level_runs(ink))
    across, down = scale
    least, most = LEAST_SIDE_POINTS, MOST_SIDE_POINTS
    for place in range(len(found)):
        left, top = int(found.left[place]), int(found.top[place])
        width, height = int(found.width[place]), int(found.height[place])
        fits = least <= width / across <= most and least <= height / down <= most
        if not fits or not 1 / MOST_ASKEW <= width / across / (height / down) <= MOST_ASKEW:
            continue
        if has_four_sides(ink[top : top + height, left : left + width]):
            yield Box(
                round(left / across, 2),
                round(top / down, 2),
                round(width / across, 2),
                round(height / down, 2),
            )


def has_four_sides(part: Mask) -> bool:
    """Whether ink runs along all four sides and not all over the inside."""
    # A side of a scan is a little askew, so a band of an eighth is looked at.
    band = max(2, min(part.shape) // 8)
    sides = (part[:band].any(0), part[-band:].any(0), part[:, :band].any(1), part[:, -band:].any(1))
    inside = part[band:-band, band:-band]
    return all(side.mean() >= LEAST_SIDE_INK for side in sides) and float(inside.mean()) <= MOST_INSIDE_INK


def is_ticked(ink: Mask, box: Box, scale: tuple[float, float]) -> bool:
    """Whether there is ink inside of a square, away from its sides."""
    across, down = scale
    margin = 0.25
    left, right = box.x + margin * box.width, box.right - margin * box.width
    top, bottom = box.y + margin * box.height, box.bottom - margin * box.height
    inside = ink[round(top * down) : round(bottom * down), round(left * across) : round(right * across)]
    return bool(inside.size) and float(inside.mean()) >= TICKED_INK


def label_beside(texts: Sequence[tuple[str, Box]], box: Box) -> str:
    """The words right of a box on its line; left of it if there are none. Empty if there are none at all."""
    middle = box.y + box.height / 2
    lines = [(text, own) for text, own in texts if own.y - 2 <= middle <= own.bottom + 2]
    right = [(own.x - box.right, text) for text, own in lines if -4 <= own.x - box.right < LABEL_REACH_POINTS]
    left = [(box.x - own.right, text) for text, own in lines if -2 <= box.x - own.right < LABEL_REACH_POINTS]
    around = [(0.0, text) for text, own in lines if own.x <= box.x and own.right >= box.right]
    nearest = min(right or around or left, default=(0.0, ""))[1]
    return nearest.strip(f" :{TICKED}{EMPTY}")[:80]


def words_of(page: Page) -> Sequence[tuple[str, Box]]:
    """The texts of a page with their boxes: cells of tables, and blocks."""
    cells = [
        (cell.text, cell.box)
        for block in page.blocks
        if block.kind is Kind.TABLE
        for cell in block.cells
        if cell.box and cell.text.strip()
    ]
    blocks = [(block.text, block.box) for block in page.blocks if block.box and block.text.strip()]
    return cells + blocks
