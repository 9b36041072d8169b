"""Lines of words, and the pieces of a line that are apart."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from statistics import median

from pagemill.reading.layout.wording import Vocabulary, running
from pagemill.reading.page.scripts import is_right_to_left
from pagemill.reading.page.tokens import Token

# Spaces between words are about a third of the character height and up to twice that where text is justified.
APART = 0.8
# Figures in narrow columns are closer; a space inside a figure is narrower still.
FIGURES_APART = 0.32
FIGURE_APART = 0.6
_FIGURE = re.compile(r"[-–−+(]?[$€£]?\d[\d.,:/–-]*%?\)?")
# Below this share of the character height, no space is printed: an index, or characters in another font.
GLUED = 0.1


@dataclass(slots=True)
class LinePiece:
    """Words of a line without a wide gap between them, and where they start and end."""

    tokens: list[Token]
    left: float = field(init=False)
    right: float = field(init=False)

    def __post_init__(self) -> None:
        self.left = self.tokens[0].left
        self.right = max([token.right for token in self.tokens])

    @property
    def text(self) -> str:
        """Its words."""
        return line_text(self.tokens)


@dataclass(slots=True, eq=False)
class TokenLine:
    """Words that are side by side, from left to right."""

    tokens: list[Token]
    top: float
    bottom: float
    _pieces: list[LinePiece] | None = None

    @property
    def pieces(self) -> list[LinePiece]:
        """The words that are close to each other together; a line of a cell is not asked for them."""
        if self._pieces is None:
            self._pieces = pieces_of(self.tokens)
        return self._pieces

    @property
    def middle(self) -> float:
        """The height of its middle."""
        return (self.top + self.bottom) / 2


def character_height(tokens: Sequence[Token]) -> float:
    """How high the characters usually are."""
    return median(token.bottom - token.top for token in tokens) if tokens else 0.0


def lines_of(tokens: Iterable[Token]) -> list[TokenLine]:
    """The lines from the top down, the words of each from left to right."""
    lines: list[TokenLine] = []
    for token in sorted(tokens, key=lambda token: token.top + token.bottom):
        if lines and _beside(lines[-1], token):
            lines[-1].tokens.append(token)
        else:
            lines.append(TokenLine([token], token.top, token.bottom))
    for line in lines:
        if len(line.tokens) > 1:
            line.tokens.sort(key=attrgetter("left"))
    return lines


def _beside(line: TokenLine, token: Token) -> bool:
    """Whether a word shares most of its height with the line, as an index does too."""
    shared = min(line.bottom, token.bottom) - max(line.top, token.top)
    return shared >= 0.5 * min(line.bottom - line.top, token.bottom - token.top)


def pieces_of(tokens: Sequence[Token]) -> list[LinePiece]:
    """The words of a line, cut where the gap is wider than between words."""
    parts: list[list[Token]] = []
    right = 0.0
    for token in tokens:
        gap, height = token.left - right, token.bottom - token.top
        if not parts or (gap > FIGURES_APART * height and gap > _room(parts[-1][-1], token) * height):
            parts.append([token])
            right = token.right
        else:
            parts[-1].append(token)
            right = max(right, token.right)
    return [LinePiece(part) for part in parts]


def _room(one: Token, other: Token) -> float:
    """How far apart two words of one cell may be: figures follow on figures only in other cells."""
    figures = bool(_FIGURE.fullmatch(one.text)) + bool(_FIGURE.fullmatch(other.text))
    return (APART, FIGURE_APART, FIGURES_APART)[figures]


def as_read(tokens: Sequence[Token]) -> Sequence[Token]:
    """The words of a line, given from left to right, in the order in which they are read."""
    if not is_right_to_left("".join([token.text for token in tokens])):
        return tokens
    read: list[Token] = []
    for foreign, run in groupby(reversed(tokens), key=_is_foreign):
        words = list(run)
        read += words[::-1] if foreign else words
    return read


def _is_foreign(token: Token) -> bool:
    """Whether a word among others that run from right to left does not."""
    return any(character.isalpha() for character in token.text) and not is_right_to_left(token.text)


def line_text(tokens: Sequence[Token]) -> str:
    """The words of a line with spaces where they are apart."""
    words: list[str] = []
    last: Token | None = None
    for token in as_read(tokens):
        gap = max(token.left - last.right, last.left - token.right) if last else 0.0
        if gap > GLUED * (token.bottom - token.top):
            words.append(" ")
        words.append(token.text)
        last = token
    return "".join(words)


def joined_text(tokens: Iterable[Token]) -> str:
    """The words of a cell over all of its lines."""
    texts = [line_text(line.tokens) for line in lines_of(tokens)]
    return running(texts, Vocabulary(texts)) if texts else ""


def strips_of(lines: Sequence[TokenLine], into: float) -> list[TokenLine]:
    """The lines, with those made one that reach into each other's height by more than the share `into`."""
    strips: list[TokenLine] = []
    for line in lines:
        last = strips[-1] if strips else None
        if last and last.bottom - line.top > into * (line.bottom - line.top):
            pieces = sorted(last.pieces + line.pieces, key=lambda piece: piece.left)
            bottom = max(last.bottom, line.bottom)
            strips[-1] = TokenLine(last.tokens + line.tokens, last.top, bottom, pieces)
        else:
            strips.append(line)
    return strips
