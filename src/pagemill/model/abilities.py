"""What a worker leaves to others: documents that others can read better, and runs that were begun with other engines.

Chunks say what they need. A document that is yet to be opened needs the providers of its chain (`chain a,b`), and
perhaps LibreOffice and enrichers from packages; once it is open, its run stays with the engines that opened it
(`reading 2; a 1.0; b 3.1`).
"""

import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from threading import Lock

from pagemill.model.states import Lane

CHAIN = "chain "
SEPARATOR = "; "
LIBREOFFICE = "libreoffice"
ENRICHER = "enricher:"
OPENING_LANES = frozenset({Lane.FAST.value, Lane.BULK.value})
READING_LANES = OPENING_LANES | {Lane.OCR.value, Lane.REMOTE.value}


def chain_needs(names: Iterable[str]) -> str:
    """What a document that is yet to be opened needs: its providers, and what else is named as workers name it."""
    return CHAIN + ",".join(names)


def run_needs(engines: Iterable[str]) -> str:
    """What the chunks of a run need whose document was opened with these engines."""
    return SEPARATOR.join(engines)


@dataclass(frozen=True, slots=True)
class WorkerEngines:
    """The engines of a worker as its row has them, such as `pdfium 5.1`, and the lanes that it takes work from."""

    engines: frozenset[str]
    lanes: frozenset[str]
    draining: bool = False

    def opens_documents_of(self, lanes: frozenset[str]) -> bool:
        """Whether it takes all documents that are yet to be opened and wait in these lanes."""
        return not self.draining and lanes & OPENING_LANES <= self.lanes

    @property
    def names(self) -> frozenset[str]:
        """The engines without their versions."""
        return frozenset(engine.partition(" ")[0] for engine in self.engines)


class WorkerAbilities:
    """Decides whether this worker takes a chunk, and keeps note of what it has refused."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = Lock()
        self._fleet: frozenset[WorkerEngines] = frozenset()
        self._lanes: frozenset[str] = frozenset()
        self._refused: set[str] = set()
        # Of runs that were refused: since when no worker has had their engines.
        self._abandoned: dict[str, float] = {}

    def refused_needs(self) -> list[str]:
        """What no chunk may need that this worker claims."""
        with self._lock:
            return list(self._refused)

    def note_fleet(self, fleet: Collection[WorkerEngines], lanes: Collection[str]) -> None:
        """Decide by these workers from now on; what was refused because of others is looked at again.

        `lanes` are those that this worker takes work from: it leaves nothing there to others that don't.
        """
        with self._lock:
            self._lanes = frozenset(lanes)
            if frozenset(fleet) != self._fleet:
                self._fleet = frozenset(fleet)
                self._refused = {needs for needs in self._refused if not needs.startswith(CHAIN)}

    def can_take(self, needs: str | None, engines: Collection[str]) -> bool:
        """Whether this worker takes a chunk that needs this; `engines` are its own of the chunk's chain."""
        if needs is None or self._is_fit(needs, engines):
            return True
        with self._lock:
            self._refused.add(needs)
        return False

    def _is_fit(self, needs: str, engines: Collection[str]) -> bool:
        if not needs.startswith(CHAIN):
            return needs == run_needs(engines)
        chain = frozenset(needs.removeprefix(CHAIN).split(","))
        own = chain & WorkerEngines(frozenset(engines), frozenset()).names
        return not any(own < one.names & chain for one in self._fleet if one.opens_documents_of(self._lanes))

    def find_abandoned(self, after_seconds: float) -> dict[str, frozenset[str]]:
        """What runs need that were refused, with the lanes in which no worker has had it for this long; asked again and again."""
        now = self._clock()
        with self._lock:
            runs = [needs for needs in self._refused if not needs.startswith(CHAIN)]
            gone = {needs: lanes for needs in runs if (lanes := self._lanes_without(needs))}
            self._abandoned = {needs: self._abandoned.get(needs, now) for needs in gone}
            return {needs: gone[needs] for needs, at in self._abandoned.items() if now - at >= after_seconds}

    def _lanes_without(self, needs: str) -> frozenset[str]:
        """The lanes of this worker in which no worker goes on with a run that needs this."""
        wanted = frozenset(needs.split(SEPARATOR))
        able = (one.lanes for one in self._fleet if not one.draining and wanted <= one.engines)
        return (self._lanes & READING_LANES).difference(*able)

    def forget(self, needs: str) -> None:
        """Refuse this no longer than until it is met again."""
        with self._lock:
            self._refused.discard(needs)
