"""Roles settled by what a text plainly is, where a model is in doubt: headings, captions, notes and contents.

A number, a formula or a caption is no heading, however large it is. A short line by itself that is numbered as sections are is
one unless the model is sure that it is not.
"""

import re
from collections.abc import Sequence

from pagemill.model.pages import Script
from pagemill.reading.layout.composing import script_of
from pagemill.reading.layout.judging import Judged
from pagemill.reading.layout.lines import TextLine
from pagemill.reading.layout.markers import (
    find_marker,
    is_caption,
    is_footnote,
    is_led_entry,
    is_numeric,
    is_section,
    is_subsection,
)
from pagemill.reading.page.geometry import hull

# Notes are set smaller than the text and are in the lower half, above what is at the very foot of a page.
NOTE_SIZE, FOOT_SHARE = 0.93, 0.93
# Text below a note is larger by this, and so likely to be text.
NOTE_SIZE_BELOW, LIKELY_TEXT = 1.05, 0.5
CAPTIONED, LONGEST_CAPTION_LINES = ("text", "heading", "figure", "list_item"), 8
# A heading has at least this share of letters; formulas are of signs and digits.
LETTER_SHARE, LEAST_CHARACTERS = 0.5, 2
# So many commas part names, not words of a title.
MOST_COMMAS = 3
# So much larger than the text, a number is that of a chapter.
LARGE = 1.25
LONGEST_NUMBER = 3
# How likely a line must be a heading that is numbered or called as headings are.
DOUBTFUL, LONGEST_CHARACTERS = 0.04, 80
ENDS = (".", ",", ";", "?", "!", "。")
FEWEST_WORDS, SENTENCE_ENDS = 6, (".", "?", "!", "。")
# What sections are called everywhere.
_TITLES = re.compile(
    r"(?:abstract|summary|introduction|background|conclusions?|references|bibliography|acknowledge?ments?|appendix|"
    r"contents|table of contents|preface|foreword|discussion|methods|results|zusammenfassung|einleitung|literatur|"
    r"inhalt|inhaltsverzeichnis|résumé|sommaire|resumen|índice|introducción)\W*",
    re.IGNORECASE,
)


def settled_role(lines: Sequence[TextLine], judged: Judged) -> str:
    """The role of the lines of one block."""
    role = judged.role(lines)
    text = " ".join(line.text for line in lines)
    if role in CAPTIONED and len(lines) <= LONGEST_CAPTION_LINES and is_caption(text):
        return "caption"
    if is_led_entry(text) or (len(lines) > 1 and judged.is_page_of_entry(lines[-1])):
        return "contents"
    if role == "footnote" and _has_text_below(lines, judged):
        return "text"
    raised = _starts_raised(lines[0])
    if role == "heading" and not raised:
        return "heading" if _may_be_heading(text) or _is_chapter_number(lines[0], judged) else "text"
    if role in ("text", "list_item") and _is_note(lines, judged):
        return "footnote"
    if role == "footer" and is_noted_sentence(lines[0], judged):
        return "footnote"
    if raised:
        return "text" if role in ("heading", "list_item") else role
    if role in ("text", "list_item") and _is_tagged_heading(lines, judged) and _may_be_heading(text):
        return "heading"
    if role == "text" and judged.list_tag(lines[0]) is not None and find_marker(text):
        return "list_item"
    if role == "text" and len(lines) == 1 and _is_numbered_heading(lines[0], judged):
        return "heading"
    return role


def _is_note(lines: Sequence[TextLine], judged: Judged) -> bool:
    """Whether small lines begin with the sign of a note, with nothing of the text below them."""
    first = lines[0]
    small = NOTE_SIZE * judged.body_size
    if first.size >= small or first.centre < judged.sheet.height / 2 or not is_footnote(first.text):
        return False
    foot = FOOT_SHARE * judged.sheet.height
    return not any(lines[-1].bottom < line.top < foot and line.size >= small for line in judged.lines)


def is_noted_sentence(line: TextLine, judged: Judged) -> bool:
    """Whether a small line at the foot is a sentence behind the sign of a note, which no running line is."""
    is_sentence = len(line.words) >= FEWEST_WORDS and line.text.endswith(SENTENCE_ENDS)
    return is_sentence and _is_note([line], judged)


def _has_text_below(lines: Sequence[TextLine], judged: Judged) -> bool:
    """Whether larger text goes on below lines, which notes end a page of."""
    box, size = hull(lines), NOTE_SIZE_BELOW * lines[0].size
    return any(
        line.top > box.bottom
        and line.size > size
        and line.left < box.right
        and line.right > box.x
        and not line.block
        and judged.chance(line, "text") > LIKELY_TEXT
        for line in judged.lines
    )


def _starts_raised(line: TextLine) -> bool:
    """Whether the first sign is raised, as that of an author's institute or of a note is."""
    first = line.words[0]
    script = first.printed[0].script if first.printed else script_of(first, line)
    return script is Script.ABOVE


def _is_tagged_heading(lines: Sequence[TextLine], judged: Judged) -> bool:
    """Whether the file itself calls lines a heading, and they don't end as sentences do."""
    return not lines[-1].text.endswith(ENDS) and all(judged.tag(line) is not None for line in lines)


def _may_be_heading(text: str) -> bool:
    if text.count(",") >= MOST_COMMAS or len(text) < LEAST_CHARACTERS:
        return False
    letters = sum(map(str.isalpha, text))
    return not is_numeric(text) and letters >= LETTER_SHARE * len(text.replace(" ", ""))


def _is_chapter_number(line: TextLine, judged: Judged) -> bool:
    """Whether a text without words is large and, if it is short, the only such one: several are those of items or steps."""
    limit = LARGE * judged.body_size
    if line.size <= limit:
        return False
    return len(line.text) > LONGEST_NUMBER or not any(
        other is not line and other.size > limit and len(other.text) <= LONGEST_NUMBER
        for other in judged.lines
    )


def _is_numbered_heading(line: TextLine, judged: Judged) -> bool:
    text = line.text
    if len(text) > LONGEST_CHARACTERS or text.endswith(ENDS) or not _may_be_heading(text):
        return False
    numbered = is_subsection(text) or is_section(text) or is_known_title(text)
    return numbered and judged.chance(line, "heading") >= DOUBTFUL


def is_known_title(text: str) -> bool:
    """Whether a text is one of the words that sections are called by everywhere."""
    return _TITLES.fullmatch(text) is not None
