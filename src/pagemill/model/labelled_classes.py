"""Classes of documents: the type that rules find, refined by the nearest examples that a tenant has labelled.

A document is compared by its words and pairs of words, hashed to numbers, so that no text of it is kept with an example.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from zlib import crc32

from typing_extensions import TypedDict

from pagemill.model.document_types import UNKNOWN, DocumentType

CLASS_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
CLASS_NAME_RULE = (
    "the name of a class has lower-case letters, digits, - and _, such as purchase-order, and is not unknown"
)
# The first page says what a document is; later ones make documents of one class differ.
MOST_WORDS = 400
MOST_FEATURES = 400
MOST_EXAMPLES_OF_CLASS = 50
MOST_EXAMPLES = 500
# As many of the nearest examples of a class count.
NEAREST = 3
# Fitted with `python -m quality.classes --fitted`. Of other classes, with three examples each, 1.0 of digital documents and
# .98 of poor scans get theirs, none another, and no stranger gets one; with one example .93 and .73.
LEAST_SIMILARITY = 0.2
LEAST_MARGIN = 0.1
DIGIT = re.compile(r"\d")

# Numbers of features with how often each is in the document.
Features = Sequence[tuple[int, int]]
Weights = Mapping[int, float]


class StoredClass(TypedDict):
    """The class of a document and why."""

    name: str
    """The class; `unknown` if neither rules nor examples are sure enough."""
    by: str
    """What decided: `rules`, `examples`, or `none`."""
    score: float
    """How sure that is, from 0 to 1: for examples, how alike the nearest are."""
    type: str
    """The type by rules alone."""
    reasons: list[str]


@dataclass(frozen=True, slots=True)
class LabelledExample:
    """A document that a tenant has labelled, by its features."""

    name: str
    job_id: str
    features: Features


@dataclass(frozen=True, slots=True)
class NearestClass:
    """The class whose examples are nearest, how alike they are, and by how much more than those of the next class."""

    name: str
    similarity: float
    margin: float
    job_ids: tuple[str, ...]


def features_of(words: Sequence[str]) -> list[tuple[int, int]]:
    """The features of a document from its words in order; numbers count by their length alone."""
    first = [DIGIT.sub("0", word) for word in words[:MOST_WORDS]]
    terms = Counter([*first, *(" ".join(pair) for pair in pairwise(first))])
    numbered = Counter[int]()
    for term, count in terms.items():
        numbered[crc32(term.encode())] += count
    return sorted(numbered.items(), key=lambda one: (-one[1], one[0]))[:MOST_FEATURES]


def nearest_class(features: Features, examples: Sequence[LabelledExample]) -> NearestClass | None:
    """The class of the nearest examples; None if there are none."""
    rarity = rarities(examples)
    own = weights_of(features, rarity)
    alike: dict[str, list[tuple[float, str]]] = {}
    for one in examples:
        score = similarity(own, weights_of(one.features, rarity))
        alike.setdefault(one.name, []).append((score, one.job_id))
    ranked = sorted(
        ((mean_of_nearest(found), name) for name, found in alike.items()), key=lambda one: (-one[0], one[1])
    )
    if not ranked:
        return None
    (best, name), second = ranked[0], ranked[1][0] if len(ranked) > 1 else 0.0
    nearest = sorted(alike[name], reverse=True)[:NEAREST]
    return NearestClass(name, round(best, 3), round(best - second, 3), tuple(job for _, job in nearest))


def rarities(examples: Sequence[LabelledExample]) -> dict[int, float]:
    """The weight of each feature: more, the fewer examples have it."""
    counts = Counter(number for one in examples for number, _ in one.features)
    total = len(examples)
    return {number: math.log((1 + total) / (1 + count)) + 1 for number, count in counts.items()}


def weights_of(features: Features, rarity: Mapping[int, float]) -> dict[int, float]:
    """The features of a document, weighted so that their squares add up to 1; what no example has counts nothing."""
    raw = {number: (1 + math.log(count)) * rarity.get(number, 1.0) for number, count in features}
    length = math.sqrt(sum(weight * weight for weight in raw.values())) or 1.0
    return {number: weight / length for number, weight in raw.items()}


def similarity(one: Weights, other: Weights) -> float:
    """How alike two documents are, from 0 to 1."""
    return sum(weight * other.get(number, 0.0) for number, weight in one.items())


def mean_of_nearest(found: Iterable[tuple[float, str]]) -> float:
    """How alike the nearest examples of a class are."""
    nearest = sorted((score for score, _ in found), reverse=True)[:NEAREST]
    return sum(nearest) / len(nearest)


def decide_class(
    by_rules: DocumentType, features: Features, examples: Sequence[LabelledExample]
) -> StoredClass:
    """The class of a document: that of examples which are near enough, else the type by rules, else unknown."""
    nearest = nearest_class(features, examples)
    doubt = None if nearest is None else doubt_about(nearest)
    if nearest is not None and doubt is None:
        reason = (
            f"like {len(nearest.job_ids)} labelled documents of the class, such as job {nearest.job_ids[0]}"
        )
        return stored_class(nearest.name, "examples", nearest.similarity, by_rules, [reason])
    doubts = [doubt] if doubt else []
    if by_rules.name != UNKNOWN:
        return stored_class(by_rules.name, "rules", by_rules.score, by_rules, [*by_rules.reasons, *doubts])
    return stored_class(UNKNOWN, "none", 0.0, by_rules, [*by_rules.reasons, *doubts])


def doubt_about(nearest: NearestClass) -> str | None:
    """Why the nearest examples decide nothing; None if they do."""
    if nearest.similarity < LEAST_SIMILARITY:
        return f"the nearest examples, of {nearest.name}, are alike by {nearest.similarity}, below {LEAST_SIMILARITY}"
    if nearest.margin < LEAST_MARGIN:
        return (
            f"the examples of {nearest.name} are nearer than others by {nearest.margin}, below {LEAST_MARGIN}"
        )
    return None


def stored_class(
    name: str, by: str, score: float, by_rules: DocumentType, reasons: Sequence[str]
) -> StoredClass:
    """A class as it is kept with a job."""
    return {"name": name, "by": by, "score": score, "type": by_rules.name, "reasons": list(reasons)}
