"""What search costs: a question among 100,000 chunks."""

import math
import random
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate, groupby, islice
from pathlib import Path

import numpy as np
from sqlalchemy import func, select, text

from bench.figure import Bench, Figure, percentile
from bench.machine import tree
from pagemill.db import search_index, vectors
from pagemill.db.database import Database, Tx
from pagemill.db.migrate import migrate
from pagemill.db.postgres import PostgresDatabase
from pagemill.db.search_tables import passage_vectors, passages
from pagemill.db.sqlite import SqliteDatabase
from pagemill.desk.search import MODES, TEXT, VECTOR, Search, answer_by
from pagemill.desk.search_limit import SearchLimit
from pagemill.desk.vector_search import Question
from pagemill.mill import Mill
from pagemill.model.document_filters import DocumentFilter
from pagemill.model.passages import IndexedPassage
from pagemill.model.search_queries import parse_query
from pagemill.model.search_words import spaced_words
from pagemill.reading.embedding.packing import pack_rows, shown_vector
from pagemill.settings import Settings
from pagemill.wiring import build
from tests.cluster import postgres

TENANT = "bench"
VOCABULARY = 30_000
WORDS_PER_PASSAGE = 180
PASSAGES_PER_RESULT = 50
QUESTIONS = 300
DIMENSION = 384
MODEL = f"drawn/{DIMENSION}"
# A quarter of a small machine's memory, as PostgreSQL's documentation says.
SERVER_OPTIONS = {"shared_buffers": "512MB"}
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
        page = number % PASSAGES_PER_RESULT + 1
        yield IndexedPassage(page, text, (), [(0, page, None, None)], spaced_words(text))


def fill(db: Database, count: int) -> float:
    """Index passages; the seconds that it took."""
    found, started = made_passages(count), time.perf_counter()
    for result in range(math.ceil(count / PASSAGES_PER_RESULT)):
        new = list(islice(found, PASSAGES_PER_RESULT))

        def add(tx: Tx, result_id: str = f"r{result:08}", new: Sequence[IndexedPassage] = new) -> None:
            search_index.add_result(tx, TENANT, result_id, new, complete=True)

        db.write(add)
    return time.perf_counter() - started


def questions() -> list[str]:
    """One to four words as they come in texts, phrases of two, and questions of eight words that no text has all of."""
    draw = random.Random(2)
    asked = [" ".join(made_words(draw, draw.choice((1, 2, 2, 3, 4)))) for _ in range(QUESTIONS * 6 // 10)]
    asked += [f'"{" ".join(made_words(draw, 2))}"' for _ in range(QUESTIONS * 2 // 10)]
    return asked + [" ".join(made_words(draw, 8)) for _ in range(QUESTIONS * 2 // 10)]


@dataclass(frozen=True, slots=True)
class Taken:
    """The seconds that a question took: by the clock, and of CPU time, which other work changes less."""

    wall: float
    cpu: float


def backend_seconds(server: postgres.Postgres) -> float:
    """The CPU time of the processes of a PostgreSQL server, each of which has one thread."""
    found = (Path(f"/proc/{one.pid}/schedstat") for one in tree(server.pid))
    return sum(int(path.read_text().split()[0]) for path in found if path.exists()) / 1e9


def seconds_each(
    ask: Callable[[str], object], server_seconds: Callable[[], float] = lambda: 0.0
) -> list[Taken]:
    """How long each question takes, after some to warm up; CPU time of a server is counted with this process's."""
    for question in questions()[:20]:
        ask(question)
    taken = []
    for question in questions():
        by_server, used, started = server_seconds(), time.process_time(), time.perf_counter()
        ask(question)
        wall, own = time.perf_counter() - started, time.process_time() - used
        taken.append(Taken(wall, own + server_seconds() - by_server))
    return taken


def load_vectors(mill: Mill) -> None:
    """Wait until the vectors are in memory, which a service loads once while the database answers."""
    ask, key = asking(mill, VECTOR), (TENANT, MODEL)
    ask("first")
    while (
        mill.db.read(lambda conn: mill.embeddings.cache.find_fresh(key, vectors.version_of(conn, TENANT)))
        is None
    ):
        time.sleep(0.1)


def asking(mill: Mill, mode: str) -> Callable[[str], object]:
    """A question to the index by words, by a vector that is drawn for it, or by both."""
    wanted = DocumentFilter(TENANT)

    def ask(text: str) -> object:
        query = parse_query(text)
        asked = None if mode == TEXT else Question(drawn_vectors(1, zlib.crc32(text.encode()))[0], MODEL)
        one = Search(mill, wanted, query, SearchLimit(mill.settings.search_seconds))
        return answer_by(one, asked, mode=mode, offset=0, limit=20)

    return ask


def drawn_vectors(count: int, seed: int) -> list[bytes]:
    """Vectors in all directions, of the dimension of MiniLM."""
    return pack_rows(np.random.default_rng(seed).standard_normal((count, DIMENSION), np.float32))


def add_drawn_vectors(db: Database) -> None:
    """Give every passage a vector."""
    rows = db.read(lambda conn: conn.execute(select(passages.c.id, passages.c.result_id)).all())
    by_result = groupby(sorted(rows, key=lambda row: (row[1], row[0])), key=lambda row: row[1])
    for seed, (result_id, found) in enumerate(by_result):
        ids = [row[0] for row in found]
        made = drawn_vectors(len(ids), seed)
        new = [(number, raw, shown_vector(raw)) for number, raw in zip(ids, made, strict=True)]
        db.write(partial(vectors.add_vectors, tenant=TENANT, result_id=result_id, model=MODEL, new=new))


def bare_asking(path: Path, count: int) -> Callable[[str], object]:
    """The same question to a bare full-text table with the same texts, ranked by SQLite."""
    is_filled = path.exists()
    conn = sqlite3.connect(path)
    if not is_filled:
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
    folder = bench.kept / f"search-{count}" if bench.kept else bench.fresh("search")
    folder.mkdir(parents=True, exist_ok=True)
    bare = seconds_each(bare_asking(folder / "bare.db", count))
    yield from figures_of(SqliteDatabase(folder / "search.db"), folder, count, bare, "search_p95")
    with postgres.running(folder / "server", SERVER_OPTIONS) as server:
        yield from figures_of(
            PostgresDatabase(server.url),
            folder,
            count,
            bare,
            "search_p95_postgres",
            lambda: backend_seconds(server),
        )
        server.stop()


def figures_of(
    db: Database,
    folder: Path,
    count: int,
    bare: list[Taken],
    name: str,
    server_seconds: Callable[[], float] = lambda: 0.0,
) -> Iterator[Figure]:
    """The figures of one database, one for each mode; the time to make the vector of a question is not in them."""
    migrate(db.engine)
    indexing = fill_once(db, count)
    with closing(build(Settings(data_dir=folder), folder)) as assembled:
        mill = replace(assembled, db=db)
        load_vectors(mill)
        taken_by_mode = {mode: seconds_each(asking(mill, mode), server_seconds) for mode in MODES}
    for mode, taken in taken_by_mode.items():
        yield figure_of(name if mode == TEXT else f"{name}_{mode}", taken, bare, count, indexing)
    db.close()


def fill_once(db: Database, count: int) -> float | None:
    """Index passages and their vectors, unless that was done before; the seconds that indexing took."""
    if db.read(lambda conn: conn.scalar(select(func.count()).select_from(passage_vectors))) == count:
        return None
    indexing = fill(db, count)
    add_drawn_vectors(db)
    if db.engine.dialect.name == "postgresql":
        # As PostgreSQL does by itself within a minute after so many rows were added.
        with db.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as conn:
            conn.execute(text("SET statement_timeout = 0"))
            conn.execute(text("VACUUM ANALYZE"))
    return indexing


def figure_of(name: str, taken: list[Taken], bare: list[Taken], count: int, indexing: float | None) -> Figure:
    """The time for 95 of 100 questions."""
    walls, own = [one.wall for one in taken], [one.cpu for one in taken]
    return Figure(
        figure=name,
        value=1_000 * percentile(walls, 0.95),
        target="<= 50",
        baseline="a bare FTS5 table with the same texts, ranked by SQLite",
        ours=1_000 * percentile(walls, 0.95),
        theirs=1_000 * percentile([one.wall for one in bare], 0.95),
        unit="ms",
        details={
            "chunks": count,
            "median_ms": 1_000 * percentile(walls, 0.5),
            "cpu_p95_ms": 1_000 * percentile(own, 0.95),
            "cpu_median_ms": 1_000 * percentile(own, 0.5),
            "indexing_ms_per_chunk": None if indexing is None else 1_000 * indexing / count,
        },
    )
