"""Packing: units become passages that begin at headings, end within a budget of tokens, and lose or double nothing."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from pagemill.model.pages import Page
from pagemill.model.passages import Passage, PassageOptions, Place
from pagemill.reading.passages.tokens import TokenCount, count_tokens
from pagemill.reading.passages.units import Unit, UnitReader
from pagemill.reading.writers.text import BodyText

# A section shorter than this part of the size is packed together with the next one.
SHORT_SECTION = 4
# The headings above a passage and the repeated header of a table take at most this part of the size, each.
HEADING_SHARE = 4


class Packer:
    """Takes the pages of a document in order and gives passages as soon as they are whole."""

    def __init__(
        self, options: PassageOptions, count: TokenCount = count_tokens, body: BodyText | None = None
    ) -> None:
        self._options = options
        self._count = count
        # Headings and headers of tables are counted again for every unit below them.
        self._heading_tokens = lru_cache(1_024)(count)
        self._reader = UnitReader(count, body)
        # What headings and the repeated header of a table leave at least.
        self._least_room = options.size - 2 * (options.size // HEADING_SHARE)
        self._held: list[Unit] = []
        self._held_tokens = 0
        # How many of the held units the passage before has as well.
        self._repeated = 0
        self._number = 0

    def add(self, page: Page) -> Iterator[Passage]:
        """Take the next page."""
        for unit in self._reader.units(page):
            if self._begins_passage(unit):
                yield from self._close()
            if self._held_tokens + unit.tokens <= self._least_room:
                self._append(unit)
            elif unit.tokens <= self._least_room or unit.tokens <= self._room(unit):
                yield from self._put(unit)
            else:
                for part in unit.split(self._room(unit), self._count):
                    yield from self._put(part)

    def finish(self) -> Iterator[Passage]:
        """What is left after the last page."""
        yield from self._close()

    def _begins_passage(self, unit: Unit) -> bool:
        match self._options.by:
            case "page":
                return bool(self._held) and unit.page != self._held[-1].page
            case "section":
                return unit.level is not None and self._body_tokens() * SHORT_SECTION >= self._options.size
        return False

    def _put(self, unit: Unit) -> Iterator[Passage]:
        while self._held and not self._fits(unit):
            if len(self._held) == self._repeated:
                self._hold([])
            else:
                yield from self._close_full()
        self._append(unit)

    def _append(self, unit: Unit) -> None:
        self._held.append(unit)
        self._held_tokens += unit.tokens

    def _hold(self, units: list[Unit], repeated: int = 0) -> None:
        """Hold these units alone, of which the passage before has so many as well."""
        self._held, self._repeated = units, repeated
        self._held_tokens = sum([unit.tokens for unit in units])

    def _body_tokens(self) -> int:
        return sum([unit.tokens for unit in self._held if not unit.leads])

    def _fits(self, unit: Unit) -> bool:
        """Whether there is room for a unit behind those that are held."""
        tokens = self._held_tokens + unit.tokens
        return tokens <= self._least_room or tokens <= self._room(self._held[0])

    def _room(self, first: Unit) -> int:
        """The tokens that a passage has for its units, beside headings and the repeated header of a table."""
        headings = sum(map(self._heading_tokens, self._headings(first)))
        return self._options.size - headings - self._heading_tokens(self._repeated_header(first))

    def _headings(self, unit: Unit) -> tuple[str, ...]:
        """The headings above a unit, the nearest ones if they are long."""
        room, kept = self._options.size // HEADING_SHARE, len(unit.path)
        while kept and (room := room - self._heading_tokens(unit.path[kept - 1])) >= 0:
            kept -= 1
        return unit.path[kept:]

    def _repeated_header(self, first: Unit) -> str:
        """The header of the table that a passage with this unit first begins in the middle of."""
        if not first.header or first.leads:
            return ""
        most = self._options.size // HEADING_SHARE
        return f"{first.header}\n" if self._heading_tokens(first.header) <= most else ""

    def _close_full(self) -> Iterator[Passage]:
        """End a passage that is full: headings at its end go on to the next, and so does the overlap."""
        cut = self._last_cut(len(self._held))
        kept, carried = self._held[:cut], self._held[cut:]
        yield self._passage(kept)
        overlap = self._overlap(kept)
        self._hold([*overlap, *carried], len(overlap))

    def _last_cut(self, most: int) -> int:
        """How many of so many held units end a passage, without headings at its end, unless there is nothing else."""
        own = self._held[self._repeated : most]
        return most - next((count for count, unit in enumerate(reversed(own)) if not unit.leads), 0)

    def _close(self) -> Iterator[Passage]:
        """End a passage where the next one has nothing to do with it."""
        if len(self._held) > self._repeated:
            yield self._passage(self._held)
        self._hold([])

    def _overlap(self, units: Sequence[Unit]) -> list[Unit]:
        """The last sentences of a passage, as far as the next one repeats them."""
        room, found = self._options.overlap, list[Unit]()
        for unit in reversed(units if room else ()):
            sentences = unit.sentences(self._count)
            for sentence in reversed(sentences):
                room -= sentence.tokens
                if room < 0:
                    return found
                found.insert(0, sentence)
            if not sentences:
                return found
        return found

    def _passage(self, units: Sequence[Unit]) -> Passage:
        self._number += 1
        first = units[0]
        header = self._repeated_header(first)
        pieces, length, places = [header], len(header), list[Place]()
        repeated = 0
        for number, unit in enumerate(units):
            if number == self._repeated:
                repeated = length - len(header)
            if number:
                pieces.append(unit.separator)
                length += len(unit.separator)
            for page, box in unit.printed:
                places.append(Place(length, page, unit.block, box))
            pieces.append(unit.text)
            length += len(unit.text)
        return Passage(
            number=self._number,
            text="".join(pieces),
            headings=self._headings(first),
            places=tuple(places),
            start=first.start,
            end=units[-1].end,
            overlap=repeated if self._repeated else 0,
            tokens=self._tokens(units),
        )

    def _tokens(self, units: Sequence[Unit]) -> int:
        """The tokens of a passage of these units; the parts of an estimate add up."""
        above = (self._repeated_header(units[0]), *self._headings(units[0]))
        return sum([unit.tokens for unit in units]) + sum(map(self._heading_tokens, above))
