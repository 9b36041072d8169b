"""Raised and lowered characters whose place in the words of a line is left free, which the engine has as a run of their own."""

from collections.abc import Sequence
from itertools import pairwise

from pagemill.reading.layout.lines import RAISED_LEVEL, RAISED_SIZE, TextLine, spell_line
from pagemill.reading.layout.pieces import body_size

# How far characters may reach into the words beside them, in sizes.
INTO_WORDS = 0.15


def with_raised_words(lines: Sequence[TextLine]) -> list[TextLine]:
    """The lines, with small words put between the words of the line that leaves room for them."""
    small = RAISED_SIZE * body_size(lines)
    lone = [line for line in lines if line.size <= small and len(line.words) == 1 and not line.rotation]
    if not lone:
        return list(lines)
    hosts = [line for line in lines if len(line.words) > 1 and not line.rotation]
    put: dict[int, TextLine] = {}
    for word in lone:
        if host := next((line for line in hosts if _has_room(line, word)), None):
            put[id(word)] = word
            put[id(host)] = _put(put.get(id(host), host), word)
    whole = [put.get(id(line), line) for line in lines]
    return [line for line in whole if not (len(line.words) == 1 and id(line) in put)]


def _has_room(host: TextLine, piece: TextLine) -> bool:
    if piece.size > RAISED_SIZE * host.size or not host.left < piece.left < piece.right < host.right:
        return False
    if abs(piece.centre - host.centre) > RAISED_LEVEL * host.size:
        return False
    reach = INTO_WORDS * host.size
    return any(
        before.right - reach <= piece.left and piece.right <= after.left + reach
        for before, after in pairwise(host.words)
    )


def _put(host: TextLine, piece: TextLine) -> TextLine:
    words = sorted([*host.words, *piece.words], key=lambda word: word.left)
    whole = TextLine(words, host.hint)
    whole.is_one_run = False
    whole.text = spell_line(whole)
    return whole
