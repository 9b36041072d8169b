"""view.html: a document without printed pages as a browser shows it, to be looked at beside its blocks.

A web page is shown as it is, without what could act or be fetched; every other document is set from its blocks, with its
images inside and the cells of sheets under their letters and numbers. It is served so that nothing in it can run.
"""

import base64
import io
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from html import escape
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pagemill.errors import DocumentCorrupt, ImageTooLarge, PageUnreadable
from pagemill.model.artifacts import MadeFile
from pagemill.model.formats import ON_DEMAND
from pagemill.model.pages import Block, Kind, Page
from pagemill.reading.artifacts.figures import figures_of
from pagemill.reading.artifacts.stored import Original, appearing, made_file
from pagemill.reading.office.charset import decode
from pagemill.reading.office.embedded import embedded_image
from pagemill.reading.office.sheets.values import column_name, column_number
from pagemill.reading.office.web_pages import check_depth
from pagemill.reading.stored_document import StoredDocument
from pagemill.reading.writers.figures import captions, has_image, image_of
from pagemill.reading.writers.html_writer import section
from pagemill.reading.writers.table_html import table_html

WEB_SUFFIX = ".html"
LONGEST_SIDE = 1_200
MOST_IMAGES = 200
_ACTIVE = "script, iframe, frame, frameset, object, embed, applet, base, meta, link, form, template, noscript, dialog, portal"
_ADDRESSES = ("src", "srcset", "background", "poster", "data", "action", "formaction", "ping", "xlink:href")
_CELLS = re.compile(r"([A-Z]{1,3})(\d+)(?::[A-Z]{1,3}\d+)?")
STYLE = """
body { margin: 0; background: #eceae6; color: #1c1b19; font: 15px/1.5 Georgia, "Times New Roman", serif }
section { max-width: 46em; margin: 1.2em auto; padding: 3em 3.4em; overflow-x: auto }
section { background: #fff; box-shadow: 0 1px 5px #0003 }
section.sheet { max-width: none; margin: 1.2em; padding: 1em; font: 13px/1.4 Arial, sans-serif }
h1, h2, h3, h4, h5, h6 { line-height: 1.25; margin: 1.2em 0 .5em }
p, ul, ol, table, pre, figure { margin: 0 0 .8em }
table { border-collapse: collapse }
td, th { border: 1px solid #b9b6b0; padding: .25em .5em; vertical-align: top; text-align: left }
.sheet td, .sheet th { white-space: pre-wrap }
.cells { background: #f1efeb; color: #77736b; font-weight: normal; text-align: center }
img { max-width: 100%; height: auto } pre { white-space: pre-wrap; background: #f5f3ef; padding: .7em }
.footnote { font-size: .87em } .caption, figcaption { font-size: .9em; color: #55524c } .error { color: #a02020 }
:target { scroll-margin-top: 1em }
"""


def make_view(document: StoredDocument, original: Original, folder: Path) -> tuple[MadeFile, ...]:
    """Write the document for a browser."""
    file = folder / ON_DEMAND["view"].file
    with appearing(file) as part, part.open("w", encoding="utf-8") as out:
        if original.path.endswith(WEB_SUFFIX):
            out.write(harmless_page(decode(Path(original.path).read_bytes())))
        else:
            out.writelines(set_page(document, original))
    return (made_file(file),)


def harmless_page(html: str) -> str:
    """A web page without scripts, forms, frames, and whatever would be fetched."""
    check_depth(html)
    parser = LexborHTMLParser(html)
    for node in parser.css(_ACTIVE):
        node.decompose()
    for node in parser.css("*"):
        _disarm(node)
    return f'<!DOCTYPE html>\n<meta charset="utf-8">\n{parser.html or ""}'


def _disarm(node: LexborNode) -> None:
    for name, value in list(node.attributes.items()):
        address = (value or "").strip().lower()
        fetched = name.lower() in _ADDRESSES and not address.startswith("data:image/")
        led_away = name.lower() == "href" and not address.startswith("#")
        if name.lower().startswith("on") or fetched or led_away:
            del node.attrs[name]


def set_page(document: StoredDocument, original: Original) -> Iterator[str]:
    """A document set from its blocks, a section for each page."""
    title = escape(document.facts().title or "Document")
    yield '<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8">\n'
    yield f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
    images = ViewImages(original)
    for page in document.pages():
        lines = "\n".join(section(page, captions(page.blocks)))
        kind = ' class="sheet"' if any(map(_is_range, page.blocks)) else ""
        opened = f'<section data-page="{page.number}">'
        lines = lines.replace(opened, f'<section id="page-{page.number}"{kind} data-page="{page.number}">', 1)
        yield images.fill(_with_cell_names(lines, page), page)
    yield "</body>\n</html>\n"


class ViewImages:
    """Puts images into the text; past some of them only their words are shown."""

    def __init__(self, original: Original) -> None:
        self._original = original
        self._left = MOST_IMAGES

    def fill(self, html: str, page: Page) -> str:
        """The section of a page with its images in it."""
        for block in figures_of(page):
            if has_image(block):
                html = html.replace(f'src="{image_of(block)}"', self._source(block), 1)
        return html

    def _source(self, block: Block) -> str:
        part = block.origin.part if block.origin else None
        if part is None or self._left == 0:
            return ""
        self._left -= 1
        with suppress(PageUnreadable, DocumentCorrupt, ImageTooLarge):
            image = embedded_image(self._original.path, part, self._original.password)
            image.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
            out = io.BytesIO()
            image.save(out, "PNG")
            return f'src="data:image/png;base64,{base64.b64encode(out.getvalue()).decode()}"'
        return ""


def _is_range(block: Block) -> bool:
    return block.kind is Kind.TABLE and block.origin is not None and block.origin.cells is not None


def _with_cell_names(html: str, page: Page) -> str:
    """The section of a sheet whose tables have the letters of their columns and the numbers of their rows around them."""
    for block in filter(_is_range, page.blocks):
        plain = table_html(block, f' id="{block.id}"')
        html = html.replace(plain, _named_cells(block, plain), 1)
    return html


def _named_cells(block: Block, table: str) -> str:
    found = _CELLS.fullmatch((block.origin.cells if block.origin else None) or "")
    if found is None:
        return table
    columns = max((len(row) for row in block.all_rows), default=0)
    first = column_number(found[1].encode())
    letters = "".join(f'<th class="cells">{column_name(first + at)}</th>' for at in range(columns))
    top = f'<tr><th class="cells"></th>{letters}</tr>'
    numbered = re.sub(r"<tr>", _row_numbers(int(found[2])), table)
    return re.sub(r"(<table[^>]*>)", rf"\1<thead>{top}</thead>", numbered, count=1)


def _row_numbers(first: int) -> Callable[[re.Match[str]], str]:
    rows = iter(range(first, 1 << 31))
    return lambda _: f'<tr><th class="cells">{next(rows)}</th>'
