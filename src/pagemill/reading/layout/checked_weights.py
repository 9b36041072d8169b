"""The weights of a setting, looked at when the service starts: they have to fit the features and roles of this version."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from pagemill.errors import Refused
from pagemill.reading.layout.features import NAMES
from pagemill.reading.layout.joins import JOIN_NAMES
from pagemill.reading.layout.models import unpack_weights
from pagemill.reading.layout.own_weights import FILES, SETTING, OwnWeights, fingerprint_in
from pagemill.reading.layout.roles import ROLES

# The features that each file is asked with, and the classes that it tells apart.
SHAPES = ((len(NAMES), len(ROLES)), (len(JOIN_NAMES), 2))


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
