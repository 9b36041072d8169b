"""Markdown as our blocks: headings, paragraphs, nested lists, tables, code, formulas, figures and footnotes."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin

from pagemill.model.pages import Block, Box, Cell, Kind, Span
from pagemill.reading.clean import clean
from pagemill.reading.remote.html_tables import table_blocks
from pagemill.reading.remote.markdown_runs import InlineImage, InlineRuns, runs_of
from pagemill.reading.remote.markdown_source import Sort, Stretch, stretches, unwrap_fence

Place = Callable[[str], Box | None]

FORMULA_LANGS = ("latex", "math", "tex")

_FOOTNOTE = re.compile(r"\[\^(\w{1,20})\]:[ \t]*")
_TAG = re.compile(r"<[^<>]*>")
_FILE_NAME = re.compile(r"\S+\.(?:png|jpe?g|gif|webp|svg)", re.IGNORECASE)


def nowhere(_: str) -> Box | None:
    """No box, whatever a picture is called."""
    return None


def blocks_of(markdown: str, place: Place = nowhere) -> list[Block]:
    """The blocks of a page in Markdown; `place` knows the box of a picture by its name."""
    found: list[Block] = []
    for stretch in stretches(unwrap_fence(markdown)):
        found += _stretch_blocks(stretch, place)
    return found


def _stretch_blocks(stretch: Stretch, place: Place) -> list[Block]:
    match stretch.sort:
        case Sort.TABLE:
            return table_blocks(stretch.text)
        case Sort.CODE if stretch.lang in FORMULA_LANGS:
            return [Block("", Kind.FORMULA, text=clean(stretch.text.strip()))]
        case Sort.CODE:
            return [_code(stretch.text, stretch.lang)] if stretch.text.strip() else []
        case Sort.PROSE:
            walk = _Walk(place)
            walk.through(_parser().parse(stretch.text) if stretch.text.strip() else ())
            return walk.blocks


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    # On a page that was read, a line under a paragraph is a rule, spaces before a line are no code,
    # and what looks like the definition of a link is an entry of a bibliography.
    parser.disable(["lheading", "code", "reference"])
    parser.use(dollarmath_plugin, allow_labels=False, double_inline=True)
    # The first use settles the rules, which threads that come together must not do at the same time.
    parser.parse("ready")
    return parser


@dataclass(slots=True)
class _Entry:
    """An entry of a list that is open, and where its block is once it has one."""

    marker: str
    ordered: bool
    level: int
    at: int | None = None


@dataclass(slots=True)
class _Grid:
    """A table of pipes as it grows."""

    header: tuple[Cell, ...] = ()
    rows: list[tuple[Cell, ...]] = field(default_factory=list)
    row: list[Cell] = field(default_factory=list)


@dataclass(slots=True)
class _Walk:
    """Goes through the tokens of a page and collects blocks."""

    place: Place
    blocks: list[Block] = field(default_factory=list)
    entries: list[_Entry] = field(default_factory=list)
    grid: _Grid | None = None
    heading: int | None = None

    def through(self, tokens: Sequence[Token]) -> None:
        """Follow every token."""
        for token in tokens:
            self._structure(token) if token.nesting else self._content(token)

    def _structure(self, token: Token) -> None:
        match token.type:
            case "heading_open":
                self.heading = int(token.tag[1:])
            case "heading_close":
                self.heading = None
            case "list_item_open":
                self._open_entry(token)
            case "list_item_close":
                self.entries.pop()
            case "table_open":
                self.grid = _Grid()
            case "tr_close" | "thead_close" | "table_close" if self.grid:
                self._close(token.type, self.grid)

    def _open_entry(self, token: Token) -> None:
        marker = f"{token.info}{token.markup}" if token.info else "-"
        self.entries.append(_Entry(marker, bool(token.info), len(self.entries)))

    def _close(self, part: str, grid: _Grid) -> None:
        if part == "tr_close":
            grid.rows.append(tuple(grid.row))
            grid.row = []
        elif part == "thead_close":
            grid.header = grid.rows.pop()
        else:
            header = grid.header if any(cell.text for cell in grid.header) else ()
            self.blocks.append(Block("", Kind.TABLE, header=header, rows=tuple(grid.rows)))
            self.grid = None

    def _content(self, token: Token) -> None:
        match token.type:
            case "inline" if self.grid:
                self.grid.row.append(Cell(runs_of(token.children or ()).trim_spans()[0]))
            case "inline":
                self._put(runs_of(token.children or ()))
            case "math_block":
                self.blocks.append(Block("", Kind.FORMULA, text=clean(" ".join(token.content.split()))))
            case "fence":
                self.blocks.append(_code(token.content.rstrip("\n"), token.info))
            case "hr":
                self.blocks.append(Block("", Kind.RULE))
            case "html_block":
                self._put_html(token.content)

    def _put_html(self, html: str) -> None:
        """The words of a tag that is left over, each line its own paragraph."""
        for line in html.split("\n"):
            if _TAG.sub("", line).strip() or "<img" in line.lower():
                [inline] = _parser().parseInline(line.strip())
                self._put(runs_of(inline.children or ()))

    def _put(self, runs: InlineRuns) -> None:
        text, spans = runs.trim_spans()
        if text:
            self._put_text(text, spans)
        self.blocks += [_figure(picture, self.place) for picture in runs.pictures]

    def _put_text(self, text: str, spans: tuple[Span, ...]) -> None:
        if self.heading:
            links = tuple(Span(span.start, span.end, href=span.href) for span in spans if span.href)
            self.blocks.append(Block("", Kind.HEADING, text=text, level=self.heading, spans=links))
        elif self.entries:
            self._put_entry(self.entries[-1], text, spans)
        else:
            self.blocks.append(_paragraph(text, spans))

    def _put_entry(self, entry: _Entry, text: str, spans: tuple[Span, ...]) -> None:
        """The text of an entry; a further paragraph of it goes on in the same block."""
        if entry.at is None:
            entry.at = len(self.blocks)
            made = Block(
                "",
                Kind.LIST_ITEM,
                text=text,
                level=entry.level,
                ordered=entry.ordered,
                marker=entry.marker,
                spans=spans,
            )
            self.blocks.append(made)
        elif entry.at == len(self.blocks) - 1:
            self.blocks[-1] = _longer(self.blocks[-1], text, spans)
        else:
            self.blocks.append(_paragraph(text, spans))


def _longer(block: Block, text: str, spans: tuple[Span, ...]) -> Block:
    by = len(block.text) + 1
    moved = tuple(span.behind(by) for span in spans)
    return replace(block, text=f"{block.text} {text}", spans=block.spans + moved)


def _paragraph(text: str, spans: tuple[Span, ...]) -> Block:
    footnote = _FOOTNOTE.match(text)
    if footnote:
        return Block("", Kind.FOOTNOTE, text=f"{footnote[1]} {text[footnote.end() :]}")
    return Block("", Kind.PARAGRAPH, text=text, spans=spans)


def _code(text: str, lang: str) -> Block:
    return Block("", Kind.CODE, text=clean(text), lang=lang.strip().split(" ")[0] or None)


def _figure(picture: InlineImage, place: Place) -> Block:
    """A figure; what it is called is no description of it."""
    alt = clean(picture.alt).strip()
    return Block("", Kind.FIGURE, place(picture.source), "" if _FILE_NAME.fullmatch(alt) else alt)
