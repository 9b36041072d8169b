"""Words that are printed on a page but in none of the engine's runs, as PDFium has them."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from pagemill.reading.page.sheet import Word
from pagemill.reading.sources.page_characters import CharacterEdges

# Where the engine's runs have fewer of PDFium's characters than this, the two spell the page differently.
LEAST_FOUND = 0.5
# How far characters of a word may reach into the next, in sizes.
OVERLAP = 0.1
_LIGATURE = re.compile("f(?=[fijlt])")
# Words that share this much of their box with another are printed twice, as bold ones often are.
MOST_SHARED = 0.3
# Numbers of pages are in this part of the page, above and below.
EDGE_SHARE = 0.1
# Words are compared with those in the same bands of the page alone.
BAND_POINTS = 16.0
# Smaller words are not meant to be read; a few of them may be marks, or dots that lead to a page number.
TINY_POINTS, FEWEST_TINY_CHARACTERS = 2.0, 10


class Character(NamedTuple):
    """A character, its place in the text of the page, and its edges, in points from the top left of the page."""

    text: str
    place: int
    left: float
    top: float
    right: float
    bottom: float
    size: float


def gaps_between(found: Sequence[tuple[int, int]], count: int) -> list[tuple[int, int]]:
    """From where to where the characters of a page are in no run; none if too many are."""
    ends = [(0, 0), *sorted(found), (count, count)]
    reached, gaps = 0, []
    for start, end in ends:
        if start > reached:
            gaps.append((reached, start))
        reached = max(reached, end)
    missed = sum(end - start for start, end in gaps)
    return gaps if missed <= (1 - LEAST_FOUND) * count else []


def complete_word(
    word: Word,
    gap: tuple[int, int],
    characters: str,
    places: Sequence[int],
    edges: Callable[[int], CharacterEdges],
) -> int:
    """Put the characters of a gap before the word that follows it, if they are the beginning of it; where the gap ends then.

    The engine sometimes drops what is before a ligature, whose characters have one box. `places` are those of characters in the
    text of the page.
    """
    start, end = gap
    at, first = end, edges(end)
    while at > start and places[at] == places[at - 1] + 1:
        before = edges(at - 1)
        is_left = before.right <= first.left + OVERLAP * word.size
        if not (is_left or before == first) or abs(before.bottom - first.bottom) > word.size / 2:
            break
        at -= 1
    if dropped := characters[at:end]:
        word.text, word.left = dropped + word.text, min(word.left, edges(at).left)
        if word.printed:
            word.printed = (word.printed[0]._replace(text=dropped, script=None), *word.printed)
    return at


def ligatures_in(characters: str, edges: Callable[[int], CharacterEdges]) -> list[int]:
    """The places of characters that have one box with the next, as the first ones of a ligature have."""
    pairs = [found.start() for found in _LIGATURE.finditer(characters)]
    return [at for at in pairs if edges(at) == edges(at + 1)]


def complete_ligatures(words: Sequence[Word], characters: str, ligatures: Sequence[int]) -> bool:
    """Put the first characters of ligatures, whose places are given, into words that lack them; whether any did."""
    spelt, dropped = "".join([word.text for word in words]), set(ligatures)
    if not dropped or spelt in characters:
        return False
    kept = [at for at in range(len(characters)) if at not in dropped]
    start = "".join([characters[at] for at in kept]).find(spelt)
    if start < 0:
        return False
    places, found = [*kept, len(characters)], False
    for word in words:
        first, end = places[start], places[start + len(word.text) - 1] + 1
        while first - 1 in dropped:
            first -= 1
        start += len(word.text)
        found = found or end - first > len(word.text)
        word.text = characters[first:end]
    return found


def one_word(first: Word, second: Word) -> Word:
    """Two parts of a word, the second of which follows the first."""
    return replace(
        first,
        text=first.text + second.text,
        left=min(first.left, second.left),
        top=min(first.top, second.top),
        right=max(first.right, second.right),
        bottom=max(first.bottom, second.bottom),
    )


def words_of_characters(characters: Sequence[Character], run: int) -> Iterator[Word]:
    """The words that characters make, each a run of its own: those without a space between them are one."""
    group: list[Character] = []
    for character in characters:
        if group and not _follows(group[-1], character):
            yield _word(group, run)
            run, group = run + 1, []
        group.append(character)
    if group:
        yield _word(group, run)


def _follows(before: Character, character: Character) -> bool:
    return character.place == before.place + 1 and abs(character.left - before.right) < character.size


def _word(group: Sequence[Character], run: int) -> Word:
    size = max(character.size for character in group)
    bottom = max(character.bottom for character in group)
    return Word(
        "".join(character.text for character in group),
        min(character.left for character in group),
        min(character.top for character in group),
        max(character.right for character in group),
        bottom,
        round(size, 2),
        bottom,
        run,
    )


def words_apart(found: Iterable[Word], others: Sequence[Word], width: float, height: float) -> Iterator[Word]:
    """Those of the words that have letters or digits, are on the page, and overlap none of the others."""
    bands: dict[int, list[Word]] = defaultdict(list)
    for other in others:
        for band in _bands(other):
            bands[band].append(other)
    for word in found:
        if _is_text_of_page(word, width, height):
            near = chain.from_iterable(bands.get(band, ()) for band in _bands(word))
            if not any(_overlap_share(word, other) > MOST_SHARED for other in near):
                yield word


def has_unseen(words: Sequence[Word], width: float, height: float) -> bool:
    """Whether some words are wholly off the page, or too small to be read."""
    lettered = [word for word in words if any(map(str.isalpha, word.text))]
    tiny = sum(
        len(word.text) for word in lettered if word.height < TINY_POINTS and word.width < len(word.text)
    )
    return tiny >= FEWEST_TINY_CHARACTERS or any(
        word.right <= 0 or word.left >= width or word.bottom <= 0 or word.top >= height for word in lettered
    )


def _bands(word: Word) -> range:
    return range(int(word.top // BAND_POINTS), int(word.bottom // BAND_POINTS) + 1)


def _is_text_of_page(word: Word, width: float, height: float) -> bool:
    if not any(map(str.isalnum, word.text)) or word.width <= 0 or word.height < TINY_POINTS:
        return False
    if not (0 <= word.left and word.right <= width and 0 <= word.top and word.bottom <= height):
        return False
    # The engine leaves out the numbers of pages on purpose.
    at_edge = not EDGE_SHARE * height < (word.top + word.bottom) / 2 < (1 - EDGE_SHARE) * height
    return not (at_edge and word.text.isdecimal())


def _overlap_share(word: Word, other: Word) -> float:
    across = min(word.right, other.right) - max(word.left, other.left)
    down = min(word.bottom, other.bottom) - max(word.top, other.top)
    return across * down / (word.width * word.height) if across > 0 and down > 0 else 0.0
