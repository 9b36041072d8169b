"""Packing by a tokenizer: the tokens of a text are not the sum of those of its parts, so every passage is counted as a whole.

Units are packed by their sums, which come out close. A passage that is too long as a whole gives its last units to the
next one, or is split further if it has only one.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache

from pagemill.model.passages import Passage, PassageOptions, embed_text
from pagemill.reading.passages.packing import HEADING_SHARE, Packer
from pagemill.reading.passages.units import Unit
from pagemill.reading.tokenizer import Tokenizer


class ExactPacker(Packer):
    """Packs passages whose tokens, as the tokenizer counts them, are within the size."""

    def __init__(self, options: PassageOptions, tokenizer: Tokenizer) -> None:
        super().__init__(options, tokenizer.count_part)
        # A passage is counted when it is ended and when it is written.
        self._whole_tokens = lru_cache(8)(tokenizer.count)
        self._above_tokens = lru_cache(1_024)(tokenizer.count)
        self._nearest_headings = lru_cache(1_024)(self._fitting_headings)

    def _room(self, first: Unit) -> int:
        above = embed_text(self._headings(first), self._repeated_header(first))
        return self._options.size - self._above_tokens(above)

    def _headings(self, unit: Unit) -> tuple[str, ...]:
        return self._nearest_headings(unit.path)

    def _fitting_headings(self, path: tuple[str, ...]) -> tuple[str, ...]:
        """The headings that take their share of the size with what is between them; the nearest ones if they are long."""
        kept = next(
            kept
            for kept in range(len(path) + 1)
            if self._count(embed_text(path[kept:], "")) <= self._options.size // HEADING_SHARE
        )
        return path[kept:]

    def _tokens(self, units: Sequence[Unit]) -> int:
        text = self._repeated_header(units[0]) + joined_text(units)
        return self._whole_tokens(embed_text(self._headings(units[0]), text))

    def _is_within(self, count: int) -> bool:
        """Whether so many of the held units are a passage that is not too long."""
        return self._tokens(self._held[:count]) <= self._options.size

    def _close_full(self) -> Iterator[Passage]:
        self._fit_first()
        yield from super()._close_full()

    def _close(self) -> Iterator[Passage]:
        while len(self._held) > self._repeated and not self._is_within(len(self._held)):
            yield from self._close_full()
        yield from super()._close()

    def _last_cut(self, most: int) -> int:
        if not self._is_within(most):
            counts = range(self._repeated + 1, most)
            fitting = bisect_right(counts, False, key=lambda count: not self._is_within(count))
            most = self._repeated + max(fitting, 1)
        cut = super()._last_cut(most)
        # A text may have more tokens than a longer one that it is the beginning of.
        while cut > self._repeated + 1 and not self._is_within(cut):
            cut -= 1
        return cut

    def _fit_first(self) -> None:
        """Have the passage begin with one that is not too long: without the overlap, or with a part of its first unit."""
        while not self._is_within(self._repeated + 1):
            if self._repeated:
                self._hold(self._held[self._repeated :])
                continue
            parts = self._smaller(self._held[0])
            if len(parts) == 1:
                return
            self._hold([*parts, *self._held[1:]])

    def _smaller(self, unit: Unit) -> list[Unit]:
        """The unit in two parts or more; as it is if it can't be split."""
        room, parts = unit.tokens, [unit]
        while len(parts) == 1 and (room := room // 2):
            parts = unit.split(room, self._count)
        return parts

    def _overlap(self, units: Sequence[Unit]) -> list[Unit]:
        found = super()._overlap(units)
        while found and self._count(joined_text(found)) > self._options.overlap:
            found = found[1:]
        return found


def joined_text(units: Sequence[Unit]) -> str:
    """The text of units that follow each other."""
    first, *others = units
    return first.text + "".join(f"{unit.separator}{unit.text}" for unit in others)
