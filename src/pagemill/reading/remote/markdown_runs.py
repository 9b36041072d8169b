"""Inline Markdown as plain text, with spans for emphasis and links, and the pictures that are in it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from markdown_it.token import Token

from pagemill.model.pages import Span
from pagemill.reading.clean import clean
from pagemill.reading.page.safe_links import safe_link

_TAG_NAME = re.compile(r"</?\s*([A-Za-z][A-Za-z0-9]*)")
_ATTRIBUTE = re.compile(r"""(alt|src|href)\s*=\s*("[^"]*"|'[^']*')""", re.IGNORECASE)
# Scripts that are written without spaces, so that a new line is no space either.
_UNSPACED = re.compile("[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")
BOLD_TAGS = ("b", "strong")
ITALIC_TAGS = ("i", "em", "cite")
# Tags that say nothing to us; any other is taken for words in angle brackets.
SILENT_TAGS = frozenset(
    "a abbr big center cite code del div em font ins kbd mark p q s samp small span strike sub sup td th tr tt u var".split()
)


@dataclass(frozen=True, slots=True)
class InlineImage:
    """A picture that the text points to: what it shows, and what it is called."""

    alt: str
    source: str


@dataclass(slots=True)
class InlineRuns:
    """Plain text as it grows, its spans and its pictures."""

    pieces: list[str] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    pictures: list[InlineImage] = field(default_factory=list)
    length: int = 0
    bold: int = 0
    italic: int = 0
    href: str | None = None
    new_line: bool = False

    def text(self) -> str:
        """All of it."""
        return "".join(self.pieces)

    def put(self, text: str) -> None:
        """Add text in the style that is open."""
        if self.new_line and self.pieces and text:
            self.new_line = False
            unspaced = _UNSPACED.match(self.pieces[-1][-1:]) and _UNSPACED.match(text)
            self.put("" if unspaced or text[0].isspace() else " ")
        if text := clean(text):
            start, self.length = self.length, self.length + len(text)
            self.pieces.append(text)
            if self.bold > 0 or self.italic > 0 or self.href:
                self._note(Span(start, self.length, self.bold > 0, self.italic > 0, self.href))

    def _note(self, span: Span) -> None:
        last = self.spans[-1] if self.spans else None
        same = last and (last.bold, last.italic, last.href) == (span.bold, span.italic, span.href)
        if last and same and last.end == span.start:
            self.spans[-1] = Span(last.start, span.end, span.bold, span.italic, span.href)
        else:
            self.spans.append(span)

    def trim_spans(self) -> tuple[str, tuple[Span, ...]]:
        """The text without spaces around it, and the spans moved along with it."""
        text = self.text()
        left, words = len(text) - len(text.lstrip()), text.strip()
        moved = (
            Span(max(s.start - left, 0), min(s.end - left, len(words)), s.bold, s.italic, s.href)
            for s in self.spans
        )
        return words, tuple(span for span in moved if words[span.start : span.end].strip())


def runs_of(tokens: Sequence[Token]) -> InlineRuns:
    """The plain text, spans and pictures of an inline token's children."""
    runs = InlineRuns()
    for token in tokens:
        _take(runs, token)
    return runs


def _take(runs: InlineRuns, token: Token) -> None:
    match token.type:
        case "softbreak":
            runs.new_line = True
        case "hardbreak":
            runs.put("\n")
        case "strong_open" | "strong_close":
            runs.bold += token.nesting
        case "em_open" | "em_close":
            runs.italic += token.nesting
        case "link_open":
            runs.href = safe_link(str(token.attrs.get("href", "")))
        case "link_close":
            runs.href = None
        case "image":
            runs.pictures.append(InlineImage(token.content, str(token.attrs.get("src", ""))))
        case "html_inline":
            _take_tag(runs, token.content)
        case "math_inline" | "math_inline_double":
            runs.put(f"${' '.join(token.content.split(chr(10)))}$")
        case _:
            runs.put(token.content)


def _take_tag(runs: InlineRuns, tag: str) -> None:
    name = _TAG_NAME.match(tag)
    word = name[1].lower() if name else ""
    step = -1 if tag.startswith("</") else 1
    if word == "br":
        runs.put("\n")
    elif word in BOLD_TAGS:
        runs.bold += step
    elif word in ITALIC_TAGS:
        runs.italic += step
    elif word == "a":
        runs.href = safe_link(attributes(tag).get("href", "")) if step > 0 else None
    elif word == "img":
        given = attributes(tag)
        runs.pictures.append(InlineImage(given.get("alt", ""), given.get("src", "")))
    elif word not in SILENT_TAGS:
        runs.put(tag)


def attributes(tag: str) -> dict[str, str]:
    """The attributes of a tag that matter here."""
    return {name.lower(): value[1:-1] for name, value in _ATTRIBUTE.findall(tag)}
