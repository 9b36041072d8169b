"""Where a long text may be cut: between sentences, then between words, and in a word only if there is no other way."""

import re
from collections.abc import Iterator

from pagemill.reading.passages.tokens import TokenCount

Span = tuple[int, int]
# The end of a sentence with closing quotes and brackets, and the space after it; Chinese and Japanese have none.
END = re.compile(r"(?:[.!?…]+[\"'”’»)\]]*\s+)|(?:[。！？｡]+[」』）”]*\s*)|\n\s*")
WORD_AND_SPACE = re.compile(r"\S+\s*")
# What ends in a full stop and goes on; a single letter does as well: J. Smith, z. B.
ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:\w|al|art|bzw|ca|cf|dr|ed|eds|eg|etc|fig|figs|hr|ie|inc|jr|ltd|mr|mrs|ms|nr|no|nos|op|pp|prof|sr|st|str|"
    r"usw|vgl|vol|vs|[a-z]\.[a-z])\.$",
    re.IGNORECASE,
)
LOOK_BACK = 12


def sentence_spans(text: str) -> Iterator[Span]:
    """The sentences of a text, each with the space after it."""
    start = 0
    for end in END.finditer(text):
        if end.end() < len(text) and not _goes_on(text, end):
            yield start, end.end()
            start = end.end()
    if start < len(text):
        yield start, len(text)


def _goes_on(text: str, end: re.Match[str]) -> bool:
    """Whether what looks like the end of a sentence is that of an abbreviation."""
    if text[end.start()] != "." or "\n" in end[0]:
        return False
    before = text[max(0, end.start() - LOOK_BACK) : end.start() + 1]
    return text[end.end()].islower() or bool(ABBREVIATION.search(before))


def spans_within(text: str, room: int, count: TokenCount) -> Iterator[Span]:
    """The text in spans of at most so many tokens: sentences, or parts of those that are longer."""
    for start, end in sentence_spans(text):
        if count(text[start:end]) <= room:
            yield start, end
        else:
            yield from _word_spans(text, (start, end), room, count)


def _word_spans(text: str, sentence: Span, room: int, count: TokenCount) -> Iterator[Span]:
    """A sentence that is too long, as runs of words."""
    (first, end), taken = sentence, 0
    for word in WORD_AND_SPACE.finditer(text, first, end):
        tokens = count(word[0])
        if taken and taken + tokens > room:
            yield first, word.start()
            first, taken = word.start(), 0
        if tokens > room:
            *whole, (first, _) = _character_spans(text, word.span(), room, count)
            yield from whole
            tokens = count(text[first : word.end()])
        taken += tokens
    yield first, end


def _character_spans(text: str, word: Span, room: int, count: TokenCount) -> list[Span]:
    """A word that is too long, in pieces; a single character is kept, however many tokens it takes."""
    (first, end), spans = word, list[Span]()
    while first < end:
        characters = max(room, 1)
        while characters > 1 and count(text[first : first + characters]) > room:
            characters //= 2
        spans.append((first, min(first + characters, end)))
        first += characters
    return spans
