"""What the models are trained on: pages that are made, and the examples of all data sets."""

from contextlib import ExitStack
from itertools import chain
from pathlib import Path

from train.data_sets import benchmark_pages, labelled_pages, made_pages, own_pages
from train.examples import Example, examples_of
from train.made.latex import make_latex
from train.made.typeset import CHROMIUM, WEASYPRINT, by_weasyprint, chromium, make_pages

MADE_DOCUMENTS, SEED = 900, 1
# One LaTeX document to so many others.
LATEX_SHARE = 8


def make(folder: Path, count: int, seed: int) -> None:
    """Make the pages that are not there yet."""
    with ExitStack() as stack:
        setters = {WEASYPRINT: by_weasyprint, CHROMIUM: stack.enter_context(chromium())}
        pages = chain(
            make_pages(folder, setters, count, seed), make_latex(folder, count // LATEX_SHARE, seed)
        )
        print(f"{sum(1 for _ in pages)} documents are made")


def all_examples(corpus: Path, work: Path) -> list[Example]:
    """The examples of the corpus, of labelled documents that are in it, and of the made pages."""
    true = [*labelled_pages(corpus), *benchmark_pages(corpus), *own_pages(corpus)]
    pages = [*true, *made_pages(work / "made")]
    return list(examples_of(pages, work / "examples"))
