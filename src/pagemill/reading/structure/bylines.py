"""Bylines: the authors and their institutes between the title of a paper and its abstract are no headings."""

import re
from collections.abc import Sequence
from dataclasses import replace

from pagemill.model.pages import Block, Kind

_ABSTRACT = re.compile(
    r"(?:\d+[.\s]*)?(?:abstract|summary|zusammenfassung|kurzfassung|résumé|resumen|resumo|riassunto|аннотация)\W*",
    re.IGNORECASE,
)
_MARKS = re.compile(r"[\d*∗†‡§¶⋆#◇♠♣\s]+")
_PARTICLES = frozenset(
    "and & et und y e de del della da di do dos van von der den la le el al bin ibn jr".split()
)
FEWEST_NAMES = 3
LONGEST_NAME_WORDS = 5


def without_bylines(blocks: Sequence[Block]) -> list[Block]:
    """The blocks with names of people and institutes set as paragraphs."""
    headings = [block for block in blocks if block.kind is Kind.HEADING]
    if len(headings) < 2:
        return list(blocks)
    title = max(headings, key=lambda block: block.font_size or 0.0)
    abstract = next((block for block in headings if _ABSTRACT.fullmatch(block.text)), None)
    return [
        replace(block, kind=Kind.PARAGRAPH, level=None)
        if block.kind is Kind.HEADING
        and block is not title
        and (_are_names(block.text) or _is_between(title, block, abstract))
        else block
        for block in blocks
    ]


def _is_between(title: Block, block: Block, abstract: Block | None) -> bool:
    """Whether a heading stands below the title and above the abstract."""
    if abstract is None or title.box is None or block.box is None or abstract.box is None:
        return False
    return title.box.bottom <= block.box.y and block.box.bottom <= abstract.box.y


def _are_names(text: str) -> bool:
    """Whether a text is a list of names."""
    names = [_MARKS.sub(" ", part).split() for part in text.split(",")]
    names = [name for name in names if name]
    return len(names) >= FEWEST_NAMES and all(map(_is_name, names))


def _is_name(words: Sequence[str]) -> bool:
    spelt = [word for word in words if word.lower() not in _PARTICLES]
    return (
        2 <= len(words) <= LONGEST_NAME_WORDS and all(word[0].isupper() for word in spelt) and len(spelt) > 1
    )
