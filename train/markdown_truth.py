"""Labels of lines from a true Markdown text: each line is looked for in its headings, tables, lists and paragraphs."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bs4 import BeautifulSoup

from pagemill.reading.layout.lines import TextLine
from pagemill.reading.layout.markers import is_caption
from pagemill.reading.layout.roles import ROLES
from train.align import Labels

HEADING, TEXT, LIST_ITEM, TABLE, CAPTION = "heading", "text", "list_item", "table", "caption"
# Shorter texts occur in other blocks by chance.
LEAST_LETTERS = 4
# Where running lines are that the truth leaves out, as a share of the page.
MARGIN = 0.09
_HEADING = re.compile(r"#{1,6}\s+(.*)")
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+(.*)")
_FENCE = re.compile(r"<table.*?</table>", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class MarkdownBlock:
    """A block of a true text: its role and its letters."""

    role: str
    letters: str


def squeezed(text: str) -> str:
    """Letters and digits alone, in lower case."""
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def blocks_of(markdown: str) -> list[MarkdownBlock]:
    """The blocks of a Markdown text."""
    found: list[MarkdownBlock] = []
    at = 0
    for match in _FENCE.finditer(markdown):
        found += _plain_blocks(markdown[at : match.start()])
        found.append(MarkdownBlock(TABLE, _cells(match[0])))
        at = match.end()
    return found + _plain_blocks(markdown[at:])


def _cells(html: str) -> str:
    cells = BeautifulSoup(html, "lxml").find_all(["td", "th"])
    return "\n".join(squeezed(cell.get_text(" ")) for cell in cells)


def _plain_blocks(markdown: str) -> list[MarkdownBlock]:
    found: list[MarkdownBlock] = []
    for part in re.split(r"\n\s*\n", markdown):
        rows = [row for row in part.splitlines() if row.strip()]
        if rows and sum(row.strip().startswith("|") for row in rows) > 1:
            found.append(
                MarkdownBlock(TABLE, "\n".join(squeezed(cell) for row in rows for cell in row.split("|")))
            )
        else:
            found += _text_blocks(rows)
    return found


def _text_blocks(rows: Sequence[str]) -> list[MarkdownBlock]:
    found: list[tuple[str, str]] = []
    for row in rows:
        if heading := _HEADING.match(row.strip()):
            found.append((HEADING, heading[1]))
        elif item := _ITEM.match(row):
            found.append((LIST_ITEM, item[0]))
        elif found:
            # A heading of several printed lines has them all here, up to the next empty line.
            found[-1] = (found[-1][0], f"{found[-1][1]} {row}")
        else:
            found.append((TEXT, row))
    return [MarkdownBlock(role, squeezed(text)) for role, text in found]


def markdown_labels(lines: Sequence[TextLine], markdown: str, height: float) -> Labels:
    """The labels of lines that are found in one block only, or in a heading as a whole."""
    labels = Labels.unknown(len(lines))
    blocks = blocks_of(markdown)
    captions = _captions(lines, blocks)
    for at, line in enumerate(lines):
        letters = squeezed(line.text)
        found = _found(letters, blocks)
        if found is not None:
            block, place = found
            # The text of a caption is plain text in Markdown.
            role = CAPTION if block in captions else blocks[block].role
            labels.role[at], labels.block[at] = ROLES.index(role), block
            labels.order[at] = block + place / (len(blocks[block].letters) + 1)
        elif (running := _running(line, letters, height)) and not _is_anywhere(letters, blocks):
            labels.role[at] = ROLES.index(running)
    return labels


def _captions(lines: Sequence[TextLine], blocks: Sequence[MarkdownBlock]) -> set[int]:
    """The blocks of text that start with a line that is a caption's."""
    starts = [squeezed(line.text) for line in lines if is_caption(line.text)]
    return {
        at
        for at, block in enumerate(blocks)
        if block.role == TEXT and any(start and block.letters.startswith(start) for start in starts)
    }


def _found(letters: str, blocks: Sequence[MarkdownBlock]) -> tuple[int, int] | None:
    """The block that a line is part of and its place there; None if there is none, or several that differ in role."""
    if not letters:
        return None
    headings = [at for at, block in enumerate(blocks) if block.role == HEADING]
    whole = [at for at in headings if blocks[at].letters == letters] or [
        at for at in headings if len(letters) >= LEAST_LETTERS and _is_end(letters, blocks[at].letters)
    ]
    if len(whole) == 1:
        return whole[0], blocks[whole[0]].letters.find(letters)
    if len(letters) < LEAST_LETTERS:
        fit = [
            at
            for at, block in enumerate(blocks)
            if block.role == TABLE and letters in block.letters.split("\n")
        ]
    else:
        fit = [at for at, block in enumerate(blocks) if letters in block.letters]
    if not fit or len({blocks[at].role for at in fit}) > 1:
        return None
    return fit[0], blocks[fit[0]].letters.find(letters)


def _is_end(letters: str, whole: str) -> bool:
    """Whether a text is the first or the last line of a heading."""
    return whole.startswith(letters) or whole.endswith(letters)


def _is_anywhere(letters: str, blocks: Sequence[MarkdownBlock]) -> bool:
    return any(letters in block.letters for block in blocks)


def _running(line: TextLine, letters: str, height: float) -> str | None:
    """The role of a line in the margin that the truth has left out."""
    if line.bottom < MARGIN * height:
        return "page_number" if letters.isdigit() else "header"
    if line.top > (1 - MARGIN) * height:
        return "page_number" if letters.isdigit() else "footer"
    return None
