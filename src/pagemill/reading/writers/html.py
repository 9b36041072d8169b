"""document.html: a page that stands alone, with a section per page and the id of each block."""

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from pagemill.model.pages import Block, Cell, FormField, Kind, Page, Span
from pagemill.model.visits import ARTIFACT_NAMES
from pagemill.model.work import Artifact
from pagemill.reading.writers.base import Ending, Facts, HashedFile
from pagemill.reading.writers.fields import unprinted
from pagemill.reading.writers.runs import styled_runs

HEAD = '<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n</head>\n<body>\n'


class HtmlWriter:
    """Writes document.html."""

    def __init__(self, folder: Path) -> None:
        self._file = HashedFile(folder, ARTIFACT_NAMES["html"])

    def open(self, facts: Facts) -> None:
        """Write the head."""
        self._file.write(HEAD.format(title=escape(facts.title or "Document")).encode())

    def page(self, page: Page) -> None:
        """Write a section."""
        self._file.write("\n".join(section(page)).encode())

    def close(self, _: Ending) -> dict[str, Artifact]:
        """Write the end."""
        self._file.write(b"</body>\n</html>\n")
        return self._file.close()


def section(page: Page) -> Iterator[str]:
    """The lines of one page."""
    yield f'<section data-page="{page.number}">'
    if page.error:
        yield f'<p class="error" data-code="{escape(page.error.code)}">{escape(page.error.message)}</p>'
    lists = Lists()
    for block in page.blocks:
        if block.kind is Kind.LIST_ITEM:
            yield from lists.add(block)
        else:
            yield from lists.close()
            yield block_html(block)
    yield from lists.close()
    if fields := unprinted(page):
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
        return f'<li id="{block.id}" value="{number}">{words_html(block)}'
    marker = f"{escape(block.marker)} " if block.ordered and block.marker else ""
    return f'<li id="{block.id}">{marker}{words_html(block)}'


def number_of(block: Block) -> str:
    """The number of an item in a numbered list, empty if it has another kind of marker."""
    digits = (block.marker or "")[:-1]
    return str(int(digits)) if block.ordered and digits.isdecimal() and len(digits) < 10 else ""


def block_html(block: Block) -> str:
    """A block other than a list item."""
    match block.kind:
        case Kind.HEADING:
            return f'<h{block.level} id="{block.id}">{words_html(block)}</h{block.level}>'
        case Kind.TABLE:
            return table_html(block)
        case Kind.CODE:
            return f'<pre id="{block.id}"><code>{escape(block.text)}</code></pre>'
        case Kind.RULE:
            return f'<hr id="{block.id}">'
        case Kind.FIGURE:
            return f'<figure id="{block.id}"></figure>'
        case _:
            return f'<p id="{block.id}">{words_html(block)}</p>'


def words_html(block: Block) -> str:
    """The text of a block with its emphasis and links."""
    if block.kind is not Kind.HEADING and (block.bold or block.italic):
        return styled(block.text, Span(0, 0, block.bold, block.italic))
    return "".join([styled(text, span) for text, span in styled_runs(block)])


def styled(text: str, span: Span) -> str:
    """A run of text in its style."""
    words = escape(text, quote=False).replace("\n", "<br>")
    if span.italic:
        words = f"<em>{words}</em>"
    if span.bold:
        words = f"<strong>{words}</strong>"
    return f'<a href="{escape(span.href)}">{words}</a>' if span.href else words


def table_html(block: Block) -> str:
    """A table with its header, if it has one."""
    head = f"<thead>{row_html(block.header, 'th')}</thead>" if block.header else ""
    body = "\n".join(row_html(row, "td") for row in block.rows)
    return f'<table id="{block.id}">{head}<tbody>\n{body}\n</tbody></table>'


def row_html(row: tuple[Cell, ...], tag: str) -> str:
    """A row of cells."""
    texts = (escape(cell.text, quote=False).replace("\n", "<br>") for cell in row)
    return f"<tr>{''.join(f'<{tag}>{text}</{tag}>' for text in texts)}</tr>"


def fields_html(fields: Sequence[FormField]) -> str:
    """The fields of a form as names and values."""
    rows = []
    for field in fields:
        value = field.value if field.checked is None else ("yes" if field.checked else "no")
        rows.append(f"<dt>{escape(field.name)}</dt><dd>{escape(value or '', quote=False)}</dd>")
    return f'<dl class="fields">\n{chr(10).join(rows)}\n</dl>'
