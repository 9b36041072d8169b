"""Looking at and working with the rows of a mill that no thread works on."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection, create_engine, select
from sqlalchemy.pool import NullPool

from pagemill.db import jobs, schema
from pagemill.mill import DEFAULT_TENANT, Mill
from pagemill.model.jobs import JobRow
from pagemill.model.messages import Message
from pagemill.model.options import ReadingOptions
from pagemill.model.states import Lane
from pagemill.model.work import Claim, Finding
from pagemill.runner import claim_chunks, do_work, record, take_turn
from pagemill.settings import Settings
from pagemill.steps.accept import IncomingDocument, Submission, accept

LANES = (Lane.FAST, Lane.BULK)
FORMATS = ("markdown", "json")
WATCHED = (schema.jobs, schema.chunks, schema.results, schema.events, schema.documents)
Rows = dict[str, list[tuple[object, ...]]]
T = TypeVar("T")


def settings_for(folder: Path) -> Settings:
    """Settings of a small mill in a folder, with short times."""
    return Settings(
        data_dir=folder,
        slots=1,
        kept_slots=0,
        lease_seconds=2,
        heartbeat_seconds=0.5,
        sweep_seconds=0.5,
        port=0,
        providers="liteparse-plain",
    )


def hand_in(mill: Mill, document: bytes, name: str = "letter.pdf") -> tuple[str, tuple[Message, ...]]:
    """Make a job of a document, and keep its messages back; the id of the job and the messages."""
    incoming = IncomingDocument(mill.blobs, mill.settings.max_file_bytes)
    incoming.filename = name
    incoming.write_all([document])
    incoming.commit()
    upload = incoming.stored_upload()
    submission = Submission(DEFAULT_TENANT, upload, ReadingOptions(formats=FORMATS), {}, reuse=False)
    acceptance = mill.db.write(lambda tx: accept(tx, mill, submission))
    return acceptance.job_id, acceptance.messages


def claimed(mill: Mill) -> list[Claim]:
    """Claim what is fairest to take, as a worker does."""
    return mill.db.write(lambda tx: claim_chunks(tx, mill, LANES))


def found(mill: Mill) -> list[Finding]:
    """Claim and do the next piece of work without recording it."""
    claims = claimed(mill)
    return do_work(mill, claims) if claims else []


def recorded(mill: Mill, findings: list[Finding]) -> list[Message]:
    """Record what was found."""
    return mill.db.write(lambda tx: record(tx, findings))


def looked(mill: Mill, query: Callable[[Connection], T]) -> T:
    """What a connection of its own sees: every row that is committed now."""
    # A fresh connection shares no snapshot with any reader of the mill.
    engine = create_engine(f"sqlite:///{mill.settings.data_dir / 'pagemill.db'}", poolclass=NullPool)
    try:
        with engine.connect() as conn:
            return query(conn)
    finally:
        engine.dispose()


def work_off(mill: Mill) -> None:
    """Do all work that is ready."""
    while take_turn(mill, LANES, threading.Event()):
        continue


def rows(mill: Mill) -> Rows:
    """All rows that tell of jobs."""

    def everything(conn: Connection) -> Rows:
        tables = ((table.name, conn.execute(select(table).order_by(table.c.id))) for table in WATCHED)
        return {name: [tuple(row) for row in found_rows] for name, found_rows in tables}

    return looked(mill, everything)


def job_row(mill: Mill, job_id: str) -> JobRow:
    """The row of a job."""
    found_job = looked(mill, lambda conn: jobs.find_job(conn, DEFAULT_TENANT, job_id))
    assert found_job is not None
    return found_job[0]


def kinds_of_events(mill: Mill, job_id: str) -> list[str]:
    """What happened to a job, in order."""
    query = select(schema.events.c.type).where(schema.events.c.job_id == job_id).order_by(schema.events.c.seq)
    return looked(mill, lambda conn: list(conn.scalars(query)))


def artifacts(mill: Mill, job_id: str) -> dict[str, bytes]:
    """The bytes of a job's artifacts by file name."""
    query = select(schema.results.c.prefix).join(schema.jobs, schema.jobs.c.result_id == schema.results.c.id)
    prefix = looked(mill, lambda conn: conn.scalars(query.where(schema.jobs.c.id == job_id)).one())
    made: dict[str, bytes] = {}
    for entry in mill.blobs.entries(prefix):
        with mill.blobs.open(entry.key) as file:
            made[entry.key.rpartition("/")[2]] = file.read()
    return made
