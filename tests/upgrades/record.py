"""Record what a release says to the database and the queue: `python -m tests.upgrades.record FILE`, run once for each release.

The next release replays it (`test_side_by_side.py`), because two releases can't be installed beside each other.
"""

import json
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from cryptography.fernet import Fernet
from psycopg.types.json import Json, Jsonb

import pagemill
from pagemill.adapters.queues.celery_queue import TURN
from pagemill.db import workers
from pagemill.db.migrate import newest_revision
from pagemill.heartbeat import Heartbeat, worker_row
from pagemill.mill import Mill
from pagemill.model.options import ReadingOptions
from pagemill.model.states import ChunkState, Lane, Status, Step
from pagemill.runner import take_turn
from pagemill.wiring import open_mill
from tests import samples
from tests.cluster import postgres
from tests.mills import hand_in, small_settings

LETTER = samples.letter("Dear former,")
Statement = dict[str, Any]


def record(folder: Path) -> dict[str, Any]:
    """The words and statements of this release, from a document that is accepted and read."""
    with postgres.running(folder / "database") as server:
        settings = small_settings(
            folder / "mill",
            database_url=server.new_database(),
            blobs_url=f"file://{folder}/files",
            secret_key=Fernet.generate_key().decode(),
            sweep_seconds=3_600,
            heartbeat_seconds=3_600,
            watch_seconds=3_600,
        )
        with open_mill(settings, workers=False) as mill:
            accept, work = record_document(mill)
            [chunk] = ids_of(mill, "SELECT id FROM chunks WHERE step = 'plan'")
            [job] = ids_of(mill, "SELECT id FROM jobs")
            [document, key] = ids_of(mill, "SELECT id, blob_key FROM documents")
    return {
        "version": pagemill.__version__,
        "migration": newest_revision(),
        "lanes": [lane.value for lane in Lane],
        "steps": [step.value for step in Step],
        "statuses": [status.value for status in Status],
        "chunk_states": [state.value for state in ChunkState],
        "message": {"task": TURN, "arguments": ["plan", "fast", job]},
        "options": ReadingOptions().as_dict(),
        "ids": {"job": job, "chunk": chunk, "document": document, "blob_key": key},
        "worker": mill.worker_id,
        "accept": accept,
        "work": work,
    }


def record_document(mill: Mill) -> tuple[list[Statement], list[Statement]]:
    """What is said while a letter is accepted, and while a worker registers, claims it, reads it and records it."""
    row = worker_row(mill, [Lane.FAST])
    with recorded() as accept:
        hand_in(mill, LETTER, reuse=False)
    with recorded() as work:
        mill.db.write(lambda tx: workers.register(tx, row))
        Heartbeat(mill, row).beat()
        if not take_turn(mill, (Lane.FAST, Lane.BULK, Lane.OCR), threading.Event()):
            raise SystemExit("the letter was not read")
    return accept, work


def ids_of(mill: Mill, query: str) -> list[str]:
    """The values of the only row that a query finds."""
    with mill.db.engine.connect() as conn:
        return [str(value) for value in conn.exec_driver_sql(query).one()]


@contextmanager
def recorded() -> Iterator[list[Statement]]:
    """The statements of this process with their values, in the order in which they were sent."""
    said: list[Statement] = []
    lock, execute, execute_many = threading.Lock(), psycopg.Cursor.execute, psycopg.Cursor.executemany

    def note(query: object, values: object) -> None:
        with lock:
            said.append({"sql": str(query), "values": plain(values)})

    def noting(cursor: Any, query: Any, params: Any = None, **more: Any) -> Any:
        note(query, params)
        return execute(cursor, query, params, **more)

    def noting_many(cursor: Any, query: Any, rows: Any, **more: Any) -> None:
        for row in rows:
            note(query, row)
        execute_many(cursor, query, rows, **more)

    replace: Callable[[str, object], None] = lambda name, function: setattr(psycopg.Cursor, name, function)  # noqa: E731
    replace("execute", noting)
    replace("executemany", noting_many)
    try:
        yield said
    finally:
        replace("execute", execute)
        replace("executemany", execute_many)


def plain(value: Any) -> Any:
    """A value of the driver in the words of JSON."""
    match value:
        case Json() | Jsonb():
            return {"json": value.obj}
        case bytes():
            return {"hex": value.hex()}
        case Mapping():
            return {key: plain(one) for key, one in value.items()}
        case list() | tuple():
            return [plain(one) for one in value]
        case _:
            return value


def main() -> None:
    """Write the record."""
    with tempfile.TemporaryDirectory() as folder:
        found = record(Path(folder))
    Path(sys.argv[1]).write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
