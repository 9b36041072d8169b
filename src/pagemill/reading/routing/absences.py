"""What a text of a language always has: a layer without any c, or with "tha" for "the", has lost or changed its letters.

The shares are those of running text in each language; letters are missed only if enough words of a page are of one.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter

# So many of a letter are expected, and there is none. Of 1,069 pages with good layers, none lacked more than 21.
LETTERS_EXPECTED = 24.0
# Fewer lower-case letters prove nothing.
FEWEST_LETTERS = 400
# A page is in a language if so many of its words are common words of it, without the most frequent one, which other languages
# may have as well, and if there are so many different ones.
LEAST_SHARE, FEWEST_COMMON = 0.05, 3
# With the first common word and this share of them, which nine pages of ten have, vowels are as they were.
UNCHANGED_SHARE = 0.17
# Common words with other vowels are no chance if there are two of them, each so often, and so many times as often as the
# word itself, and if they are this share of all words together.
FEWEST_CHANGED, LEAST_CHANGED, TIMES_AS_OFTEN, CHANGED_SHARE = 2, 3, 4, 0.03
# Of a text in the language, so many words are common words of it whatever their vowels. That and LEAST_SHARE were chosen on
# messages and manuals of programs in 137 languages, of which they leave 22 of 10,774 pages suspected, 20 of these in Friulian
# and Limburgish, and on 840 pages of the corpus that were damaged, of which they find hardly less.
FRAMED_SHARE = 0.12
# Common words are among so many of the most frequent ones.
MOST_LOOKED_AT = 60
# The beginning of most texts shows already that their common words are as they were.
GLANCE_CHARACTERS = 1_200
# Words repeat, in a document and between documents.
KNOWN_FRAMES = 16_384

_WORD = re.compile(r"[^\W\d_]+")
# In a text of plain characters, all that is no letter ends a word.
_LETTERS_ALONE = {code: " " for code in range(128) if not chr(code).isalpha()}
_SMALL = b"abcdefghijklmnopqrstuvwxyz"
_NOT_SMALL = bytes(set(range(256)) - set(_SMALL))


def _shares(listed: str) -> Mapping[str, float]:
    """The shares in a list such as "e127 t91", which are in thousandths."""
    parts = (re.fullmatch(r"(\D+)(\d+)", part) for part in listed.split())
    return {part[1]: int(part[2]) / 1000 for part in parts if part}


@dataclass(frozen=True, slots=True)
class Usual:
    """How often the letters and the common words of a language are used."""

    letters: Mapping[str, float]
    words: Mapping[str, float]


_ENGLISH = Usual(
    _shares("e127 t91 a82 o75 i70 n67 s63 h61 r60 d43 l40 c28 u28 m24 w20 f22 g20 y18 p19 b15"),
    _shares("the55 of30 and28 to22 in20 a18 is9 for9 that8 with7 as6 on6 by5"),
)
_GERMAN = Usual(
    _shares("e164 n98 s73 r70 i70 a60 t60 d48 h44 u40 l34 g30 c27 o26 m25 b18 f16 w17 k12"),
    _shares("der28 die28 und26 in15 den10 von10 zu9 das8 mit8 des8 ist7 für6 auf6 im6"),
)
_FRENCH = Usual(
    _shares("e147 a76 i75 s79 t72 n71 r67 u60 l54 o55 d37 c33 m29 p28 v14 q9"),
    _shares("de45 la28 le20 et20 les18 des17 en12 un9 une9 du10 est8 que8 dans7 pour7"),
)
_SPANISH = Usual(
    _shares("e122 a115 o87 s78 n67 r67 i62 l49 d49 t46 c40 u29 m29 p25 b14 g10"),
    _shares("de55 la33 y25 en25 que25 el25 los15 las10 se11 del11 por9 con9 para8 una8"),
)
_ITALIAN = Usual(
    _shares("e118 a115 i101 o96 n69 l63 r63 t56 s50 c44 d37 p30 u29 m25 v18 g15"),
    _shares("di30 e24 la16 che15 il13 in11 per10 del10 un10 della9 è9 con7 non8"),
)
_DUTCH = Usual(
    _shares("e185 n98 a75 t67 i65 r64 o60 d58 s37 l36 g33 v27 h24 k22 m22 u19 b15 w15"),
    _shares("de50 van28 het23 een20 en20 in18 is12 op9 te10 dat8 met8 voor8 zijn7"),
)
_PORTUGUESE = Usual(
    _shares("a140 e123 o103 s76 r65 i62 n51 d50 m45 u43 t45 c38 l28 p25 v14 g12"),
    _shares("de45 a28 e28 o26 que22 do17 da17 em14 para9 um9 com9 os10 uma8 não7"),
)
LANGUAGES = (_ENGLISH, _GERMAN, _FRENCH, _SPANISH, _ITALIAN, _DUTCH, _PORTUGUESE)


_EVERY_WORD = frozenset(word for usual in LANGUAGES for word in usual.words)
_VOWELS = re.compile("[aeiou]")


@lru_cache(KNOWN_FRAMES)
def _frame(word: str) -> str:
    """A word with a gap for each vowel."""
    return _VOWELS.sub("_", word)


# The common words of each language without their vowels.
_FRAMES = [{word: _frame(word) for word in usual.words} for usual in LANGUAGES]


def has_lost_letters(text: str) -> bool:
    """Whether a text lacks a letter that others of its length and language have, or has other vowels than common words."""
    # To count each letter would take five times as long.
    small = text.encode("utf-8", "ignore").translate(None, _NOT_SMALL)
    if len(small) < FEWEST_LETTERS:
        return False
    absent = {chr(letter) for letter in _SMALL if letter not in small}
    usual = _unchanged_language(Counter(text[:GLANCE_CHARACTERS].lower().split()))
    if usual and absent.isdisjoint(usual.letters):
        return False
    words = Counter(_words_in(text.lower()))
    usual, share = _language(words)
    if not _is_unchanged(usual, share, words) and _has_other_vowels(words):
        return True
    missing = max((usual.letters[letter] for letter in absent if letter in usual.letters), default=0.0)
    if len(small) * missing <= LETTERS_EXPECTED:
        return False
    common = [words[word] for word in usual.words]
    return (
        sum(common) - max(common) >= LEAST_SHARE * words.total() and sum(map(bool, common)) >= FEWEST_COMMON
    )


def _words_in(text: str) -> list[str]:
    """The words of a text; of plain characters in a fifth of the time that the search takes."""
    return text.translate(_LETTERS_ALONE).split() if text.isascii() else _WORD.findall(text)


def _unchanged_language(words: Counter[str]) -> Usual | None:
    """The language of words whose common ones are as they were."""
    usual, share = _language(words)
    return usual if _is_unchanged(usual, share, words) else None


def _is_unchanged(usual: Usual, share: float, words: Counter[str]) -> bool:
    """Whether words with that share of common ones have the most frequent one, too."""
    return share >= UNCHANGED_SHARE and next(iter(usual.words)) in words


def _language(words: Counter[str]) -> tuple[Usual, float]:
    """The language that most words are common words of, and their share."""
    found = [(sum([words.get(word, 0) for word in usual.words]), usual) for usual in LANGUAGES]
    count, best = max(found, key=lambda one: one[0])
    return best, count / max(words.total(), 1)


def _has_other_vowels(words: Counter[str]) -> bool:
    """Whether several common words of one language are there with other vowels, and not as they are."""
    frequent = [(word, count) for word, count in words.items() if count >= LEAST_CHANGED]
    frequent.sort(key=itemgetter(1), reverse=True)
    others: dict[str, int] = {}
    for word, count in frequent[:MOST_LOOKED_AT]:
        if len(word) > 2 and word not in _EVERY_WORD:
            frame = _frame(word)
            others[frame] = max(others.get(frame, 0), count)
    return any(_are_changed(frames, words, others) and _are_framed(frames, words) for frames in _FRAMES)


def _are_changed(frames: Mapping[str, str], words: Counter[str], others: Mapping[str, int]) -> bool:
    """Whether common words of a language are there with other vowels, as often as they should be themselves."""
    changed = [
        others[frame]
        for word, frame in frames.items()
        if frame in others and others[frame] > TIMES_AS_OFTEN * words[word]
    ]
    return len(changed) >= FEWEST_CHANGED and sum(changed) >= CHANGED_SHARE * words.total()


def _are_framed(frames: Mapping[str, str], words: Counter[str]) -> bool:
    """Whether as many words are common words of a language, with any vowels, as in texts in it."""
    known = set(frames.values())
    found = sum(count for word, count in words.items() if _frame(word) in known)
    return found >= FRAMED_SHARE * words.total()
