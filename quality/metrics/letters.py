"""CER and NID of plain text: how many letters of a scan are right, whatever marks are around them."""

import re
import unicodedata

import jiwer
from rapidfuzz import fuzz

from quality.metrics.order import PERCENT, one_line, unstyled

TAG = re.compile(r"<!--.*?-->|</?[a-zA-Z][^>]*>", re.DOTALL)
PICTURE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
LINE_MARK = re.compile(r"^[ \t]*(?:#{1,6}|[-*+•–▪>])[ \t]+", re.MULTILINE)
RULER = re.compile(r"^[ \t|:-]+$", re.MULTILINE)
FENCE = re.compile(r"^```.*$", re.MULTILINE)
ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
# Chinese and Japanese are written without spaces; where a line ends is no letter of theirs.
UNSPACED = "[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]"
BETWEEN_UNSPACED = re.compile(f"(?<={UNSPACED}) (?={UNSPACED})")


def letters(markdown: str) -> str:
    """The words of a Markdown or plain text in one line, without marks, tags and addresses."""
    for mark in (PICTURE, FENCE, RULER, TAG):
        markdown = mark.sub(" ", markdown)
    markdown = LINK.sub(r"\1", LINE_MARK.sub("", markdown)).replace("|", " ")
    text = one_line(ESCAPE.sub(r"\1", unstyled_lines(markdown)))
    return BETWEEN_UNSPACED.sub("", unicodedata.normalize("NFC", text))


def unstyled_lines(markdown: str) -> str:
    """The text without emphasis, which never reaches over a line here: a star in one may be a letter."""
    return "\n".join(unstyled(line) for line in markdown.splitlines())


def cer(truth: str, answer: str) -> float | None:
    """The share of letters that are wrong, missing or too many, at most 1; None where the truth has none."""
    right = letters(truth)
    return min(1.0, float(jiwer.cer(right, letters(answer)))) if right else None


def letters_nid(truth: str, answer: str) -> float | None:
    """The normalised indel similarity of the letters; None where the truth has none."""
    right = letters(truth)
    return fuzz.ratio(right, letters(answer)) / PERCENT if right else None
