"""Regions of a page that a model has labelled and boxed, as blocks."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from pagemill.model.pages import Block, Box, Kind
from pagemill.reading.clean import clean
from pagemill.reading.remote.markdown_blocks import Place, blocks_of, nowhere

_DELIMITERS = re.compile(r"\A\s*(?:\\\[|\$\$?|\\\()|(?:\\\]|\$\$?|\\\))\s*\Z")


@dataclass(frozen=True, slots=True)
class Region:
    """A part of the page: what the model calls it, what is there in Markdown, where, and how sure it is."""

    label: str
    content: str
    box: Box | None = None
    confidence: float | None = None


def region_blocks(region: Region, place: Place = nowhere) -> list[Block]:
    """The blocks of a region; all of them have its box, as nothing finer is known."""
    make = MAKERS.get(_word(region.label), _as_written)
    return [
        replace(block, box=block.box or region.box, confidence=region.confidence)
        for block in make(region.content, place)
    ]


def knows(label: str) -> bool:
    """Whether a label is one of those that models give to regions."""
    return _word(label) in MAKERS or _word(label) in PLAIN_LABELS


def _word(label: str) -> str:
    return label.strip().lower().replace("-", "_").replace(" ", "_")


def _as_written(content: str, place: Place) -> list[Block]:
    return blocks_of(content, place)


def _heading(level: int) -> Callable[[str, Place], list[Block]]:
    """The maker of a heading; hashes in front of it say better how high it ranks."""

    def make(content: str, place: Place) -> list[Block]:
        blocks = blocks_of(content, place)
        if any(block.kind is Kind.HEADING for block in blocks):
            return blocks
        return [_turned_into(Kind.HEADING, block, level) for block in blocks]

    return make


def _text_block_maker(kind: Kind) -> Callable[[str, Place], list[Block]]:
    """The maker of a block of words, such as a caption."""

    def make(content: str, place: Place) -> list[Block]:
        return [_turned_into(kind, block) for block in blocks_of(content, place)]

    return make


def _turned_into(kind: Kind, block: Block, level: int | None = None) -> Block:
    if block.kind not in (Kind.PARAGRAPH, Kind.HEADING, Kind.LIST_ITEM):
        return block
    text = f"{block.marker} {block.text}" if block.ordered else block.text
    spans = () if kind is Kind.HEADING or block.ordered else block.spans
    return Block("", kind, block.box, text, level=level, spans=spans)


def _figure(content: str, place: Place) -> list[Block]:
    blocks = blocks_of(content, place)
    if any(block.kind is Kind.FIGURE for block in blocks):
        return blocks
    return [Block("", Kind.FIGURE), *blocks]


def _formula(content: str, _: Place) -> list[Block]:
    text = " ".join(clean(_DELIMITERS.sub("", content)).split())
    return [Block("", Kind.FORMULA, text=text)] if text else []


def _code(content: str, place: Place) -> list[Block]:
    if content.lstrip().startswith(("```", "~~~")):
        return blocks_of(content, place)
    return [Block("", Kind.CODE, text=clean(content.strip("\n")))] if content.strip() else []


# What DeepSeek-OCR, Mistral OCR and their kin call the parts of a page.
MAKERS: Mapping[str, Callable[[str, Place], list[Block]]] = {
    **dict.fromkeys(("title", "doc_title"), _heading(1)),
    **dict.fromkeys(("sub_title", "subtitle", "paragraph_title", "section_header"), _heading(2)),
    **dict.fromkeys(("image", "figure", "chart", "picture", "seal"), _figure),
    **dict.fromkeys(
        ("caption", "image_caption", "figure_caption", "table_caption", "chart_caption"),
        _text_block_maker(Kind.CAPTION),
    ),
    **dict.fromkeys(
        ("footnote", "image_footnote", "table_footnote", "page_footnote"), _text_block_maker(Kind.FOOTNOTE)
    ),
    **dict.fromkeys(("equation", "formula", "interline_equation", "isolate_formula"), _formula),
    **dict.fromkeys(("code", "algorithm"), _code),
}
PLAIN_LABELS = frozenset(
    "text paragraph list list_item table header footer page_number aside_text references reference abstract"
    " signature handwriting index table_of_contents".split()
)
