"""Figures, and the words of pictures, put among the blocks of a page where they are."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from pagemill.model.pages import ALT_TEXT, LABELS, Block, Box, Kind, box_around
from pagemill.reading.page.geometry import shared_area
from pagemill.reading.page.sheet import Hint

# A figure and the picture that was read are the same if so much of the smaller is in the larger.
SAME_SHARE = 0.6
# The least width and height of a drawing, in points; labels that take less room are texts.
LEAST_DRAWING = 30.0


def with_words(blocks: Sequence[Block], picture: Box, words: Sequence[Block]) -> list[Block]:
    """The blocks with a picture's words after its figure, or where the picture is."""
    at = place_of(picture, blocks)
    return [*blocks[:at], *words, *blocks[at:]]


def with_figures(blocks: Sequence[Block], figures: Iterable[Block]) -> list[Block]:
    """The blocks with figures put in where they are."""
    result = list(blocks)
    for figure in figures:
        result = with_words(result, figure.box, [figure]) if figure.box else result
    return result


def with_alternative_texts(figures: Iterable[Block], tags: Iterable[Hint]) -> list[Block]:
    """The figures with what their tags say that they show; a drawing that has a tag of its own is a figure, too."""
    result = list(figures)
    for tag in tags:
        block = Block("", Kind.FIGURE, tag.box, tag.text, role=ALT_TEXT)
        at = next((at for at, figure in enumerate(result) if _is_same_picture(tag.box, figure)), None)
        if at is None:
            result.append(block)
        else:
            result[at] = replace(block, box=result[at].box)
    return result


def with_figures_and_labels(blocks: Sequence[Block], figures: Iterable[Block]) -> list[Block]:
    """The blocks with figures put in where they are, each with the labels in it."""
    free, shown = list(blocks), []
    for figure in figures:
        inside = [b for b in free if b.role == LABELS and b.box and _is_same_picture(b.box, figure)]
        free = [block for block in free if block not in inside]
        text = "\n".join(part.text for part in (figure, *inside) if part.text)
        shown.append(replace(figure, text=text, role=figure.role or LABELS) if inside else figure)
    return with_figures(_join_labels(free), shown)


def _join_labels(blocks: Sequence[Block]) -> list[Block]:
    """The blocks with the labels of one drawing as one figure; labels without a drawing stay texts."""
    result: list[Block] = []
    for block in blocks:
        if result and (whole := _one_drawing(result[-1], block, blocks)):
            result[-1] = whole
        else:
            result.append(block)
    return [
        _as_text(block) if block.role == LABELS and not _is_drawing(block.box) else block for block in result
    ]


def _one_drawing(one: Block, other: Block, blocks: Sequence[Block]) -> Block | None:
    """Labels that follow each other as one figure, if there is nothing else between them."""
    if not (one.role == other.role == LABELS and one.box and other.box):
        return None
    box = box_around([one.box, other.box])
    if any(block.role != LABELS and block.box and shared_area(block.box, box) for block in blocks):
        return None
    sure = min(one.confidence or 0.0, other.confidence or 0.0)
    return replace(one, box=box, text=f"{one.text}\n{other.text}", confidence=sure)


def _as_text(block: Block) -> Block:
    return replace(block, kind=Kind.PARAGRAPH, role=None, text=" ".join(block.text.split()))


def _is_drawing(box: Box | None) -> bool:
    return box is not None and min(box.width, box.height) >= LEAST_DRAWING


def _is_same_picture(picture: Box, block: Block) -> bool:
    box = block.box if block.kind is Kind.FIGURE else None
    return box is not None and shared_area(picture, box) >= SAME_SHARE


def place_of(picture: Box, blocks: Sequence[Block]) -> int:
    """Where in the reading order the words of a picture belong."""
    for at, block in enumerate(blocks):
        if _is_same_picture(picture, block):
            return at + 1
    below = (at for at, block in enumerate(blocks) if block.box and is_below(block.box, picture))
    return next(below, len(blocks))


def is_below(box: Box, picture: Box) -> bool:
    """Whether a box starts below the middle of a picture that it overlaps sideways."""
    middle = picture.y + picture.height / 2
    return box.y >= middle and box.x < picture.right and picture.x < box.right
