"""What indexing adds to reading a document: the CPU time of each of its parts, beside that of reading the same document."""

import itertools
import random
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from statistics import mean, median

import orjson

from bench.figure import Bench, Figure
from bench.pages import write_document, write_tables
from pagemill.db import results, search_index
from pagemill.db.database import Database, Tx
from pagemill.db.migrate import migrate
from pagemill.db.sqlite import SqliteDatabase
from pagemill.engines import USUAL_TEXT
from pagemill.errors import PagemillError
from pagemill.garbage_collection import collect_rarely
from pagemill.model.formats import FORMATS
from pagemill.model.index_feed import IndexFeed, feed_from
from pagemill.model.jobs import Result
from pagemill.model.pages import Page
from pagemill.model.visits import OpenRequest
from pagemill.model.work import WrittenArtifact
from pagemill.reading.visits import open_document
from pagemill.reading.writers import WRITERS, Ending, Facts, Writer
from pagemill.reading.writers.text import BodyText

TENANT = "bench"
SHA256 = "0" * 64
# The first ones load modules and fill caches, which a worker does once.
WARM_UP = 3
# Every document is published so often, for merges and checkpoints come only with some hundreds of them.
WRITES = 5


@dataclass(frozen=True, slots=True)
class Cost:
    """The CPU seconds of reading one document, and of each part of indexing it."""

    reading: float
    cutting: float
    feeding: float
    database: float
    pages: int

    @property
    def indexing(self) -> float:
        """What indexing adds."""
        return self.cutting + self.feeding + self.database

    @property
    def share(self) -> float:
        """What indexing adds, as a share of reading."""
        return self.indexing / self.reading


class TimedWriter:
    """A writer that counts the CPU time it takes."""

    def __init__(self, make: Callable[[], Writer]) -> None:
        started = time.thread_time()
        self._writer = make()
        self.seconds = time.thread_time() - started

    def open(self, facts: Facts) -> None:
        """As the writer does."""
        started = time.thread_time()
        self._writer.open(facts)
        self.seconds += time.thread_time() - started

    def page(self, page: Page) -> None:
        """As the writer does."""
        started = time.thread_time()
        self._writer.page(page)
        self.seconds += time.thread_time() - started

    def close(self, ending: Ending) -> dict[str, WrittenArtifact]:
        """As the writer does."""
        started = time.thread_time()
        written = self._writer.close(ending)
        self.seconds += time.thread_time() - started
        return written


class Databases:
    """A database that is written without passages and one with them, each with checkpoints and merges of its own."""

    def __init__(self, bench: Bench) -> None:
        self.plain, self.indexed = (SqliteDatabase(bench.fresh("database")) for _ in range(2))
        self._results = itertools.count()
        migrate(self.plain.engine)
        migrate(self.indexed.engine)

    def added_seconds(self, feed: IndexFeed) -> float:
        """What a write with these passages takes longer than one without, on average of several."""
        return mean(self._added_once(feed) for _ in range(WRITES))

    def close(self) -> None:
        """Close both."""
        self.plain.close()
        self.indexed.close()

    def _added_once(self, feed: IndexFeed) -> float:
        result_id = f"result{next(self._results)}"
        return write_seconds(self.indexed, result_id, feed) - write_seconds(self.plain, result_id, None)


def indexing(bench: Bench) -> Iterator[Figure]:
    """The CPU time that chunks and their index add to reading, as a share of it, for three kinds of made documents."""
    # As the processes of the service do, which read and write so.
    collect_rarely()
    kinds = {
        "indexing": (write_document, 10),
        "indexing_letter": (write_document, 1),
        "indexing_tables": (write_tables, 4),
    }
    count = bench.size(60, 2)
    folder = bench.fresh("documents")
    folder.mkdir()
    documents = {
        name: [write(folder / f"{name}-{seed}.pdf", pages, seed) for seed in range(WARM_UP + count)]
        for name, (write, pages) in kinds.items()
    }
    costs = measure(bench, documents)
    for name in kinds:
        yield figure_of(name, costs[name][WARM_UP:])
    if bench.own:
        yield from own_figures(bench, drawn_from(bench.own, bench.size(400, 8)))


def own_figures(bench: Bench, documents: list[Path]) -> Iterator[Figure]:
    """The same for documents of the user's own, and for those of one page alone."""
    costs = measure(bench, {"own": documents})["own"][WARM_UP:]
    letters = [cost for cost in costs if cost.pages == 1]
    for name, found in (("indexing_own", costs), ("indexing_own_letter", letters)):
        if found:
            yield figure_of(name, found)


def drawn_from(folder: Path, most: int) -> list[Path]:
    """PDFs below a folder, the same ones at every run."""
    paths = sorted(folder.rglob("*.pdf"))
    return random.Random(1).sample(paths, min(most, len(paths)))


def measure(bench: Bench, documents: dict[str, list[Path]]) -> dict[str, list[Cost]]:
    """What each document costs; the kinds take turns, and every one has an index of its own."""
    costs: dict[str, list[Cost]] = {name: [] for name in documents}
    databases = {name: Databases(bench) for name in documents}
    for together in zip(*documents.values(), strict=True):
        for name, path in zip(documents, together, strict=True):
            costs[name] += cost_of(bench.fresh("read"), path, databases[name])
    for pair in databases.values():
        pair.close()
    return costs


def cost_of(folder: Path, document: Path, databases: Databases) -> list[Cost]:
    """Read a document as the service does by default, and index it; no cost if it has no text, or is not read in one visit."""
    folder.mkdir()
    try:
        visit, cutting = read(folder, document)
    except PagemillError:
        return []
    chunks = folder / "chunks.jsonl"
    if not chunks.exists() or not chunks.stat().st_size:
        return []
    started = time.thread_time()
    with chunks.open("rb") as lines:
        feed = feed_from(lines)
    feeding = time.thread_time() - started
    pages = len(orjson.loads((folder / "document.json").read_bytes())["pages"])
    return [Cost(visit - cutting, cutting, feeding, databases.added_seconds(feed), pages)]


def read(folder: Path, document: Path) -> tuple[float, float]:
    """The CPU seconds of a visit that reads a document, and those of cutting it into chunks, which are among them.

    The request is that of a job without options, but for the limit on CPU time, which would end this process.
    """
    timed: list[TimedWriter] = []
    make = WRITERS["chunks"]

    def make_timed(folder: Path, formats: Collection[str], body: BodyText) -> Writer:
        timed.append(TimedWriter(lambda: make(folder, formats, body)))
        return timed[-1]

    request = OpenRequest(
        path=str(document),
        scratch=str(folder),
        max_pages=100,
        providers=USUAL_TEXT,
        formats=(*FORMATS, "chunks"),
        sha256=SHA256,
        able=True,
        describe=True,
    ).to_bytes()
    WRITERS["chunks"] = make_timed
    try:
        started = time.process_time()
        open_document(request)
        return time.process_time() - started, sum(one.seconds for one in timed)
    finally:
        WRITERS["chunks"] = make


def write_seconds(db: Database, result_id: str, feed: IndexFeed | None) -> float:
    """The CPU seconds of a write that publishes a result, with its passages or without."""

    def publish(tx: Tx) -> None:
        results.add(tx, made_result(result_id, tx.now))
        if feed:
            search_index.add_result(tx, TENANT, result_id, feed.passages, complete=feed.complete)

    started = time.process_time()
    db.write(publish)
    return time.process_time() - started


def made_result(result_id: str, now: float) -> Result:
    """A result as publishing writes it."""
    return Result(
        id=result_id,
        tenant=TENANT,
        fingerprint=result_id,
        prefix=result_id,
        artifacts={},
        document_pages=1,
        pages=1,
        failed_pages=[],
        warnings=[],
        complete=True,
        created_at=now,
        to_check=[],
        document_facts=None,
    )


def figure_of(name: str, costs: Sequence[Cost]) -> Figure:
    """What indexing adds to all documents together, so that merges of the index and checkpoints count."""
    *parts, pages = (mean(part) for part in zip(*map(astuple, costs), strict=True))
    reading, cutting, feeding, database = (1_000 * part for part in parts)
    added = cutting + feeding + database
    return Figure(
        figure=name,
        value=added / reading,
        target="<= 0.05",
        baseline="the same visit without its chunks, and the same write without its passages",
        ours=added,
        theirs=reading,
        unit="ms of CPU",
        details={
            "documents": len(costs),
            "pages": pages,
            "cutting_ms": cutting,
            "feeding_ms": feeding,
            "database_ms": database,
            "median_share": median(one.share for one in costs),
        },
    )
