"""WordPiece: text as the tokens of an uncased BERT vocabulary.

The package `tokenizers` does the same, but brings a client for downloading models along.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field

UNKNOWN, FIRST, LAST = "[UNK]", "[CLS]", "[SEP]"
# Longer words are unknown, whatever they are made of.
MOST_CHARACTERS = 100
KNOWN_WORDS = 50_000
HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002ceaf\U0002f800-\U0002fa1f"
# All signs of ASCII that are neither letters nor digits part words, as does the punctuation of every script.
ASCII_SIGNS = r"!-/:-@\[-`{-~"
PLAIN_PIECE = re.compile(rf"[a-z0-9]+|[{ASCII_SIGNS}]")
HAN_CHARACTER = re.compile(f"([{HAN}])")


@dataclass(slots=True)
class WordPiece:
    """The tokens of a vocabulary, by their text; remembers the words that it has cut."""

    vocabulary: Mapping[str, int]
    _known: dict[str, list[int]] = field(default_factory=dict)

    def tokens(self, text: str, most: int) -> list[int]:
        """The numbers of the first tokens of a text, between those for its beginning and end."""
        found: list[int] = [self.vocabulary[FIRST]]
        for word in words_of(text):
            found += self._pieces(word)
            if len(found) >= most - 1:
                break
        return [*found[: most - 1], self.vocabulary[LAST]]

    def _pieces(self, word: str) -> list[int]:
        known = self._known.get(word)
        if known is None:
            known = cut_word(word, self.vocabulary)
            if len(self._known) < KNOWN_WORDS:
                self._known[word] = known
        return known


def words_of(text: str) -> list[str]:
    """Words and signs in lower case, without accents; each Han character is a word."""
    if text.isascii():
        return PLAIN_PIECE.findall(text.lower())
    spaced = HAN_CHARACTER.sub(r" \1 ", clean(text)).lower()
    plain = "".join(one for one in unicodedata.normalize("NFD", spaced) if unicodedata.category(one) != "Mn")
    return [piece for word in plain.split() for piece in split_signs(word)]


def clean(text: str) -> str:
    """The text without control characters, and with plain spaces."""
    return "".join(
        " " if one in "\t\n\r" or unicodedata.category(one) == "Zs" else one
        for one in text
        if one in "\t\n\r" or (unicodedata.category(one)[0] != "C" and one != "\ufffd")
    )


def split_signs(word: str) -> list[str]:
    """A word parted at its signs, which are pieces of their own."""
    pieces, start = list[str](), 0
    for place, character in enumerate(word):
        if is_sign(character):
            pieces += [word[start:place], character]
            start = place + 1
    return [piece for piece in (*pieces, word[start:]) if piece]


def is_sign(character: str) -> bool:
    """Whether a character is punctuation, or a sign of ASCII."""
    if character.isascii():
        return not character.isalnum()
    return unicodedata.category(character).startswith("P")


def cut_word(word: str, vocabulary: Mapping[str, int]) -> list[int]:
    """The longest known pieces of a word, from its beginning; the unknown token if there is a gap."""
    if len(word) > MOST_CHARACTERS:
        return [vocabulary[UNKNOWN]]
    found, start = list[int](), 0
    while start < len(word):
        for end in range(len(word), start, -1):
            number = vocabulary.get(word[start:end] if start == 0 else f"##{word[start:end]}")
            if number is not None:
                found.append(number)
                start = end
                break
        else:
            return [vocabulary[UNKNOWN]]
    return found
