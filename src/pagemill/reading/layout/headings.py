"""Headings: told by the size of their letters, the space around them, their numbers and words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pagemill.reading.layout.lines import TextLine
from pagemill.reading.layout.markers import is_caption, is_numeric, is_section, is_subsection
from pagemill.reading.layout.pieces import median_size
from pagemill.reading.page.scripts import breadth

MOST_LETTERS, MOST_LINES = 160, 4
# Formulas are of signs and digits, headings of letters.
LETTER_SHARE = 0.5
# No sign is sure by itself. Each adds or takes points; the weights are rounded from a logistic fit.
ENOUGH_POINTS = 6.0
LARGER = ((1.06, 0.5), (1.12, 1.0), (1.25, 0.5), (1.5, 1.0))
SMALLER = (0.93, -2.0)
SPACE_ABOVE = ((0.6, 2.0), (1.0, 0.5), (1.6, 0.5))
MORE_ABOVE_THAN_BELOW = (1.3, 0.5)
NUMBERED, NUMBERED_DEEP, KNOWN, CAPITALISED = 1.0, 2.0, 2.0, 2.0
BEFORE_TEXT, FULL_WIDTH, AMONG_OTHERS = 1.0, -0.5, -2.0
SENTENCE_END, COLON, SMALL_START = -1.0, 0.5, -2.0
SECOND_LINE, LONG, SINGLE_WORD = -1.0, -0.5, -0.5
LONG_LETTERS, LEAST_TEXT_LETTERS = 80, 60
OPENING = "\"'“‘«„([¿¡§《「【"
_WORDS = re.compile(r"[^\W\d_]{4,}")
_TITLES = re.compile(
    r"(?:abstract|summary|introduction|background|conclusions?|references|bibliography|acknowledge?ments?|appendix|"
    r"contents|table of contents|preface|foreword|discussion|methods|results|zusammenfassung|einleitung|literatur|"
    r"inhalt|inhaltsverzeichnis|résumé|sommaire|resumen|índice|introducción)\W*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Setting:
    """How a paragraph stands in its column: the size of the text, the space around it, what is next to it.

    It is among others if items of a list or labels of a chart stand next to it.
    """

    body_size: float
    above: float
    below: float
    width: float
    next_letters: int
    among_others: bool


def is_heading(lines: Sequence[TextLine], setting: Setting) -> bool:
    """Whether a paragraph is a heading."""
    text = " ".join(line.text for line in lines)
    if not _may_be(text, lines):
        return False
    return _points_of_look(lines, setting) + _points_of_words(text, setting) >= ENOUGH_POINTS


def _points_of_look(lines: Sequence[TextLine], setting: Setting) -> float:
    """What size and place say."""
    ratio, above = median_size(lines) / setting.body_size, setting.above / setting.body_size
    points = sum(more for least, more in LARGER if ratio > least)
    points += sum(more for least, more in SPACE_ABOVE if above > least)
    points += AMONG_OTHERS * setting.among_others * (0.5 if ratio > LARGER[-1][0] else 1.0)
    points += SMALLER[1] * (ratio < SMALLER[0])
    points += MORE_ABOVE_THAN_BELOW[1] * (setting.above > MORE_ABOVE_THAN_BELOW[0] * setting.below)
    width = max(line.right for line in lines) - min(line.left for line in lines)
    points += FULL_WIDTH * (width > 0.92 * setting.width)
    return points + SECOND_LINE * (len(lines) > 1)


def _points_of_words(text: str, setting: Setting) -> float:
    """What the words say, and the text that follows."""
    points = NUMBERED_DEEP if is_subsection(text) else NUMBERED if is_section(text) else 0.0
    points += KNOWN * bool(_TITLES.fullmatch(text)) + CAPITALISED * is_capitalised(text)
    points += SENTENCE_END * text.endswith((".", ",", ";", "。", "，")) + COLON * text.endswith((":", "："))
    points += SMALL_START * text[0].islower() + LONG * (len(text) > LONG_LETTERS)
    points += SINGLE_WORD * (" " not in text and breadth(text) == len(text))
    return points + BEFORE_TEXT * (setting.next_letters > max(LEAST_TEXT_LETTERS, 1.5 * len(text)))


def _may_be(text: str, lines: Sequence[TextLine]) -> bool:
    """Whether it is short enough, has words, and is nothing else for sure."""
    if len(lines) > MOST_LINES or breadth(text) > MOST_LETTERS or is_numeric(text) or is_caption(text):
        return False
    if not (text[0].isalnum() or text[0] in OPENING):
        return False
    return sum(letter.isalpha() for letter in text) >= max(2, LETTER_SHARE * len(text.replace(" ", "")))


def is_known_title(text: str) -> bool:
    """Whether a text is one of the words that sections are called by everywhere."""
    return _TITLES.fullmatch(text) is not None


def is_capitalised(text: str) -> bool:
    """Whether most longer words start with a capital; scripts without capitals never do."""
    words = _WORDS.findall(text)
    return bool(words) and sum(word[0].isupper() for word in words) >= 0.65 * len(words)
