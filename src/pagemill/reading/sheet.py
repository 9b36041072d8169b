"""A sheet: what is on a page before it is put into blocks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import starmap

from pagemill.model.pages import Box
from pagemill.reading.level_texts import with_level_texts
from pagemill.reading.liteparse_native import NativePage, NativeText
from pagemill.reading.page.sheet import Stroke
from pagemill.reading.sources.text_layer import place_words, strokes_of

# So many dots in a row, no further apart than this, lead on.
FEWEST_LEADER_DOTS, LEADER_GAP_POINTS = 3, 12.0


@dataclass(slots=True)
class Token:
    """A single printed word and its edges; upright words only."""

    text: str
    left: float
    top: float
    right: float
    bottom: float


class NativeSheet:
    """The words and strokes of a page, made only when they are asked for: most pages need none of them."""

    def __init__(self, native: NativePage) -> None:
        self.native = native
        self.number, self.width, self.height = native.page_num, native.width, native.height
        # Whether all runs of the engine are there.
        self.is_whole = True
        # Whether words that the engine drops are off the page or too small to be read; known after the layout.
        self.has_unseen_words = False

    @cached_property
    def texts(self) -> Sequence[NativeText]:
        """The runs of text as the engine has them, but for those that are nearly level; it copies them each time."""
        return with_level_texts(self.native.text_items, self.width)

    def leave_out(self, runs: Sequence[NativeText]) -> None:
        """Take runs out of the text, before words are made of it."""
        if not runs:
            return
        self.is_whole = False
        left_out = {id(run) for run in runs}
        self.texts = [text for text in self.texts if id(text) not in left_out]
        self.__dict__.pop("tokens", None)

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """The upright words one by one, where a run may be a line that goes across columns."""
        return tuple(
            [token for text in self.texts if not text.rotation for token in starmap(Token, place_words(text))]
        )

    @cached_property
    def strokes(self) -> Sequence[Stroke]:
        """The straight lines."""
        return strokes_of(self.native)


def without_leaders(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """The words without rows of dots that lead from one to another: in a table they would be columns of their own."""
    dots = [token for token in tokens if token.text.strip(".…·") == ""]
    if len(dots) < FEWEST_LEADER_DOTS:
        return tuple(tokens)
    rows: dict[int, list[Token]] = {}
    for dot in dots:
        rows.setdefault(round(dot.bottom), []).append(dot)
    leaders = {id(dot) for row in rows.values() if len(row) >= FEWEST_LEADER_DOTS for dot in _in_runs(row)}
    return tuple(token for token in tokens if id(token) not in leaders)


def tokens_in(tokens: Sequence[Token], box: Box) -> tuple[Token, ...]:
    """The words whose middles are in a box."""
    return tuple(
        token
        for token in tokens
        if box.x <= (token.left + token.right) / 2 <= box.right
        and box.y <= (token.top + token.bottom) / 2 <= box.bottom
    )


def _in_runs(row: Sequence[Token]) -> Iterator[Token]:
    """The dots of a row that have others close by."""
    ordered = sorted(row, key=lambda dot: dot.left)
    for at, dot in enumerate(ordered):
        near = [ordered[other] for other in (at - 1, at + 1) if 0 <= other < len(ordered)]
        if any(abs(one.left - dot.left) < LEADER_GAP_POINTS for one in near):
            yield dot


def glue_tokens(left: Token, right: Token) -> Token:
    """Two parts of a word as one."""
    top, bottom = min(left.top, right.top), max(left.bottom, right.bottom)
    return Token(left.text + right.text, left.left, top, max(left.right, right.right), bottom)
