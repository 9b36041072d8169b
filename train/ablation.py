"""What each part of the features and of the data is worth: the models without it, on documents that they have not seen."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from pagemill.reading.layout.features import DRAWN_NAMES, HINT_NAMES, NAMES, NEIGHBOURS, STYLE_NAMES
from pagemill.reading.layout.line_text import TEXT_NAMES
from train.data_sets import MADE
from train.examples import Example
from train.training import train_roles
from train.validation import SOURCES, Predicted, figures, folds_of

SHOWN_FIGURES = ("heading_f1", "table_f1", "running_f1", "lines_right")
_AROUND = tuple(f"{place}_" for place in NEIGHBOURS)
PARTS: Mapping[str, Callable[[str], bool]] = {
    "everything": lambda _: False,
    "without the engine's opinion": lambda name: (
        name.removeprefix("page_").endswith(HINT_NAMES) or name == "page_tables"
    ),
    "without neighbours": lambda name: name.startswith(_AROUND),
    "without type": lambda name: name in STYLE_NAMES,
    "without wording": lambda name: name in TEXT_NAMES,
    "without strokes and pictures": lambda name: name in DRAWN_NAMES,
}
WITHOUT_MADE = "without made pages"


def ablations(examples: Sequence[Example], seed: int) -> Iterator[dict[str, object]]:
    """For each part that is left out the figures of each source."""
    for part, is_left_out in PARTS.items():
        yield from _rows(part, [_masked(example, is_left_out) for example in examples], seed)
    real = [example for example in examples if not example.collection.startswith(MADE)]
    yield from _rows(WITHOUT_MADE, real, seed)


def _masked(example: Example, is_left_out: Callable[[str], bool]) -> Example:
    features = example.features.copy()
    features[:, [at for at, name in enumerate(NAMES) if is_left_out(name)]] = 0
    return replace(example, features=features)


def _rows(part: str, examples: Sequence[Example], seed: int) -> Iterator[dict[str, object]]:
    """The figures on the first fold by document: one training for each part is enough to see what it is worth."""
    fold = next(folds_of(examples))
    model = train_roles(fold.trained, seed)
    nothing = np.zeros(0, np.float32)
    predicted = [Predicted(one, model.probabilities(one.features), nothing) for one in fold.tested]
    for source in SOURCES:
        found = figures([one for one in predicted if one.example.collection == source])
        yield {
            "part": part,
            "source": source,
            **{name: found[name] for name in SHOWN_FIGURES if name in found},
        }
