"""Words that something is noted with, found by where they are: a page may have thousands, and as many cells."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import Generic, TypeVar

from pagemill.model.pages import Box
from pagemill.reading.page.sheet import Word

Note = TypeVar("Note")


class NotedWords(Generic[Note]):
    """Words with their notes, from the top of the page down."""

    def __init__(self, noted: Iterable[tuple[Word, Note]]) -> None:
        self._noted = sorted(noted, key=lambda one: middle_of(one[0]))
        self._heights = [middle_of(word) for word, _ in self._noted]

    def __bool__(self) -> bool:
        return bool(self._noted)

    def within(self, box: Box, slack: float = 0.0) -> list[tuple[Word, Note]]:
        """Those whose middles are in a box, or at most so many points beside it."""
        first = bisect_left(self._heights, box.y - slack)
        end = bisect_right(self._heights, box.bottom + slack)
        left, right = box.x - slack, box.right + slack
        return [one for one in self._noted[first:end] if left <= (one[0].left + one[0].right) / 2 <= right]


def middle_of(word: Word) -> float:
    """How far down the page the middle of a word is."""
    return (word.top + word.bottom) / 2
