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
# Vowel signs of Indian scripts are part of a word; accents may come as characters of their own.
SIGNS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0963\u0966-\u096f\u0971-\u0dff"
UNSPACED = f"{EAST_ASIAN}{THAI_AND_LAO}{BURMESE_AND_KHMER}"
RUN = re.compile(f"[{UNSPACED}]|(?:(?![{UNSPACED}])(?:[^\\W_]|[{SIGNS}]))+")
# What is left out of words: accents, and the vowel points of Hebrew and Arabic.
MARK = re.compile("[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c7\u0610-\u061a\u064b-\u065f\u0670]")
# Quotes, dashes, bullets and arrows, none of which is part of a word.
BETWEEN_WORDS = "\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2190-\u22ff\u25a0-\u25ff"
SPACES = re.compile("  +")
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
    plain = plain_words(text)
    return list(chain.from_iterable(map(NORMAL_WORDS, text.split()))) if plain is None else plain.split()


def spaced_words(text: str) -> str:
    """The words of a text in order, as one text with a space between each."""
    plain = plain_words(text)
    return " ".join(words_of(text)) if plain is None else SPACES.sub(" ", plain).strip(" ")


def plain_words(text: str) -> str | None:
    """A text with its words normalised, and spaces for everything else; None if that is not one character for each.

    Most texts in European languages have such words alone, and take a quarter of the time.
    """
    if not text.isascii() and NOT_PLAIN.search(text):
        return None
    # What is left out by the encoding is between words.
    words = text.encode("latin-1", "replace").translate(PLAIN_WORDS)
    return None if LONG_WORD in words.translate(CHARACTERS) else words.decode("ascii")


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
    """What a run of characters is searched for as: one word as a rule, several where one character stands for more."""
    if run.isascii():
        return (run.lower()[:MAX_WORD],)
    folded = unicodedata.normalize("NFKC", run).casefold()
    plain = unicodedata.normalize("NFC", MARK.sub("", unicodedata.normalize("NFD", folded)))
    return tuple(word[:MAX_WORD] for word in RUN.findall(plain))


def plain_character(character: str) -> str | None:
    """What a character is in words: a small letter or a digit of ASCII, or a space between them; None if it is anything else."""
    if not RUN.fullmatch(character):
        return " "
    word = "".join(normal_words(character))
    return word if len(word) == 1 and word.isascii() else None


OF_ONE_BYTE = {character: plain_character(character) for character in map(chr, range(256))}
NOT_PLAIN = re.compile(
    f"[^{''.join(re.escape(one) for one, plain in OF_ONE_BYTE.items() if plain)}{BETWEEN_WORDS}]"
)
PLAIN_WORDS = "".join(plain or " " for plain in OF_ONE_BYTE.values()).encode()
# What finds a word that is cut: one with more characters than are kept.
CHARACTERS = bytes(32 if byte == 32 else 120 for byte in range(256))
LONG_WORD = b"x" * (MAX_WORD + 1)
