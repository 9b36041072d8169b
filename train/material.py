"""What the models are trained on: pages that are made, office files that are rendered, and the examples of all data sets."""

from contextlib import ExitStack
from itertools import chain
from pathlib import Path

from train.data_sets import benchmark_pages, labelled_pages, made_pages, office_pages, own_pages
from train.examples import Example, examples_of
from train.made.everyday import EVERYDAY
from train.made.latex import make_latex
from train.made.typeset import CHROMIUM, WEASYPRINT, by_weasyprint, chromium, make_pages
from train.office.render import make_office

MADE_DOCUMENTS, SEED = 450, 1
# So many documents of everyday kinds, and set by LaTeX, to each of the others.
EVERYDAY_SHARE, LATEX_SHARE = 0.5, 0.5


def make(corpus: Path, work: Path, count: int, seed: int) -> None:
    """Make the pages that are not there yet."""
    folder = work / "made"
    with ExitStack() as stack:
        setters = {WEASYPRINT: by_weasyprint, CHROMIUM: stack.enter_context(chromium())}
        pages = chain(
            make_pages(folder, setters, count, seed),
            make_pages(folder, setters, int(EVERYDAY_SHARE * count), seed, EVERYDAY),
            make_latex(folder, int(LATEX_SHARE * count), seed),
            make_office(corpus, work / "office"),
        )
        print(f"{sum(1 for _ in pages)} documents are made")


def all_examples(corpus: Path, work: Path) -> list[Example]:
    """The examples of the corpus, of labelled documents that are in it, of its office files, and of the made pages."""
    true = [*labelled_pages(corpus), *benchmark_pages(corpus), *own_pages(corpus)]
    pages = [*true, *office_pages(work / "office"), *made_pages(work / "made")]
    return list(examples_of(pages, work / "examples"))
