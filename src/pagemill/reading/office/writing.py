"""Text as it grows, with its emphasis and links; every reader of this room writes its blocks with it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from pagemill.model.pages import Block, Cell, Kind, Rows, Span
from pagemill.reading.clean import clean
from pagemill.reading.page.headed_tables import headed_table

_SPACES = re.compile(r"[ \t\r\f\v\u00a0]+")
_SAFE_LINK = re.compile(r"(?:https?|mailto|ftp|tel):", re.IGNORECASE)
_BLANKS = re.compile(r"[ \t]*\n[ \t]*")
LONGEST_LINK = 4_096
# Names of places; those of our own blocks are not taken.
_PLACE_NAME = re.compile(r"(?!p\d+-b\d+$)[\w.:-]{1,200}")


@dataclass(frozen=True, slots=True)
class TextLook:
    """How a run of text looks."""

    bold: bool = False
    italic: bool = False
    href: str | None = None
    change: str | None = None


PLAIN = TextLook()


@dataclass(slots=True)
class Text:
    """Runs of text; what comes out has single spaces, no blanks at its edges, and spans that fit."""

    runs: list[tuple[str, TextLook]] = field(default_factory=list)

    def add(self, text: str, look: TextLook = PLAIN) -> None:
        """Add a run at the end."""
        if text:
            self.runs.append((clean(text), look))

    def is_empty(self) -> bool:
        """Whether there is nothing but blanks."""
        return not any(text.strip() for text, _ in self.runs)

    def plain(self) -> str:
        """The text alone."""
        return self.finish()[0]

    def finish(self) -> tuple[str, tuple[Span, ...]]:
        """The text and its spans."""
        out: list[str] = []
        spans: list[Span] = []
        length = 0
        for raw, look in self.runs:
            text = _BLANKS.sub("\n", _SPACES.sub(" ", raw))
            if text[:1] == " " and (not out or out[-1][-1:] in " \n"):
                text = text[1:]
            if not out:
                text = text.lstrip("\n ")
            if not text:
                continue
            if text[0] == "\n" and out[-1:] and out[-1].endswith(" "):
                out[-1] = out[-1][:-1]
                length -= 1
                spans = [replace(span, end=min(span.end, length)) for span in spans]
            out.append(text)
            if look != PLAIN:
                _lengthen(
                    spans, Span(length, length + len(text), look.bold, look.italic, look.href, look.change)
                )
            length += len(text)
        whole = "".join(out).rstrip()
        return whole, tuple(
            replace(span, end=min(span.end, len(whole))) for span in spans if span.start < len(whole)
        )


def _lengthen(spans: list[Span], span: Span) -> None:
    """Add a span, or lengthen the last one if it looks the same and ends where this begins."""
    last = spans[-1] if spans else None
    if last and last.end >= span.start and replace(last, start=0, end=0) == replace(span, start=0, end=0):
        spans[-1] = replace(last, end=span.end)
    else:
        spans.append(span)


def safe_link(target: str | None) -> str | None:
    """A link that may be followed, or None: scripts and local files are not linked to."""
    if not target or len(target) > LONGEST_LINK or not _SAFE_LINK.match(target.strip()):
        return None
    return clean("".join(target.split()))


def place_name(name: str | None) -> str | None:
    """The name of a place in a document that links can lead to; None if it would not do as an anchor."""
    return name if name and _PLACE_NAME.fullmatch(name) else None


def place_link(name: str | None) -> str | None:
    """A link to a place in the same document."""
    known = place_name(name)
    return f"#{known}" if known else None


def only_link(blocks: Iterable[Block]) -> str | None:
    """Where the links of a cell lead, if all of them lead to one address."""
    found = {span.href for block in blocks for span in block.spans if span.href and span.href[0] != "#"}
    return found.pop() if len(found) == 1 else None


def text_block(kind: Kind, text: Text, level: int | None = None) -> Block:
    """A block of text; one that is bold or italic as a whole says so instead of a span."""
    words, spans = text.finish()
    whole = spans[0] if len(spans) == 1 else None
    if whole and not whole.href and not whole.change and (whole.start, whole.end) == (0, len(words)):
        return Block("", kind, text=words, level=level, bold=whole.bold, italic=whole.italic)
    return Block("", kind, text=words, level=level, spans=spans)


def paragraph(text: str) -> Block:
    """A paragraph of plain text."""
    return Block("", Kind.PARAGRAPH, text=tidy(text))


def heading(text: str, level: int) -> Block:
    """A heading of plain text."""
    return Block("", Kind.HEADING, text=" ".join(clean(text).split()), level=min(max(level, 1), 6))


def tidy(text: str) -> str:
    """Text with single spaces and no blanks at its edges; line breaks stay."""
    one = Text()
    one.add(text)
    return one.plain()


def table(rows: Iterable[Iterable[Cell]], *, header_rows: int) -> Block | None:
    """A table, its rows filled up to the same length; None if it has no cells. A first row without text heads nothing."""
    grid = [tuple(row) for row in rows]
    width = max(map(len, grid), default=0)
    if not width:
        return None
    filled: Rows = tuple(row + (Cell(""),) * (width - len(row)) for row in grid)
    return headed_table(filled, header_rows if any(cell.text for cell in filled[0]) else 0)
