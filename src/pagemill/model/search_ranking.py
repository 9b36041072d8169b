"""Ranking and snippets: which of the matching passages come first, and what is shown of them.

The ranking is ours, so that it is the same on every database: BM25 over the terms of the query in a passage
and the headings above it, and more where the terms follow each other.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pagemill.model.passages import Place
from pagemill.model.search_queries import SearchQuery, Term
from pagemill.model.search_words import token_spans

# The usual constants of BM25, and the characters of a passage of the usual size.
SATURATION, LENGTH_SHARE, USUAL_CHARACTERS = 1.2, 0.5, 1_200.0
TOGETHER_WEIGHT = 1.5
SNIPPET_CHARACTERS = 240
Highlight = tuple[int, int]


def pattern_of(term: Term) -> re.Pattern[str]:
    """What finds a term in normalised words; a space first, for text to begin with is what is searched for fastest."""
    words = " ".join(map(re.escape, term.words))
    return re.compile(f" {words}{'' if term.is_prefix else '(?= )'}")


def counter(term: Term) -> Callable[[str], int]:
    """What counts a term in normalised words, as its pattern does; to count text is quicker where no space is shared."""
    words, find = " ".join(term.words), pattern_of(term).findall
    if term.is_prefix:
        return lambda text: text.count(f" {words}")
    alone, doubled = f" {words} ", f" {words} {words} "
    return lambda text: len(find(text)) if doubled in text else text.count(alone)


def finder(terms: Sequence[Term]) -> Callable[[str], bool]:
    """What says whether the words of a passage, of which the first is no text, have one of these terms."""
    patterns = [pattern_of(term) for term in terms]

    def has_any(words: str) -> bool:
        text = f"{words[words.find(' ') :]} "
        return any(pattern.search(text) for pattern in patterns)

    return has_any


def scorer(query: SearchQuery, weights: Mapping[Term, float]) -> Callable[[str], float]:
    """What says how well a passage fits a query by its words, of which the first is no text and all are parted by a space."""
    terms = [(counter(term), weights.get(term, 1.0) * (SATURATION + 1)) for term in query.wanted]
    together = f" {' '.join(word for term in query.wanted for word in term.words)}"

    def score(words: str) -> float:
        text = f"{words[words.find(' ') :]} "
        length = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * len(text) / USUAL_CHARACTERS)
        total = 0.0
        for count_in, weight in terms:
            count = count_in(text)
            total += weight * count / (count + length)
        return total * TOGETHER_WEIGHT if len(terms) > 1 and together in text else total

    return score


def rarity(found: int, most: int) -> float:
    """The weight of a term that so many passages have, counted up to a limit."""
    return math.log(1 + most / max(found, 1))


@dataclass(frozen=True, slots=True)
class Snippet:
    """A part of a passage with what matched in it, and where on the pages that is printed."""

    text: str
    highlights: tuple[Highlight, ...]
    places: tuple[Place, ...]


def snippet_of(text: str, places: Sequence[Place], query: SearchQuery) -> Snippet:
    """The part of a text that has most of the matches; its beginning if they are in the headings above."""
    matches = match_spans(text, query)
    start, end = window(text, matches)
    shown = tuple((first - start, last - start) for first, last in matches if start <= first and last <= end)
    return Snippet(text[start:end], shown, printed_places(matches, places))


def match_spans(text: str, query: SearchQuery) -> list[Highlight]:
    """Where the terms of a query are in a text, in order and without overlaps."""
    tokens = list(token_spans(text))
    found = [span for term in query.wanted for span in term_spans(tokens, term)]
    merged: list[Highlight] = []
    for start, end in sorted(found):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def term_spans(tokens: Sequence[tuple[int, int, str]], term: Term) -> list[Highlight]:
    """Where the words of a term follow each other."""
    *whole, last = term.words
    found = []
    for place in range(len(tokens) - len(whole)):
        ended = tokens[place + len(whole)]
        if (ended[2].startswith(last) if term.is_prefix else ended[2] == last) and all(
            tokens[place + number][2] == word for number, word in enumerate(whole)
        ):
            found.append((tokens[place][0], ended[1]))
    return found


def window(text: str, matches: Sequence[Highlight]) -> Highlight:
    """Which part of a text is shown: around the first of the most matches that fit, cut between words."""
    if len(text) <= SNIPPET_CHARACTERS:
        return 0, len(text)
    counts = [
        sum(start <= other and end <= start + SNIPPET_CHARACTERS * 3 // 4 for other, end in matches)
        for start, _ in matches
    ]
    first = matches[counts.index(max(counts))][0] if matches else 0
    start = max(0, min(first - SNIPPET_CHARACTERS // 4, len(text) - SNIPPET_CHARACTERS))
    if start:
        space = text.find(" ", start, first)
        start = space + 1 if space >= 0 else start
    end = min(len(text), start + SNIPPET_CHARACTERS)
    if end < len(text):
        space = text.rfind(" ", first + SNIPPET_CHARACTERS // 4, end)
        end = space if space > 0 else end
    return start, end


def printed_places(matches: Sequence[Highlight], places: Sequence[Place]) -> tuple[Place, ...]:
    """The places that have a match; the first of all if none has."""
    starts = sorted({place.start for place in places})
    ends = dict(zip(starts, [*starts[1:], math.inf], strict=True))
    found = [
        place
        for place in places
        if any(start < ends[place.start] and end > place.start for start, end in matches)
    ]
    return tuple(found or places[:1])
