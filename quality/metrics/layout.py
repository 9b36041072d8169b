"""How well a page's Markdown keeps what people said of its lines: their roles, their order, and where paragraphs break."""

import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pagemill.model.pages import Block, Box, Kind, Page
from pagemill.reading.page.block_parts import words_of
from quality.metrics.pipes import with_html_tables

RUNNING = frozenset({"header", "footer", "page_number"})
# What no reader misses in a text: running lines, labels inside figures, marks.
APART = RUNNING | {"figure", "mark", "formula"}
# Shorter lines are found anywhere.
LEAST_LETTERS = 6
_TABLE = re.compile(r"<table.*?</table>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_NOTE = re.compile(r"\[\^[^\]]+\]:")
_FIGURE_TITLE = re.compile(r"\b(?:Figure?|Fig\.?|Table)\s*[\dIVX]+\b")
_KINDS = {
    Kind.HEADING: "heading",
    Kind.TABLE: "table",
    Kind.FOOTNOTE: "footnote",
    Kind.HEADER: "running",
    Kind.FOOTER: "running",
}


@dataclass(frozen=True, slots=True)
class Tally:
    """Of so many that were found and so many that are there, how many are the same."""

    hits: int
    found: int
    there: int

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.hits + other.hits, self.found + other.found, self.there + other.there)

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall; None where there is nothing."""
        return 2 * self.hits / (self.found + self.there) if self.found + self.there else None


@dataclass(frozen=True, slots=True)
class TrueLine:
    """A line of a page as people labelled it."""

    text: str
    role: str
    paragraph: int
    box: Box | None = None


@dataclass(frozen=True, slots=True)
class AnswerBlock:
    """A block of an answer: its kind, its letters, and where it is if that is known."""

    kind: str
    letters: str
    box: Box | None = None

    def holds(self, box: Box | None) -> bool:
        """Whether the middle of a box is in it."""
        if self.box is None or box is None:
            return False
        x, y = box.x + box.width / 2, box.y + box.height / 2
        return self.box.x <= x <= self.box.right and self.box.y <= y <= self.box.bottom


def squeeze(text: str) -> str:
    """Letters and digits alone, in lower case and without ligatures."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "".join(letter for letter in plain if letter.isalnum())


def answer_blocks(markdown: str) -> list[AnswerBlock]:
    """The blocks of an answer: headings, tables, notes, items and texts."""
    blocks: list[AnswerBlock] = []
    markdown = with_html_tables(markdown)
    at = 0
    for table in _TABLE.finditer(markdown):
        blocks += _text_blocks(markdown[at : table.start()])
        blocks.append(AnswerBlock("table", squeeze(_TAG.sub(" ", table[0]))))
        at = table.end()
    return [block for block in blocks + _text_blocks(markdown[at:]) if block.letters]


def _text_blocks(markdown: str) -> list[AnswerBlock]:
    blocks: list[AnswerBlock] = []
    for part in re.split(r"\n\s*\n|\n(?=\s*(?:[-*+]|\d{1,3}[.)])\s)|(?<=\n)(?=#)", markdown):
        text = part.strip()
        if text.startswith("#"):
            head, _, rest = text.partition("\n")
            blocks += [AnswerBlock("heading", squeeze(head)), AnswerBlock("text", squeeze(rest))]
        else:
            kind = "footnote" if _NOTE.match(text) else "text"
            blocks.append(AnswerBlock(kind, squeeze(_TAG.sub(" ", text))))
    return blocks


def page_blocks(page: Page) -> list[AnswerBlock]:
    """The blocks of a page that has them, running lines too."""
    blocks = [
        AnswerBlock(_KINDS.get(block.kind, "text"), _letters(block), block.box) for block in page.blocks
    ]
    return [block for block in blocks if block.letters]


def found_blocks(page: Page, lines: Sequence[TrueLine]) -> list[int | None]:
    """For each line, the place of the block that has it; None for short lines and for those that none has."""
    kept = [at for at, block in enumerate(page.blocks) if _letters(block)]
    answer = _Answer(page_blocks(page))
    texts = [squeeze(line.text) for line in lines]
    found = [
        answer.block_of(place, line.box) if len(text) >= LEAST_LETTERS else None
        for place, line, text in zip(answer.places(texts), lines, texts, strict=True)
    ]
    return [None if at is None else kept[at] for at in found]


def _letters(block: Block) -> str:
    return squeeze(" ".join((block.marker or "", *words_of(block))))


def layout_tallies(lines: Sequence[TrueLine], blocks: Sequence[AnswerBlock]) -> Mapping[str, Tally]:
    """Tallies of headings, running lines, notes, order, breaks and prose in tables; `lines` are in reading order.

    Lines of a few letters count among running lines only. A text without the lines that it leaves out says that these are
    running; blocks with boxes say themselves which are.
    """
    answer, told = _Answer(blocks), any(block.box for block in blocks)
    all_letters = [squeeze(line.text) for line in lines]
    found = answer.places(all_letters)
    long = [at for at, letters in enumerate(all_letters) if len(letters) >= LEAST_LETTERS]
    places, roles = [found[at] for at in long], [lines[at].role for at in long]
    kinds = [answer.kind_at(place, lines[at].box) for place, at in zip(places, long, strict=True)]
    titled = titled_paragraphs(lines)
    sections = [at for at, line in enumerate(long) if lines[line].paragraph not in titled]
    prose = [kind == "table" for kind, role in zip(kinds, roles, strict=True) if role == "text"]
    return {
        "heading_f1": _tally([kind == "heading" for kind in kinds], [role == "heading" for role in roles]),
        "section_f1": _tally(
            [kinds[at] == "heading" for at in sections], [roles[at] == "heading" for at in sections]
        ),
        "running_f1": _tally(
            [kind == "running" or (kind is None and not told) for kind in kinds],
            [role in RUNNING for role in roles],
        )
        + _short_running(lines, all_letters, answer, told=told),
        "footnote_f1": _tally([kind == "footnote" for kind in kinds], [role == "footnote" for role in roles]),
        "table_f1": _tally([kind == "table" for kind in kinds], [role == "table" for role in roles]),
        **_sequences(lines, all_letters, found, answer),
        "prose_in_tables": Tally(sum(prose), len(prose), len(prose)),
    }


def _short_running(
    lines: Sequence[TrueLine], letters: Sequence[str], answer: "_Answer", *, told: bool
) -> Tally:
    """The tally of running lines that are too short to be looked for, most of them numbers of pages.

    Such a line is left out if a running block is where it is, or no block at all. A text has no boxes: there it is kept if it
    is a block by itself. Other short lines count as running only where a running block is.
    """
    short = [at for at, one in enumerate(letters) if 0 < len(one) < LEAST_LETTERS]
    there = [lines[at].role in RUNNING for at in short]
    if told:
        kinds = [answer.kind_at(None, lines[at].box) for at in short]
        left_out = [
            kind == "running" or (is_running and kind is None)
            for kind, is_running in zip(kinds, there, strict=True)
        ]
        return _tally(left_out, there)
    alone = {block.letters for block in answer.blocks}
    left_out = [is_running and letters[at] not in alone for at, is_running in zip(short, there, strict=True)]
    return _tally(left_out, there)


def titled_paragraphs(lines: Sequence[TrueLine]) -> set[int]:
    """The paragraphs labelled as headings that are titles of figures and tables, which other labels call captions."""
    return {line.paragraph for line in lines if line.role == "heading" and _FIGURE_TITLE.search(line.text)}


def _tally(found: Sequence[bool], there: Sequence[bool]) -> Tally:
    hits = sum(one and other for one, other in zip(found, there, strict=True))
    return Tally(hits, sum(found), sum(there))


def _sequences(
    lines: Sequence[TrueLine], letters: Sequence[str], places: Sequence[int | None], answer: "_Answer"
) -> dict[str, Tally]:
    """Neighbours that stay neighbours, and breaks between paragraphs."""
    flowing = [at for at, line in enumerate(lines) if line.role not in APART | {"table", "footnote"}]
    body = [at for at in flowing if len(letters[at]) >= LEAST_LETTERS]
    short = {
        one: sum(len(letters[at]) for at in flowing if one < at < other) for one, other in pairwise(body)
    }
    pairs = neighbours = breaks = found = there = 0
    for one, other in pairwise(body):
        place, after = places[one], places[other]
        if place is None or after is None:
            continue
        pairs += 1
        if -2 <= after - place - len(letters[one]) <= LEAST_LETTERS + short[one]:
            is_break = answer.block_at(place) != answer.block_at(after)
            was_break = lines[one].paragraph != lines[other].paragraph
            neighbours += 1
            breaks, found, there = breaks + (is_break and was_break), found + is_break, there + was_break
    return {"order": Tally(neighbours, pairs, pairs), "breaks_f1": Tally(breaks, found, there)}


class _Answer:
    """The letters of an answer, and which block each belongs to."""

    def __init__(self, blocks: Sequence[AnswerBlock]) -> None:
        self.blocks = blocks
        self.letters = "".join(block.letters for block in blocks)
        self.starts: list[int] = []
        at = 0
        for block in blocks:
            self.starts.append(at)
            at += len(block.letters)

    def places(self, texts: Sequence[str]) -> list[int | None]:
        """Where each text is: after the one before it if it is there, else anywhere; None if nowhere."""
        found: list[int | None] = []
        at = 0
        for text in texts:
            place = self.letters.find(text, at) if len(text) >= LEAST_LETTERS else -1
            if place < 0 or place - at > len(text) + LEAST_LETTERS:
                first = self.letters.find(text) if len(text) >= LEAST_LETTERS else -1
                place = first if place < 0 else place
            found.append(place if place >= 0 else None)
            at = place + len(text) if place >= 0 else at
        return found

    def block_at(self, place: int) -> int:
        """The block that a letter belongs to."""
        return bisect_right(self.starts, place) - 1

    def kind_at(self, place: int | None, box: Box | None) -> str | None:
        """The kind of the block that has a line; None if none has it."""
        block = self.block_of(place, box)
        return None if block is None else self.blocks[block].kind

    def block_of(self, place: int | None, box: Box | None) -> int | None:
        """The block that a letter belongs to; for one that is not found, the block that is printed there."""
        if place is not None:
            return self.block_at(place)
        return next((at for at, block in enumerate(self.blocks) if block.holds(box)), None)


def word_tallies(words: Sequence[str], markdown: str) -> tuple[Mapping[str, Tally], list[str]]:
    """How many of a page's words are in an answer, how many are there too often, and those that are lost."""
    wanted = Counter(word for word in map(squeeze, words) if word)
    letters = squeeze(_TAG.sub(" ", markdown))
    there = Counter(squeeze(word) for word in re.findall(r"\w+", _TAG.sub(" ", markdown)))
    lost = sorted(word for word in wanted if not there[word] and word not in letters)
    missing = sum(wanted[word] for word in lost)
    doubled = sum(max(there[word] - count, 0) for word, count in wanted.items() if len(word) >= LEAST_LETTERS)
    total = wanted.total()
    return {"words_kept": Tally(total - missing, total, total), "doubled": Tally(doubled, total, total)}, lost
