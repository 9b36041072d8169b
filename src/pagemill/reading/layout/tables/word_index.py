"""A word index: the words of a page in the order of their height, so that those in a box are found at once."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from pagemill.model.pages import Box
from pagemill.reading.page.tokens import Token

# Boxes of blocks end with the characters, sometimes a little before.
SLACK_POINTS = 2.0


class WordIndex:
    """Words that can be asked for by where their middle is."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = sorted(tokens, key=lambda token: token.top + token.bottom)
        self._middles = [(token.top + token.bottom) / 2 for token in self.tokens]

    def within(self, left: float, top: float, right: float, bottom: float) -> list[Token]:
        """The words whose middle is between the edges, from the top down."""
        first, last = bisect_left(self._middles, top), bisect_right(self._middles, bottom)
        twice_left, twice_right = 2 * left, 2 * right
        return [
            token
            for token in self.tokens[first:last]
            if twice_left <= token.left + token.right <= twice_right
        ]

    def under(self, box: Box, slack: float = SLACK_POINTS) -> list[Token]:
        """The words whose middle is in a box or just outside."""
        return self.within(box.x - slack, box.y - slack, box.right + slack, box.bottom + slack)
