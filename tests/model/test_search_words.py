"""Words as they are searched for: the same for a whole text as for its parts, however often they were met before."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagemill.model.search_words import (
    KNOWN_WORDS,
    MAX_WORD,
    NOT_PLAIN,
    RUN,
    SpacedWords,
    spaced_words,
    token_spans,
    words_of,
)

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


@given(st.one_of(st.text(), st.text("aB1 .,-", min_size=40, max_size=400)))
def test_spaced_words_are_the_words_with_a_space_between_each(text: str) -> None:
    assert spaced_words(text) == " ".join(word for _, _, word in token_spans(text))


@given(st.text([*map(chr, range(256)), *"‘’“”–—…•€→∞■ßœĀα\u0301"], min_size=1, max_size=200))
def test_spaced_words_are_the_same_with_the_signs_of_european_languages(text: str) -> None:
    assert spaced_words(text) == " ".join(word for _, _, word in token_spans(text))


def test_each_sign_that_counts_as_a_space_is_no_part_of_a_word() -> None:
    signs = [one for one in map(chr, range(0x100, sys.maxunicode + 1)) if not NOT_PLAIN.match(one)]
    assert len(signs) > 500
    assert [one for one in signs if RUN.match(one)] == []


@pytest.mark.parametrize("length", [MAX_WORD - 1, MAX_WORD, MAX_WORD + 1, 3 * MAX_WORD])
@pytest.mark.parametrize(
    ("before", "after"), [("", ""), ("a ", ""), ("", " b"), (f"{'c' * MAX_WORD} ", " d")]
)
def test_a_word_without_end_is_cut_wherever_it_is(length: int, before: str, after: str) -> None:
    text = f"{before}{'x' * length}{after}"
    assert spaced_words(text) == f"{before}{'x' * min(length, MAX_WORD)}{after}"
