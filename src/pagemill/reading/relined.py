"""Pages whose characters are said to be far higher than they are, or whose words run from right to left or are on their side.

The engine takes lines that seem to overlap for doubles and drops them, so that half of the words may be
lost without a sign; and it gives the words of a line from left to right, whatever their script. Such pages are read
from PDFium's characters, whose boxes and order are right.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, groupby, pairwise

import pypdfium2

from pagemill.model.pages import Block, Box, Line, box_around
from pagemill.reading.clean import clean
from pagemill.reading.layout import laid_out
from pagemill.reading.page.close_words import close_words
from pagemill.reading.page.scripts import is_right_to_left
from pagemill.reading.page.sheet import Stroke
from pagemill.reading.page.turning import (
    FULL_TURN,
    QUARTER,
    as_printed,
    quarter_turn,
    upright_box,
    upright_strokes,
)
from pagemill.reading.sources.links import mark_links, page_links, with_linked_cells
from pagemill.reading.sources.liteparse_native import NativeText
from pagemill.reading.sources.page_characters import PageCharacters
from pagemill.reading.sources.recognised import recognised_sheet

# Characters are about two to three times as high as they are wide, in narrow hands up to five.
HIGHEST_RATIO = 6.0
FEWEST_CHARACTERS = 20

ALEFS, LAM = "\u0622\u0623\u0625\u0627", "\u0644"
# A vowel sign is above a character, never after a space.
_STRAY_SIGN = re.compile(" ([\u064b-\u0652])([\u0620-\u064a])")

Character = tuple[str, Box]


def is_misread(texts: Sequence[NativeText]) -> bool:
    """Whether the engine can't have read a page as it is meant."""
    return is_squashed(texts) or is_right_to_left("".join([text.text for text in texts]))


def is_squashed(texts: Sequence[NativeText]) -> bool:
    """Whether the characters of a page are far too high for their width; a turned line among upright ones says nothing."""
    upright, turned = [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]
    for text in texts:
        characters = len(text.text)
        sums = turned if text.rotation else upright
        sums[0] += characters
        sums[1] += text.width
        sums[2] += text.height * characters
    if upright[0] < turned[0]:
        upright = [one + other for one, other in zip(upright, turned, strict=True)]
    count, width, area = upright
    return count >= FEWEST_CHARACTERS and area > HIGHEST_RATIO * width


def turn_of(texts: Sequence[NativeText]) -> int | None:
    """By which quarter turn most characters of a page are printed on their side, or upside down; None if by none."""
    turns: Counter[int] = Counter()
    for text in texts:
        turns[quarter_turn(text.rotation)] += len(text.text)
    (turn, characters), *_ = turns.most_common(1) or [(0, 0)]
    return turn if turn and characters * 2 > turns.total() else None


def reline(page: pypdfium2.PdfPage, strokes: Sequence[Stroke], turn: int = 0) -> list[Block]:
    """The blocks of a page as PDFium's characters make them up; `turn` is by how far its text is seen turned."""
    size = page.get_size()
    lines = list(_lines(page, (turn - page.get_rotation()) % FULL_TURN))
    width, height = reversed(size) if turn % (2 * QUARTER) else size
    drawn = upright_strokes(strokes, turn, *size) if turn else strokes
    sheet = recognised_sheet(map(_line_of, lines), width, height, drawn)
    for word, line in zip(sheet.words, chain.from_iterable(lines), strict=True):
        word.left, word.right = line.box.x, line.box.right
    mark_links(sheet.words, page_links(page, turn))
    blocks = [with_linked_cells(block, sheet.words) for block in laid_out(sheet)]
    return as_printed(blocks, turn, *size) if turn else blocks


def _line_of(words: Sequence[Line]) -> Line:
    return Line(" ".join(word.text for word in words), box_around([word.box for word in words]))


def _lines(page: pypdfium2.PdfPage, turn: int) -> Iterator[list[Line]]:
    """The lines of a page, each word by word, where they are when the page is upright."""
    with PageCharacters(page) as characters:
        for at, text in characters.lines():
            boxes = [
                upright_box(characters.edges(at + place).box, turn, characters.width, characters.height)
                for place in range(len(text))
            ]
            written = as_written(text, boxes)
            for line in _level_runs(written) if turn else [written]:
                yield from close_words(_words(line))


def _level_runs(characters: Sequence[Character]) -> Iterator[list[Character]]:
    """Characters, parted where one is on another line than those before it: PDFium may see no end of a turned line."""
    run: list[Character] = []
    middle = high = 0.0
    for character in characters:
        _, box = character
        if not _is_blank(character):
            centre = box.y + box.height / 2
            if run and high and abs(centre - middle) > max(high, box.height):
                yield run
                run, high = [], 0.0
            if box.height > high:
                middle, high = centre, box.height
        run.append(character)
    yield run


def _words(characters: Sequence[Character]) -> Iterator[Line]:
    for blank, group in groupby(characters, _is_blank):
        word = list(group)
        text = clean("".join(character for character, _ in word)).strip()
        if not blank and text:
            box = box_around([box for _, box in word])
            yield Line(text.replace(" ", ""), Box(round(box.x, 2), round(box.y, 2), box.width, box.height))


def _is_blank(character: Character) -> bool:
    return character[0].isspace()


def as_written(text: str, boxes: Sequence[Box]) -> list[Character]:
    """The characters of a line as they are written, with their boxes.

    PDFium turns round vowel signs, and a lam with an alef, which are printed as one.
    """
    characters = list(zip(text, boxes, strict=True))
    for at, ((one, box), (other, same)) in enumerate(pairwise(characters)):
        if one in ALEFS and other == LAM and box == same:
            characters[at : at + 2] = (other, same), (one, box)
    for found in reversed(list(_STRAY_SIGN.finditer("".join(character for character, _ in characters)))):
        sign, character = characters[found.start() + 1 : found.end()]
        characters[found.start() : found.end()] = character, sign
    return characters
