"""Cross-validation: what the models do on documents, and on whole sources, that they were not trained on."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from pagemill.reading.layout.features import NAMES
from pagemill.reading.layout.models import JOIN_WEIGHTS, ROLE_WEIGHTS, pack_weights, unpack_weights
from pagemill.reading.layout.network import Network
from pagemill.reading.layout.roles import ROLES
from train.align import UNKNOWN
from train.data_sets import BENCHMARK, COURT, MADE, OFFICE, PAPERS, STUDIES
from train.examples import Example
from train.training import train_joins, train_roles

Floats = NDArray[np.float32]
FOLDS = 3
BINS = 10
SOURCES = (PAPERS, COURT, STUDIES, BENCHMARK, OFFICE)
RUNNING = tuple(ROLES.index(role) for role in ("header", "footer", "page_number"))
HINTED = {"heading": "hint_heading", "table": "hint_table", "list_item": "hint_list_item"}


@dataclass(frozen=True, slots=True)
class Fold:
    """A split: what is trained on and what is tested on."""

    name: str
    trained: Sequence[Example]
    tested: Sequence[Example]


def document_fold(group: str) -> str:
    """The fold that tests the documents of a group."""
    return f"documents-{crc32(group.encode()) % FOLDS}"


def source_fold(collection: str) -> str:
    """The fold that tests a source."""
    return f"without-{collection}"


def folds_of(examples: Sequence[Example]) -> Iterator[Fold]:
    """Folds by document, then one for each source; made pages are trained on only."""
    for name in sorted({document_fold(one.group) for one in examples}):
        yield _fold(name, examples, lambda one, name=name: document_fold(one.group) == name)  # type: ignore[misc]
    for source in SOURCES:
        yield _fold(source_fold(source), examples, lambda one, source=source: one.collection == source)  # type: ignore[misc]


def _fold(name: str, examples: Sequence[Example], is_tested: Callable[[Example], bool]) -> Fold:
    left_out = [one for one in examples if is_tested(one) and not one.collection.startswith(MADE)]
    kept = {id(one) for one in left_out}
    trained = [one for one in examples if id(one) not in kept]
    return Fold(name, trained, [one for one in left_out if not one.variant])


@dataclass(frozen=True, slots=True)
class Predicted:
    """What models that have not seen an example make of it."""

    example: Example
    roles: Floats
    joins: Floats


def train_folds(examples: Sequence[Example], folder: Path, seed: int) -> None:
    """Train the models of each fold that the folder lacks."""
    for fold in folds_of(examples):
        if fold.tested:
            _trained(fold, folder / fold.name, seed)


def predict_folds(examples: Sequence[Example], folder: Path, seed: int) -> dict[str, list[Predicted]]:
    """The predictions of each fold; the weights of each are kept in the folder."""
    return {
        fold.name: _predicted(fold, folder / fold.name, seed) for fold in folds_of(examples) if fold.tested
    }


def _predicted(fold: Fold, folder: Path, seed: int) -> list[Predicted]:
    roles, joins = _trained(fold, folder, seed)
    return [
        Predicted(one, roles.probabilities(one.features), joins.probabilities(one.joins)[:, 1])
        for one in fold.tested
    ]


def _trained(fold: Fold, folder: Path, seed: int) -> tuple[Network, Network]:
    folder.mkdir(parents=True, exist_ok=True)
    return (
        _kept(folder / f"{ROLE_WEIGHTS}.npz", lambda: train_roles(fold.trained, seed)),
        _kept(folder / f"{JOIN_WEIGHTS}.npz", lambda: train_joins(fold.trained, seed)),
    )


def _kept(path: Path, train: Callable[[], Network]) -> Network:
    if not path.exists():
        path.write_bytes(pack_weights(train()))
    return unpack_weights(path.read_bytes())


def figures(predicted: Sequence[Predicted]) -> dict[str, float]:
    """F1 of the roles and of breaks, the engine's own beside them, and the share of lines that are right."""
    truth = np.concatenate([one.example.role for one in predicted])
    odds = np.vstack([one.roles for one in predicted])
    features = np.vstack([one.example.features for one in predicted])
    known = truth != UNKNOWN
    truth, found, features = truth[known], odds[known].argmax(1), features[known]
    scores = {
        f"{role}_f1": f1(truth == at, found == at)
        for at, role in enumerate(ROLES)
        if (truth == at).sum() >= 20
    }
    scores["running_f1"] = f1(np.isin(truth, RUNNING), np.isin(found, RUNNING))
    for role, hint in HINTED.items():
        scores[f"engine_{role}_f1"] = f1(truth == ROLES.index(role), features[:, NAMES.index(hint)] > 0)
    joins = np.concatenate([one.joins for one in predicted])
    if len(joins):
        breaks = np.concatenate([one.example.joined for one in predicted]) == 0
        scores["breaks_f1"] = f1(breaks, joins < 0.5)
    scores["lines_right"] = float((truth == found).mean())
    scores["calibration_error"] = calibration_error(odds[known].max(1), truth == found)
    return {name: round(score, 4) for name, score in scores.items()} | {
        "lines": len(truth),
        "pages": len(predicted),
    }


def f1(truth: NDArray[np.bool_], found: NDArray[np.bool_]) -> float:
    """The harmonic mean of precision and recall; 1 where there is nothing to find and nothing found."""
    total = int(truth.sum()) + int(found.sum())
    return 2 * int((truth & found).sum()) / total if total else 1.0


def reliability(sure: Floats, right: NDArray[np.bool_]) -> list[tuple[float, float, int]]:
    """For each of a few ranges of confidence its mean, the share that is right, and how many there are."""
    bins = np.minimum((sure * BINS).astype(int), BINS - 1)
    chosen = [bins == at for at in range(BINS)]
    return [
        (float(sure[one].mean()), float(right[one].mean()), int(one.sum())) for one in chosen if one.any()
    ]


def calibration_error(sure: Floats, right: NDArray[np.bool_]) -> float:
    """The expected calibration error: how far confidence and share of right ones differ, over all ranges."""
    rows = reliability(sure, right)
    total = max(sum(count for _, _, count in rows), 1)
    return sum(abs(mean - share) * count for mean, share, count in rows) / total
