"""`python -m train CORPUS`: make pages, compute the examples of all data sets, and train the models of the layout."""

import argparse
from contextlib import ExitStack
from pathlib import Path

import pagemill.reading.layout
from pagemill.reading.layout.models import JOIN_WEIGHTS, ROLE_WEIGHTS, packed
from train.data_sets import benchmark_pages, labelled_pages, made_pages
from train.examples import Example, examples_of
from train.made.typeset import CHROMIUM, WEASYPRINT, by_weasyprint, chromium, make_pages
from train.training import train_joins, train_roles

WEIGHTS = Path(str(pagemill.reading.layout.__file__)).parent / "weights"


def main() -> None:
    """Train what the command line names."""
    arguments = parser().parse_args()
    make(arguments.work / "made", arguments.made, arguments.seed)
    examples = all_examples(arguments.corpus, arguments.work)
    WEIGHTS.mkdir(exist_ok=True)
    (WEIGHTS / f"{ROLE_WEIGHTS}.npz").write_bytes(packed(train_roles(examples, arguments.seed)))
    (WEIGHTS / f"{JOIN_WEIGHTS}.npz").write_bytes(packed(train_joins(examples, arguments.seed)))
    print(f"Trained on {len(examples)} pages; the weights are in {WEIGHTS}")


def make(folder: Path, count: int, seed: int) -> None:
    """Make the pages that are not there yet."""
    with ExitStack() as stack:
        setters = {WEASYPRINT: by_weasyprint, CHROMIUM: stack.enter_context(chromium())}
        for _ in make_pages(folder, setters, count, seed):
            pass


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
    line.add_argument("--seed", type=int, default=1)
    return line


if __name__ == "__main__":
    main()
