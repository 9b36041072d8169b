"""Passages: pieces of a document's text for retrieval, called chunks in the API; each with its pages and boxes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pagemill.model.pages import Box

# How a document is cut: at headings, at pages, or wherever the size is reached.
CUTS = ("section", "page", "fixed")
MIN_SIZE, DEFAULT_SIZE, MAX_SIZE = 32, 400, 8_192


@dataclass(frozen=True, slots=True)
class PassageOptions:
    """How long passages are and where they begin; `size` and `overlap` are in tokens.

    `tokenizer` is the fingerprint of the one that counts them; if it is empty, they are estimated.
    """

    by: str = CUTS[0]
    size: int = DEFAULT_SIZE
    overlap: int = 0
    tokenizer: str = ""

    def __post_init__(self) -> None:
        if self.by not in CUTS:
            raise ValueError(f"by is one of {', '.join(CUTS)}")
        if not MIN_SIZE <= self.size <= MAX_SIZE:
            raise ValueError(f"size is a whole number from {MIN_SIZE} to {MAX_SIZE}")
        if not 0 <= self.overlap <= self.size // 2:
            raise ValueError("overlap is a whole number from 0 to half of size")

    @property
    def variant(self) -> str:
        """The name of what is made with these options; empty for the default ones."""
        if self == PassageOptions():
            return ""
        return "-".join(filter(None, (self.by, str(self.size), str(self.overlap), self.tokenizer)))

    @classmethod
    def from_variant(cls, variant: str) -> "PassageOptions":
        """The options that have such a name."""
        if not variant:
            return cls()
        by, size, overlap, *tokenizer = variant.split("-")
        return cls(by, int(size), int(overlap), *tokenizer)


# A place as the search index stores it: start, page, block, and the four numbers of the box.
StoredPlace = tuple[int, int, str | None, Sequence[float] | None]


class Place(NamedTuple):
    """Where text of a passage is printed; `start` is where in the passage the text begins."""

    start: int
    page: int
    block: str | None = None
    box: Box | None = None

    @classmethod
    def from_stored(cls, stored: StoredPlace) -> "Place":
        """The place that the search index stores so."""
        start, page, block, box = stored
        return cls(start, page, block, Box(*box) if box else None)


def embed_text(headings: tuple[str, ...], text: str) -> str:
    """What a vector is made of: the text below the headings that it belongs to."""
    return f"{' > '.join(headings)}\n\n{text}" if headings else text


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of the body text, from character `start` up to `end` of the plain text of the document.

    `text` is what is there, after the header of a table that goes on from the passage before; of it, the first `overlap`
    characters are in the passage before as well. `tokens` are those of the text and the headings above it.
    """

    number: int
    text: str
    headings: tuple[str, ...]
    places: tuple[Place, ...]
    start: int
    end: int
    overlap: int
    tokens: int

    @property
    def embed_text(self) -> str:
        """The text below the headings that it belongs to."""
        return embed_text(self.headings, self.text)

    @property
    def pages(self) -> list[int]:
        """The pages that it is printed on."""
        return sorted({page for _, page, _, _ in self.places})


class IndexedPassage(NamedTuple):
    """A passage as the search index keeps it; `words` are those of its headings and its text, normalised, with spaces between."""

    number: int
    text: str
    headings: Sequence[str]
    places: Sequence[StoredPlace]
    words: str
