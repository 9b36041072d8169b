"""What a claim costs: with one tenant, and with very many of them waiting while thousands of chunks run."""

import threading
import time
from collections.abc import Iterator

import orjson
import psycopg

from bench.figure import Bench, Figure, paired
from pagemill.db import chunks
from pagemill.db.database import Tx
from pagemill.db.fairness import Turns
from pagemill.db.migrate import migrate
from pagemill.db.postgres import PostgresDatabase
from pagemill.model.options import ReadingOptions
from pagemill.model.states import ChunkState, Lane
from pagemill.model.work import Claim
from tests.cluster import postgres

LANES = (Lane.FAST, Lane.BULK, Lane.OCR)
BATCH = 8
CLAIMERS = 2
DOCUMENTS = """
INSERT INTO documents (id, tenant, sha256, size_bytes, media_type, filename, blob_key, created_at)
SELECT 'd' || n, 't' || n %% %(tenants)s, 'sha', 1, 'application/pdf', 'f.pdf', 'key', n
FROM generate_series(1, %(count)s) AS n
"""
JOBS = """
INSERT INTO jobs (id, tenant, document_id, run, status, stage, lane, priority, options, metadata, fingerprint,
                  processed_pages, failed_pages, warnings, crashes, errors, lost, chunks_left, revision, reused,
                  seconds, version, last_seq, created_at, expires_at, swept)
SELECT 'j' || lpad(n::text, 9, '0'), 't' || n %% %(tenants)s, 'd' || n, 1, 'processing', 'plan', 'fast', 0,
       %(options)s, '{}', 'print', 0, '[]', '[]', 0, 0, 0, 0, 0, false, '{}', 1, 0, n, 1e12, false
FROM generate_series(1, %(count)s) AS n
"""
CHUNKS = """
INSERT INTO chunks (id, job_id, tenant, run, step, lane, priority, single, small, state, fence, worker_id,
                    claimed_at, not_before, crashes, errors, lost, failed_pages, created_at)
SELECT 'c' || lpad(n::text, 9, '0'), 'j' || lpad(n::text, 9, '0'), 't' || n %% %(tenants)s, 1, 'plan', 'fast', 0,
       false, true, CASE WHEN n <= %(running)s THEN 'running' ELSE 'ready' END, 0,
       CASE WHEN n <= %(running)s THEN 'busy' END, 0, 0, 0, 0, 0, '[]', n
FROM generate_series(1, %(count)s) AS n
"""


def claims(bench: Bench) -> Iterator[Figure]:
    """Chunks claimed and finished per second in batches, with a thousand tenants and with one."""
    tenants, running = bench.size(1_000, 20), bench.size(5_000, 50)
    seconds = bench.size(5, 1)
    many, one = [], []
    with postgres.running(bench.fresh("claims")) as server:
        for _ in range(bench.rounds):
            many.append(rate(server, tenants, running, seconds))
            one.append(rate(server, 1, running, seconds))
    yield Figure(
        figure="claims",
        value=paired(many, one),
        target=">= 0.77",
        baseline="the same with one tenant",
        ours=max(many),
        theirs=max(one),
        unit="chunks claimed and finished per second",
        details={"tenants": tenants, "running": running, "batch": BATCH, "claimers": CLAIMERS},
    )


def rate(server: postgres.Postgres, tenants: int, running: int, seconds: float) -> float:
    """Chunks per second that some threads claim and finish."""
    database = PostgresDatabase(server.new_database())
    migrate(database.engine)
    fill(database, tenants, running, running + 40_000)
    done: list[int] = []
    threads = [
        threading.Thread(target=lambda: done.append(claim_for(database, seconds))) for _ in range(CLAIMERS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    database.close()
    return sum(done) / seconds


def fill(database: PostgresDatabase, tenants: int, running: int, count: int) -> None:
    """Write the rows of jobs that run and jobs that wait, spread over the tenants."""
    url = database.engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
    options = orjson.dumps(ReadingOptions().as_dict()).decode()
    given = {"tenants": tenants, "running": running, "count": count, "options": options}
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in (DOCUMENTS, JOBS, CHUNKS):
            connection.execute(statement.encode(), given)
        connection.execute("VACUUM ANALYZE")


def claim_for(database: PostgresDatabase, seconds: float) -> int:
    """How many chunks one thread claims and finishes in this time."""
    until, count, turns = time.monotonic() + seconds, 0, Turns()

    def finish(tx: Tx, held: list[Claim]) -> None:
        for claim in held:
            chunks.finish(tx, claim, ChunkState.DONE)

    while time.monotonic() < until:
        held = database.write(lambda tx: chunks.claim(tx, "claimer", LANES, BATCH, turns))
        database.write(lambda tx, held=held: finish(tx, held))  # type: ignore[misc]
        count += len(held)
    return count
