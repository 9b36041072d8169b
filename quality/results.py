"""Scores of single documents or pages, and their means."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

import orjson

from pagemill.model.pages import Route
from quality.corpus import Document
from quality.engines import Spent
from quality.metrics.calibration import Outcome, calibration_error
from quality.metrics.layout import Tally

Scores = Mapping[str, float | None]
DIGITS = 4
# Of these, less is better.
ERRORS = frozenset({"cer"})


@dataclass(frozen=True, slots=True)
class Scored:
    """What was to be read, what was read, and how near they are; a score is None where there is nothing to score."""

    scores: Scores
    truth: str
    answer: str
    group: str
    page: int = 1
    pages: int = 1
    # Counts whose sums make a figure of many pages, and what else is worth a look.
    tallies: Mapping[str, Tally] = field(default_factory=dict)
    remarks: Mapping[str, object] = field(default_factory=dict)
    # How sure the blocks and the page were, and how right they are.
    outcomes: Mapping[str, Sequence[Outcome]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Result:
    """How well an engine read a document or one of its pages."""

    engine: str
    document: Document
    scored: Scored
    spent: Spent
    failure: str | None = None
    route: Route | None = None

    @property
    def goodness(self) -> float:
        """The first of the scores, turned so that more is better."""
        for name, score in self.scored.scores.items():
            if score is not None:
                return 1.0 - score if name in ERRORS else score
        return 1.0

    def told(self) -> dict[str, object]:
        """The result in a line."""
        scores = {name: tidy(score) for name, score in self.scored.scores.items()}
        place = {"document": self.document.name, "page": self.scored.page}
        tallied = {name: tidy(tally.f1) for name, tally in self.scored.tallies.items()}
        return {
            "engine": self.engine,
            **place,
            **scores,
            **tallied,
            **self.scored.remarks,
            "failure": self.failure,
        }


def means(results: Sequence[Result]) -> dict[str, float | None]:
    """The mean of each score over the documents that have it."""
    names = dict.fromkeys(name for result in results for name in result.scored.scores)
    return {name: _mean(result.scored.scores.get(name) for result in results) for name in names}


def summed(results: Sequence[Result]) -> dict[str, Tally]:
    """The tallies of all results together."""
    sums: dict[str, Tally] = {}
    for result in results:
        for name, tally in result.scored.tallies.items():
            sums[name] = sums.get(name, Tally(0, 0, 0)) + tally
    return sums


def gathered(results: Sequence[Result]) -> dict[str, list[Outcome]]:
    """The outcomes of all results together."""
    every: dict[str, list[Outcome]] = {}
    for result in results:
        for name, outcomes in result.scored.outcomes.items():
            every.setdefault(name, []).extend(outcomes)
    return every


def _mean(values: Iterable[float | None]) -> float | None:
    there = [value for value in values if value is not None]
    return fmean(there) if there else None


def summary(results: Sequence[Result]) -> dict[str, object]:
    """The figures of results that belong together."""
    pages = max(sum(result.scored.pages for result in results), 1)
    return {
        **{name: tidy(value) for name, value in means(results).items()},
        **{name: tidy(tally.f1) for name, tally in summed(results).items()},
        **{f"{name}_ece": tidy(calibration_error(found)) for name, found in gathered(results).items()},
        "n": len(results),
        "failed": sum(result.failure is not None for result in results),
        "seconds_per_page": tidy(sum(result.spent.seconds for result in results) / pages),
        "cpu_seconds_per_page": tidy(sum(result.spent.cpu_seconds for result in results) / pages),
    }


def summaries(results: Sequence[Result]) -> Iterator[dict[str, object]]:
    """The figures per engine and category, then per group within the category if there are several."""
    for engine, of_engine in grouped(results, lambda result: result.engine).items():
        for category, of_category in grouped(of_engine, lambda result: result.document.category).items():
            yield {"engine": engine, "category": category, **summary(of_category)}
            groups = grouped(of_category, lambda result: result.scored.group)
            for group, of_group in groups.items() if len(groups) > 1 else ():
                yield {"engine": engine, "category": category, "group": group, **summary(of_group)}


def grouped(results: Iterable[Result], key: Callable[[Result], str]) -> dict[str, list[Result]]:
    """The results under what the key says of each."""
    groups: dict[str, list[Result]] = {}
    for result in results:
        groups.setdefault(key(result), []).append(result)
    return groups


def tidy(value: float | None) -> float | None:
    """The value without digits that mean nothing."""
    return None if value is None else round(value, DIGITS)


def line(figures: Mapping[str, object]) -> str:
    """Figures as one line of JSON."""
    return orjson.dumps(figures).decode()
