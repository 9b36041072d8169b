"""The learnt decisions: the role of a line, and whether the next line goes on with its block.

The weights come with the package, or from the folder that a setting names, which is looked at when the service starts;
`make train` makes them again. See docs/layout.md for what they were trained on and how well they do.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from pagemill.errors import Refused
from pagemill.reading.layout.features import NAMES, Floats, LineArrays, Places, frame_of, line_features
from pagemill.reading.layout.joins import JOIN_NAMES, join_features
from pagemill.reading.layout.lines import TextLine
from pagemill.reading.layout.network import Network
from pagemill.reading.layout.own_weights import (
    FILES,
    SETTING,
    WEIGHTS_VARIABLE,
    OwnWeights,
    fingerprint_in,
    own_weights,
)
from pagemill.reading.layout.roles import ROLES
from pagemill.reading.page.sheet import Sheet

ROLE_WEIGHTS, JOIN_WEIGHTS = "roles", "joins"
# The features that each file is asked with, and the classes that it tells apart.
SHAPES = ((len(NAMES), len(ROLES)), (len(JOIN_NAMES), 2))
_CHOSEN: list[Path] = []


def role_probabilities(sheet: Sheet, lines: Sequence[TextLine], frame: LineArrays | None = None) -> Floats:
    """The probability of each of ROLES for each line."""
    if not lines:
        return np.zeros((0, len(ROLES)), np.float32)
    return network(ROLE_WEIGHTS).probabilities(line_features(sheet, lines, frame))


def join_probabilities(
    sheet: Sheet, lines: Sequence[TextLine], sequence: Sequence[int] | Places, frame: LineArrays | None = None
) -> Floats:
    """For each line of a sequence but the last, the probability that the next one goes on with its block."""
    if len(sequence) < 2:
        return np.zeros(0, np.float32)
    features = join_features(frame or frame_of(sheet, lines), np.asarray(sequence, np.intp))
    return network(JOIN_WEIGHTS).probabilities(features)[:, 1]


@cache
def network(name: str) -> Network:
    """A network with its weights, which are read once."""
    return unpack_weights(_weights().joinpath(f"{name}.npz").read_bytes())


def _weights() -> Traversable:
    if _CHOSEN:
        return _CHOSEN[-1]
    named = os.environ.get(WEIGHTS_VARIABLE)
    return own_weights(named) if named else files(__package__).joinpath("weights")


@contextmanager
def weights_from(folder: Path) -> Iterator[None]:
    """Use the weights of a folder for a while: those that were trained without the pages that are to be read."""
    _CHOSEN.append(folder)
    network.cache_clear()
    try:
        yield
    finally:
        _CHOSEN.pop()
        network.cache_clear()


def pack_weights(trained: Network) -> bytes:
    """The weights of a network as the content of a file."""
    arrays: dict[str, Any] = {"mean": trained.mean, "spread": trained.spread}
    arrays |= {f"layer{at}": layer.astype(np.float16) for at, layer in enumerate(trained.layers)}
    buffer = BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def unpack_weights(content: bytes) -> Network:
    """The network whose weights a file has."""
    with np.load(BytesIO(content)) as arrays:
        count = sum(name.startswith("layer") for name in arrays)
        layers = tuple(arrays[f"layer{at}"].astype(np.float32) for at in range(count))
        return Network(arrays["mean"], arrays["spread"], layers)


def find_weights(folder: str, hidden: Sequence[Path]) -> OwnWeights:
    """The weights in a folder; Refused if they can't be used, or if the folder is within one that is hidden."""
    place = Path(folder).resolve()
    if any(place.is_relative_to(one.resolve()) for one in hidden):
        raise Refused(f"{SETTING} names a folder among the documents, which is hidden where pages are read.")
    found = OwnWeights(place, fingerprint_in(place))
    for name, (features, classes) in zip(FILES, SHAPES, strict=True):
        check_file(place / name, features, classes)
    return found


def check_file(path: Path, features: int, classes: int) -> None:
    """Refused if a file has no network for so many features and classes."""
    try:
        asked = np.zeros((1, features), np.float32)
        shape = unpack_weights(path.read_bytes()).probabilities(asked).shape
    except Exception as error:  # A file that is damaged makes numpy raise many things.
        raise Refused(
            f"{path.name} in the folder of {SETTING} can't be used: {error}. Train it again."
        ) from error
    if shape != (1, classes):
        raise Refused(
            f"{path.name} in the folder of {SETTING} is of another version of pagemill. Train it again."
        )
