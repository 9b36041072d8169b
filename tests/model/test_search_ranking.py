"""What is shown of a passage: the part with most of the matches and where they are printed, however long the passage is."""

import random
import time
from collections.abc import Sequence

import pytest

from pagemill.model.passages import Place
from pagemill.model.search_queries import parse_query
from pagemill.model.search_ranking import (
    LOOKED_AT_CHARACTERS,
    SNIPPET_CHARACTERS,
    Highlight,
    densest_start,
    match_spans,
    printed_places,
    snippet_of,
)
from tests.timing import can_take_less_than

MANY = 200_000
LONG_ROWS = {
    "equal words": ",".join(["a"] * MANY),
    "different words": ",".join(f"a{number}" for number in range(MANY)),
    "one word": "a" * MANY * 2,
    "very long words": ",".join(["a" * 1_000] * 400),
    "no spaces": "中" * MANY,
    "signs": "a!" * MANY,
}
QUERIES = {
    "a word": "a",
    "a beginning": "a*",
    "a phrase of equal words": '"' + "a " * 400 + '"',
    "a phrase that almost fits": '"' + "a " * 200 + "b " + "a " * 200 + '"',
    "a character": "中" * 400,
}


def drawn_matches(draw: random.Random) -> list[Highlight]:
    """Matches in order and without overlaps."""
    found: list[Highlight] = []
    end = 0
    for _ in range(draw.randrange(1, 30)):
        start = end + draw.randrange(0, 60)
        end = start + draw.randrange(1, 250 if draw.random() < 0.1 else 20)
        found.append((start, end))
    return found


def densest_by_counting(matches: Sequence[Highlight]) -> int:
    """The same as `densest_start`, by comparing all with all."""
    counts = [
        sum(start <= other and end <= start + SNIPPET_CHARACTERS * 3 // 4 for other, end in matches)
        for start, _ in matches
    ]
    return matches[counts.index(max(counts))][0]


def test_a_snippet_begins_where_most_matches_are_together() -> None:
    draw = random.Random(5)
    for _ in range(500):
        matches = drawn_matches(draw)
        assert densest_start(matches) == densest_by_counting(matches)


def test_the_places_of_matches_are_those_that_they_touch() -> None:
    draw = random.Random(6)
    for _ in range(500):
        matches = drawn_matches(draw)
        places = [Place(start, number) for number, start in enumerate(range(0, matches[-1][1], 40))]
        touched = [
            place for place in places if any(s < place.start + 40 and e > place.start for s, e in matches)
        ]
        # The last place goes on to the end.
        last = places[-1]
        expected = touched if last in touched or matches[-1][1] <= last.start else [*touched, last]
        assert list(printed_places(matches, places)) == expected


@pytest.mark.parametrize("asked", QUERIES)
@pytest.mark.parametrize("kind", LONG_ROWS)
def test_a_row_as_long_as_a_document_is_shown_in_no_time(kind: str, asked: str) -> None:
    text, query = LONG_ROWS[kind], parse_query(QUERIES[asked])

    def show() -> float:
        started = time.thread_time()
        snippet = snippet_of(text, [Place(0, 1)], query)
        assert snippet.text
        return time.thread_time() - started

    assert can_take_less_than(0.3, show)


def test_what_is_far_behind_in_a_row_is_found_without_being_shown() -> None:
    text = "x " * LOOKED_AT_CHARACTERS + "needle"
    snippet = snippet_of(text, [Place(0, 7)], parse_query("needle"))
    assert (snippet.highlights, snippet.places) == ((), (Place(0, 7),))


def test_phrases_are_found_word_by_word() -> None:
    text = "grain, grain prices; grain prices rose"
    assert [text[a:b] for a, b in match_spans(text, parse_query('"grain prices"'))] == ["grain prices"] * 2
    assert [text[a:b] for a, b in match_spans(text, parse_query('"prices ro"*'))] == ["prices rose"]
    assert not match_spans("the end is grain", parse_query('"grain prices"'))
