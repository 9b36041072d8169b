"""Words as they are searched for: the same for a whole text as for its parts, however often they were met before."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagemill.model.search_words import KNOWN_WORDS, MAX_WORD, SpacedWords, token_spans, words_of

SPACES = " \t\n\u00a0\u2009\u3000\x1c\x85"


@given(st.text(st.characters() | st.sampled_from(SPACES + "aé中ไ.-")))
def test_the_words_of_a_text_are_those_that_are_found_in_it_one_by_one(text: str) -> None:
    assert words_of(text) == [word for _, _, word in token_spans(text)]


@pytest.mark.parametrize("letter", ["a", "é"])
def test_a_word_without_end_is_cut(letter: str) -> None:
    long = letter * (MAX_WORD + 1)
    assert words_of(f"first {long} last") == ["first", words_of(letter)[0] * MAX_WORD, "last"]


def test_what_was_met_before_is_not_kept_without_end() -> None:
    known = SpacedWords()
    assert known["é" * 1_000] == ("e" * MAX_WORD,)
    assert not known
    for number in range(KNOWN_WORDS + 1):
        assert known[f"é{number}"] == (f"e{number}",)
    assert 0 < len(known) <= KNOWN_WORDS
