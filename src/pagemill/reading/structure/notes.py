"""Captions, sources and footnotes, known by how they begin and where they stand."""

import re
from collections.abc import Sequence
from dataclasses import replace

from pagemill.model.pages import Block, Kind
from pagemill.reading.structure.pieces import is_text, with_marker

_NAMES = (
    r"table|tab\.|figure|figures|fig\.|figs\.|chart|diagram|graph|exhibit|plate|map|box|scheme|illustration|photo"
    r"|tabelle|abbildung|abb\.|bild|tableau|illustration|tabla|cuadro|figura|gráfico|tabella|tabela|quadro"
    r"|таблица|рисунок|рис\.|табл\."
)
_CAPTION = re.compile(
    rf"(?:{_NAMES})\s*(?:\d+|[ivxlc]+\b|[a-z]\b)(?:[.\-–]\d+)*\s*[a-z]?(?:[.:|)–—-]|\s|$)|[图表圖]\s*\d",
    re.IGNORECASE,
)
_NAMED_ONLY = re.compile(
    rf"(?:{_NAMES})\s*\d+(?:[.\-–]\d+)*\s+(?:shows?|presents?|gives?|lists?|is|are|was|illustrates?|and|in|depicts?|displays?|summari[sz]es|provides?|below|above|compares?|zeigt|montre|of)\b",
    re.IGNORECASE,
)
_SOURCE = re.compile(r"(?:sources?|quelle|fuente|fonte|источник|notes?)\s*:", re.IGNORECASE)
_MARKED = re.compile(r"(?:\d{1,3}|[*†‡§¹²³⁴-⁹]+)[.)]?\s?\S")
# Footnotes are set smaller than the body and stand in the lower half of the page.
SMALLER = 0.93
UPPER_SHARE = 0.5
FOOTER_SHARE = 0.93
FEWEST_LETTERS = 6
LONGEST_CAPTION = 600


def is_caption(text: str) -> bool:
    """Whether a text begins as the caption of a figure or table does."""
    return _CAPTION.match(text) is not None and _NAMED_ONLY.match(text) is None


def is_source(text: str) -> bool:
    """Whether a text says where a figure or table comes from."""
    return _SOURCE.match(text) is not None


def with_notes(blocks: Sequence[Block], body_size: float, height: float) -> list[Block]:
    """The blocks with captions and footnotes called so."""
    result = [_captioned(block) for block in blocks]
    text = [block for block in result if is_text(block) and block.box and block.font_size]
    return [_footnote(block) if _is_footnote(block, text, body_size, height) else block for block in result]


def _is_footnote(block: Block, text: Sequence[Block], body_size: float, height: float) -> bool:
    """Whether a block is small, begins with a mark, and has nothing of the body below it."""
    if block.kind not in (Kind.PARAGRAPH, Kind.LIST_ITEM) or not _is_at_foot(block, body_size, height):
        return False
    return _MARKED.match(with_marker(block).text) is not None and not any(
        _is_body_below(other, block, body_size, height) for other in text
    )


def _is_body_below(other: Block, note: Block, body_size: float, height: float) -> bool:
    a, b = note.box, other.box
    if a is None or b is None or (other.font_size or 0.0) < SMALLER * body_size:
        return False
    return a.bottom < b.y < FOOTER_SHARE * height and a.x < b.right and b.x < a.right


def _captioned(block: Block) -> Block:
    if (
        block.kind in (Kind.PARAGRAPH, Kind.HEADING)
        and is_caption(block.text)
        and len(block.text) < LONGEST_CAPTION
    ):
        return replace(block, kind=Kind.CAPTION, level=None)
    return block


def _is_at_foot(block: Block, body_size: float, height: float) -> bool:
    if block.box is None or not block.font_size:
        return False
    return (
        block.box.y > UPPER_SHARE * height
        and block.font_size < SMALLER * body_size
        and sum(map(str.isalpha, block.text)) >= FEWEST_LETTERS
    )


def _footnote(block: Block) -> Block:
    return replace(with_marker(block), kind=Kind.FOOTNOTE)
