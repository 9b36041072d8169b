"""Newspapers, magazines, papers, books and notes that Chromium sets from known texts, in English and in Chinese."""

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from quality.scanned.known_page import KnownPage
from train.made.languages import LANGUAGES
from train.made.texts import Texts
from train.made.typeset import CHROMIUM

CHINESE = next(language for language in LANGUAGES if language.code == "zh")
FONTS = ("Liberation Serif", "DejaVu Serif", "Liberation Sans")
LETTERS = (180, 700)
_HEAD = re.compile(r"^#+ +(.{8,60})$", re.MULTILINE)
_PLAIN = re.compile(r"[A-Z][^|<>$#*_\\\[\]{}]+[.]")
_BROKEN = re.compile(r"(?<=[a-z])-\n(?=[a-z])")
_SCRIPT = "() => Math.ceil(document.documentElement.scrollHeight)"
STYLE = """
body { margin: 0; line-height: 1.22; text-align: justify; } p { margin: 0; text-indent: 1em; }
h1, h2, h3 { margin: .25em 0 .2em; line-height: 1.1; text-align: left; font-family: 'Liberation Sans', 'WenQuanYi Zen Hei'; }
h1 { font-size: 2.6em; } h2 { font-size: 1.7em; } h3 { font-size: 1.1em; margin-top: .7em; }
.by { font-style: italic; text-indent: 0; margin-bottom: .5em; } .row { display: flex; gap: 6mm; margin-top: 4mm; }
.cols { column-fill: balance; } .ruled { column-rule: .4pt solid #444; }
.photo { background: #b8b8b8; break-inside: avoid; margin: .5em 0; } .caption { font-size: .85em; text-indent: 0; }
table { border-collapse: collapse; width: 100%; break-inside: avoid; margin: .6em 0; font-size: .9em; }
td { border: .6pt solid black; padding: 1pt 3pt; text-align: left; }
.list { text-align: left; text-indent: 0; margin-left: 1.5em; } .loose { text-align: left; text-indent: 0; margin-bottom: .7em; }
.running { font-size: .8em; text-align: center; margin-bottom: 2em; }
.quote { font-size: 1.5em; text-align: left; text-indent: 0; }
"""


@dataclass(slots=True)
class Words:
    """Headings and paragraphs: those of people in English, made ones in Chinese."""

    random: random.Random
    heads: Sequence[str]
    paragraphs: Sequence[str]
    chinese: Texts | None = None

    def head(self) -> str:
        """A heading."""
        return self.chinese.title(2, 4) if self.chinese else self.random.choice(self.heads)

    def paragraph(self) -> str:
        """A paragraph."""
        return self.chinese.prose(3, 6) if self.chinese else self.random.choice(self.paragraphs)

    def cell(self) -> str:
        """What is in a cell of a table."""
        word = self.head().split()[0][:9]
        return self.random.choice(
            [f"{self.random.random() * 90:.1f}", str(self.random.randint(3, 900)), word]
        )


@dataclass(slots=True)
class Composition:
    """A page as it grows: what is set, and its text in reading order."""

    words: Words
    html: list[str] = field(default_factory=list)
    text: list[str] = field(default_factory=list)

    def put(self, tag: str, text: str, kind: str = "", *, counted: bool = True) -> None:
        """Set a text; running lines do not count."""
        self.html.append(f'<{tag} class="{kind}">{escape(text)}</{tag}>')
        if counted:
            self.text.append(text)

    def prose(self, count: int, heads: float = 0.0, kind: str = "") -> None:
        """So many paragraphs, some of them below a heading."""
        for _ in range(count):
            if self.words.random.random() < heads:
                self.put("h3", self.words.head())
            self.put("p", self.words.paragraph(), kind)

    def table(self, rows: int, columns: int) -> None:
        """A ruled table."""
        cells = [[self.words.cell() for _ in range(columns)] for _ in range(rows)]
        body = ["".join(f"<td>{escape(cell)}</td>" for cell in row) for row in cells]
        self.html.append(f"<table>{''.join(f'<tr>{row}</tr>' for row in body)}</table>")
        self.text += [" ".join(row) for row in cells]

    def photo(self, height_mm: int) -> None:
        """A grey picture with its caption."""
        self.html.append(f'<div class="photo" style="height:{height_mm}mm"></div>')
        self.put("p", self.words.head(), "caption")

    def story(self, columns: int, count: int, *, level: int, extra: str = "", ruled: bool = False) -> None:
        """A headline over its columns, with a table, a photograph or headings in them."""
        self.put(f"h{level}", self.words.head())
        rule = "ruled" if ruled else ""
        self.html.append(f'<div class="cols {rule}" style="column-count:{columns};column-gap:5mm">')
        self.prose(count // 2, 0.35 if extra == "heads" else 0.0)
        if extra == "table":
            self.table(self.words.random.randint(4, 8), 3)
        if extra == "photo":
            self.photo(35)
        self.prose(count - count // 2, 0.35 if extra == "heads" else 0.0)
        self.html.append("</div>")

    def beside(self, *stories: tuple[int, int]) -> None:
        """Stories side by side, each as wide as its columns are many."""
        self.html.append('<div class="row">')
        for columns, count in stories:
            self.html.append(f'<div style="flex:{columns} 1 0;min-width:0">')
            self.story(columns, count, level=2)
            self.html.append("</div>")
        self.html.append("</div>")


def newspaper(page: Composition, columns: int) -> None:
    """A headline over all columns, and below it two stories side by side."""
    draw = page.words.random
    page.story(
        columns,
        columns * 2,
        level=1,
        extra=draw.choice(["photo", "table", "heads"]),
        ruled=draw.random() < 0.5,
    )
    page.beside((columns // 2, columns // 2 * 2), (columns - columns // 2, (columns - columns // 2) * 2))


def magazine(page: Composition, columns: int) -> None:
    """A title with a standfirst, columns, a quotation over all of them, columns again."""
    page.put("h1", page.words.head())
    page.put("p", page.words.head(), "by")
    page.story(columns, columns * 2, level=2, extra="photo")
    page.put("p", page.words.head(), "quote")
    page.story(columns, columns, level=2, extra="heads")


def paper(page: Composition, columns: int) -> None:
    """Columns with headings and a ruled table in one of them."""
    page.put("h1", page.words.head())
    page.story(columns, columns * 4, level=2, extra="table")


def book(page: Composition, _: int) -> None:
    """A page of a book with a running head."""
    page.put("p", f"{page.words.head()} {page.words.random.randint(10, 300)}", "running", counted=False)
    page.put("h2", page.words.head())
    page.prose(5)


def notes(page: Composition, _: int) -> None:
    """Short texts, lists and a table."""
    page.put("h2", page.words.head())
    for _ in range(3):
        page.put("p", page.words.paragraph(), "loose")
        for _ in range(page.words.random.randint(2, 4)):
            page.put("p", f"• {page.words.head()}", "list")
    page.table(4, 4)


Compose = Callable[[Composition, int], None]
# The kind of page, the columns, the paper's width in millimetres, the size of the letters, and whether it is Chinese.
SHEETS: Mapping[str, tuple[Compose, int, int, float, bool]] = {
    "newspapers-4": (newspaper, 4, 260, 8.5, False),
    "papers-with-tables": (paper, 2, 210, 9.5, False),
    "magazines": (magazine, 3, 210, 9.0, False),
    "newspapers-chinese": (newspaper, 4, 260, 9.0, True),
    "books": (book, 1, 140, 10.5, False),
    "notes": (notes, 1, 180, 11.0, False),
    "newspapers-5": (newspaper, 5, 290, 8.5, False),
    "books-chinese": (book, 1, 150, 11.0, True),
    "newspapers-3": (newspaper, 3, 230, 9.0, False),
    "papers-chinese": (paper, 2, 210, 9.5, True),
    "magazines-two": (magazine, 2, 200, 9.5, False),
    "notes-chinese": (notes, 1, 180, 11.0, True),
}


def set_pages(markdowns: Sequence[str], folder: Path, seed: int) -> Iterator[KnownPage]:
    """One page of each kind, with the words of Markdown texts; the same for the same seed."""
    heads = [head for text in markdowns for head in _HEAD.findall(text) if _is_plain(head)]
    texts = [one for text in markdowns for one in plain_paragraphs(text)]
    with typesetter() as write:
        for at, (kind, (compose, columns, width, size, chinese)) in enumerate(SHEETS.items()):
            draw = random.Random(seed * 1000 + at)
            page = Composition(
                Words(draw, heads, texts, Texts(seed * 1000 + at, CHINESE) if chinese else None)
            )
            compose(page, columns)
            font = CHINESE.fonts if chinese else f"'{draw.choice(FONTS)}'"
            path = folder / f"{kind}.pdf"
            write(document(page, font, size), width, path)
            yield KnownPage(kind, path, 1, "\n\n".join(page.text))


def plain_paragraphs(markdown: str) -> Iterator[str]:
    """The paragraphs of a Markdown text that have a usual length and no marks."""
    for part in re.split(r"\n\s*\n", markdown):
        text = " ".join(_BROKEN.sub("", part).split())
        if LETTERS[0] <= len(text) <= LETTERS[1] and _PLAIN.fullmatch(text):
            yield text


def document(page: Composition, font: str, size: float) -> str:
    """The page as HTML."""
    own = f"body {{ font: {size}pt {font}; padding: 14mm; }} @page {{ margin: 0; }}"
    return f'<meta charset="utf-8"><style>{STYLE}{own}</style>{"".join(page.html)}'


@contextmanager
def typesetter() -> Iterator[Callable[[str, int, Path], None]]:
    """Chromium, which sets HTML on one sheet of a width in millimetres that is as long as need be."""
    import shutil

    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which(CHROMIUM), args=["--no-sandbox"])

        def write(html: str, width: int, path: Path) -> None:
            page = browser.new_page(viewport={"width": round(width / 25.4 * 96), "height": 400})
            page.set_content(html)
            height = page.evaluate(_SCRIPT)
            page.pdf(path=str(path), width=f"{width}mm", height=f"{height + 2}px", print_background=True)
            page.close()

        yield write
        browser.close()


def _is_plain(text: str) -> bool:
    return not any(sign in text for sign in "*_$|<>\\[]{}")
