"""Whether confidence means something: of blocks that are given with 90 %, nine of ten should be right."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pagemill.model.pages import Block, Kind, Page
from quality.metrics.layout import LEAST_LETTERS, TrueLine, found_blocks, squeeze

BINS = 10
_KINDS = {
    "heading": "heading",
    "footnote": "footnote",
    "table": "table",
    "header": "running",
    "footer": "running",
    "page_number": "running",
    "figure": "apart",
    "formula": "apart",
    "mark": "apart",
}
_BLOCK_KINDS = {
    Kind.HEADING: "heading",
    Kind.FOOTNOTE: "footnote",
    Kind.TABLE: "table",
    Kind.HEADER: "running",
    Kind.FOOTER: "running",
    Kind.FORMULA: "apart",
    Kind.FIGURE: "apart",
}
# Whose beginning and end no label has.
LOOSE = ("running", "table", "apart")
# A block is of the kind that so many of its letters have.
MOST_LETTERS = 0.95


@dataclass(frozen=True, slots=True)
class Outcome:
    """How sure a block or a page was, and how right it is, between 0 and 1."""

    confidence: float
    right: float
    letters: int


def block_outcomes(page: Page, lines: Sequence[TrueLine]) -> list[Outcome]:
    """The blocks of a page that have labelled lines in them."""
    held: dict[int, list[int]] = {}
    for at, block in enumerate(found_blocks(page, lines)):
        if block is not None:
            held.setdefault(block, []).append(at)
    return [
        Outcome(confidence, float(_is_right(page.blocks[block], members, lines)), _letters(members, lines))
        for block, members in held.items()
        if (confidence := page.blocks[block].confidence) is not None
    ]


def page_outcomes(page: Page, lines: Sequence[TrueLine]) -> dict[str, list[Outcome]]:
    """Those of the blocks, and that of the page: how much of its letters is in blocks that are right."""
    blocks = block_outcomes(page, lines)
    letters = sum(one.letters for one in blocks)
    right = sum(one.right * one.letters for one in blocks) / max(letters, 1)
    return {"block": blocks, "page": [Outcome(page.confidence, right, letters)] if letters else []}


def _letters(members: Iterable[int], lines: Sequence[TrueLine]) -> int:
    return sum(len(squeeze(lines[at].text)) for at in members)


def _is_right(block: Block, members: Sequence[int], lines: Sequence[TrueLine]) -> bool:
    """Whether a block has the kind of its lines and, where labels have them, all lines of one paragraph and no others."""
    kind = _BLOCK_KINDS.get(block.kind, "body")
    alike = [at for at in members if _KINDS.get(lines[at].role, "body") == kind]
    if _letters(alike, lines) < MOST_LETTERS * _letters(members, lines):
        return False
    if kind in LOOSE:
        return True
    paragraphs = {lines[at].paragraph for at in members}
    whole = [
        at
        for at, line in enumerate(lines)
        if line.paragraph in paragraphs and len(squeeze(line.text)) >= LEAST_LETTERS
    ]
    return len(paragraphs) == 1 and set(whole) <= set(members)


def bins(outcomes: Sequence[Outcome]) -> Iterator[tuple[float, float, int]]:
    """For each tenth of confidence that is used: its mean, how much was right, how many there are."""
    for low in range(BINS):
        inside = [one for one in outcomes if low <= min(one.confidence * BINS, BINS - 1) < low + 1]
        if inside:
            mean = sum(one.confidence for one in inside) / len(inside)
            yield mean, sum(one.right for one in inside) / len(inside), len(inside)


def calibration_error(outcomes: Sequence[Outcome]) -> float | None:
    """The expected calibration error: how far confidence is off, on average."""
    total = len(outcomes)
    return sum(count * abs(mean - right) for mean, right, count in bins(outcomes)) / total if total else None
