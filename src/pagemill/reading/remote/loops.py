"""Answers that run in circles: a model that has lost its place writes the same words until it is stopped."""

import re
from collections.abc import Sequence
from itertools import groupby

from pagemill.model.pages import Block

# Nothing on a page that says something comes as often as this in a row.
FEWEST_TURNS = 8
FEWEST_CHARACTERS_IN_LOOP = 300
# Rows of empty cells, dots and dashes do come often: a blank form is no loop.
SHORTEST_WORDLESS_LOOP = 4000
LONGEST_LOOKED_AT = 8000
# A short line may well be in every row of a list; a sentence would not.
FEWEST_CHARACTERS_IN_LINE = 12

_TAG = re.compile(r"<[^<>]*>")
_WORD_CHARACTER = re.compile(r"[^\W_]")
# Rows of a table may be alike, so they are left to the look at the end of the text.
_SAME_LINES = re.compile(rf"^(?!\s*\|)([^\n]+\n+)\1{{{FEWEST_TURNS - 1},}}", re.MULTILINE)


def without_loop(text: str) -> str:
    """The text up to where it begins to go round in circles, with one turn left; the same text if it never does."""
    tail = _loop_at_end(text)
    if tail:
        turns_at, period = tail
        return text[: turns_at + period]
    return _SAME_LINES.sub(_once, text)


def without_repeats(blocks: Sequence[Block]) -> list[Block]:
    """The blocks with one of those that say the same again and again, be it each time in another place."""
    kept: list[Block] = []
    for (_, text), same in groupby(blocks, key=lambda block: (block.kind, block.text)):
        alike = list(same)
        kept += alike[:1] if len(alike) >= FEWEST_TURNS and _is_sentence(text) else alike
    return kept


def _is_sentence(text: str) -> bool:
    return len(_WORD_CHARACTER.findall(text)) >= FEWEST_CHARACTERS_IN_LINE


def _loop_at_end(text: str) -> tuple[int, int] | None:
    """Where the last words begin to repeat, and how long one turn is."""
    end = len(text.rstrip())
    backwards = text[max(end - LONGEST_LOOKED_AT, 0) : end][::-1]
    turning = [
        (length, length - border)
        for length, border in enumerate(_borders(backwards), 1)
        if length >= FEWEST_TURNS * (length - border)
    ]
    length, period = turning[-1] if turning else (0, 1)
    if not _is_loop(backwards[:length], period):
        return None
    return _earliest(text, end - length, period), period


def _borders(text: str) -> list[int]:
    """For each beginning of the text, the length of its longest end that it also begins with."""
    borders = [0] * len(text)
    for at in range(1, len(text)):
        border = borders[at - 1]
        while border and text[at] != text[border]:
            border = borders[border - 1]
        borders[at] = border + (text[at] == text[border])
    return borders


def _is_loop(backwards: str, period: int) -> bool:
    """Whether what comes again is enough to be no table whose rows happen to be alike."""
    characters = len(_WORD_CHARACTER.findall(_TAG.sub("", backwards[:period][::-1])))
    return (
        characters * len(backwards) // period >= FEWEST_CHARACTERS_IN_LOOP
        or len(backwards) >= SHORTEST_WORDLESS_LOOP
    )


def _earliest(text: str, start: int, period: int) -> int:
    """Where the loop begins that may reach back further than was looked at."""
    while start > 0 and text[start - 1] == text[start - 1 + period]:
        start -= 1
    return start


def _once(match: re.Match[str]) -> str:
    return match[1] if _is_sentence(match[1]) else match[0]
