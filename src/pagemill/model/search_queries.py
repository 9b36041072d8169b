"""What is searched for: words, "phrases", beginnings* and -exclusions, each as normalised words."""

import re
from dataclasses import dataclass, field

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
    """All wanted terms must be in a passage, and none of the excluded; `plain` is what is wanted as it was written."""

    wanted: tuple[Term, ...]
    excluded: tuple[Term, ...] = ()
    plain: str = field(default="", compare=False)


def parse_query(text: str) -> SearchQuery:
    """The terms of a query; ValueError says what is wrong with it."""
    terms = [term for found in TERM.finditer(text) for term in _terms(found)]
    if len(terms) > MAX_TERMS:
        raise ValueError(f"a query has at most {MAX_TERMS} words")
    wanted = tuple(dict.fromkeys(term for term in terms if not term.is_excluded))
    if not wanted:
        raise ValueError("a query needs a word, or a phrase in quotes, that is searched for")
    excluded = tuple(dict.fromkeys(term for term in terms if term.is_excluded))
    return SearchQuery(wanted, excluded, plain_text(text))


def plain_text(text: str) -> str:
    """A query without quotes, stars and what must not be there, as a model of meaning understands it."""
    found = (match for match in TERM.finditer(text) if not match[1])
    return " ".join((match[2] if match[2] is not None else match[3]).rstrip("*") for match in found)


def _terms(found: re.Match[str]) -> list[Term]:
    """The term of a word or a phrase; a word with other signs in it is the phrase of its parts."""
    excluded, phrase, word, star = found.groups()
    text = phrase if phrase is not None else word
    words = tuple(one for run in RUN.findall(text) for one in normal_words(run))
    if not words:
        return []
    return [Term(words, bool(star) or (word or "").endswith("*"), bool(excluded))]
