"""What grows with a cluster: many slots read as many chunks, and a long backlog makes nothing dearer."""

import time
from collections.abc import Iterator, Sequence
from statistics import median

import psycopg

from bench.cluster import installed
from bench.door import Door
from bench.doors import timed
from bench.figure import Bench, Figure
from bench.machine import MEGABYTE, cpu_seconds, memory_bytes
from pagemill.db import chunks
from pagemill.db.fairness import Turns
from pagemill.db.postgres import PostgresDatabase
from pagemill.model.states import Lane
from tests import samples
from tests.cluster.cluster import Cluster
from tests.waiting import wait_for

SLOTS_PER_WORKER = 10
SLEEP_SECONDS = 1
CHUNK_PAGES = 64
READ = "FROM chunks WHERE step = 'extract' AND state = 'done'"
ALL_READ = f"SELECT 1 {READ} HAVING count(*) >= %s"
SPAN = f"SELECT max(finished_at) - min(claimed_at) {READ}"
READ_SECONDS = 600.0
NOBODY = "00000000-0000-0000-0000-000000000000"


def slots(bench: Bench) -> Iterator[Figure]:
    """Chunks that only take time: one slot beside fifty in several worker processes."""
    workers, each = bench.size(5, 2), bench.size(SLOTS_PER_WORKER, 2)
    alone, _ = slept(bench, 1, 8, 1, 1)
    together, cpu = slept(bench, bench.size(33, 1), bench.size(30, 12), workers, each)
    yield Figure(
        figure="slots",
        value=together / alone,
        target=f">= {bench.size(40, 2)}",
        baseline="one slot in the same run",
        ours=together,
        theirs=alone,
        unit="chunks per second",
        details={"slots": workers * each, "workers": workers, "cpu_ms_per_chunk": cpu * 1000},
    )


def slept(bench: Bench, documents: int, chunks_each: int, workers: int, each: int) -> tuple[float, float]:
    """Chunks per second and CPU seconds per chunk when workers read chunks that take a second each."""
    markers = ([f"TRIAL:sleep:{SLEEP_SECONDS}"] + [""] * (CHUNK_PAGES - 1)) * chunks_each
    # One page of each chunk, because it is the waiting that is measured.
    pages = ",".join(str(1 + CHUNK_PAGES * number) for number in range(chunks_each))
    with installed(bench, providers="trial", kept_slots=0) as cluster, cluster.api().door() as door:
        running = [cluster.worker("--concurrency", str(each), slots=each) for _ in range(workers)]
        before = sum(cpu_seconds(worker.pid) for worker in running)
        for number in range(documents):
            # Other words at the end make another document.
            document = samples.trial_pages([*markers[:-1], f"number {number}"])
            door.hand_in(document, f"{number}.pdf", None, pages=pages).expect(202)
        wait_for(lambda: all_read(cluster, documents * chunks_each), READ_SECONDS)
        spent = sum(cpu_seconds(worker.pid) for worker in running) - before
        [(seconds,)] = cluster.asked(SPAN)
    count = documents * chunks_each
    return count / float(str(seconds)), spent / count


def all_read(cluster: Cluster, count: int) -> bool:
    """Whether so many chunks are read; looked at now and then, because each look costs the database a connection."""
    time.sleep(1)
    return bool(cluster.asked(ALL_READ, count))


def backlog(bench: Bench) -> Iterator[Figure]:
    """Submitting, looking at and claiming work, with an empty system and with very many jobs queued."""
    count, rounds = bench.size(100_000, 500), bench.size(200, 10)
    letters = [path.read_bytes() for path in bench.documents(3 * rounds, 1, seed=90_000)]
    with installed(bench, max_pending_jobs=1_000_000) as cluster:
        api = cluster.api()
        with api.door() as door:
            # The first of everything is dearer: connections are made and sentences are planned.
            costs(cluster, door, letters[2 * rounds :])
            empty = costs(cluster, door, letters[:rounds])
            before = memory_bytes(api.pid)
            queue_many(cluster, count)
            full = costs(cluster, door, letters[rounds : 2 * rounds])
            grown = memory_bytes(api.pid)
    for name, ours in full.items():
        yield Figure(
            figure=f"backlog_{name}",
            value=ours / empty[name],
            target="<= 1.5",
            baseline="the same without a backlog",
            ours=ours * 1000,
            theirs=empty[name] * 1000,
            unit="ms, median",
            details={"queued": count},
        )
    yield Figure(
        figure="backlog_memory",
        value=grown / before,
        target="<= 1.2",
        baseline="the same without a backlog",
        ours=grown / MEGABYTE,
        theirs=before / MEGABYTE,
        unit="MB, proportional set size of the API",
        details={"queued": count},
    )


def costs(cluster: Cluster, door: Door, letters: Sequence[bytes]) -> dict[str, float]:
    """The median seconds of a submission, a look at a waiting job, and a claim."""
    ids: list[str] = []

    def submit(letter: bytes) -> None:
        ids.append(door.hand_in(letter, "letter.pdf").expect(202).json()["id"])

    submits = [timed(lambda letter=letter: submit(letter)) for letter in letters]  # type: ignore[misc]
    looks = [timed(lambda one=one: door.get(f"/v1/jobs/{one}").expect(200)) for one in ids]  # type: ignore[misc]
    return {"submit": median(submits), "status": median(looks), "claim": claim_seconds(cluster, len(letters))}


def claim_seconds(cluster: Cluster, rounds: int) -> float:
    """The median seconds of a claim, which is given back each time."""
    database = PostgresDatabase(cluster.database_url)
    lanes = (Lane.FAST, Lane.BULK, Lane.OCR)
    try:
        seconds = []
        for _ in range(rounds):
            seconds.append(
                timed(lambda: database.write(lambda tx: chunks.claim(tx, NOBODY, lanes, 8, Turns())))
            )
            give_back(cluster)
        return median(seconds)
    finally:
        database.close()


def give_back(cluster: Cluster) -> None:
    """Make everything ready again that was claimed."""
    with psycopg.connect(cluster.database_url, autocommit=True) as connection:
        connection.execute("UPDATE chunks SET state = 'ready', worker_id = NULL WHERE state = 'running'")


def queue_many(cluster: Cluster, count: int) -> None:
    """Write the rows of many waiting jobs, copies of the newest one with ids of their own, which say that they are older."""
    fresh = "'{0}' || lpad(to_hex(n), 12, '0')"
    document, job, chunk = (fresh.format(f"00{kind}00000-0000-7000-8000-") for kind in "abc")
    with psycopg.connect(cluster.database_url, autocommit=True) as connection:
        for table, key, changes in (
            ("documents", document, {}),
            ("jobs", job, {"document_id": document}),
            ("chunks", chunk, {"job_id": job}),
        ):
            copy_rows(connection, table, count, {"id": key, **changes})
        connection.execute("ANALYZE")


def copy_rows(
    connection: "psycopg.Connection[tuple[object, ...]]", table: str, count: int, changes: dict[str, str]
) -> None:
    """Insert copies of the newest row of a table, with some columns changed."""
    found = connection.execute(
        "SELECT column_name FROM information_schema.columns WHERE table_name = %s ORDER BY ordinal_position",
        (table,),
    ).fetchall()
    columns = [str(name) for (name,) in found]
    values = ", ".join(changes.get(column, f"one.{column}") for column in columns)
    sentence = (
        f"INSERT INTO {table} ({', '.join(columns)}) SELECT {values} "
        f"FROM generate_series(1, {count}) AS n, (SELECT * FROM {table} ORDER BY id DESC LIMIT 1) AS one"
    )
    connection.execute(sentence.encode())
