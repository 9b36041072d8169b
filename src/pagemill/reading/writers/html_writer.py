"""document.html: a page that needs no other files, with a section per page and the id of each block."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path

from pagemill.model.formats import ARTIFACT_NAMES
from pagemill.model.pages import Block, FormField, Kind, Page, Span
from pagemill.model.work import WrittenArtifact
from pagemill.reading.page.block_parts import begins_left
from pagemill.reading.page.page_json import words_in
from pagemill.reading.page.scripts import is_right_to_left
from pagemill.reading.writers.anchors import anchors
from pagemill.reading.writers.base import Ending, Facts, HashedFile
from pagemill.reading.writers.fields import unprinted_fields
from pagemill.reading.writers.figures import captions, figure_words, has_image, image_of
from pagemill.reading.writers.runs import styled_runs
from pagemill.reading.writers.table_html import table_html

HEAD = '<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n</head>\n<body>\n'


class HtmlWriter:
    """Writes document.html; `with_images` has figures show their images."""

    def __init__(self, folder: Path, *, with_images: bool = False) -> None:
        self._file = HashedFile(folder, ARTIFACT_NAMES["html"])
        self._with_images = with_images

    def open(self, facts: Facts) -> None:
        """Write the head."""
        self._file.write(HEAD.format(title=escape(facts.title or "Document")).encode())

    def page(self, page: Page) -> None:
        """Write a section."""
        known = captions(page.blocks) if self._with_images else None
        self._file.write("\n".join(section(page, known)).encode())

    def close(self, _: Ending) -> dict[str, WrittenArtifact]:
        """Write the end."""
        self._file.write(b"</body>\n</html>\n")
        return self._file.close()


def section(page: Page, known_captions: Mapping[str, str] | None) -> Iterator[str]:
    """The lines of one page; figures show their images where their captions are known."""
    yield f'<section data-page="{page.number}">'
    if page.error:
        yield f'<p class="error" data-code="{escape(page.error.code)}">{escape(page.error.message)}</p>'
    lists = Lists()
    for block in page.blocks:
        if block.kind is Kind.LIST_ITEM:
            yield from lists.add(block)
        else:
            yield from lists.close()
            shown = known_captions is not None and has_image(block)
            made = figure_html(block, known_captions or {}) if shown else block_html(block)
            yield f"{anchors(block)}{made}"
    yield from lists.close()
    if fields := unprinted_fields(page):
        yield fields_html(fields)
    yield "</section>\n"


class Lists:
    """Opens and closes lists as their items come."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []

    def add(self, block: Block) -> Iterator[str]:
        """The item, and the tags that its level calls for."""
        level, tag = block.level or 0, "ol" if number_of(block) else "ul"
        while self._open and self._open[-1][0] > level:
            yield self._end()
        if self._open and self._open[-1] == (level, tag):
            yield "</li>"
        else:
            if self._open and self._open[-1][0] == level:
                yield self._end()
            yield f"<{tag}>"
            self._open.append((level, tag))
        yield item_html(block)

    def close(self) -> Iterator[str]:
        """The end of all lists."""
        while self._open:
            yield self._end()

    def _end(self) -> str:
        return f"</li></{self._open.pop()[1]}>"


def item_html(block: Block) -> str:
    """A list item, left open for lists inside of it."""
    number = number_of(block)
    if number:
        return f'<li id="{block.id}"{direction(block)} value="{number}">{anchors(block)}{words_html(block)}'
    marker = f"{escape(block.marker)} " if block.ordered and block.marker else ""
    return f'<li id="{block.id}"{direction(block)}>{anchors(block)}{marker}{words_html(block)}'


def number_of(block: Block) -> str:
    """The number of an item in a numbered list, empty if it has another kind of marker."""
    digits = (block.marker or "")[:-1]
    return str(int(digits)) if block.ordered and digits.isdecimal() and len(digits) < 10 else ""


def block_html(block: Block) -> str:
    """A block other than a list item."""
    match block.kind:
        case Kind.HEADING:
            return f'<h{block.level} id="{block.id}"{direction(block)}>{words_html(block)}</h{block.level}>'
        case Kind.TABLE:
            return table_html(block, f' id="{block.id}"{direction(block)}')
        case Kind.CODE:
            return f'<pre id="{block.id}"><code>{escape(block.text)}</code></pre>'
        case Kind.RULE:
            return f'<hr id="{block.id}">'
        case Kind.FIGURE:
            words = f"<figcaption>{escape(block.text)}</figcaption>" if figure_words(block) else ""
            return f'<figure id="{block.id}">{words}</figure>'
        case Kind.CAPTION | Kind.FOOTNOTE | Kind.FORMULA | Kind.HEADER | Kind.FOOTER:
            return f'<p id="{block.id}" class="{block.kind.value}"{direction(block)}>{words_html(block)}</p>'
        case _:
            return f'<p id="{block.id}"{direction(block)}>{words_html(block)}</p>'


def direction(block: Block) -> str:
    """The attribute of a block whose words run from right to left; columns that are told from the left stay where they are."""
    if not is_right_to_left(words_in(block)):
        return ""
    return ' dir="ltr"' if begins_left(block) else ' dir="rtl"'


def figure_html(block: Block, known_captions: Mapping[str, str]) -> str:
    """A figure with its image."""
    caption = escape(known_captions.get(block.id) or block.text)
    return f'<figure id="{block.id}"><img src="{image_of(block)}" alt="{caption}"></figure>'


def words_html(block: Block) -> str:
    """The text of a block with its emphasis and links."""
    words = "".join([style_run(text, span) for text, span in styled_runs(block)])
    whole = Span(0, 0, block.bold, block.italic) if block.kind is not Kind.HEADING else Span(0, 0)
    return emphasise(words, whole)


def emphasise(words: str, span: Span) -> str:
    """Words that are HTML already, bold or italic as a run is."""
    if span.italic:
        words = f"<em>{words}</em>"
    return f"<strong>{words}</strong>" if span.bold else words


def style_run(text: str, span: Span) -> str:
    """A run of text in its style."""
    words = escape(text, quote=False).replace("\n", "<br>")
    if span.script:
        words = f"<{span.script.value}>{words}</{span.script.value}>"
    words = emphasise(words, span)
    if span.change:
        tag = "del" if span.change == "deleted" else "ins"
        words = f"<{tag}>{words}</{tag}>"
    return f'<a href="{escape(span.href)}">{words}</a>' if span.href else words


def fields_html(fields: Sequence[FormField]) -> str:
    """The fields of a form as names and values."""
    rows = []
    for field in fields:
        value = field.value if field.checked is None else ("yes" if field.checked else "no")
        rows.append(f"<dt>{escape(field.shown_name)}</dt><dd>{escape(value or '', quote=False)}</dd>")
    return f'<dl class="fields">\n{chr(10).join(rows)}\n</dl>'
