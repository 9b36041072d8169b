"""What is searched for: words, "phrases", beginnings* and -exclusions, each as normalised words."""

import re
from dataclasses import dataclass

from pagemill.model.search_words import RUN, normal_words

TERM = re.compile(r'(-)?(?:"([^"]*)"?|(\S+))(\*)?')
MAX_TERMS = 32


@dataclass(frozen=True, slots=True)
class Term:
    """Words that follow each other; the last is only the beginning of a word if `is_prefix`."""

    words: tuple[str, ...]
    is_prefix: bool = False
    is_excluded: bool = False


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """All wanted terms must be in a passage, and none of the excluded."""

    wanted: tuple[Term, ...]
    excluded: tuple[Term, ...] = ()


def parse_query(text: str) -> SearchQuery:
    """The terms of a query; ValueError says what is wrong with it."""
    terms = [term for found in TERM.finditer(text) for term in _terms(found)]
    if len(terms) > MAX_TERMS:
        raise ValueError(f"a query has at most {MAX_TERMS} words")
    wanted = tuple(dict.fromkeys(term for term in terms if not term.is_excluded))
    if not wanted:
        raise ValueError("a query needs a word, or a phrase in quotes, that is searched for")
    return SearchQuery(wanted, tuple(dict.fromkeys(term for term in terms if term.is_excluded)))


def _terms(found: re.Match[str]) -> list[Term]:
    """The term of a word or a phrase; a word with other signs in it is the phrase of its parts."""
    excluded, phrase, word, star = found.groups()
    text = phrase if phrase is not None else word
    words = tuple(one for run in RUN.findall(text) for one in normal_words(run))
    if not words:
        return []
    return [Term(words, bool(star) or (word or "").endswith("*"), bool(excluded))]
