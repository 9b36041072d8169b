"""Small networks over features, trained by Adam on numpy alone: hidden layers, dropout, an average of the last weights."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pagemill.reading.layout.network import Layers, Network, normalise

Floats = NDArray[np.float32]
WARM_UP_STEPS = 200
# The share of the steps after which weights are averaged.
AVERAGED_FROM = 0.67
FIRST_DECAY, SECOND_DECAY = 0.9, 0.99


@dataclass(frozen=True, slots=True)
class Schedule:
    """How a network is trained."""

    hidden: tuple[int, ...] = (80, 40)
    epochs: int = 10
    batch: int = 384
    rate: float = 2e-3
    decay: float = 2e-3
    dropout: float = 0.25
    input_dropout: float = 0.08
    smoothing: float = 0.03


@dataclass(frozen=True, slots=True)
class Sample:
    """Rows of features with their classes and weights."""

    features: Floats
    classes: NDArray[np.int16]
    weights: Floats

    def __getitem__(self, rows: NDArray[np.intp]) -> "Sample":
        """Some of the rows."""
        return Sample(self.features[rows], self.classes[rows], self.weights[rows])


def train_network(
    sample: Sample, classes: int, seeds: Sequence[int], schedule: Schedule | None = None
) -> Network:
    """Networks that give the probabilities of classes, one for each seed."""
    mean = np.nanmean(sample.features, axis=0).astype(np.float32)
    spread = np.maximum(np.nanstd(sample.features, axis=0), 1e-3).astype(np.float32)
    inputs = Sample(normalise(sample.features, mean, spread), sample.classes, sample.weights)
    members = [_Descent(seed, schedule or Schedule(), inputs, classes).run() for seed in seeds]
    return Network(mean, spread, stacked(members))


def stacked(members: Sequence[Layers]) -> Layers:
    """The layers of several networks as those of one that runs them all."""
    # Offsets get a dimension for the rows, so that they are added to each of them.
    return tuple(
        np.stack([each if each.ndim > 1 else each[None] for each in layers])
        for layers in zip(*members, strict=True)
    )


class _Descent:
    """Stochastic gradient descent by Adam, with weights that decay."""

    def __init__(self, seed: int, schedule: Schedule, sample: Sample, classes: int) -> None:
        self.random = np.random.default_rng(seed)
        self.schedule, self.sample = schedule, sample
        sizes = (sample.features.shape[1], *schedule.hidden, classes)
        self.layers = [layer for pair in pairwise(sizes) for layer in self._fresh(*pair)]
        self.first = [np.zeros_like(layer) for layer in self.layers]
        self.second = [np.zeros_like(layer) for layer in self.layers]

    def _fresh(self, inputs: int, outputs: int) -> tuple[Floats, Floats]:
        weights = self.random.standard_normal((inputs, outputs)) * np.sqrt(2 / inputs)
        return weights.astype(np.float32), np.zeros(outputs, np.float32)

    def run(self) -> Layers:
        """The average of the weights over the last part of the steps."""
        schedule, count = self.schedule, len(self.sample.classes)
        batch = min(schedule.batch, count)
        steps = schedule.epochs * (count // batch)
        total = [np.zeros_like(layer, np.float64) for layer in self.layers]
        averaged = step = 0
        for _ in range(schedule.epochs):
            order = self.random.permutation(count)
            for start in range(0, count - batch + 1, batch):
                step += 1
                slopes = self._slopes(self.sample[order[start : start + batch]])
                self._move(slopes, step, self._rate(step, steps))
                if step > steps * AVERAGED_FROM:
                    averaged += 1
                    total = [whole + layer for whole, layer in zip(total, self.layers, strict=True)]
        return tuple((whole / averaged).astype(np.float32) for whole in total)

    def _rate(self, step: int, steps: int) -> float:
        warm = min(1.0, step / WARM_UP_STEPS)
        return float(self.schedule.rate * warm * 0.5 * (1 + np.cos(np.pi * step / steps)) + 1e-5)

    def _slopes(self, rows: Sample) -> list[Floats]:
        """The gradient of the smoothed cross entropy with regard to each array of weights."""
        values, masks = self._values(rows.features)
        delta = self._delta(values[-1] @ self.layers[-2] + self.layers[-1], rows)
        slopes: list[Floats] = []
        for at in range(len(self.layers) - 2, -1, -2):
            below = values[at // 2]
            slopes = [below.T @ delta, delta.sum(0), *slopes]
            if at:
                delta = (delta @ self.layers[at].T) * masks[at // 2 - 1] * (below > 0)
        return slopes

    def _values(self, features: Floats) -> tuple[list[Floats], list[Floats]]:
        """The values of each layer with some of them dropped, and which were kept."""
        schedule, random = self.schedule, self.random
        values: list[Floats] = [
            features * (random.random(features.shape, np.float32) > schedule.input_dropout)
        ]
        masks: list[Floats] = []
        for at in range(0, len(self.layers) - 2, 2):
            hidden = np.maximum(values[-1] @ self.layers[at] + self.layers[at + 1], 0)
            kept = random.random(hidden.shape, np.float32) > schedule.dropout
            masks.append((kept / (1 - schedule.dropout)).astype(np.float32))
            values.append(hidden * masks[-1])
        return values, masks

    def _delta(self, scores: Floats, rows: Sample) -> Floats:
        odds = np.exp(scores - scores.max(1, keepdims=True))
        odds /= odds.sum(1, keepdims=True)
        wanted = np.full_like(odds, self.schedule.smoothing / odds.shape[1])
        wanted[np.arange(len(odds)), rows.classes] += 1 - self.schedule.smoothing
        return np.asarray((odds - wanted) * (rows.weights / rows.weights.sum())[:, None], np.float32)

    def _move(self, slopes: Sequence[Floats], step: int, rate: float) -> None:
        for at, slope in enumerate(slopes):
            self.first[at] += (1 - FIRST_DECAY) * (slope - self.first[at])
            self.second[at] += (1 - SECOND_DECAY) * (slope * slope - self.second[at])
            spread = np.sqrt(self.second[at] / (1 - SECOND_DECAY**step)) + 1e-8
            moved = self.first[at] / (1 - FIRST_DECAY**step) / spread
            shrunk = self.schedule.decay * self.layers[at] if self.layers[at].ndim == 2 else 0.0
            self.layers[at] = (self.layers[at] - rate * (moved + shrunk)).astype(np.float32)
