"""Web pages: the main content as blocks. Nothing that a page refers to is fetched."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import takewhile
from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pagemill.errors import DocumentTooLarge
from pagemill.model.pages import Block, Cell, Kind
from pagemill.reading.office.docx.word_tables import cell_text
from pagemill.reading.office.flow import Flow
from pagemill.reading.office.package import EXTERNAL
from pagemill.reading.office.writing import (
    PLAIN,
    Text,
    TextLook,
    only_link,
    place_link,
    place_name,
    safe_link,
    text_block,
)
from pagemill.reading.page.headed_tables import headed_table

# The parser takes time that grows with the square of the depth: 20,000 levels take five seconds.
DEEPEST = 512
WIDEST_SPAN = 64
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)[^<>]*?(/?)>")
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_SKIPPED = frozenset(
    "script style noscript template head nav footer aside button select svg iframe object video audio".split()
)
_BLOCKS = frozenset(
    "address article blockquote body center dd details dialog div dl dt fieldset figure form header hgroup html legend"
    " main p section summary".split()
)
_APART = frozenset(("table", "ul", "ol", "menu", "li", "pre", "listing", "xmp"))
_ROLES = ("navigation", "banner", "contentinfo", "complementary", "search")
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_LANG = re.compile(r"(?:language|lang|highlight-source)-([\w+#-]{1,30})")
_CODE_LANG_ATTRIBUTES = ("class", "data-lang")


def read_html(html: str, warnings: dict[str, None] | None = None) -> Flow:
    """The blocks of a web page."""
    check_depth(html)
    parser = LexborHTMLParser(html)
    root = _main(parser)
    reader = PageReader(warnings=warnings if warnings is not None else {})
    title = parser.css_first("title")
    if root is not None:
        reader.walk(root)
        reader.flush()
    if title is not None and not any(block.kind is Kind.HEADING for block in reader.flow.blocks):
        words = " ".join((title.text() or "").split())
        if words:
            reader.flow.blocks.insert(0, Block("", Kind.HEADING, text=words, level=1))
    return reader.flow


def check_depth(html: str) -> None:
    """Raise DocumentTooLarge if elements are nested too deeply for the parser."""
    depth = 0
    for match in _TAG.finditer(html):
        if match[2].lower() in _VOID or match[3]:
            continue
        depth = max(depth - 1, 0) if match[1] else depth + 1
        # Paragraphs and list entries that are never closed are no nesting; ten times as many are left to them.
        if depth > DEEPEST * 10:
            raise DocumentTooLarge.because("The elements of the page are nested too deeply.", limit=DEEPEST)


def _main(parser: LexborHTMLParser) -> LexborNode | None:
    """The element with the content of a page."""
    for selector in ("main", "[role=main]"):
        found = parser.css(selector)
        if len(found) == 1 and (found[0].text() or "").strip():
            return found[0]
    articles = parser.css("article")
    return articles[0] if len(articles) == 1 and len(articles[0].text() or "") > 200 else parser.body


@dataclass(slots=True)
class PageReader:
    """Walks through a page and collects its blocks."""

    flow: Flow = field(default_factory=Flow)
    warnings: dict[str, None] = field(default_factory=dict)
    text: Text = field(default_factory=Text)
    lists: list[tuple[bool, int]] = field(default_factory=list)
    entry: tuple[bool, str | None] | None = None
    depth: int = 0

    def walk(self, node: LexborNode, look: TextLook = PLAIN) -> None:
        """Read everything below a node."""
        self.depth += 1
        if self.depth > DEEPEST // 2:
            self.text.add(f" {' '.join((node.text(deep=True) or '').split())} ", look)
        else:
            child = node.child
            while child is not None:
                self._one(child, look)
                child = child.next
        self.depth -= 1

    def _one(self, node: LexborNode, look: TextLook) -> None:
        tag = node.tag or ""
        if tag == "-text":
            self.text.add(" ".join(_split_words(node.text_content or "")), look)
        elif tag.startswith("-") or tag in _SKIPPED or _is_hidden(node, tag):
            return
        else:
            self._element(node, tag, look)

    def _element(self, node: LexborNode, tag: str, look: TextLook) -> None:
        place = _place(node, tag)
        if place:
            if tag in _HEADINGS or tag in _BLOCKS or tag in _APART:
                self.flush()
            self.flow.mark(place)
        if tag in _HEADINGS:
            self.flush()
            self.walk(node)
            self.flush(Kind.HEADING, _HEADINGS[tag])
        elif tag == "table":
            self.flush()
            self.flow.add(*_table(node, self.warnings))
        elif tag in ("ul", "ol", "menu"):
            self._list(node, ordered=tag == "ol")
        elif tag == "li":
            self._entry(node)
        elif tag in ("pre", "listing", "xmp"):
            self._code(node)
        else:
            self._inline_or_block(node, tag, look)

    def _inline_or_block(self, node: LexborNode, tag: str, look: TextLook) -> None:
        css = node.attributes.get("class") or ""
        match tag:
            case "br":
                self.text.add("\n")
            case "hr":
                self.flush()
                self.flow.add(Block("", Kind.RULE))
            case "img":
                self._image(node)
            case "math":
                self._formula(node)
            case "eq":
                self.text.add(f"${(node.text() or '').strip()}$", look)
            case "span" if "math" in css.split():
                self.text.add(f"${(node.text() or '').strip()}$", look)
            case "div" if "math" in css.split():
                self.flush()
                self.flow.add(Block("", Kind.FORMULA, text=(node.text() or "").strip()))
            case "figcaption" | "caption":
                self.flush()
                self.walk(node)
                self.flush(Kind.CAPTION)
            case "input" if node.attributes.get("type") == "checkbox":
                self.text.add("☒ " if "checked" in node.attributes else "☐ ")
            case _ if tag in _BLOCKS:
                self.flush()
                self.walk(node, look)
                self.flush()
            case _:
                self.walk(node, _style_of(node, tag, look))

    def flush(self, kind: Kind = Kind.PARAGRAPH, level: int | None = None) -> None:
        """End the block that is being collected."""
        if self.text.is_empty():
            self.text = Text()
            return
        block = text_block(kind, self.text, level)
        self.text = Text()
        if kind is Kind.HEADING:
            block = replace(block, text=" ".join(block.text.split()), bold=False, italic=False)
        elif kind is Kind.PARAGRAPH and self.entry is not None:
            ordered, marker = self.entry
            self.entry = None
            depth = max(len(self.lists) - 1, 0)
            block = replace(block, kind=Kind.LIST_ITEM, level=depth, ordered=ordered, marker=marker)
        self.flow.add(block)

    def _list(self, node: LexborNode, *, ordered: bool) -> None:
        self.flush()
        start = node.attributes.get("start") or "1"
        self.lists.append((ordered, int(start) if start.isdecimal() and len(start) < 9 else 1))
        self.walk(node)
        self.flush()
        self.lists.pop()

    def _entry(self, node: LexborNode) -> None:
        self.flush()
        ordered, count = self.lists[-1] if self.lists else (False, 1)
        if self.lists:
            self.lists[-1] = (ordered, count + 1)
        self.entry = (ordered, f"{count}." if ordered else None)
        self.walk(node)
        self.flush()
        self.entry = None

    def _code(self, node: LexborNode) -> None:
        self.flush()
        inner = node.css_first("code")
        names = " ".join(
            (one.attributes.get(name) or "")
            for one in (node, inner)
            if one is not None
            for name in _CODE_LANG_ATTRIBUTES
        )
        lang = _LANG.search(names)
        self.flow.add(
            Block("", Kind.CODE, text=(node.text() or "").strip("\n"), lang=lang[1] if lang else None)
        )

    def _image(self, node: LexborNode) -> None:
        source = node.attributes.get("src") or ""
        if source.startswith(("http:", "https:", "//")):
            self.warnings[EXTERNAL] = None
        alt = " ".join((node.attributes.get("alt") or "").split())
        if alt:
            self.flush()
            self.flow.add(Block("", Kind.FIGURE, text=alt))

    def _formula(self, node: LexborNode) -> None:
        note = node.css_first("annotation[encoding='application/x-tex']")
        if note is not None:
            self.text.add(f"${' '.join((note.text() or '').split())}$")
        else:
            self.text.add(" ".join((node.text() or "").split()))


def _split_words(text: str) -> Iterator[str]:
    """The words of a text, with a blank where it began or ended with one."""
    if text[:1].isspace():
        yield ""
    yield from text.split()
    if (text.strip() and text[-1:].isspace()) or (not text.strip() and text):
        yield ""


def _is_hidden(node: LexborNode, tag: str) -> bool:
    attributes = node.attributes
    if not attributes:
        return False
    if "hidden" in attributes or attributes.get("aria-hidden") == "true" or attributes.get("role") in _ROLES:
        return tag not in ("math", "body", "main")
    return _HIDDEN.search(attributes.get("style") or "") is not None


def _link(href: str | None) -> str | None:
    inside = place_link(unquote(href[1:])) if href and href.startswith("#") else None
    return inside or safe_link(href)


def _place(node: LexborNode, tag: str) -> str | None:
    """The name that links have for an element."""
    named = node.attributes.get("id") or (node.attributes.get("name") if tag == "a" else None)
    return place_name(named)


def _style_of(node: LexborNode, tag: str, look: TextLook) -> TextLook:
    match tag:
        case "b" | "strong":
            return replace(look, bold=True)
        case "i" | "em" | "cite" | "var" | "dfn":
            return replace(look, italic=True)
        case "a":
            return replace(look, href=_link(node.attributes.get("href")) or look.href)
        case "del" | "s" | "strike":
            return replace(look, change="deleted")
    return look


def _table(node: LexborNode, warnings: dict[str, None]) -> list[Block]:
    """A table after its caption; one of a single cell is only a frame."""
    rows = [row for row in node.css("tr") if _owner(row) == node.mem_id]
    cells = [[cell for cell in _children(row) if cell.tag in ("td", "th")] for row in rows]
    caption = next((one for one in _children(node) if one.tag == "caption"), None)
    above = (
        [Block("", Kind.CAPTION, text=" ".join((caption.text() or "").split()))]
        if caption is not None
        else []
    )
    if sum(map(len, cells)) == 1:
        return _blocks(next(row for row in cells if row)[0], warnings)
    grid = _laid_out(cells, warnings)
    if not grid:
        return above
    heads = sum(1 for _ in takewhile(lambda row: row[1] and _is_head(*row), zip(rows, cells, strict=True)))
    return [*above, headed_table(tuple(grid), heads)]


def _is_head(row: LexborNode, cells: list[LexborNode]) -> bool:
    parent = row.parent
    return all(cell.tag == "th" for cell in cells) or (parent is not None and parent.tag == "thead")


def _owner(row: LexborNode) -> int | None:
    """The table that a row belongs to."""
    node = row.parent
    while node is not None and node.tag != "table":
        node = node.parent
    return node.mem_id if node is not None else None


def _children(node: LexborNode) -> Iterator[LexborNode]:
    child = node.child
    while child is not None:
        yield child
        child = child.next


def _blocks(node: LexborNode, warnings: dict[str, None]) -> list[Block]:
    reader = PageReader(warnings=warnings)
    reader.walk(node)
    reader.flush()
    return reader.flow.blocks


def _laid_out(rows: list[list[LexborNode]], warnings: dict[str, None]) -> list[tuple[Cell, ...]]:
    """The cells in their columns, with empty ones where another cell spans over."""
    taken: set[tuple[int, int]] = set()
    grid: list[list[Cell]] = []
    for at, row in enumerate(rows):
        line: list[Cell] = []
        for one in row:
            while (at, len(line)) in taken:
                line.append(Cell(""))
            height, width = _span(one, "rowspan"), _span(one, "colspan")
            height = min(height, len(rows) - at)
            taken |= {(at + down, len(line) + across) for down in range(height) for across in range(width)}
            inside = _blocks(one, warnings)
            line.append(Cell(cell_text(inside), row_span=height, column_span=width, href=only_link(inside)))
        while (at, len(line)) in taken:
            line.append(Cell(""))
        grid.append(line)
    wide = max(map(len, grid), default=0)
    return [tuple(line) + (Cell(""),) * (wide - len(line)) for line in grid] if wide else []


def _span(cell: LexborNode, name: str) -> int:
    raw = cell.attributes.get(name) or "1"
    return min(max(int(raw), 1), WIDEST_SPAN) if raw.isdecimal() and len(raw) < 6 else 1
