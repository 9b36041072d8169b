"""One measured figure beside its baseline, and the place where figures are measured."""

import itertools
import operator
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import orjson

from bench.pages import write_document

Detail = str | int | float | bool | None | dict[str, float]
COMPARED: dict[str, Callable[[float, float], bool]] = {"<=": operator.le, ">=": operator.ge, "<": operator.lt}
ROUNDS = 3


@dataclass(frozen=True)
class Figure:
    """A figure, what it was measured against, and whether it is good enough."""

    figure: str
    value: float
    target: str
    baseline: str
    ours: float
    theirs: float
    unit: str
    details: dict[str, Detail] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether the value meets its target."""
        sign, _, bound = self.target.partition(" ")
        return COMPARED[sign](self.value, float(bound))

    def line(self) -> str:
        """The figure as one line of JSON."""
        told = {
            "figure": self.figure,
            "value": round(self.value, 3),
            "target": self.target,
            "ok": self.ok,
            "baseline": self.baseline,
            "ours": tidy(self.ours),
            "theirs": tidy(self.theirs),
            "unit": self.unit,
        }
        return orjson.dumps(told | {name: tidy(value) for name, value in self.details.items()}).decode()


def tidy(value: Detail) -> Detail:
    """The value without digits that mean nothing."""
    if isinstance(value, dict):
        return {name: round(number, 4) for name, number in value.items()}
    return round(value, 4) if isinstance(value, float) else value


@dataclass(frozen=True)
class Bench:
    """Where figures are measured, and whether with fewer documents than the figures ask for."""

    folder: Path
    quick: bool = False
    # Where databases that take long to fill are kept for the next time, if anywhere.
    kept: Path | None = None
    # Documents of the user's own, which some figures are measured with as well.
    own: Path | None = None
    counter: "itertools.count[int]" = field(default_factory=itertools.count)

    @property
    def rounds(self) -> int:
        """How often both sides are measured, in turns."""
        return 1 if self.quick else ROUNDS

    @property
    def processes(self) -> int:
        """How many processes read pages, on both sides."""
        return os.cpu_count() or 1

    def size(self, full: int, quick: int) -> int:
        """How many there are of something."""
        return quick if self.quick else full

    def fresh(self, name: str) -> Path:
        """A path in the folder that nothing is at yet."""
        return self.folder / f"{name}-{next(self.counter)}"

    def documents(self, count: int, pages: int, seed: int) -> list[Path]:
        """That many documents of that many pages, all different."""
        folder = self.fresh(f"documents-{pages}")
        folder.mkdir()
        return [write_document(folder / f"{seed + index}.pdf", pages, seed + index) for index in range(count)]


def paired(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """The median of the ratios of measurements that were taken one after the other, which drift can't bend."""
    return median(mine / other for mine, other in zip(ours, theirs, strict=True))


def percentile(values: Sequence[float], share: float) -> float:
    """The value that this share of all values does not exceed."""
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]
