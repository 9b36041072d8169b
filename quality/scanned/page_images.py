"""Page images of many kinds: pages of papers, reports and slides whose text is known, and newspapers, books and notes."""

import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, pairwise
from pathlib import Path

import orjson
import pypdfium2

from quality.corpus import Document, Truth, documents
from quality.labelled import true_lines
from quality.metrics.layout import APART, TrueLine
from quality.metrics.letters import letters
from quality.scanned.known_page import KnownPage
from quality.scanned.pictures import WEARS, draw_picture
from quality.scanned.slides import drawing_program, slides_of
from quality.scanned.typeset import set_pages
from train.made.typeset import CHROMIUM

CATEGORY = "page_images"
EACH, EACH_TYPESET = 8, 12
# What is printed inside of drawings and formulas is in no order that people agree on; pages with more of it are left out.
MOST_APART, UNCOUNTED = 0.03, frozenset({"figure", "formula", "mark"})
LEAST_LETTERS = 200
_FORMULA = "$"


def make_page_images(corpus: Path, folder: Path, limit: int | None, seed: int) -> list[Document]:
    """Pictures of at most so many pages from each source, with their texts."""
    folder.mkdir(parents=True, exist_ok=True)
    made: list[Document] = []
    for pages, most in SOURCES:
        for at, page in enumerate(islice(pages(corpus, folder, seed), min(limit or most, most))):
            made.append(_document(folder, page, at + seed))
    return made


def _document(folder: Path, page: KnownPage, turn: int) -> Document:
    name = f"{page.kind}-{page.path.stem}-{page.number}"
    picture = draw_picture(page.path, page.number, WEARS[turn % len(WEARS)], folder / name)
    truth = folder / f"{name}.txt"
    truth.write_text(page.text, "utf-8")
    return Document(
        name=page.origin.name if page.origin else picture.name,
        path=picture,
        category=CATEGORY,
        source=page.kind,
        truths=(Truth(truth, "text", "exact"),),
        group=page.origin.group if page.origin else "",
        pages_of=page.origin.category if page.origin else "",
    )


def spread(found: Sequence[Document], seed: int) -> Iterator[Document]:
    """Documents from all over a list, others for another seed."""
    step = max(len(found) // EACH, 1)
    for start in range(step):
        yield from found[(start + seed) % step :: step]


def papers(corpus: Path, _: Path, seed: int) -> Iterator[KnownPage]:
    """Pages whose lines people have labelled, in the order that they gave them."""
    for document in spread(documents(corpus, ["layout_truth"]), seed):
        page = orjson.loads(document.truths[0].text())["pages"][0]
        with pypdfium2.PdfDocument(document.path) as pdf:
            lines = true_lines(pdf[page["number"] - 1], page["lines"])
        apart = sum(len(line.text) for line in lines if line.role in UNCOUNTED)
        body = [line for line in lines if line.role not in APART]
        text = flowing_text(body)
        if len(text) >= LEAST_LETTERS and apart <= MOST_APART * len(text):
            yield KnownPage("papers", document.path, page["number"], text, document)


def flowing_text(lines: Sequence[TrueLine]) -> str:
    """Lines as paragraphs, words that were broken at their ends put together."""
    whole = lines[0].text if lines else ""
    for before, line in pairwise(lines):
        broken = whole.endswith("-") and line.text[:1].islower() and before.paragraph == line.paragraph
        whole = whole[:-1] + line.text if broken else f"{whole} {line.text}"
    return whole


def reports(corpus: Path, _: Path, seed: int) -> Iterator[KnownPage]:
    """Pages whose true Markdown is known, but for those with formulas."""
    for document in spread(documents(corpus, ["pdf_md_truth"]), seed):
        markdown = document.truths[0].text()
        if _FORMULA not in markdown and len(letters(markdown)) >= LEAST_LETTERS:
            yield KnownPage("reports", document.path, 1, markdown, document)


def slides(corpus: Path, folder: Path, seed: int) -> Iterator[KnownPage]:
    """Slides as LibreOffice draws them."""
    program = drawing_program()
    if program is None:
        print("slides are left out: LibreOffice is not installed", file=sys.stderr)
        return
    decks = [
        one for one in documents(corpus, ["office_source"], untrusted=True) if one.path.suffix == ".pptx"
    ]
    yield from slides_of(program, spread(decks, seed), folder)


def typeset(corpus: Path, folder: Path, seed: int) -> Iterator[KnownPage]:
    """Newspapers, magazines, papers, books and notes, in English and in Chinese."""
    if not shutil.which(CHROMIUM):
        print(
            "newspapers, magazines, books and notes are left out: Chromium is not installed", file=sys.stderr
        )
        return
    markdowns = [document.truths[0].text() for document in documents(corpus, ["pdf_md_truth"])]
    yield from set_pages(markdowns, folder, seed)


Source = Callable[[Path, Path, int], Iterator[KnownPage]]
SOURCES: Sequence[tuple[Source, int]] = (
    (papers, EACH),
    (reports, EACH),
    (slides, EACH),
    (typeset, EACH_TYPESET),
)
