"""The words and strokes of a page as the engine has them."""

from collections.abc import Sequence
from functools import cached_property
from itertools import starmap

from pagemill.reading.page.sheet import Stroke
from pagemill.reading.page.tokens import Token
from pagemill.reading.sources.level_texts import with_level_texts
from pagemill.reading.sources.liteparse_native import NativePage, NativeText
from pagemill.reading.sources.text_layer import place_words, strokes_of


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
