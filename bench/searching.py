"""What search costs: a question among 100,000 chunks, and what indexing adds to reading a document."""

import math
import random
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, islice
from pathlib import Path

from bench.figure import Bench, Figure, paired, percentile
from bench.pages import write_document
from pagemill.db import search_index
from pagemill.db.database import Database, Tx
from pagemill.db.migrate import migrate
from pagemill.db.postgres import PostgresDatabase
from pagemill.db.search import SearchFilter
from pagemill.db.sqlite import SqliteDatabase
from pagemill.desk.search import answer_query
from pagemill.model.index_feed import feed_from
from pagemill.model.passages import IndexedPassage, Place
from pagemill.model.search_queries import parse_query
from pagemill.model.search_words import words_of
from pagemill.model.visits import OpenRequest
from pagemill.reading.visits import open_document
from tests.cluster import postgres

TENANT = "bench"
VOCABULARY = 30_000
WORDS_PER_PASSAGE = 180
PASSAGES_PER_RESULT = 50
QUESTIONS = 300
# The words of a text are as frequent as those of a language: the n-th about 1/n as often as the first.
CUMULATIVE = list(accumulate(1 / (rank + 2.7) for rank in range(VOCABULARY)))


def made_words(draw: random.Random, count: int) -> list[str]:
    """Words with the frequencies of a language."""
    return [f"w{number:x}" for number in draw.choices(range(VOCABULARY), cum_weights=CUMULATIVE, k=count)]


def made_passages(count: int) -> Iterator[IndexedPassage]:
    """Passages of made-up text, numbered within their results."""
    draw = random.Random(1)
    for number in range(count):
        text = " ".join(made_words(draw, WORDS_PER_PASSAGE))
        place = Place(0, number % PASSAGES_PER_RESULT + 1)
        yield IndexedPassage(number % PASSAGES_PER_RESULT + 1, text, (), (place,), tuple(words_of(text)))


def fill(db: Database, count: int) -> float:
    """Index passages; the seconds that it took."""
    found, started = made_passages(count), time.perf_counter()
    for result in range(math.ceil(count / PASSAGES_PER_RESULT)):
        new = list(islice(found, PASSAGES_PER_RESULT))

        def add(tx: Tx, result_id: str = f"r{result:08}", new: Sequence[IndexedPassage] = new) -> None:
            search_index.begin_result(tx, TENANT, result_id)
            search_index.add_passages(tx, TENANT, result_id, new, complete=True)

        db.write(add)
    return time.perf_counter() - started


def questions() -> list[str]:
    """One to four words as they come in texts, phrases of two, and questions of eight words that no text has all of."""
    draw = random.Random(2)
    asked = [" ".join(made_words(draw, draw.choice((1, 2, 2, 3, 4)))) for _ in range(QUESTIONS * 6 // 10)]
    asked += [f'"{" ".join(made_words(draw, 2))}"' for _ in range(QUESTIONS * 2 // 10)]
    return asked + [" ".join(made_words(draw, 8)) for _ in range(QUESTIONS * 2 // 10)]


def seconds_each(ask: Callable[[str], object]) -> list[float]:
    """How long each question takes, after some to warm up."""
    for question in questions()[:20]:
        ask(question)
    taken = []
    for question in questions():
        started = time.perf_counter()
        ask(question)
        taken.append(time.perf_counter() - started)
    return taken


def asking(db: Database) -> Callable[[str], object]:
    """A question to the index."""
    wanted = SearchFilter(TENANT)
    return lambda text: db.read(
        lambda conn: answer_query(conn, wanted, parse_query(text), offset=0, limit=20)
    )


def bare_asking(path: Path, count: int) -> Callable[[str], object]:
    """The same question to a bare full-text table with the same texts, ranked by SQLite."""
    conn = sqlite3.connect(path)
    conn.execute("CREATE VIRTUAL TABLE bare USING fts5(words)")
    conn.executemany("INSERT INTO bare VALUES (?)", ((one.text,) for one in made_passages(count)))
    conn.commit()
    asked = (
        "SELECT rowid, snippet(bare, 0, '', '', '', 20) FROM bare WHERE bare MATCH ? ORDER BY rank LIMIT 20"
    )
    return lambda text: conn.execute(asked, (text,)).fetchall()


def search(bench: Bench) -> Iterator[Figure]:
    """The time for 95 of 100 questions among 100,000 chunks, on SQLite and on PostgreSQL."""
    count = bench.size(100_000, 500)
    folder = bench.fresh("search")
    folder.mkdir()
    bare = seconds_each(bare_asking(folder / "bare.db", count))
    yield from figures_of(SqliteDatabase(folder / "search.db"), count, bare, "search_p95")
    with postgres.running(bench.fresh("search-postgres")) as server:
        database = PostgresDatabase(server.new_database())
        yield from figures_of(database, count, bare, "search_p95_postgres")


def figures_of(db: Database, count: int, bare: list[float], name: str) -> Iterator[Figure]:
    """The figure of one database."""
    migrate(db.engine)
    indexing = fill(db, count)
    taken = seconds_each(asking(db))
    db.close()
    yield Figure(
        figure=name,
        value=1_000 * percentile(taken, 0.95),
        target="<= 50",
        baseline="a bare FTS5 table with the same texts, ranked by SQLite",
        ours=1_000 * percentile(taken, 0.95),
        theirs=1_000 * percentile(bare, 0.95),
        unit="ms",
        details={
            "chunks": count,
            "median_ms": 1_000 * percentile(taken, 0.5),
            "indexing_ms_per_chunk": 1_000 * indexing / count,
        },
    )


def indexing(bench: Bench) -> Iterator[Figure]:
    """The CPU time that chunks and their index add to reading a document of ten pages, as a share of it."""
    folder = bench.fresh("indexing")
    folder.mkdir()
    document = folder / "in.pdf"
    write_document(document, 10, 1)
    db = SqliteDatabase(folder / "index.db")
    migrate(db.engine)
    plain, indexed = [], []
    for number in range(bench.size(20, 3)):
        plain.append(read_seconds(folder / "plain", document))
        indexed.append(read_seconds(folder / "indexed", document, db, f"r{number}"))
    db.close()
    ours, theirs = percentile(indexed, 0.5), percentile(plain, 0.5)
    yield Figure(
        figure="indexing",
        value=paired(indexed, plain) - 1,
        target="<= 0.05",
        baseline="the same document read without chunks and index",
        ours=1_000 * ours,
        theirs=1_000 * theirs,
        unit="ms of CPU",
    )


def read_seconds(folder: Path, document: Path, db: Database | None = None, result_id: str = "") -> float:
    """The CPU seconds to read a document, and to index it if there is an index."""
    folder.mkdir(exist_ok=True)
    formats = ("markdown", "json", "text", "html", *(("chunks",) if db else ()))
    request = OpenRequest(str(document), str(folder), 100, ("liteparse", "pdfium"), formats=formats)
    started = time.process_time()
    open_document(request.to_bytes())
    if db is not None:
        with (folder / "chunks.jsonl").open("rb") as lines:
            feed = feed_from(lines)

        def add(tx: Tx) -> None:
            search_index.begin_result(tx, TENANT, result_id)
            search_index.add_passages(tx, TENANT, result_id, feed.passages, complete=True)

        db.write(add)
    return time.process_time() - started
