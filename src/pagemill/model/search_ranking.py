"""Ranking and snippets: which of the matching passages come first, and what is shown of them.

The ranking is ours, so that it is the same on every database: BM25 over the terms of the query in a passage
and the headings above it, and more where the terms follow each other.
"""

import math
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from pagemill.model.passages import Place
from pagemill.model.search_queries import SearchQuery, Term
from pagemill.model.search_words import token_spans

# The usual constants of BM25, and the characters of a passage of the usual size.
SATURATION, LENGTH_SHARE, USUAL_CHARACTERS = 1.2, 0.5, 1_200.0
TOGETHER_WEIGHT = 1.5
SNIPPET_CHARACTERS = 240
# A row of a table is never split, and may be as long as a document. What is behind so many characters is found, but not
# counted or shown; a passage of text has a tenth of them.
LOOKED_AT_CHARACTERS = 20_000
MOST_MATCHES = 1_000
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
    text = text[:LOOKED_AT_CHARACTERS]
    matches = match_spans(text, query)
    start, end = window(text, matches)
    shown = tuple((first - start, last - start) for first, last in matches if start <= first and last <= end)
    return Snippet(text[start:end], shown, printed_places(matches, places))


def match_spans(text: str, query: SearchQuery) -> list[Highlight]:
    """Where the terms of a query are in a text, in order and without overlaps."""
    tokens = list(token_spans(text))
    words = [word for _, _, word in tokens]
    places: dict[str, list[int]] = defaultdict(list)
    for place, word in enumerate(words):
        places[word].append(place)
    found = [
        (tokens[first][0], tokens[last][1])
        for term in query.wanted
        for first, last in islice(term_places(words, places, term), MOST_MATCHES)
    ]
    merged: list[Highlight] = []
    for start, end in sorted(found):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def term_places(
    words: Sequence[str], places: Mapping[str, Sequence[int]], term: Term
) -> Iterator[tuple[int, int]]:
    """The first and the last word of each place where a term is; `places` says where each word is among the words."""
    *whole, last = term.words
    if whole or not term.is_prefix:
        begun: Iterable[int] = places.get(term.words[0], ())
    else:
        begun = (place for word, found in places.items() if word.startswith(last) for place in found)
    for place in begun:
        end = place + len(whole)
        if end >= len(words):
            continue
        # The last word first: the others of a phrase may all be the same, everywhere.
        is_last = words[end].startswith(last) if term.is_prefix else words[end] == last
        if is_last and words[place:end] == whole:
            yield place, end


def window(text: str, matches: Sequence[Highlight]) -> Highlight:
    """Which part of a text is shown: around the first of the most matches that fit, cut between words."""
    if len(text) <= SNIPPET_CHARACTERS:
        return 0, len(text)
    first = densest_start(matches)
    start = max(0, min(first - SNIPPET_CHARACTERS // 4, len(text) - SNIPPET_CHARACTERS))
    if start:
        space = text.find(" ", start, first)
        start = space + 1 if space >= 0 else start
    end = min(len(text), start + SNIPPET_CHARACTERS)
    if end < len(text):
        space = text.rfind(" ", first + SNIPPET_CHARACTERS // 4, end)
        end = space if space > 0 else end
    return start, end


def densest_start(matches: Sequence[Highlight]) -> int:
    """Where the first of the most matches begins that are shown together; matches are in order and without overlaps."""
    best, most, behind = 0, 0, 0
    for number, (start, _) in enumerate(matches):
        while behind < len(matches) and matches[behind][1] <= start + SNIPPET_CHARACTERS * 3 // 4:
            behind += 1
        if behind - number > most:
            best, most = number, behind - number
    return matches[best][0] if matches else 0


def printed_places(matches: Sequence[Highlight], places: Sequence[Place]) -> tuple[Place, ...]:
    """The places that have a match; the first of all if none has."""
    starts = sorted({place.start for place in places})
    ends = dict(zip(starts, [*starts[1:], math.inf], strict=True))
    match_ends = [end for _, end in matches]

    def has_match(place: Place) -> bool:
        # As there are no overlaps, the first match that ends behind its start is also the first that can begin in it.
        first = bisect_right(match_ends, place.start)
        return first < len(matches) and matches[first][0] < ends[place.start]

    return tuple(place for place in places if has_match(place)) or tuple(places[:1])
