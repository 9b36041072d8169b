"""The characters of a page as they are printed: dashes and quotes, emphasis, and what is raised or lowered.

The engine writes all dashes and quotes alike, and says of a run what its first character looks like. PDFium knows each character,
so the words of the engine's runs are looked up among its characters, and what differs is noted with the words.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import groupby, pairwise
from operator import attrgetter

import numpy as np
import pypdfium2

from pagemill.model.pages import Block, Cell, Script
from pagemill.reading.page.block_parts import with_cells
from pagemill.reading.page.noted_words import NotedWords
from pagemill.reading.page.sheet import TypedRun, Word
from pagemill.reading.sources.liteparse_native import NativeText
from pagemill.reading.sources.missed_words import (
    Character,
    complete_ligatures,
    complete_word,
    gaps_between,
    has_unseen,
    ligatures_in,
    one_word,
    words_apart,
    words_of_characters,
)
from pagemill.reading.sources.page_characters import CharacterEdges, PageCharacters

# What the engine writes for a sign; PDFium has a sign of its own for a hyphen at the end of a line.
LINE_HYPHEN = "\ufffe"
PLAIN = str.maketrans(
    "\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u00ad"
    + LINE_HYPHEN,
    "''''\"\"\"\"" + "-" * 9,
)
# Characters are raised or lowered if they are so much smaller than others of their run, and so far off its baseline, in sizes.
SMALL, OFF_BASELINE = 0.85, 0.08
# Characters of nearly full size are, too, if they are so far off it, and in one word with characters that are on it.
FAR_OFF_BASELINE = 0.15
# Where more of its characters are off, a run is no text with signs in it, but a fraction.
MOST_OFF = 0.5
# A run is looked for at so many places; a short one must also be printed where the engine says, within so many points.
MOST_PLACES, SURE_CHARACTERS, NEAR_POINTS = 12, 5, 5.0
# Characters of their own for raised digits and signs.
RAISED = dict(zip("0123456789+-()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾", strict=True))
# How wide a space is that the engine may have overlooked, in sizes, and what may follow it. Raised signs are up to .13 away;
# spaces that were lost on labelled pages are .146 to .3 wide.
LEAST_SPACE, WIDEST_SPACE, SPACED_START = 0.14, 0.5, re.compile(r"[\w(\[\"'“‘«]")

# The words of a cell may be so many points beside its box.
BESIDE_CELL = 1.0
# What is raised or lowered by itself is no stop or quote.
_SIGN = re.compile(r"[\w*†‡§¶]")
# Bullets are small and above the baseline by themselves; those of fonts of symbols have no code of their own.
_BULLETS = re.compile("[•∙●○◦▪■□◆◇►▶➢➤❖‣⁃\ue000-\uf8ff]")

# Whether a character is bold and italic, and whether it is raised or lowered.
Looks = tuple[bool, bool, Script | None]
# From where to where characters are of one text object, and its address.
Part = tuple[int, int, int]
# By the number of a character, whether it is a space; none is beyond the last.
_BLANK = np.array([chr(code).isspace() or not code for code in range(0x3002)])


class PrintedPage:
    """The characters of a page in PDFium's order without the spaces, and how far they have been found in the engine's runs."""

    def __init__(self, page: pypdfium2.PdfPage) -> None:
        self._page = PageCharacters(page)
        self._places = _printed_places(self._page.text)
        self._characters = "".join(self._page.text.split()).replace("\0", "")
        self._plain = self._characters.translate(PLAIN)
        self._is_upright = not page.get_rotation()
        self._next, self.has_unseen = 0, False
        self._size = page.get_size()
        self._found: list[tuple[int, int]] = []
        # The words that runs begin with, by their places.
        self._begun: dict[int, Word] = {}

    def note(self, text: NativeText, words: Sequence[Word]) -> Sequence[Word]:
        """The words of a run with the characters that are printed for them, where they are not as the engine says."""
        spelt = "".join([word.text for word in words])
        start = self._find(spelt.translate(PLAIN), text)
        if start is None:
            whole = complete_ligatures(words, self._plain, self._ligatures)
            return self.note(text, words) if whole else words
        end = self._next = start + len(spelt)
        self._found.append((start, end))
        words = self._with_spaces(words, start, end)
        self._begun[start] = words[0]
        parts = self._parts(start, end)
        if len(parts) == 1 and self._is_as_told(start, spelt, words[0]):
            return words
        scripts = self._scripts(parts, words)
        at = start
        for word in words:
            word.printed = self._runs(word, at, scripts)
            at += len(word.text)
        return words

    @cached_property
    def _ligatures(self) -> list[int]:
        return ligatures_in(self._plain, self._edges)

    def rejoin(self, words: Sequence[Word]) -> Sequence[Word]:
        """The words of a run on its side, those made one between which PDFium sees no space: the engine sees too many."""
        at = self._plain.find("".join([word.text for word in words]).translate(PLAIN))
        if at < 0:
            return words
        self._found.append((at, at + sum(len(word.text) for word in words)))
        joined = [words[0]]
        for before, word in pairwise(words):
            at += len(before.text)
            if self._places[at] == self._places[at - 1] + 1:
                joined[-1] = one_word(joined[-1], word)
            else:
                joined.append(word)
        return joined

    def missed_words(self, words: Sequence[Word]) -> list[Word]:
        """The words that are printed but in no run; the words of all runs are given."""
        gaps = gaps_between(self._found, len(self._characters)) if self._is_upright else []
        gaps = [(start, self._complete(start, end)) for start, end in gaps]
        characters = [
            self._character(at)
            for start, end in gaps
            for at in range(start, end)
            if self._page.is_shown(self._places[at])
        ]
        if not characters:
            return []
        found = list(words_of_characters(characters, max((word.run for word in words), default=0) + 1))
        self.has_unseen = has_unseen(found, *self._size)
        return list(words_apart(found, words, *self._size))

    def _complete(self, start: int, end: int) -> int:
        word = self._begun.get(end)
        return complete_word(word, (start, end), self._characters, self._places, self._edges) if word else end

    def _character(self, at: int) -> Character:
        size = self._sizes([(at, at + 1, 0)])[0]
        return Character(self._characters[at], self._places[at], *self._edges(at), size)

    def _edges(self, at: int) -> CharacterEdges:
        return self._page.edges(self._places[at])

    def _with_spaces(self, words: Sequence[Word], start: int, end: int) -> Sequence[Word]:
        """The words, with those parted in which PDFium sees a space that the engine has overlooked."""
        places = self._places
        spaces = places[end - 1] - places[start] + 1 - (end - start)
        if spaces < len(words) or not self._is_upright:
            return words
        parted: list[Word] = []
        for word in words:
            after = start + len(word.text)
            cuts = [at for at in range(start + 1, after) if self._is_space_before(at, word.size)]
            parted += self._cut(word, start, cuts)
            start = after
        return parted

    def _is_space_before(self, at: int, size: float) -> bool:
        """Whether a space parts a character from the one before it; a raised sign is closer, and no stop follows a space."""
        if self._places[at] == self._places[at - 1] + 1 or not SPACED_START.match(self._characters[at]):
            return False
        gap = self._edges(at).left - self._edges(at - 1).right
        return LEAST_SPACE * size < gap < WIDEST_SPACE * size

    def _cut(self, word: Word, start: int, cuts: Sequence[int]) -> Iterator[Word]:
        if not cuts or not self._is_upright:
            yield word
            return
        left = word.left
        for first, after in pairwise([start, *cuts, start + len(word.text)]):
            text = word.text[first - start : after - start]
            yield replace(word, text=text, left=left, right=self._edges(after - 1).right)
            if after < start + len(word.text):
                left = self._edges(after).left

    def _is_as_told(self, start: int, spelt: str, word: Word) -> bool:
        """Whether characters of one object are printed as the engine has them."""
        characters = self._characters[start : start + len(spelt)]
        return as_printed(characters) == spelt and self._style(start) == (word.bold, word.italic)

    def _find(self, spelt: str, text: NativeText) -> int | None:
        """Where the characters of a run are: next to the last run's, or where they are found with the run's place."""
        at = self._next
        if self._plain.startswith(spelt, at) and (len(spelt) >= SURE_CHARACTERS or self._is_at(at, text)):
            return at
        for begin in (self._next, 0):
            at = begin - 1
            for _ in range(MOST_PLACES):
                at = self._plain.find(spelt, at + 1)
                if at < 0:
                    break
                if self._is_at(at, text):
                    return at
        return None

    def _is_at(self, place: int, text: NativeText) -> bool:
        """Whether a character is printed at the beginning of a run; on a turned page that is unknown."""
        if not self._is_upright or place >= len(self._places):
            return False
        edges = self._edges(place)
        near = abs(edges.left - text.x) < NEAR_POINTS
        return near and text.y - 1 < edges.bottom < text.y + text.height + NEAR_POINTS

    def _parts(self, start: int, end: int) -> list[Part]:
        """The text objects of characters, which follow each other."""
        first = self._object(start)
        if end - start == 1 or first == self._object(end - 1):
            return [(start, end, first)]
        middle = (start + end) // 2
        left, right = self._parts(start, middle), self._parts(middle, end)
        if left[-1][2] == right[0][2]:
            left[-1:] = [(left[-1][0], right.pop(0)[1], left[-1][2])]
        return left + right

    def _object(self, at: int) -> int:
        return self._page.object(self._places[at])

    def _scripts(self, parts: Sequence[Part], words: Sequence[Word]) -> dict[int, Script]:
        """The characters of a run that are raised or lowered, by their places; its words are moved to its baseline."""
        if len(parts) == 1:
            return {}
        sizes = self._sizes(parts)
        usual = _commonest_value(parts, sizes)
        if usual <= 0:
            return {}
        base = self._usual_baseline(parts, sizes, usual)
        small = [part for part, size in zip(parts, sizes, strict=True) if size < SMALL * usual]
        alike = [part for part, size in zip(parts, sizes, strict=True) if SMALL <= size / usual <= 1 / SMALL]
        off = {at: self._baseline(at) - base for start, end, _ in small for at in range(start, end)}
        off = {
            at: by
            for at, by in off.items()
            if abs(by) > OFF_BASELINE * usual and not _BULLETS.match(self._characters[at])
        }
        if far := self._far_off(alike, base, words, parts[0][0]):
            self._move_to(base, words)
        return {at: Script.ABOVE if by < 0 else Script.BELOW for at, by in (off | far).items()}

    def _far_off(
        self, parts: Sequence[Part], base: float, words: Sequence[Word], start: int
    ) -> dict[int, float]:
        """How far the characters of parts are off the baseline, of those in one word with characters that are on it."""
        far = FAR_OFF_BASELINE * words[0].size
        heights = [self._baseline(first) - base for first, _, _ in parts]
        off = {
            at: by
            for (first, end, _), by in zip(parts, heights, strict=True)
            if abs(by) > far
            for at in range(first, end)
        }
        if len(off) > MOST_OFF * sum(len(word.text) for word in words):
            return {}
        kept: dict[int, float] = {}
        for word in words if off else ():
            places = range(start, start := start + len(word.text))
            raised = [at for at in places if at in off]
            sign = "".join([self._characters[at] for at in raised])
            if _SIGN.search(sign) and any(at not in off and self._characters[at].isalnum() for at in places):
                kept |= {at: off[at] for at in raised}
        return kept

    def _usual_baseline(self, parts: Sequence[Part], sizes: Sequence[float], size: float) -> float:
        """The baseline of most characters of a size."""
        of_size = [part for part, each in zip(parts, sizes, strict=True) if each == size]
        return _commonest_value(of_size, [round(self._baseline(start), 1) for start, _, _ in of_size])

    def _move_to(self, base: float, words: Sequence[Word]) -> None:
        """Move words to their baseline: the engine's box of a run reaches to what is raised and lowered in it."""
        for word in words:
            by = base - word.baseline
            word.baseline, word.top, word.bottom = word.baseline + by, word.top + by, word.bottom + by

    def _sizes(self, parts: Sequence[Part]) -> list[float]:
        """The sizes of the characters of each object."""
        return self._page.sizes([self._places[start] for start, _, _ in parts])

    def _baseline(self, at: int) -> float:
        return self._page.baseline(self._places[at])

    def _runs(self, word: Word, start: int, scripts: dict[int, Script]) -> tuple[TypedRun, ...]:
        """A word in runs of characters that look alike; none if it is as the engine says."""
        end = start + len(word.text)
        first = self._style(start)
        characters = as_printed(self._characters[start:end])
        raised = any(at in scripts for at in range(start, end)) if scripts else False
        # What is emphasised may end before the full stop.
        ends = any(first) and not characters[-1].isalnum() and self._style(end - 1) != first
        if not ends and not raised:
            same = characters == word.text and first == (word.bold, word.italic)
            return () if same else (TypedRun(characters, *first),)
        looks = [(*self._style(at), scripts.get(at)) for at in range(start, end)]
        return tuple(_alike(characters, looks))

    def _style(self, at: int) -> tuple[bool, bool]:
        """Whether a character is bold and italic."""
        return self._page.style(self._places[at])


def _commonest_value(parts: Sequence[Part], values: Sequence[float]) -> float:
    """The value that most characters of parts have, the larger of two."""
    counts: Counter[float] = Counter()
    for (start, end, _), value in zip(parts, values, strict=True):
        counts[value] += end - start
    return max(counts, key=lambda value: (counts[value], value))


def _printed_places(text: str) -> list[int]:
    """Where in a text characters are that are no spaces."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    places: list[int] = np.flatnonzero(~_BLANK[np.minimum(codes, len(_BLANK) - 1)]).tolist()
    return places


def _alike(characters: str, looks: Sequence[Looks]) -> Iterator[TypedRun]:
    at = 0
    for (bold, italic, script), group in groupby(looks):
        end = at + len(list(group))
        yield TypedRun(characters[at:end], bold, italic, script)
        at = end


def as_printed(characters: str) -> str:
    """The characters with a plain hyphen for one that ends a line; as many as there were."""
    return characters.replace(LINE_HYPHEN, "-").replace("\u00ad", "-")


def words_as_printed(
    page: pypdfium2.PdfPage, texts: Sequence[NativeText], words: Sequence[Word]
) -> list[Word]:
    """The words of all runs, which are given in their order, with how they are printed."""
    return _words_as_printed(PrintedPage(page), texts, words)


def all_words_printed(
    page: pypdfium2.PdfPage, texts: Sequence[NativeText], words: Sequence[Word]
) -> tuple[list[Word], bool]:
    """The same with the words that the engine has in no run, whose runs are all given; and whether some can't be seen."""
    printed = PrintedPage(page)
    noted = _words_as_printed(printed, texts, words)
    return [*noted, *printed.missed_words(noted)], printed.has_unseen


def _words_as_printed(printed: PrintedPage, texts: Sequence[NativeText], words: Sequence[Word]) -> list[Word]:
    result: list[Word] = []
    for run, group in groupby(words, key=attrgetter("run")):
        own = list(group)
        result += printed.rejoin(own) if texts[run].rotation else printed.note(texts[run], own)
    return result


def with_printed_cells(table: Block, words: Sequence[Word]) -> Block:
    """A table with its cells as they are printed; of raised signs, those that have characters of their own are written so."""
    odd = [(word, _in_plain_text(word)) for word in words if word.printed]
    changed = NotedWords((word, text) for word, text in odd if text != word.text)
    if not changed:
        return table
    return with_cells(table, lambda cell: _printed_cell(cell, changed))


def _printed_cell(cell: Cell, changed: NotedWords[str]) -> Cell:
    text = cell.text
    for word, printed in changed.within(cell.box, BESIDE_CELL) if text and cell.box else ():
        text = _replace(text, word.text, printed)
    return cell if text == cell.text else replace(cell, text=text)


def _replace(text: str, word: str, printed: str) -> str:
    """The text with a word of it replaced, the first if it is there several times."""
    words = text.split(" ")
    if word not in words:
        return text
    words[words.index(word)] = printed
    return " ".join(words)


def _in_plain_text(word: Word) -> str:
    """The characters of a word; raised digits after others, which would make another number, as raised digits or apart."""
    text = ""
    for run in word.printed:
        if run.script is not Script.ABOVE or not text:
            text += run.text
        elif all(character in RAISED for character in run.text):
            text += "".join(RAISED[character] for character in run.text)
        else:
            text += f" {run.text}"
    return text
