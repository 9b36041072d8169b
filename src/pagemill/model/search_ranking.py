"""Ranking and snippets: which of the matching passages come first, and what is shown of them.

The ranking is ours, so that it is the same on every database: BM25 over the terms of the query in a passage
and the headings above it, and more where the terms follow each other.
"""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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


def count_term(term: Term, texts: Sequence[str]) -> list[int]:
    """How often each text of normalised words has a term, as its pattern finds it; to count text is quicker than that."""
    words, find = " ".join(term.words), pattern_of(term).findall
    begun, doubled = f" {words}", f" {words} {words} "
    if term.is_prefix:
        return [text.count(begun) for text in texts]
    alone = f"{begun} "
    counts = [text.count(alone) for text in texts]
    # Where the word comes twice in a row, both share a space.
    return [
        len(find(text)) if count and doubled in text else count
        for count, text in zip(counts, texts, strict=True)
    ]


def finder(terms: Sequence[Term]) -> Callable[[str], bool]:
    """What says whether the words of a passage, of which the first is no text, have one of these terms."""
    patterns = [pattern_of(term) for term in terms]

    def has_any(words: str) -> bool:
        text = f"{words[words.find(' ') :]} "
        return any(pattern.search(text) for pattern in patterns)

    return has_any


def scores_of(query: SearchQuery, weights: Mapping[Term, float], words: Sequence[str]) -> list[float]:
    """How well each passage fits a query by its words, of which the first is no text and all are parted by a space."""
    texts = [f"{one[one.find(' ') :]} " for one in words]
    lengths = [
        SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * len(text) / USUAL_CHARACTERS) for text in texts
    ]
    totals = [0.0] * len(texts)
    for term in query.wanted:
        weight = weights.get(term, 1.0) * (SATURATION + 1)
        for place, count in enumerate(count_term(term, texts)):
            if count:
                totals[place] += weight * count / (count + lengths[place])
    if len(query.wanted) < 2:
        return totals
    together = f" {' '.join(word for term in query.wanted for word in term.words)}"
    return [
        total * TOGETHER_WEIGHT if together in text else total
        for total, text in zip(totals, texts, strict=True)
    ]


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
    places: dict[str, list[int]] = defaultdict(list)
    for place, token in enumerate(tokens):
        places[token[2]].append(place)
    found = [span for term in query.wanted for span in term_spans(tokens, places, term)]
    merged: list[Highlight] = []
    for start, end in sorted(found):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def term_spans(
    tokens: Sequence[tuple[int, int, str]], places: Mapping[str, Sequence[int]], term: Term
) -> Iterator[Highlight]:
    """Where the words of a term follow each other; `places` says where each word is among the tokens."""
    *whole, last = term.words
    if whole or not term.is_prefix:
        begun: Iterable[int] = places.get(term.words[0], ())
    else:
        begun = (place for word, found in places.items() if word.startswith(last) for place in found)
    for place in begun:
        words = [token[2] for token in tokens[place : place + len(term.words)]]
        is_last = len(words) == len(term.words) and (
            words[-1].startswith(last) if term.is_prefix else words[-1] == last
        )
        if is_last and words[:-1] == whole:
            yield tokens[place][0], tokens[place + len(whole)][1]


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
