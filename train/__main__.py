"""`python -m train CORPUS`: make pages, compute the examples of all data sets, and train the models of the layout."""

import argparse
from dataclasses import replace
from pathlib import Path

import orjson

import pagemill.reading.layout
from pagemill.reading.layout.models import JOIN_WEIGHTS, ROLE_WEIGHTS, pack_weights
from train.ablation import ablations
from train.examples import Example
from train.material import MADE_DOCUMENTS, SEED, all_examples, make
from train.network import Schedule
from train.plot import draw_reliability
from train.training import train_joins, train_roles
from train.validation import SOURCES, figures, predict_folds, source_fold

CHART = Path("docs/images/calibration.svg")
WEIGHTS = Path(str(pagemill.reading.layout.__file__)).parent / "weights"

# On a few pages a network knows nothing yet after fewer.
FEWEST_STEPS = 300


def main() -> None:
    """Train what the command line names."""
    arguments = parser().parse_args()
    if arguments.made:
        make(arguments.corpus, arguments.work, arguments.made, arguments.seed)
    examples = all_examples(arguments.corpus, arguments.work)
    if arguments.validate:
        validate(examples, arguments.work, arguments.seed)
        return
    schedule = long_enough(sum(len(example.role) for example in examples))
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / f"{ROLE_WEIGHTS}.npz").write_bytes(
        pack_weights(train_roles(examples, arguments.seed, schedule))
    )
    (arguments.out / f"{JOIN_WEIGHTS}.npz").write_bytes(
        pack_weights(train_joins(examples, arguments.seed, schedule))
    )
    print(f"Trained on {len(examples)} pages; the weights are in {arguments.out}")


def long_enough(lines: int) -> Schedule:
    """The usual schedule, with more epochs where there are so few lines that too few steps would be made."""
    usual = Schedule()
    steps = max(1, lines // usual.batch)
    return replace(usual, epochs=max(usual.epochs, FEWEST_STEPS // steps))


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


def parser() -> argparse.ArgumentParser:
    """What the command line takes."""
    line = argparse.ArgumentParser(prog="python -m train", description="Train the models of the layout.")
    line.add_argument(
        "corpus",
        type=Path,
        help="a folder with a manifest.jsonl, or with NAME.pdf beside NAME.line_labels.json",
    )
    line.add_argument(
        "--work", type=Path, default=Path(".train"), help="where made pages and examples are kept"
    )
    line.add_argument(
        "--out",
        type=Path,
        default=WEIGHTS,
        help="where the weights go; those of the package are replaced if not given",
    )
    line.add_argument(
        "--made", type=int, default=MADE_DOCUMENTS, help="how many documents are made; 0 for none"
    )
    line.add_argument("--validate", action="store_true", help="cross-validate instead of writing the weights")
    line.add_argument("--seed", type=int, default=SEED)
    return line


if __name__ == "__main__":
    main()
