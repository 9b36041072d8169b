"""The nearest of a tenant's vectors, compared one by one; those of the tenants that search most are kept in memory."""

import threading
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pagemill.reading.embedding.packing import Floats, dimension_of, unpack_rows

NUMBER_BYTES = 4
# Vectors of a tenant that has more than fit into memory are fetched so many at a time for each question.
PIECE = 5_000
# Among so many, changes are looked for after ten times as long as that takes; fewer are always up to date.
MANY, REST = 10_000, 10.0
TOO_MANY_SECONDS = 600.0
Found = tuple[int, float]
# A tenant and a model.
Key = tuple[str, str]


class VectorSource(Protocol):
    """Where the vectors of one tenant and one model are stored."""

    def version(self) -> int:
        """A number that grows with every change."""

    def places(self) -> Mapping[int, str]:
        """The passages that have vectors, with their results."""

    def fetch(self, ids: Sequence[int]) -> Mapping[int, bytes]:
        """The vectors of passages; those that were removed in the meantime are missing."""


@dataclass(frozen=True, slots=True)
class VectorMatrix:
    """The vectors of a tenant as rows; `results` says which of `names` each belongs to."""

    version: int
    ids: NDArray[np.int64]
    names: tuple[str, ...]
    results: NDArray[np.int64]
    rows: Floats
    made_at: float = 0.0
    took_seconds: float = 0.0

    def is_fresh(self, version: int) -> bool:
        """Whether it need not be looked at again."""
        resting = time.monotonic() < self.made_at + REST * self.took_seconds
        return self.version == version or (len(self.ids) > MANY and resting)

    def nearest(self, query: Floats, limit: int, allowed: Set[str] | None) -> list[Found]:
        """The passages nearest to a vector, of these results if any are named, with cosines, best first."""
        if not len(self.ids):
            return []
        scores = self.rows @ query
        if allowed is not None:
            may = np.fromiter((name in allowed for name in self.names), bool, len(self.names))
            scores = np.where(may[self.results], scores, -np.inf)
        return best(self.ids, scores, limit)


def best(ids: NDArray[np.int64], scores: Floats, limit: int) -> list[Found]:
    """The highest scores with their ids, of equal ones the newest; what is not allowed is left out."""
    some = np.argpartition(scores, -limit)[-limit:] if limit < len(scores) else np.arange(len(scores))
    some = some[np.isfinite(scores[some])]
    ordered = some[np.lexsort((-ids[some], -scores[some]))]
    return list(zip(ids[ordered].tolist(), scores[ordered].tolist(), strict=True))


class VectorCache:
    """The vectors of the tenants that asked last, within a bound on memory."""

    def __init__(self, memory_bytes: int) -> None:
        self._memory_bytes = memory_bytes
        self._kept: OrderedDict[Key, VectorMatrix] = OrderedDict()
        self._loading: dict[Key, threading.Lock] = {}
        # What is being loaded, with the bytes that it will take.
        self._reserved: dict[Key, int] = {}
        self._lock = threading.Lock()
        # When those that were too many are tried again.
        self._not_before: dict[Key, float] = {}

    def nearest(
        self, key: Key, source: VectorSource, query: bytes, limit: int, allowed: Set[str] | None
    ) -> list[Found]:
        """The passages nearest to a vector; `key` names the tenant and the model."""
        vector = unpack_rows([query], dimension_of(query))[0]
        matrix = self._current(key, source, len(vector))
        if matrix is not None:
            return matrix.nearest(vector, limit, allowed)
        return scan(source, vector, limit, allowed)

    def find_fresh(self, key: Key, version: int) -> VectorMatrix | None:
        """The vectors of a tenant if they are in memory and need not be looked at again."""
        kept = self._find(key)
        return kept if kept is not None and kept.is_fresh(version) else None

    def may_load(self, key: Key) -> bool:
        """Whether the vectors of a tenant are not being loaded now, and were not too many a while ago."""
        return time.monotonic() >= self._not_before.get(key, 0.0) and not self._lock_of(key).locked()

    def load(self, key: Key, source: VectorSource, dimension: int) -> None:
        """Take the vectors of a tenant into memory, if that may be done now."""
        if not self.may_load(key):
            return
        if self._current(key, source, dimension) is None:
            self._not_before[key] = time.monotonic() + TOO_MANY_SECONDS

    def memory_bytes(self) -> int:
        """How much the vectors in memory take."""
        with self._lock:
            return sum(matrix.rows.nbytes for matrix in self._kept.values())

    def _current(self, key: Key, source: VectorSource, dimension: int) -> VectorMatrix | None:
        """The vectors of a tenant as they are now; None if they are too many to be kept."""
        version = source.version()
        with self._lock_of(key):
            kept = self._find(key)
            if kept is not None and kept.is_fresh(version):
                return kept
            started, places = time.monotonic(), source.places()
            if not self._reserve(key, len(places) * dimension * NUMBER_BYTES):
                return None
            try:
                made = renew_matrix(kept, version, places, source, dimension)
                ended = time.monotonic()
                self._keep(key, with_times(made, ended, ended - started))
            finally:
                self._free(key)
            return made

    def _lock_of(self, key: Key) -> threading.Lock:
        """What is held while the vectors of one tenant are loaded, so that others need not wait for that."""
        with self._lock:
            return self._loading.setdefault(key, threading.Lock())

    def _find(self, key: Key) -> VectorMatrix | None:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def _reserve(self, key: Key, size_bytes: int) -> bool:
        """Make room for the vectors of a tenant; False if there is none beside those that are being loaded."""
        with self._lock:
            if size_bytes + sum(self._reserved.values()) > self._memory_bytes:
                self._kept.pop(key, None)
                return False
            self._reserved[key] = size_bytes
            self._make_room()
            return True

    def _free(self, key: Key) -> None:
        with self._lock:
            del self._reserved[key]

    def _keep(self, key: Key, made: VectorMatrix) -> None:
        with self._lock:
            self._kept[key] = made
            self._kept.move_to_end(key)

    def _make_room(self) -> None:
        """Drop the vectors of those that asked longest ago, except what is loaded in place of others."""
        for key in list(self._kept):
            staying = sum(one.rows.nbytes for name, one in self._kept.items() if name not in self._reserved)
            if staying + sum(self._reserved.values()) <= self._memory_bytes:
                return
            if key not in self._reserved:
                del self._kept[key]


def with_times(made: VectorMatrix, ended: float, took_seconds: float) -> VectorMatrix:
    """A matrix that knows when it was made and how long that took."""
    return VectorMatrix(made.version, made.ids, made.names, made.results, made.rows, ended, took_seconds)


def renew_matrix(
    kept: VectorMatrix | None, version: int, places: Mapping[int, str], source: VectorSource, dimension: int
) -> VectorMatrix:
    """The vectors that are there now: those in memory that still are, and those that came since."""
    known = {} if kept is None else {int(one): place for place, one in enumerate(kept.ids)}
    staying = [one for one in known if one in places]
    fetched = source.fetch([one for one in places if one not in known])
    coming = [one for one, packed in fetched.items() if dimension_of(packed) == dimension]
    rows = unpack_rows([fetched[one] for one in coming], dimension)
    if kept is not None and staying:
        rows = np.concatenate([kept.rows[[known[one] for one in staying]], rows])
    ids = [*staying, *coming]
    names = {name: number for number, name in enumerate(dict.fromkeys(places[one] for one in ids))}
    results = np.array([names[places[one]] for one in ids], np.int64)
    return VectorMatrix(version, np.array(ids, np.int64), tuple(names), results, rows)


def scan(source: VectorSource, vector: Floats, limit: int, allowed: Set[str] | None) -> list[Found]:
    """The nearest among more vectors than are kept in memory, piece by piece."""
    wanted = [one for one, result in source.places().items() if allowed is None or result in allowed]
    found: list[Found] = []
    for start in range(0, len(wanted), PIECE):
        fetched = source.fetch(wanted[start : start + PIECE])
        fitting = {one: packed for one, packed in fetched.items() if dimension_of(packed) == len(vector)}
        if fitting:
            rows = unpack_rows(list(fitting.values()), len(vector))
            found += best(np.array(list(fitting), np.int64), rows @ vector, limit)
    return sorted(found, key=lambda one: (-one[1], -one[0]))[:limit]
