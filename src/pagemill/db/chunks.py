"""The rows of chunks: made, claimed, finished. A claim raises the fence; every later write checks it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    bindparam,
    func,
    insert,
    literal_column,
    null,
    select,
    update,
)

from pagemill.db.database import Tx
from pagemill.db.quick import Quick
from pagemill.db.schema import chunks, documents, jobs
from pagemill.model.ids import new_id
from pagemill.model.jobs import Chunk, Job
from pagemill.model.options import Options
from pagemill.model.states import CHUNK_MOVES, READING, ChunkState, Lane, Step
from pagemill.model.work import Claim

LAST_PAGE = 1_000_000_000
INSERT = insert(chunks)
INSERT_ONE = Quick(INSERT)
CHUNK = select(*(chunks.c[field.name] for field in fields(Chunk)))
# The database uses an index on some rows only if it reads in the sentence that it is about them.
IS_READY = chunks.c.state == literal_column(f"'{ChunkState.READY.value}'")
IS_RUNNING = chunks.c.state == literal_column(f"'{ChunkState.RUNNING.value}'")
IS_READING = chunks.c.step.in_([step.value for step in sorted(READING)])
# In the order of Claim's fields.
CLAIMED = (
    select(
        chunks.c.id, chunks.c.fence, chunks.c.job_id, chunks.c.tenant, chunks.c.run, chunks.c.step, chunks.c.lane,
        jobs.c.options, chunks.c.small, chunks.c.first_page, chunks.c.last_page, chunks.c.single, chunks.c.crashes,
        chunks.c.errors, chunks.c.lost, chunks.c.claimed_at, documents.c.blob_key, documents.c.sha256,
        jobs.c.fingerprint, jobs.c.document_pages, jobs.c.password, chunks.c.providers,
    )
    .join(jobs, jobs.c.id == chunks.c.job_id)
    .join(documents, documents.c.id == jobs.c.document_id)
)  # fmt: skip
CLAIMED_ONE = Quick(CLAIMED.where(chunks.c.id == bindparam("chunk_id")))


@dataclass(frozen=True, slots=True)
class NewChunk:
    """A chunk to be made for a job."""

    step: Step
    lane: Lane
    first_page: int | None = None
    last_page: int | None = None
    single: bool = False
    small: bool = False
    providers: tuple[str, ...] | None = None


def create(tx: Tx, tenant: str, job_id: str, run: int, priority: int, new: Sequence[NewChunk]) -> None:
    """Write the rows of new chunks, ready to be claimed."""
    rows: list[dict[str, object]] = [
        {
            "id": new_id(), "job_id": job_id, "tenant": tenant, "run": run, "priority": priority,
            "step": chunk.step.value, "lane": chunk.lane.value, "first_page": chunk.first_page,
            "last_page": chunk.last_page, "single": chunk.single, "small": chunk.small,
            "state": ChunkState.READY.value, "failed_pages": [], "handed_pages": [], "created_at": tx.now,
            "providers": list(chunk.providers) if chunk.providers else None,
        }
        for chunk in new
    ]  # fmt: skip
    if len(rows) == 1:
        INSERT_ONE.run(tx.conn, rows[0])
    else:
        tx.conn.execute(INSERT, rows)


def take_over(tx: Tx, job: Job, new: NewChunk, former: Chunk) -> None:
    """Write a chunk of a new run that was settled in a former run."""
    row = {
        "id": new_id(), "job_id": job.id, "tenant": job.tenant, "run": job.run, "priority": job.priority,
        "step": new.step.value, "lane": new.lane.value, "first_page": new.first_page, "last_page": new.last_page,
        "single": new.single, "state": former.state, "output": former.output, "failed_pages": former.failed_pages,
        "handed_pages": former.handed_pages, "providers": former.providers,
        "created_at": tx.now, "finished_at": tx.now,
    }  # fmt: skip
    tx.conn.execute(INSERT, row)


RUNNING_OF = Quick(
    select(chunks.c.id, chunks.c.fence).where(IS_RUNNING, chunks.c.worker_id == bindparam("worker"))
)
TENANT_WAITING = Quick(
    select(chunks.c.tenant)
    .where(IS_READY, chunks.c.lane == bindparam("lane"), chunks.c.tenant > bindparam("after"))
    .order_by(chunks.c.tenant)
    .limit(1)
)
RUNNING_JOBS = Quick(
    select(chunks.c.tenant, chunks.c.job_id, func.count())
    .where(IS_RUNNING)
    .group_by(chunks.c.tenant, chunks.c.job_id)
)
WAITING = (
    select(chunks.c.priority, chunks.c.job_id, chunks.c.id, chunks.c.small)
    .where(IS_READY, chunks.c.lane == bindparam("lane"), chunks.c.tenant == bindparam("tenant"))
    .where(chunks.c.not_before <= bindparam("now"))
    .order_by(chunks.c.priority.desc(), chunks.c.job_id, chunks.c.id)
    .limit(bindparam("most"))
)
OF_IDLE_JOBS = Quick(WAITING.where(chunks.c.job_id.not_in(select(chunks.c.job_id).where(IS_RUNNING))))
OF_JOB = Quick(WAITING.where(chunks.c.job_id == bindparam("job_id")))
TAKE = Quick(
    update(chunks)
    .where(chunks.c.id == bindparam("chunk_id"), IS_READY)
    .values(
        state=literal_column(f"'{ChunkState.RUNNING.value}'"),
        fence=chunks.c.fence + literal_column("1"),
        worker_id=bindparam("worker"),
        claimed_at=bindparam("now"),
    )
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A ready chunk that a claim may take."""

    running_tenant: int
    running_job: int
    priority: int
    job_id: str
    id: str
    small: bool

    @property
    def turn(self) -> tuple[int, int, int, str, str]:
        """Who is next: the tenant, then the job, with the least running; then by priority and age."""
        return (self.running_tenant, self.running_job, -self.priority, self.job_id, self.id)


def claim(tx: Tx, worker_id: str, lanes: Iterable[Lane], batch: int) -> list[Claim]:
    """Take the fairest chunk that is ready, or up to `batch` small documents if one of them is next."""
    running = {(tenant, job): count for tenant, job, count in RUNNING_JOBS.all(tx.conn, {})}
    ready = sorted(candidates(tx, lanes, running, batch), key=lambda candidate: candidate.turn)
    if not ready:
        return []
    first = ready[0]
    if not first.small:
        return take(tx, worker_id, [first.id])
    alike = [c.id for c in ready if c.small and c.running_tenant == first.running_tenant]
    return take(tx, worker_id, alike[:batch])


def candidates(
    tx: Tx, lanes: Iterable[Lane], running: dict[tuple[str, str], int], batch: int
) -> Iterable[Candidate]:
    """For every lane and tenant: the oldest ready chunks of jobs that have none running, else of the others."""
    for lane in lanes:
        tenant = ""
        while waiting := TENANT_WAITING.one(tx.conn, {"lane": lane.value, "after": tenant}):
            tenant = waiting[0]
            of_tenant = {job: count for (owner, job), count in running.items() if owner == tenant}
            yield from of_lane(tx, lane, tenant, of_tenant, batch)


def of_lane(tx: Tx, lane: Lane, tenant: str, running: dict[str, int], batch: int) -> list[Candidate]:
    """The oldest ready chunks of one lane and tenant; busy jobs only when no other has any."""
    asked = {"lane": lane.value, "tenant": tenant, "now": tx.now}
    found = OF_IDLE_JOBS.all(tx.conn, asked | {"most": batch})
    if not found:
        found = [row for job in running for row in OF_JOB.all(tx.conn, asked | {"most": 1, "job_id": job})]
    total = sum(running.values())
    return [Candidate(total, running.get(row[1], 0), *row) for row in found]


def take(tx: Tx, worker_id: str, ids: Sequence[str]) -> list[Claim]:
    """Claim these chunks if they are still ready, raising their fences."""
    asked = {"worker": worker_id, "now": tx.now}
    taken = [chunk_id for chunk_id in ids if TAKE.run(tx.conn, asked | {"chunk_id": chunk_id})]
    rows = [CLAIMED_ONE.one(tx.conn, {"chunk_id": chunk_id}) for chunk_id in taken]
    return [claim_of(row) for row in rows if row is not None]


def held(conn: Connection, condition: ColumnElement[bool]) -> list[Claim]:
    """The claims on the chunks that meet a condition."""
    return [claim_of(row) for row in conn.execute(CLAIMED.where(condition).order_by(chunks.c.id)).all()]


def claim_of(row: Sequence[Any]) -> Claim:
    """A claim from its row."""
    chunk_id, fence, job_id, tenant, run, step, lane, options, *rest = row
    rest[-1] = tuple(rest[-1]) if rest[-1] else None
    return Claim(
        chunk_id, fence, job_id, tenant, run, Step(step), Lane(lane), Options.from_dict(options), *rest
    )


def running_of(conn: Connection, worker_id: str) -> set[str]:
    """The keys of the claims that a worker still holds."""
    return {f"{chunk_id}.{fence}" for chunk_id, fence in RUNNING_OF.all(conn, {"worker": worker_id})}


def finish(tx: Tx, claim: Claim, to: ChunkState, counter: str | None = None, **changes: object) -> bool:
    """Move a claimed chunk if the claim still holds, and raise a counter; say whether it did."""
    if to is not ChunkState.READY:
        changes["finished_at"] = tx.now
    values = {f"new_{column}": value for column, value in changes.items()}
    sentence = finishing(to, counter, frozenset(changes))
    which = {"chunk_id": claim.chunk_id, "of_tenant": claim.tenant, "of_fence": claim.fence}
    return sentence.run(tx.conn, values | which) == 1


@cache
def finishing(to: ChunkState, counter: str | None, columns: frozenset[str]) -> Quick:
    """The sentence that moves a chunk of a fence, changes these columns and raises a counter."""
    states: list[ColumnElement[str]] = [
        literal_column(f"'{state.value}'") for state in sorted(CHUNK_MOVES[to])
    ]
    fixed: dict[str, object] = {"state": literal_column(f"'{to.value}'"), "worker_id": null()}
    if counter is not None:
        fixed[counter] = chunks.c[counter] + literal_column("1")
    return Quick(
        update(chunks)
        .where(chunks.c.id == bindparam("chunk_id"), chunks.c.tenant == bindparam("of_tenant"))
        .where(chunks.c.fence == bindparam("of_fence"), chunks.c.state.in_(states))
        .values(
            {column: bindparam(f"new_{column}", type_=chunks.c[column].type) for column in sorted(columns)}
        )
        .values(fixed)
    )


def void(tx: Tx, tenant: str, job_id: str) -> None:
    """Raise the fences of all unfinished chunks of a job, so that nobody can finish them."""
    states = [state.value for state in CHUNK_MOVES[ChunkState.VOID]]
    own = (chunks.c.job_id == job_id, chunks.c.tenant == tenant)
    query = update(chunks).where(*own, chunks.c.state.in_(states))
    tx.conn.execute(
        query.values(
            state=ChunkState.VOID.value, fence=chunks.c.fence + 1, worker_id=None, finished_at=tx.now
        )
    )


def of_run(
    conn: Connection, tenant: str, job_id: str, run: int, first: int = 1, last: int = LAST_PAGE
) -> list[Chunk]:
    """The chunks that hold the pages of a run between two pages, in page order."""
    kept = [ChunkState.READY.value, ChunkState.RUNNING.value, ChunkState.DONE.value, ChunkState.FAILED.value]
    query = CHUNK.where(
        chunks.c.job_id == job_id,
        chunks.c.tenant == tenant,
        chunks.c.run == run,
        IS_READING,
        chunks.c.state.in_(kept),
        chunks.c.first_page <= last,
        chunks.c.last_page >= first,
    )
    return [Chunk(*row) for row in conn.execute(query.order_by(chunks.c.first_page, chunks.c.id))]


def with_page(conn: Connection, tenant: str, job_id: str, run: int, page: int) -> Chunk | None:
    """The finished chunk of a run that holds a page."""
    query = CHUNK.where(
        chunks.c.job_id == job_id,
        chunks.c.tenant == tenant,
        chunks.c.run == run,
        IS_READING,
        chunks.c.state.in_([ChunkState.DONE.value, ChunkState.FAILED.value]),
        chunks.c.first_page <= page,
        chunks.c.last_page >= page,
    )
    # A page that was handed on stands in two; the later one has it as it was recognised.
    row = conn.execute(query.order_by(chunks.c.id.desc()).limit(1)).first()
    return None if row is None else Chunk(*row)


def joined_run(conn: Connection, tenant: str, job_id: str, prefix: str) -> int | None:
    """The run of a job whose chunks were joined into a result; None if it was made in one visit, or for another job."""
    chunk_id = prefix.rpartition("/")[2].partition(".")[0]
    own = (chunks.c.id == chunk_id, chunks.c.tenant == tenant, chunks.c.job_id == job_id)
    run: int | None = conn.scalar(select(chunks.c.run).where(*own, chunks.c.step == Step.JOIN.value))
    return run


def has_named(conn: Connection, tenant: str, job_id: str, run: int) -> bool:
    """Whether a page of a run was read with a provider that somebody named for it."""
    own = (chunks.c.job_id == job_id, chunks.c.tenant == tenant, chunks.c.run == run)
    query = select(chunks.c.id).where(*own, chunks.c.providers.is_not(None)).limit(1)
    return conn.execute(query).first() is not None


def backlog(conn: Connection) -> list[tuple[str, str, int, float]]:
    """For each lane and state of unfinished chunks: how many, and when the oldest was made."""
    columns = (chunks.c.lane, chunks.c.state, func.count(), func.min(chunks.c.created_at))
    rows = [
        row
        for condition in (IS_READY, IS_RUNNING)
        for row in conn.execute(select(*columns).where(condition).group_by(chunks.c.lane, chunks.c.state))
    ]
    return [(lane, state, count, oldest) for lane, state, count, oldest in rows]
