"""The pieces of a made page: each can be drawn and says what its true reading is."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Protocol

from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import Flowable, Paragraph, Spacer

BULLETS = "•–▪"
INDENT_EMS = 1.8


@dataclass(frozen=True, slots=True)
class Look:
    """The type in which a page is set."""

    regular: str
    bold: str
    size: float
    heading_growth: float = 1.25

    def style(self, *, bold: bool = False, size: float | None = None, **more: Any) -> ParagraphStyle:
        """The style of a paragraph."""
        points = size or self.size
        font = self.bold if bold else self.regular
        return ParagraphStyle("made", fontName=font, fontSize=points, leading=points * 1.25, **more)


class Piece(Protocol):
    """A piece of a page."""

    def flowables(self, look: Look) -> list[Flowable]:
        """What is drawn."""
        ...

    def markdown(self) -> str:
        """What should be read."""
        ...


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; the deeper, the smaller."""

    text: str
    level: int = 1

    def flowables(self, look: Look) -> list[Flowable]:
        """A larger and bold line."""
        size = look.size * look.heading_growth ** max(3 - self.level, 0)
        style = look.style(
            bold=True, size=size, spaceBefore=size * 0.7, spaceAfter=size * 0.4, keepWithNext=1
        )
        return [Paragraph(escape(self.text), style)]

    def markdown(self) -> str:
        """The line with its hashes."""
        return f"{'#' * self.level} {self.text}"


@dataclass(frozen=True, slots=True)
class Prose:
    """A paragraph."""

    text: str
    alignment: int = 0

    def flowables(self, look: Look) -> list[Flowable]:
        """The lines of the paragraph."""
        style = look.style(alignment=self.alignment, spaceAfter=look.size * 0.6)
        return [Paragraph(escape(self.text), style)]

    def markdown(self) -> str:
        """The text."""
        return self.text


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a list, at a depth from 0; one with a number has it as its marker."""

    text: str
    depth: int = 0
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """A list, with lists in it where entries are deeper."""

    entries: Sequence[Entry]

    def flowables(self, look: Look) -> list[Flowable]:
        """The entries with hanging indents."""
        drawn: list[Flowable] = [self._drawn(entry, look) for entry in self.entries]
        return [*drawn, Spacer(1, look.size * 0.6)]

    def _drawn(self, entry: Entry, look: Look) -> Flowable:
        step = look.size * INDENT_EMS
        left = step * (entry.depth + 1)
        style = look.style(
            leftIndent=left, bulletIndent=left - step, bulletFontName=look.regular, spaceAfter=2
        )
        style.bulletFontSize = look.size
        marker = BULLETS[entry.depth % len(BULLETS)] if entry.number is None else f"{entry.number}."
        return Paragraph(escape(entry.text), style, bulletText=marker)

    def markdown(self) -> str:
        """The entries with their markers, indented by depth."""
        return "\n".join(
            f"{'   ' * entry.depth}{'-' if entry.number is None else f'{entry.number}.'} {entry.text}"
            for entry in self.entries
        )
