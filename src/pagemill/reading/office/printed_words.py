"""The words of a PDF in the order in which they were printed, each with its page; boxes are looked up when asked for."""

import re
import unicodedata
from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

import pypdfium2

from pagemill.model.pages import Box
from pagemill.reading.pdf.inspection import open_pdf

# A word, or one character of a script that is written without spaces.
TOKEN = re.compile(
    r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]|[^\W_\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]+"
)


class PrintedWord(NamedTuple):
    """A word on a page: its characters in lower case, and its first and last character in the text of the page."""

    text: str
    page: int
    first: int
    last: int


class PrintedWords:
    """The words of all pages of a PDF."""

    def __init__(self, path: str) -> None:
        self._document = open_pdf(path, None)
        self._open: tuple[int, pypdfium2.PdfTextPage] | None = None

    @property
    def total_pages(self) -> int:
        """How many pages there are."""
        return len(self._document)

    def size(self, page: int) -> tuple[float, float]:
        """The width and height of a page in points."""
        width, height = self._document.get_page_size(page - 1)
        return round(width, 2), round(height, 2)

    @cached_property
    def words(self) -> list[PrintedWord]:
        """All words in order."""
        return [word for page in range(1, self.total_pages + 1) for word in self.words_on(page)]

    def words_on(self, page: int) -> list[PrintedWord]:
        """The words of one page in order."""
        text = self._text_page(page).get_text_range()
        return [
            PrintedWord(fold(found[0]), page, found.start(), found.end() - 1)
            for found in TOKEN.finditer(text)
        ]

    def box(self, words: Iterable[PrintedWord]) -> Box | None:
        """The box around words of one page; None if there are none."""
        edges = [edge for word in words for edge in self._edges(word)]
        if not edges:
            return None
        left, top = min(edge[0] for edge in edges), min(edge[1] for edge in edges)
        right, bottom = max(edge[2] for edge in edges), max(edge[3] for edge in edges)
        return Box(round(left, 2), round(top, 2), round(right - left, 2), round(bottom - top, 2))

    def close(self) -> None:
        """Close the PDF."""
        if self._open:
            self._open[1].close()
        self._document.close()

    def _edges(self, word: PrintedWord) -> list[tuple[float, float, float, float]]:
        """Left, top, right and bottom of the first and the last character, from the top left of the page."""
        text_page = self._text_page(word.page)
        height = self.size(word.page)[1]
        last = text_page.count_chars() - 1
        found = (text_page.get_charbox(min(at, last), loose=True) for at in (word.first, word.last))
        return [(left, height - top, right, height - bottom) for left, bottom, right, top in found]

    def _text_page(self, page: int) -> pypdfium2.PdfTextPage:
        if self._open is None or self._open[0] != page:
            if self._open:
                self._open[1].close()
            self._open = page, self._document[page - 1].get_textpage()
        return self._open[1]


def fold(word: str) -> str:
    """A word without the differences that fonts and styles make."""
    return unicodedata.normalize("NFKC", word).casefold()


def tokens(text: str) -> list[str]:
    """The words of a text in the form that printed words have."""
    return [fold(found) for found in TOKEN.findall(text)]
