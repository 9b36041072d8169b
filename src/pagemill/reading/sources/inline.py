"""Inline Markdown, as LiteParse puts it into the text of a block, taken apart into plain text and spans."""

import re
from dataclasses import dataclass, field

from pagemill.model.pages import Span
from pagemill.reading.page.safe_links import safe_link

# LiteParse escapes these three in running text, so one without a backslash is markup.
_MARKUP = re.compile(
    r"\\([\\*_])|\*\*?\*?|\[((?:\\.|[^\[\]\\])*)\]\(((?:[^\s()]|\([^\s()]*\))+)\)(?=[\s.,;:!?*)\]]|$)"
)
_LITERAL = re.compile(r"\]\(((?:[^\s()]|\([^\s()]*\))+)\)")


def literal_links(printed: str) -> frozenset[str]:
    """The targets of what is printed on a page in the form of a Markdown link; it is text, and no link at all."""
    return frozenset(_LITERAL.findall("".join(printed.split()))) if "](" in printed else frozenset()


def plain_and_spans(text: str, literal: frozenset[str] = frozenset()) -> tuple[str, tuple[Span, ...]]:
    """The text without its markup, and the runs of it that were marked; links to a literal target are no markup."""
    if "*" not in text and "\\" not in text and "](" not in text:
        return text, ()
    run = _Run(literal)
    run.take(text, None)
    return run.plain(), tuple(run.spans)


@dataclass(slots=True)
class _Run:
    """Plain text as it grows, and the emphasis that is open at its end."""

    literal: frozenset[str]
    pieces: list[str] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    length: int = 0
    bold: bool = False
    italic: bool = False

    def plain(self) -> str:
        return "".join(self.pieces)

    def take(self, text: str, href: str | None) -> None:
        """Add marked-up text, all of it inside a link if `href` is given."""
        at = 0
        for match in _MARKUP.finditer(text):
            self.put(text[at : match.start()], href)
            self.mark(match, href)
            at = match.end()
        self.put(text[at:], href)

    def mark(self, match: re.Match[str], href: str | None) -> None:
        """Follow one piece of markup."""
        escaped, label, target = match.groups()
        if escaped:
            self.put(escaped, href)
        elif target and target in self.literal:
            self.put(match[0], href)
        elif target:
            self.take(label, safe_link(target) or href)
        else:
            stars = len(match[0])
            self.bold ^= stars >= 2
            self.italic ^= stars != 2

    def put(self, text: str, href: str | None) -> None:
        """Add plain text in the style that is open."""
        if not text:
            return
        start, self.length = self.length, self.length + len(text)
        self.pieces.append(text)
        if self.bold or self.italic or href:
            self.note(Span(start, self.length, self.bold, self.italic, href))

    def note(self, span: Span) -> None:
        """Add a span, or lengthen the last one if only a space is between."""
        last = self.spans[-1] if self.spans else None
        if last and _style(last) == _style(span) and not self.plain()[last.end : span.start].strip():
            span = Span(last.start, span.end, span.bold, span.italic, span.href)
            self.spans.pop()
        self.spans.append(span)


def _style(span: Span) -> tuple[bool, bool, str | None]:
    return span.bold, span.italic, span.href
