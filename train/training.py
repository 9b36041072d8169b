"""Training of the models from examples."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pagemill.reading.layout.network import Network
from pagemill.reading.layout.roles import ROLES
from train.align import UNKNOWN
from train.data_sets import MADE
from train.examples import PART, Example
from train.network import Sample, Schedule, train_network

Floats = NDArray[np.float32]
# Lines of the benchmark count as all others do: with six times their weight, unseen pages of it were read worse (.917, not .924).
MADE_WEIGHT = 0.5
# Pages are seldom as empty as parts of them.
PART_WEIGHT = 0.3
# So many networks decide together: what one of them makes of pages unlike those it knows depends on its seed.
MEMBERS, MOST_MEMBERS = 5, 100


def train_roles(
    examples: Sequence[Example], seed: int, schedule: Schedule | None = None, members: int = MEMBERS
) -> Network:
    """The model of roles."""
    return train_network(role_sample(examples), len(ROLES), seeds_of(seed, members), schedule)


def train_joins(
    examples: Sequence[Example], seed: int, schedule: Schedule | None = None, members: int = MEMBERS
) -> Network:
    """The model of joins."""
    return train_network(join_sample(examples), 2, seeds_of(seed, members), schedule)


def seeds_of(seed: int, members: int) -> range:
    """The seeds of the members of an ensemble; those of two seeds have none in common."""
    return range(seed * MOST_MEMBERS, seed * MOST_MEMBERS + members)


def role_sample(examples: Sequence[Example]) -> Sample:
    """All lines whose role is known."""
    known = [example.role != UNKNOWN for example in examples]
    classes = np.concatenate([example.role[one] for example, one in zip(examples, known, strict=True)])
    weights = np.concatenate(
        [
            np.full(one.sum(), weight_of(example), np.float32)
            for example, one in zip(examples, known, strict=True)
        ]
    )
    features = np.vstack([example.features[one] for example, one in zip(examples, known, strict=True)])
    return Sample(features, classes, weights)


def join_sample(examples: Sequence[Example]) -> Sample:
    """All pairs of lines that follow each other."""
    features = np.vstack([example.joins for example in examples])
    classes = np.concatenate([example.joined for example in examples]).astype(np.int16)
    weights = np.concatenate(
        [np.full(len(example.joined), weight_of(example), np.float32) for example in examples]
    )
    return Sample(features, classes, weights)


def weight_of(example: Example) -> float:
    """How much the lines of a page count."""
    whole = MADE_WEIGHT if example.collection.startswith(MADE) else 1.0
    return PART_WEIGHT * whole if PART in example.variant else whole
