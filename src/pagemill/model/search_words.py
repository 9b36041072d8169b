"""Words as they are searched for: one normaliser for texts and queries, so that every database finds the same.

Compatibility forms, case and accents make no difference. Scripts without spaces give one word for each character, and a run
of them in a query is a phrase.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain

from pagemill.model.unspaced_scripts import BURMESE_AND_KHMER, EAST_ASIAN, THAI_AND_LAO

ASCII_WORD = re.compile(r"[A-Za-z0-9]+")
# What each byte of ASCII is in words: a small letter, a digit, or a space between them.
ASCII_WORDS = bytes(
    ord(chr(byte).lower()) if chr(byte).isalnum() and byte < 128 else 32 for byte in range(256)
)
# Vowel signs of Indian scripts are part of a word; accents may come as characters of their own.
SIGNS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0963\u0966-\u096f\u0971-\u0dff"
UNSPACED = f"{EAST_ASIAN}{THAI_AND_LAO}{BURMESE_AND_KHMER}"
RUN = re.compile(f"[{UNSPACED}]|(?:(?![{UNSPACED}])(?:[^\\W_]|[{SIGNS}]))+")
# What is left out of words: accents, and the vowel points of Hebrew and Arabic.
MARK = re.compile("[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c7\u0610-\u061a\u064b-\u065f\u0670]")
KNOWN_WORDS = 65_536
MAX_WORD = 64


def token_spans(text: str) -> Iterator[tuple[int, int, str]]:
    """The words of a text in order, each with where it begins and ends there."""
    if text.isascii():
        for found in ASCII_WORD.finditer(text):
            yield found.start(), found.end(), found[0].lower()[:MAX_WORD]
        return
    for found in RUN.finditer(text):
        for word in normal_words(found[0]):
            yield found.start(), found.end(), word


def words_of(text: str) -> list[str]:
    """The words of a text in order."""
    if text.isascii():
        words = text.encode().translate(ASCII_WORDS).decode().split()
        return words if max(map(len, words), default=0) <= MAX_WORD else [word[:MAX_WORD] for word in words]
    return list(chain.from_iterable(map(NORMAL_WORDS, text.split())))


def spaced_words(text: str) -> str:
    """The words of a text in order, as one text with a space between each."""
    if text.isascii():
        words = " ".join(text.encode().translate(ASCII_WORDS).decode().split())
        if not has_long_word(words):
            return words
    return " ".join(words_of(text))


def has_long_word(words: str) -> bool:
    """Whether one of the words, with one space between each, has more letters than are kept of a word."""
    start, last = 0, len(words) - MAX_WORD
    while start < last:
        # The last space that is near enough, so that only every tenth is looked at.
        start = words.rfind(" ", start, start + MAX_WORD + 1) + 1
        if start == 0:
            return True
    return False


class SpacedWords(dict[str, tuple[str, ...]]):
    """What was found between spaces so far, with the words that are in it."""

    def __missing__(self, spaced: str) -> tuple[str, ...]:
        words = tuple(word for run in RUN.findall(spaced) for word in normal_words(run))
        if len(spaced) <= MAX_WORD:
            if len(self) >= KNOWN_WORDS:
                self.clear()
            self[spaced] = words
        return words


# No word has a space in it, and what is between spaces repeats.
NORMAL_WORDS = SpacedWords().__getitem__


@lru_cache(KNOWN_WORDS)
def normal_words(run: str) -> tuple[str, ...]:
    """What a run of letters is searched for as: one word as a rule, several where one character stands for more."""
    if run.isascii():
        return (run.lower()[:MAX_WORD],)
    folded = unicodedata.normalize("NFKC", run).casefold()
    plain = unicodedata.normalize("NFC", MARK.sub("", unicodedata.normalize("NFD", folded)))
    return tuple(word[:MAX_WORD] for word in RUN.findall(plain))
