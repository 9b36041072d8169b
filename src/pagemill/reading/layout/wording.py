"""Lines put together into running text, with words as they were meant.

Words that were broken at a line's end are mended, leaders have no gaps, and no space is before a full stop.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace

from pagemill.model.pages import Block, Kind
from pagemill.reading.page.scripts import needs_no_space

HYPHENS = "-\u2010\u00ad\u00ac"
_BROKEN = re.compile(rf"([^\W\d_]+(?:['’-][^\W\d_]+)*)[{HYPHENS}]$")
_NEXT_WORD = re.compile(r"[^\W\d_]+")
_WORDS = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
# Before a hyphen these are words of their own, so that the hyphen is printed and not made by the line's end.
_STANDING_ALONE = frozenset(
    "self non well semi quasi cross half ex all high low long short full part so old new one two three four"
    " five six ten first second third multi".split()
)
_LEADER = re.compile(r"(?<=\.) +(?=\.(?: ?\.){2})|(?<=\. \. \.) +(?=\.)|(?<=\. \.) +(?=\.(?!\.\w))")
_LOOSE_STOP = re.compile(r"(?<=[^\W_]|[)\]”’]) +(?=[.,](?:\s|$))(?![.,] ?[.,])")


class Vocabulary:
    """The words of a page, to tell a broken word from one with a hyphen of its own."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = texts
        self._words: frozenset[str] | None = None

    def __contains__(self, word: str) -> bool:
        if self._words is None:
            self._words = frozenset(word for text in self._texts for word in _WORDS.findall(text.casefold()))
        return word in self._words


def running(lines: Sequence[str], vocabulary: Vocabulary) -> str:
    """The text of lines that follow each other."""
    whole = lines[0]
    for line in lines[1:]:
        whole = _append(whole, line, vocabulary)
    return whole


def _append(whole: str, line: str, vocabulary: Vocabulary) -> str:
    if not whole or not line:
        return whole or line
    between, hyphen = join_between(whole, line, vocabulary)
    return whole[: len(whole) - hyphen] + between + line


def join_between(whole: str, line: str, vocabulary: Vocabulary) -> tuple[str, int]:
    """What is put between a text and its next line, and how many characters of the text, its hyphen, are left out."""
    if whole[-1] in HYPHENS:
        start, end = _BROKEN.search(whole), _NEXT_WORD.match(line)
        if start and end:
            if _is_broken(start[1], end[0], vocabulary):
                return "", 1
            return ("", 0) if whole[-1] in "-\u2010" else ("-", 1)
    return ("", 0) if needs_no_space(whole, line) else (" ", 0)


def _is_broken(start: str, end: str, vocabulary: Vocabulary) -> bool:
    """Whether a hyphen between two parts was only put in at the line's end."""
    if not end[0].islower():
        # In capitals all words are broken alike; after a small letter a capital begins a name: "Anglo-Saxon".
        return start.isupper() and end.isupper() and len(end) > 1
    first, second = start.casefold(), end.casefold()
    if f"{first}-{second}" in vocabulary:
        return False
    return first + second in vocabulary or ("-" not in first and first not in _STANDING_ALONE)


def mend_text(block: Block) -> Block:
    """The block with its text mended."""
    text = block.text
    if block.kind in (Kind.CODE, Kind.TABLE):
        return block
    if ". . ." in text:
        block = replace_text(block, _LEADER, "")
    if " ." in text or " ," in text:
        block = replace_text(block, _LOOSE_STOP, "")
    return block


def replace_text(block: Block, pattern: re.Pattern[str], replacement: str) -> Block:
    """The block with every match of a pattern replaced, groups being named as in `re.sub`."""
    pieces: list[str] = []
    at, ends, shifts = 0, [0], [0]
    for match in pattern.finditer(block.text):
        new = match.expand(replacement)
        pieces += (block.text[at : match.start()], new)
        at = match.end()
        ends.append(at)
        shifts.append(shifts[-1] + len(new) - len(match[0]))
    if not pieces:
        return block
    pieces.append(block.text[at:])

    def shift(place: int) -> int:
        return max(0, place + shifts[bisect_right(ends, place) - 1])

    spans = tuple(replace(span, start=shift(span.start), end=shift(span.end)) for span in block.spans)
    return replace(block, text="".join(pieces), spans=tuple(span for span in spans if span.start < span.end))
