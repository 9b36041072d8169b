"""Text that is on the page but in no block: found by taking the blocks' text away from the page's."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pagemill.model.pages import Box, box_around

_QUOTES = str.maketrans("“”„‟«»‘’‚‛`´–—−‐‑", '""""""' + "''''''" + "-----")
_SPACES = re.compile(r"\s+")
_TAKEN = "\0"

# Fewer characters than this may be missing through mended hyphens and the like.
LEAST_LOST = 8
# If far more seems lost than the lengths say, the block has the same text written differently.
MOST_LOST_SHARE = 1.3
PARAGRAPH_GAP = 1.6
WHOLLY_LOST_SHARE = 0.8


@dataclass(frozen=True, slots=True)
class EngineText:
    """A run of text on a page, as the engine found it."""

    text: str
    box: Box
    rotation: float


def lost_pieces(pieces: Sequence[EngineText], printed: Iterable[str], missing: int) -> list[EngineText]:
    """The pieces, or the words of them, that the printed text lacks; empty if it only differs in writing."""
    pool = _Pool(_squeeze(" ".join(printed)))
    left = [piece for piece in sorted(pieces, key=_longest_first) if not pool.take(_squeeze(piece.text))]
    lost = [
        EngineText(words, piece.box, piece.rotation) for piece in left if (words := pool.lacking(piece.text))
    ]
    if sum(len(_squeeze(piece.text)) for piece in lost) > missing * MOST_LOST_SHARE + LEAST_LOST:
        return []
    order = {id(piece.box): place for place, piece in enumerate(pieces)}
    return sorted(lost, key=lambda piece: order[id(piece.box)])


def paragraphs(lost: Sequence[EngineText]) -> list[EngineText]:
    """Lost pieces put together where they are on one line or on lines that follow each other."""
    whole: list[list[EngineText]] = []
    for piece in lost:
        if whole and _follows(whole[-1][-1], piece):
            whole[-1].append(piece)
        else:
            whole.append([piece])
    return [
        EngineText(
            " ".join(piece.text for piece in group),
            box_around([piece.box for piece in group]),
            group[0].rotation,
        )
        for group in whole
    ]


class _Pool:
    """Printed text, from which what is found on the page is taken away bit by bit."""

    def __init__(self, text: str) -> None:
        self.text = text

    def take(self, text: str) -> bool:
        """Whether the text is in the pool; if so, it is not there a second time."""
        for form in (text, text.removesuffix("-"), text[::-1]):
            at = self.text.find(form) if form else 0
            if at >= 0:
                self.text = self.text[:at] + _TAKEN + self.text[at + len(form) :] if form else self.text
                return True
        return False

    def lacking(self, text: str) -> str:
        """The words of the text that the pool does not have; all of them if it has but a few, which are others."""
        before = self.text
        lost = [word for word in text.split() if not self.take(_squeeze(word))]
        if sum(map(len, lost)) >= WHOLLY_LOST_SHARE * len(_squeeze(text)):
            lost, self.text = text.split(), before
        return " ".join(lost) if any(character.isalnum() for word in lost for character in word) else ""


def _squeeze(text: str) -> str:
    return _SPACES.sub("", unicodedata.normalize("NFKC", text).translate(_QUOTES))


def _longest_first(piece: EngineText) -> tuple[int, float, float]:
    return -len(piece.text), piece.box.y, piece.box.x


def _follows(before: EngineText, after: EngineText) -> bool:
    if before.rotation or after.rotation:
        return before.rotation == after.rotation
    step = after.box.y - before.box.y
    return -1.0 <= step <= PARAGRAPH_GAP * max(before.box.height, after.box.height)
