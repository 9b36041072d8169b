"""`python -m train CORPUS`: make pages, compute the examples of all data sets, and train the models of the layout."""

import argparse
from contextlib import ExitStack
from itertools import chain
from pathlib import Path

import orjson

import pagemill.reading.layout
from pagemill.reading.layout.models import JOIN_WEIGHTS, ROLE_WEIGHTS, pack_weights
from train.ablation import ablations
from train.data_sets import benchmark_pages, labelled_pages, made_pages
from train.examples import Example, examples_of
from train.made.latex import make_latex
from train.made.typeset import CHROMIUM, WEASYPRINT, by_weasyprint, chromium, make_pages
from train.plot import draw_reliability
from train.training import train_joins, train_roles
from train.validation import SOURCES, figures, predict_folds, source_fold

# One LaTeX document to so many others.
LATEX_SHARE = 8
CHART = Path("docs/images/calibration.svg")
WEIGHTS = Path(str(pagemill.reading.layout.__file__)).parent / "weights"


def main() -> None:
    """Train what the command line names."""
    arguments = parser().parse_args()
    make(arguments.work / "made", arguments.made, arguments.seed)
    examples = all_examples(arguments.corpus, arguments.work)
    if arguments.validate:
        validate(examples, arguments.work, arguments.seed)
        return
    WEIGHTS.mkdir(exist_ok=True)
    (WEIGHTS / f"{ROLE_WEIGHTS}.npz").write_bytes(pack_weights(train_roles(examples, arguments.seed)))
    (WEIGHTS / f"{JOIN_WEIGHTS}.npz").write_bytes(pack_weights(train_joins(examples, arguments.seed)))
    print(f"Trained on {len(examples)} pages; the weights are in {WEIGHTS}")


def validate(examples: list[Example], work: Path, seed: int) -> None:
    """Print what models make of documents and sources that they have not seen, a line of JSON for each."""
    predicted = predict_folds(examples, work / "folds", seed)
    by_document = [one for name, some in predicted.items() if name.startswith("documents") for one in some]
    for source in SOURCES:
        of_source = [one for one in by_document if one.example.collection == source]
        print(orjson.dumps({"unseen": "documents", "source": source, **figures(of_source)}).decode())
        print(
            orjson.dumps(
                {"unseen": "source", "source": source, **figures(predicted[source_fold(source)])}
            ).decode()
        )
    draw_reliability(by_document, CHART)
    for row in ablations(examples, seed):
        print(orjson.dumps(row).decode())


def make(folder: Path, count: int, seed: int) -> None:
    """Make the pages that are not there yet."""
    with ExitStack() as stack:
        setters = {WEASYPRINT: by_weasyprint, CHROMIUM: stack.enter_context(chromium())}
        pages = chain(
            make_pages(folder, setters, count, seed), make_latex(folder, count // LATEX_SHARE, seed)
        )
        print(f"{sum(1 for _ in pages)} documents are made")


def all_examples(corpus: Path, work: Path) -> list[Example]:
    """The examples of the corpus and of the made pages."""
    pages = [*labelled_pages(corpus), *benchmark_pages(corpus), *made_pages(work / "made")]
    return list(examples_of(pages, work / "examples"))


def parser() -> argparse.ArgumentParser:
    """What the command line takes."""
    line = argparse.ArgumentParser(prog="python -m train", description="Train the models of the layout.")
    line.add_argument("corpus", type=Path, help="a folder with a manifest.jsonl")
    line.add_argument(
        "--work", type=Path, default=Path(".train"), help="where made pages and examples are kept"
    )
    line.add_argument("--made", type=int, default=900, help="how many documents are made")
    line.add_argument("--validate", action="store_true", help="cross-validate instead of writing the weights")
    line.add_argument("--seed", type=int, default=1)
    return line


if __name__ == "__main__":
    main()
