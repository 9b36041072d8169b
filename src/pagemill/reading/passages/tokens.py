"""How many tokens a text has for a language model: an estimate that needs no vocabulary."""

import re
from collections.abc import Callable

from pagemill.model.unspaced_scripts import BURMESE_AND_KHMER, EAST_ASIAN, THAI_AND_LAO

# Byte-pair vocabularies keep short English words whole, cut longer ones about every seven letters and numbers every three
# digits; other alphabets take a token for two or three letters, and scripts without spaces about one for each.
UNSPACED = f"{EAST_ASIAN}{THAI_AND_LAO}{BURMESE_AND_KHMER}"
TOKEN = re.compile(rf"[{UNSPACED}]|[A-Za-z]{{1,7}}|[0-9]{{1,3}}|[^\W\d_]{{1,3}}|[^\s]")
# What says how many tokens a text has.
TokenCount = Callable[[str], int]
# Words repeat, in a document and between documents; to look one up takes a tenth of the time to count its tokens.
KNOWN_WORDS, KNOWN_CHARACTERS = 32_768, 32


class WordTokens(dict[str, int]):
    """How many tokens the words that were met so far have."""

    def __missing__(self, word: str) -> int:
        tokens = len(TOKEN.findall(word))
        if len(word) <= KNOWN_CHARACTERS:
            if len(self) >= KNOWN_WORDS:
                self.clear()
            self[word] = tokens
        return tokens


TOKENS_OF_WORD = WordTokens().__getitem__


def count_tokens(text: str) -> int:
    """An estimate, which adds up: that of a text is not more than that of its parts."""
    return sum(map(TOKENS_OF_WORD, text.split()))
