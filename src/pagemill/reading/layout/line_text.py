"""What the letters of lines say, in figures: shares of capitals, digits and signs, how lines start and end."""

import re
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from pagemill.reading.layout import markers

Floats = NDArray[np.float32]
# One bit for each class of letters that is counted.
LETTER, UPPER, DIGIT, SPACE, STOP, MATHS, BRACKET, WIDE, BACKWARDS, OTHER = (1 << bit for bit in range(10))
CLASSES = (LETTER, UPPER, DIGIT, SPACE, STOP, MATHS, BRACKET, WIDE, BACKWARDS)
_TABLE_SIZE = 0x3000
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
_DIGIT = re.compile(r"\d")
# Without any of these there is no leader, which takes longer to look for.
_DOTS = ("..", ". .", "…", "·", "____")
TEXT_NAMES = (
    "letters_log", "words_log", "word_length", "upper", "digits", "stops", "maths", "brackets", "wide", "backwards",
    "letter_share", "capital_words", "starts_upper", "starts_lower", "starts_digit", "ends_sentence", "ends_colon",
    "ends_comma", "ends_hyphen", "all_capitals", "bullet", "numbered", "caption", "footnote", "section",
    "subsection", "leader", "entry", "numeric", "lone_number", "page_word", "imprint", "year", "section_word",
    "note_word", "citation", "formula_number", "figure_label", "code_like", "named_value",
)  # fmt: skip


def text_features(texts: Sequence[str]) -> Floats:
    """The figures of each text, in the order of TEXT_NAMES."""
    counts, lengths = _counts(texts)
    solid = np.maximum(lengths - counts[:, 3], 1)
    letters = np.maximum(counts[:, 0], 1)
    shares = np.column_stack(
        [
            np.log1p(lengths),
            np.log1p(counts[:, 3] + 1),
            solid / (counts[:, 3] + 1),
            counts[:, 1] / letters,
            counts[:, 2:9][:, [0, 2, 3, 4, 5, 6]] / solid[:, None],
            counts[:, 0] / solid,
        ]
    )
    return np.column_stack([shares, np.array([_shape(text) for text in texts], np.float32)]).astype(
        np.float32
    )


def _counts(texts: Sequence[str]) -> tuple[Floats, Floats]:
    """How many letters of each class the texts have, and how long they are."""
    lengths = np.array([len(text) for text in texts], np.int64)
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "replace"), np.uint32)
    classes = _classes()[np.minimum(codes, _TABLE_SIZE - 1)]
    classes = np.where((codes >= 0x3000) & (codes < 0xFB00), LETTER | WIDE, classes)
    bits = ((classes[:, None] & np.array(CLASSES)) > 0).astype(np.float32)
    sums = np.concatenate(
        [np.zeros((1, len(CLASSES)), np.float32), np.cumsum(bits, axis=0, dtype=np.float64)]
    )
    ends = np.cumsum(lengths)
    return (sums[ends] - sums[ends - lengths]).astype(np.float32), lengths.astype(np.float32)


@cache
def _classes() -> NDArray[np.int32]:
    return np.array([_class_of(chr(code)) for code in range(_TABLE_SIZE)], np.int32)


def _class_of(letter: str) -> int:
    bits = OTHER
    bits |= LETTER if letter.isalpha() else 0
    bits |= UPPER if letter.isupper() else 0
    bits |= DIGIT if letter.isdigit() else 0
    bits |= SPACE if letter.isspace() else 0
    bits |= STOP if letter in _STOPS else 0
    bits |= MATHS if letter in _MATHS or 0x2200 <= ord(letter) < 0x2300 else 0
    bits |= BRACKET if letter in _BRACKETS else 0
    bits |= BACKWARDS if 0x590 <= ord(letter) < 0x900 else 0
    return bits


def _shape(text: str) -> tuple[float, ...]:
    """How a text starts and ends, and which patterns it has."""
    first, last = text[:1], text[-1:]
    words = text.split()
    capital = sum(1 for word in words if word[:1].isupper()) / max(len(words), 1)
    mark = markers.marked(text)
    return (
        capital,
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
        markers.is_footnote(text),
        markers.is_section(text),
        markers.is_subsection(text),
        any(dots in text for dots in _DOTS) and markers.has_leader(text),
        last.isdigit() and markers.is_entry(text),
        markers.is_numeric(text),
        *_patterns(text),
    )


def _patterns(text: str) -> tuple[float, ...]:
    """Which patterns a text has, in the order of the last names of TEXT_NAMES, from `lone_number` on."""
    lower = text.lower()
    digit = _DIGIT.search(text) is not None
    return (
        digit and _LONE_NUMBER.match(text) is not None,
        digit and (_PAGE_WORD.match(text) is not None or _PAGE_OF.search(text) is not None),
        any(sign in lower for sign in _IMPRINT),
        digit and _YEAR.search(text) is not None,
        _SECTION_WORD.match(text) is not None,
        ":" in text and _NOTE_WORD.match(text) is not None,
        any(sign in lower for sign in _CITED)
        or (("p." in lower or "v." in lower) and _CITED_PLACE.search(lower) is not None),
        text.endswith(")") and _FORMULA_NUMBER.search(text) is not None,
        digit and _FIGURE_LABEL.match(text) is not None,
        text.rstrip()[-1:] in (";", "{", "}") or _STATEMENT.match(text) is not None,
        ":" in text and _NAMED_VALUE.match(text) is not None,
    )
