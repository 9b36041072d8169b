"""What the text of lines says, in figures: shares of capitals, digits and signs, how lines start and end."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Self

import numpy as np
from numpy.typing import NDArray

from pagemill.reading.layout import markers

Floats = NDArray[np.float32]
Places = NDArray[np.intp]
# One bit for each class of characters that is counted.
LETTER, UPPER, DIGIT, SPACE, STOP, MATHS, BRACKET, WIDE, BACKWARDS, OTHER = (1 << bit for bit in range(10))
CLASSES = (LETTER, UPPER, DIGIT, SPACE, STOP, MATHS, BRACKET, WIDE, BACKWARDS)
# Digits, stops, maths, brackets, wide and backwards characters among the classes.
_SHARED = [2, 4, 5, 6, 7, 8]
# From the first on characters are those of East Asia, from the second on nothing in particular.
_TABLE_SIZE, _BEYOND, _SPACE_CODE = 0x3000, 0xFB00, ord(" ")
_STOPS, _BRACKETS = frozenset(".,;:!?…"), frozenset("()[]{}")
_MATHS = frozenset("=+<>±×÷∑∫∂∇∞≤≥≈≠∈∀∃√∏αβγδεζηθλμνπρσφχψω^_|→⇒·")
_SENTENCE_END = tuple('.!?。！？…”"')
_LONE_NUMBER = re.compile(r"\W*\d+\W*$")
_PAGE_WORD = re.compile(r"(?i)\W*(?:page|seite|p\.|página|страница|стр\.)\s*\d+")
_PAGE_OF = re.compile(r"(?i)\d+\s*(?:/|of|von|de)\s*\d+\W*$")
_IMPRINT = (
    *("http:", "https:", "www.", "doi", "@", "©", "(c)", "copyright", "issn", "isbn"),
    *("license", "licence", "rights reserved"),
)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_SECTION_WORD = re.compile(
    r"(?i)(?:[\dIVX.]+\s+)?(?:abstract|introduction|methods?|results?|discussion|conclusions?|references|background|contents|"
    r"acknowledge?ments?|summary|appendix|bibliography|index|inhalt|zusammenfassung|literatur|résumé|参考文献|摘要)\b"
)
_NOTE_WORD = re.compile(r"(?i)(?:note|source|notes|sources|quelle|anmerkung|fuente|nota)\s*:")
_CITED = ("et al", "vol.", "ibid", "op. cit", "para.", "supra", "cf.", "cfr.")
_CITED_PLACE = re.compile(r"pp?\.\s*\d|\bv\.")
_FORMULA_NUMBER = re.compile(r"\(\d{1,3}[a-z]?\)$")
_FIGURE_LABEL = re.compile(r"[(\[]?[A-Za-z]?\d+(?:[.,]\d+)?\s*(?:%|[a-zµ°]{1,3})?[)\]]?$")
_STATEMENT = re.compile(
    r"(?i)\s*(?:def|class|import|return|if|for|while|public|void|select|print|#include)\b.*[:;({)]"
)
_NAMED_VALUE = re.compile(r"[^:]{2,40}:(?:\s|$)")
TEXT_NAMES = tuple(
    (
        "letters_log words_log word_length upper digits stops maths brackets wide backwards letter_share "
        "capital_words starts_upper starts_lower starts_digit ends_sentence ends_colon ends_comma ends_hyphen "
        "all_capitals bullet numbered caption footnote section subsection leader entry numeric lone_number "
        "page_word imprint year section_word note_word citation formula_number figure_label code_like "
        "named_value"
    ).split()
)


def text_features(texts: Sequence[str]) -> Floats:
    """The figures of each text, in the order of TEXT_NAMES."""
    counts, lengths, capitals = _counts(texts)
    solid = np.maximum(lengths - counts[:, 3], 1)
    result = np.empty((len(texts), len(TEXT_NAMES)), np.float32)
    result[:, 0] = np.log1p(lengths)
    result[:, 1] = np.log1p(counts[:, 3] + 1)
    result[:, 2] = solid / (counts[:, 3] + 1)
    result[:, 3] = counts[:, 1] / np.maximum(counts[:, 0], 1)
    result[:, 4:10] = counts[:, _SHARED] / solid[:, None]
    result[:, 10] = counts[:, 0] / solid
    result[:, 11] = capitals
    signs = Signs.of(texts)
    digits = (counts[:, 2] > 0).tolist()
    shapes = [bytes(_shape(text, has_digit, signs)) for text, has_digit in zip(texts, digits, strict=True)]
    result[:, 12:] = np.frombuffer(b"".join(shapes), np.uint8).reshape(len(texts), -1)
    return result


@dataclass(frozen=True, slots=True)
class Signs:
    """Which of the signs that are looked for are on a page at all: most lines need not be searched for the others."""

    imprint: tuple[str, ...]
    cited: tuple[str, ...]
    places: bool

    @classmethod
    def of(cls, texts: Sequence[str]) -> Self:
        """The signs in the texts of a page."""
        whole = "\n".join(texts).lower()
        return cls(
            tuple([sign for sign in _IMPRINT if sign in whole]),
            tuple([sign for sign in _CITED if sign in whole]),
            "p." in whole or "v." in whole,
        )


def _counts(texts: Sequence[str]) -> tuple[Floats, Floats, Floats]:
    """How many characters of each class the texts have, how long they are, and which share of their words has a capital."""
    lengths = np.array([len(text) for text in texts], np.intp)
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "replace"), np.uint32)
    table, members = _classes()
    if len(codes) and codes.max() >= _BEYOND:
        codes = np.where(codes >= _BEYOND, _TABLE_SIZE - 1, codes)
    kinds = table[np.minimum(codes, _TABLE_SIZE)]
    line = np.repeat(np.arange(len(texts)) * len(members), lengths)
    counts = _count_classes(line + kinds, len(texts), members)
    begins = np.empty(len(codes), np.bool_)
    space = table[_SPACE_CODE] == kinds
    begins[1:] = space[:-1]
    begins[(np.cumsum(lengths) - lengths)[lengths > 0]] = True
    begins &= ~space
    firsts = _count_classes((line + kinds)[begins], len(texts), members)
    capitals = np.asarray(firsts[:, 1] / np.maximum(firsts[:, 9], 1), np.float32)
    return counts[:, :9], lengths.astype(np.float32), capitals


def _count_classes(places: Places, lines: int, members: Floats) -> Floats:
    """How many characters of each class are in each line, given the line and the kind of each character as one number."""
    kinds = np.bincount(places, minlength=lines * len(members)).reshape(lines, -1)
    return np.asarray(kinds.astype(np.float32) @ members, np.float32)


@cache
def _classes() -> tuple[Places, Floats]:
    """The kind of each character by its code, and the classes that each kind belongs to, a row for each kind."""
    bits = [_class_of(chr(code)) for code in range(_TABLE_SIZE)] + [OTHER | LETTER | WIDE]
    kinds = {each: at for at, each in enumerate(dict.fromkeys(bits))}
    members = np.array([[bool(each & one) for one in (*CLASSES, OTHER)] for each in kinds], np.float32)
    return np.array([kinds[each] for each in bits], np.intp), members


def _class_of(character: str) -> int:
    bits = OTHER
    bits |= LETTER if character.isalpha() else 0
    bits |= UPPER if character.isupper() else 0
    bits |= DIGIT if character.isdigit() else 0
    bits |= SPACE if character.isspace() else 0
    bits |= STOP if character in _STOPS else 0
    bits |= MATHS if character in _MATHS or 0x2200 <= ord(character) < 0x2300 else 0
    bits |= BRACKET if character in _BRACKETS else 0
    bits |= BACKWARDS if 0x590 <= ord(character) < 0x900 else 0
    return bits


def _shape(text: str, has_digit: bool, signs: Signs) -> tuple[bool, ...]:
    """How a text starts and ends, and which patterns it has, in the order of TEXT_NAMES from `starts_upper` on."""
    first, last = text[:1], text[-1:]
    ascii_ = text.isascii()
    # Nothing that is numbered or marked starts with a small letter, unless a stop or bracket follows soon.
    marks = (
        not (ascii_ and first.islower()) or "." in (start := text[:8]) or ")" in start or start[:2] == "o "
    )
    mark = markers.find_marker(text) if marks else None
    may_have_digit = has_digit or not ascii_
    return (
        first.isupper(),
        first.islower(),
        first.isdigit(),
        last in _SENTENCE_END,
        last in ":：",
        last in ",;",
        last in "-‐\u00ad",
        text.isupper(),
        mark is not None and not mark.ordered,
        mark is not None and mark.ordered,
        markers.is_caption(text),
        marks and markers.is_footnote(text),
        marks and markers.is_section(text),
        markers.is_subsection(text),
        markers.has_leader(text),
        last.isdigit() and markers.is_entry(text),
        may_have_digit and markers.is_numeric(text),
        *_patterns(text, may_have_digit, signs),
    )


def _patterns(text: str, may_have_digit: bool, signs: Signs) -> tuple[bool, ...]:
    """Which patterns a text has, in the order of the last names of TEXT_NAMES, from `lone_number` on."""
    lower = text.lower()
    colon = ":" in text
    return (
        may_have_digit and _LONE_NUMBER.match(text) is not None,
        may_have_digit and (_PAGE_WORD.match(text) is not None or _PAGE_OF.search(text) is not None),
        _has_any(lower, signs.imprint),
        may_have_digit and _YEAR.search(text) is not None,
        _SECTION_WORD.match(text) is not None,
        colon and _NOTE_WORD.match(text) is not None,
        _has_any(lower, signs.cited) or (signs.places and _CITED_PLACE.search(lower) is not None),
        text.endswith(")") and _FORMULA_NUMBER.search(text) is not None,
        may_have_digit and _FIGURE_LABEL.match(text) is not None,
        text.rstrip()[-1:] in (";", "{", "}") or _STATEMENT.match(text) is not None,
        colon and _NAMED_VALUE.match(text) is not None,
    )


def _has_any(text: str, signs: Sequence[str]) -> bool:
    return bool(signs) and any(sign in text for sign in signs)
