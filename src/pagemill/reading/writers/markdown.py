"""document.md: CommonMark with GitHub's tables."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pagemill.model.formats import ARTIFACT_NAMES
from pagemill.model.pages import LABELS, Block, Cell, FormField, Kind, Page, Span
from pagemill.model.work import WrittenArtifact
from pagemill.reading.writers.anchors import anchors
from pagemill.reading.writers.base import Ending, Facts, HashedFile
from pagemill.reading.writers.escapes import cell, inline, line_start
from pagemill.reading.writers.fields import unprinted_fields
from pagemill.reading.writers.figures import captions, figure_words, has_image, image_of
from pagemill.reading.writers.note_labels import NoteLabels
from pagemill.reading.writers.runs import styled_runs
from pagemill.reading.writers.table_html import is_beyond_pipes, table_html

_NUMBERED = re.compile(r"\d{1,9}[.)]")
_BACKTICKS = re.compile(r"`{3,}")
_CLOSING_HASHES = re.compile(r"(?<=\s)(#+)$")
# A command, or something raised or lowered: text that a formula is made of only in LaTeX.
_LATEX = re.compile(r"\\[A-Za-z]+|[_^]\{")
_TAG_START = re.compile(r"<(?=[A-Za-z/!?])")
_BRACKETS = re.compile(r"[\\\[\]*_`<&!]")
_PARAGRAPH = "\n\n"
_NO_CAPTIONS: Mapping[str, str] = {}


class MarkdownWriter:
    """Writes document.md; `with_images` has figures refer to their images."""

    def __init__(
        self, folder: Path, *, name: str = ARTIFACT_NAMES["markdown"], with_images: bool = False
    ) -> None:
        self._file = HashedFile(folder, name)
        self._with_images = with_images
        self._lists = Indents()
        self._labels = NoteLabels()
        self._empty = True

    def open(self, _: Facts) -> None:
        """Markdown has no head."""

    def page(self, page: Page) -> None:
        """Write the blocks of a page, a note if it could not be read, and its form fields."""
        pieces: list[str] = []
        self._start(pieces, page)
        if page.error:
            self._put(pieces, f"<!-- page {page.number} could not be read: {page.error.code} -->")
        known = captions(page.blocks) if self._with_images else _NO_CAPTIONS
        for block in page.blocks:
            if block.kind is Kind.LIST_ITEM:
                self._list_item(pieces, block)
            elif text := self._text(block, known):
                self._put(pieces, f"{self._before(block)}{anchors(block, end=_PARAGRAPH)}{text}")
        if fields := fields_text(unprinted_fields(page)):
            self._put(pieces, fields)
        self._file.write("".join(pieces).encode())

    def close(self, _: Ending) -> dict[str, WrittenArtifact]:
        """End the last line."""
        self._file.write(b"" if self._empty else b"\n")
        return self._file.close()

    def _start(self, pieces: list[str], page: Page) -> None:
        """Pages follow each other without a sign."""

    def _before(self, block: Block) -> str:
        """What is in front of a block."""
        return ""

    def _after(self, block: Block) -> str:
        """What is behind a list item, on its last line."""
        return ""

    def _text(self, block: Block, known_captions: Mapping[str, str]) -> str:
        if self._with_images and has_image(block):
            return figure_text(block, known_captions.get(block.id) or block.text)
        if block.kind is Kind.FOOTNOTE and (defined := self._labels.definition(block)):
            return note_text(block, *defined, self._labels)
        return block_text(block, self._labels)

    def _put(self, pieces: list[str], text: str) -> None:
        self._lists.leave()
        pieces += ("" if self._empty else "\n\n", text)
        self._empty = False

    def _list_item(self, pieces: list[str], block: Block) -> None:
        inside = self._lists.depth > 0
        marker, text = list_marker(block), styled_text(block, self._labels)
        indent = self._lists.enter(block.level or 0, len(marker) + 1)
        line = f"{indent}{marker} {anchors(block)}{line_start(text)}{self._after(block)}"
        pieces += ("" if self._empty else "\n" if inside else "\n\n", line)
        self._empty = False


class Indents:
    """How far the lists that are open are indented."""

    def __init__(self) -> None:
        self._open: list[tuple[int, int]] = []

    @property
    def depth(self) -> int:
        """How many lists are open."""
        return len(self._open)

    def enter(self, level: int, width: int) -> str:
        """The indent of an item of that level, whose own text starts `width` further in."""
        while self._open and self._open[-1][0] >= level:
            self._open.pop()
        indent = self._open[-1][1] if self._open else 0
        self._open.append((level, indent + width))
        return " " * indent

    def leave(self) -> None:
        """No list is open any more."""
        self._open.clear()


def block_text(block: Block, labels: NoteLabels) -> str:
    """A block other than a list item; empty for a figure, which has no words."""
    match block.kind:
        case Kind.HEADING:
            text = _CLOSING_HASHES.sub(r"\\\1", _one_line(styled_text(replace(block, bold=False), labels)))
            return f"{'#' * (block.level or 1)} {text}" if text else ""
        case Kind.TABLE:
            return table_text(block)
        case Kind.CODE:
            return code_text(block)
        case Kind.RULE:
            return "---"
        case Kind.FIGURE if block.role != LABELS:
            return inline(figure_words(block))
        case Kind.FORMULA if _LATEX.search(block.text) and "$$" not in block.text:
            return f"$$\n{formula_text(block.text)}\n$$"
        case _:
            return "\n".join(line_start(line.strip()) for line in styled_text(block, labels).split("\n"))


def formula_text(latex: str) -> str:
    """A formula on one line; spaces, which mean nothing in it, keep it from being taken for a tag."""
    return _TAG_START.sub("< ", " ".join(latex.split()))


def figure_text(block: Block, caption: str) -> str:
    """The image of a figure, with its caption as alternative text."""
    return f"![{caption_text(caption)}]({image_of(block)})"


def caption_text(caption: str) -> str:
    """Words between the brackets of an image, in which brackets and backslashes mean something."""
    return _BRACKETS.sub(r"\\\g<0>", caption)


def list_marker(block: Block) -> str:
    """The marker; one that Markdown does not know is kept as words behind a dash."""
    marker = block.marker or ""
    if block.ordered and marker:
        return marker if _NUMBERED.fullmatch(marker) else f"- {marker}"
    return "-"


def note_text(block: Block, label: str, sign_length: int, labels: NoteLabels) -> str:
    """A note that something refers to, without its sign."""
    kept = tuple(
        replace(span, start=max(span.start - sign_length, 0), end=span.end - sign_length)
        for span in block.spans
        if span.end > sign_length
    )
    words = styled_text(replace(block, text=block.text[sign_length:], spans=kept), labels)
    return f"[^{label}]: {_one_line(words)}"


def styled_text(block: Block, labels: NoteLabels) -> str:
    """The text of a block with its emphasis, links and references to notes."""
    whole = Span(0, 0, block.bold, block.italic)
    if not block.spans:
        return style_run(block.text, whole, labels) if block.text else ""
    stars = _stars(whole)
    runs = [(text, _without(span, whole)) for text, span in styled_runs(block)]
    return (
        f"{stars}{''.join([style_run(text, span, labels, inside=bool(stars)) for text, span in runs])}{stars}"
    )


def _stars(span: Span) -> str:
    return "*" * (2 * span.bold + span.italic)


def _without(span: Span, whole: Span) -> Span:
    """A run without the emphasis that all of the text has."""
    return replace(span, bold=span.bold and not whole.bold, italic=span.italic and not whole.italic)


def style_run(text: str, span: Span, labels: NoteLabels, *, inside: bool = False) -> str:
    """A run of text in its style; `inside` says that there is emphasis around it."""
    if label := labels.reference(text, span):
        return f"[^{label}]"
    stars = _stars(span)
    words = f"{stars}{inline(text, styled=inside or bool(stars))}{stars}"
    if span.change == "deleted":
        words = f"~~{words}~~"
    if span.script:
        words = f"<{span.script.value}>{words}</{span.script.value}>"
    return f"[{words}]({link_target(span.href)})" if span.href else words


def link_target(href: str) -> str:
    """An address as Markdown takes it; one with odd characters is in angle brackets."""
    if any(character in " ()<>\\" for character in href):
        return "<" + href.replace("<", "%3C").replace(">", "%3E").replace("\\", "%5C") + ">"
    return href


def table_text(block: Block) -> str:
    """A table of pipes, in which the first row takes the place of a missing header, or HTML if pipes can't say it."""
    if is_beyond_pipes(block):
        return table_html(block)
    rows = block.all_rows
    if not rows:
        return ""
    columns = max(map(len, rows))
    lines = [_row(row, columns) for row in rows]
    lines.insert(1, "|" + "---|" * columns)
    return "\n".join(lines)


def _row(row: tuple[Cell, ...], columns: int) -> str:
    texts = [cell_text(one) for one in row] + [""] * (columns - len(row))
    return f"| {' | '.join(texts)} |"


def cell_text(one: Cell) -> str:
    """The text of a cell, as a link if it is one."""
    words = cell(one.text)
    return f"[{words}]({link_target(one.href).replace('|', '%7C')})" if one.href and words else words


def code_text(block: Block) -> str:
    """A fenced block, with a fence that is longer than any inside."""
    longest = max(map(len, _BACKTICKS.findall(block.text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{block.lang or ''}\n{block.text}\n{fence}"


def fields_text(fields: Sequence[FormField]) -> str:
    """The fields of a form that say something, as a list."""
    lines = []
    for field in fields:
        name = inline(_one_line(field.shown_name)) or field.kind
        if field.checked is not None:
            lines.append(f"- [{'x' if field.checked else ' '}] {name}")
        else:
            lines.append(f"- **{name}**: {inline(_one_line(field.value or ''))}")
    return "\n".join(lines)


def _one_line(text: str) -> str:
    return " ".join(text.split()) if "\n" in text else text.strip()
