"""Where the words of a document are among the words of its printed pages.

Both have mostly the same words in the same order. Each block is looked for from where the one before it ended; text
that floats, such as notes and text boxes, is looked for everywhere and moves nothing.
"""

from bisect import bisect_left
from collections.abc import Sequence

from pagemill.reading.office.printed_words import PrintedWord

# A block is recognised by so many of its first words.
HEAD_WORDS = 8
# The next words that are looked at when one of the block is not the next that was printed: a number, a header, a hyphen.
SKIPPED_WORDS = 12
# How far ahead of the last block the next may be; farther away are only blocks whose words are hardly found twice.
NEAR_WORDS = 3_000
# So many words may be passed over without the word after it as a second sign.
NEAR_SKIP = 2
LEAST_FOUND = 0.6
LEAST_FAR_WORDS = 4
MOST_PLACES = 400


class Aligner:
    """Finds texts one after the other."""

    def __init__(self, printed: Sequence[PrintedWord]) -> None:
        self._printed = printed
        self._next = 0
        self._places: dict[str, list[int]] = {}
        for at, word in enumerate(printed):
            self._places.setdefault(word.text, []).append(at)

    def find(self, words: Sequence[str], *, floats: bool = False) -> list[int | None]:
        """For each word where it was printed; all None if the text was not found."""
        start = self._start(words, floats)
        nowhere: list[int | None] = [None] * len(words)
        if start is None:
            return nowhere
        found = self._follow(words, start)
        hits = [at for at in found if at is not None]
        if len(hits) < LEAST_FOUND * len(words):
            return nowhere
        if not floats and hits[-1] >= self._next:
            self._next = hits[-1] + 1
        return found

    def _start(self, words: Sequence[str], floats: bool) -> int | None:
        """Where a text begins: where most of its first words are, in order and with the fewest others in between."""
        head = list(words[:HEAD_WORDS])
        best, best_score = None, (0, 0)
        for offset, word in enumerate(head):
            for at in self._candidates(self._places.get(word, ()), floats):
                score = self._score(head[offset:], at)
                ahead = at >= self._next
                if score > best_score and (ahead or floats or len(words) >= LEAST_FAR_WORDS):
                    best, best_score = at - offset, score
            if best_score >= (len(head) - offset, 0):
                break
        return best if best_score[0] >= LEAST_FOUND * len(head) else None

    def _candidates(self, places: Sequence[int], floats: bool) -> list[int]:
        """Places of a word, those ahead and near first; others only where none is ahead, or the text floats."""
        first = bisect_left(places, self._next)
        last = bisect_left(places, self._next + NEAR_WORDS)
        ahead = list(places[first:last][:MOST_PLACES])
        if ahead and not floats:
            return ahead
        return [*ahead, *places[last : last + MOST_PLACES], *places[max(first - MOST_PLACES, 0) : first]]

    def _score(self, words: Sequence[str], at: int) -> tuple[int, int]:
        """How many of the words follow from a place on, and, below 0, how many others are in between."""
        hits = [hit for hit in self._follow(words, at) if hit is not None]
        return len(hits), len(hits) - (hits[-1] - at + 1) if hits else 0

    def _follow(self, words: Sequence[str], start: int) -> list[int | None]:
        """Where each word is from a place on, words in between that were only printed or only written passed over."""
        found: list[int | None] = []
        at = max(start, 0)
        for number, word in enumerate(words):
            after = words[number + 1] if number + 1 < len(words) else None
            hit = self._next_hit(at, word, after)
            found.append(hit)
            if hit is not None:
                at = hit + 1
        return found

    def _next_hit(self, at: int, word: str, after: str | None) -> int | None:
        """The next place of a word; one that is not near counts only if the word after it is there as well."""
        for place in range(at, min(at + SKIPPED_WORDS, len(self._printed))):
            if not self._is_at(place, word):
                continue
            if place - at <= NEAR_SKIP or (after is not None and self._is_at(place + 1, after)):
                return place
        return None

    def _is_at(self, place: int, word: str) -> bool:
        """Whether a word was printed at a place, perhaps with the number of a note behind it."""
        if place >= len(self._printed):
            return False
        printed = self._printed[place].text
        return printed == word or (printed.startswith(word) and printed[len(word) :].isdigit())
