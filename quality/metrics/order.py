"""NID: how much of the text is there, in the right order."""

import re

from rapidfuzz import fuzz

from quality.metrics.pipes import with_html_tables

EMPHASIS = re.compile(r"(\*{1,3}|~~|__|_)(\S(?:.*?\S)?)\1", re.DOTALL)
PERCENT = 100.0


def nid(truth: str, answer: str) -> float | None:
    """The normalised indel similarity of the two texts; None where the truth has no text."""
    return _similarity(one_line(with_html_tables(truth)), one_line(with_html_tables(answer)))


def nid_unstyled(truth: str, answer: str) -> float | None:
    """The same without the stars and strokes of bold and italic words, which not every truth has."""
    return _similarity(unstyled(with_html_tables(truth)), unstyled(with_html_tables(answer)))


def unstyled(markdown: str) -> str:
    """The text without the marks of emphasis, in one line."""
    before = None
    while before != markdown:
        before, markdown = markdown, EMPHASIS.sub(r"\2", markdown)
    return one_line(markdown)


def one_line(text: str) -> str:
    """The text with single spaces for all white space."""
    return " ".join(text.split())


def _similarity(right: str, found: str) -> float | None:
    return fuzz.ratio(right, found) / PERCENT if right else None
