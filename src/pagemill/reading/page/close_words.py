"""Words of a line, parted where white as wide as between columns is between two of them."""

from collections.abc import Iterable, Iterator

from pagemill.model.pages import Box, Line

# A gap that may be one between columns, in character heights.
WIDE_GAP = 1.5


def close_words(words: Iterable[Line]) -> Iterator[list[Line]]:
    """The words of a line, each a line of its own, in groups that are close together, whichever way they run."""
    near: list[Line] = []
    for word in words:
        if near and _gap(near[-1].box, word.box) > WIDE_GAP * max(word.box.height, near[-1].box.height):
            yield near
            near = []
        near.append(word)
    if near:
        yield near


def _gap(one: Box, other: Box) -> float:
    return max(other.x - one.right, one.x - other.right)
