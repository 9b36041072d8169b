"""The rows of chunks: made, claimed, finished. A claim raises the fence; every later write checks it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cache

from sqlalchemy import (
    ColumnElement,
    Connection,
    RowMapping,
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
from pagemill.model.states import CHUNK_MOVES, ChunkState, Lane, Step
from pagemill.model.work import Claim

INSERT = insert(chunks)
INSERT_ONE = Quick(INSERT)
CHUNK = select(*(chunks.c[field.name] for field in fields(Chunk)))
CLAIMED = (
    select(chunks, documents.c.blob_key, documents.c.sha256, jobs.c.fingerprint, jobs.c.options)
    .add_columns(jobs.c.document_pages, jobs.c.password)
    .join(jobs, jobs.c.id == chunks.c.job_id)
    .join(documents, documents.c.id == jobs.c.document_id)
)
AS_THEY_ARE = (
    "fence", "job_id", "tenant", "run", "small", "first_page", "last_page", "single", "crashes", "errors", "lost",
    "claimed_at", "blob_key", "sha256", "fingerprint", "document_pages", "password",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class NewChunk:
    """A chunk to be made for a job."""

    step: Step
    lane: Lane
    first_page: int | None = None
    last_page: int | None = None
    single: bool = False
    small: bool = False


def create(tx: Tx, tenant: str, job_id: str, run: int, priority: int, new: Sequence[NewChunk]) -> None:
    """Write the rows of new chunks, ready to be claimed."""
    rows: list[dict[str, object]] = [
        {
            "id": new_id(), "job_id": job_id, "tenant": tenant, "run": run, "priority": priority,
            "step": chunk.step.value, "lane": chunk.lane.value, "first_page": chunk.first_page,
            "last_page": chunk.last_page, "single": chunk.single, "small": chunk.small,
            "state": ChunkState.READY.value, "failed_pages": [], "created_at": tx.now,
        }
        for chunk in new
    ]  # fmt: skip
    if len(rows) == 1:
        INSERT_ONE.run(tx.conn, rows[0])
    else:
        tx.conn.execute(INSERT, rows)


def take_over(tx: Tx, job: Job, new: NewChunk, former: Chunk) -> None:
    """Write a chunk of a new run that is done already, by the pages of a former run."""
    row = {
        "id": new_id(), "job_id": job.id, "tenant": job.tenant, "run": job.run, "priority": job.priority,
        "step": new.step.value, "lane": new.lane.value, "first_page": new.first_page, "last_page": new.last_page,
        "single": new.single, "state": ChunkState.DONE.value, "output": former.output, "failed_pages": [],
        "created_at": tx.now, "finished_at": tx.now,
    }  # fmt: skip
    tx.conn.execute(INSERT, row)


TENANTS_WAITING = select(chunks.c.tenant).where(
    chunks.c.state == ChunkState.READY.value, chunks.c.lane == bindparam("lane"), chunks.c.tenant > bindparam("after")
).order_by(chunks.c.tenant).limit(1)  # fmt: skip
RUNNING_JOBS = (
    select(chunks.c.tenant, chunks.c.job_id, func.count())
    .where(chunks.c.state == ChunkState.RUNNING.value)
    .group_by(chunks.c.tenant, chunks.c.job_id)
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A ready chunk that a claim may take."""

    running_tenant: int
    running_job: int
    priority: int
    job_id: str
    id: str
    step: str
    small: bool

    @property
    def turn(self) -> tuple[int, int, int, str, str]:
        """Who is next: the tenant, then the job, with the least running; then by priority and age."""
        return (self.running_tenant, self.running_job, -self.priority, self.job_id, self.id)


def claim(tx: Tx, worker_id: str, lanes: Iterable[Lane], batch: int) -> list[Claim]:
    """Take the fairest chunk that is ready, or up to `batch` small documents if one of them is next."""
    running = {(tenant, job): count for tenant, job, count in tx.conn.execute(RUNNING_JOBS)}
    ready = sorted(candidates(tx, lanes, running, batch), key=lambda candidate: candidate.turn)
    if not ready:
        return []
    first = ready[0]
    if first.small:
        taken = [c.id for c in ready if c.small and c.running_tenant == first.running_tenant][:batch]
    else:
        taken = [first.id]
    return take(tx, worker_id, taken)


def candidates(
    tx: Tx, lanes: Iterable[Lane], running: dict[tuple[str, str], int], batch: int
) -> Iterable[Candidate]:
    """For every lane and tenant: the oldest ready chunks of jobs that have none running, else of the others."""
    for lane in lanes:
        tenant = ""
        while (
            tenant := tx.conn.execute(TENANTS_WAITING, {"lane": lane.value, "after": tenant}).scalar() or ""
        ) != "":
            of_tenant = {job: count for (owner, job), count in running.items() if owner == tenant}
            yield from of_lane(tx, lane, tenant, of_tenant, batch)


def of_lane(tx: Tx, lane: Lane, tenant: str, running: dict[str, int], batch: int) -> list[Candidate]:
    """The oldest ready chunks of one lane and tenant; busy jobs only when no other has any."""
    query = (
        select(chunks.c.priority, chunks.c.job_id, chunks.c.id, chunks.c.step, chunks.c.small)
        .where(
            chunks.c.state == ChunkState.READY.value,
            chunks.c.lane == lane.value,
            chunks.c.tenant == tenant,
            chunks.c.not_before <= tx.now,
        )
        .order_by(chunks.c.priority.desc(), chunks.c.job_id, chunks.c.id)
    )
    idle = list(tx.conn.execute(query.where(chunks.c.job_id.not_in(list(running))).limit(batch)))
    busy = (
        []
        if idle
        else [row for job in running for row in tx.conn.execute(query.where(chunks.c.job_id == job).limit(1))]
    )
    total = sum(running.values())
    return [Candidate(total, running.get(row.job_id, 0), *row) for row in [*idle, *busy]]


def take(tx: Tx, worker_id: str, ids: Sequence[str]) -> list[Claim]:
    """Claim these chunks if they are still ready, raising their fences."""
    won = (
        update(chunks)
        .where(chunks.c.id.in_(ids), chunks.c.state == ChunkState.READY.value)
        .values(
            state=ChunkState.RUNNING.value, fence=chunks.c.fence + 1, worker_id=worker_id, claimed_at=tx.now
        )
        .returning(chunks.c.id)
    )
    taken = [row.id for row in tx.conn.execute(won)]
    return held(tx.conn, chunks.c.id.in_(taken)) if taken else []


def held(conn: Connection, condition: ColumnElement[bool]) -> list[Claim]:
    """The claims on the chunks that meet a condition."""
    return [claim_of(row) for row in conn.execute(CLAIMED.where(condition).order_by(chunks.c.id)).mappings()]


def claim_of(row: RowMapping) -> Claim:
    """A claim from its row."""
    return Claim(
        chunk_id=row["id"],
        step=Step(row["step"]),
        lane=Lane(row["lane"]),
        options=Options.from_dict(row["options"]),
        **{name: row[name] for name in AS_THEY_ARE},
    )


def running_of(conn: Connection, worker_id: str) -> set[str]:
    """The keys of the claims that a worker still holds."""
    query = select(chunks.c.id, chunks.c.fence).where(
        chunks.c.state == ChunkState.RUNNING.value, chunks.c.worker_id == worker_id
    )
    return {f"{row.id}.{row.fence}" for row in conn.execute(query)}


def finish(tx: Tx, claim: Claim, to: ChunkState, counter: str | None = None, **changes: object) -> bool:
    """Move a claimed chunk if the claim still holds, and raise a counter; say whether it did."""
    if to is not ChunkState.READY:
        changes["finished_at"] = tx.now
    values = {f"new_{column}": value for column, value in changes.items()}
    sentence = finishing(to, counter, frozenset(changes))
    return sentence.run(tx.conn, values | {"chunk_id": claim.chunk_id, "of_fence": claim.fence}) == 1


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
        .where(chunks.c.id == bindparam("chunk_id"), chunks.c.fence == bindparam("of_fence"))
        .where(chunks.c.state.in_(states))
        .values(
            {column: bindparam(f"new_{column}", type_=chunks.c[column].type) for column in sorted(columns)}
        )
        .values(fixed)
    )


def void(tx: Tx, job_id: str) -> None:
    """Raise the fences of all unfinished chunks of a job, so that nobody can finish them."""
    states = [state.value for state in CHUNK_MOVES[ChunkState.VOID]]
    query = update(chunks).where(chunks.c.job_id == job_id, chunks.c.state.in_(states))
    tx.conn.execute(
        query.values(
            state=ChunkState.VOID.value, fence=chunks.c.fence + 1, worker_id=None, finished_at=tx.now
        )
    )


def of_run(conn: Connection, job_id: str, run: int) -> list[Chunk]:
    """The chunks that hold the pages of a run, in page order."""
    kept = [ChunkState.READY.value, ChunkState.RUNNING.value, ChunkState.DONE.value, ChunkState.FAILED.value]
    query = CHUNK.where(
        chunks.c.job_id == job_id,
        chunks.c.run == run,
        chunks.c.step == Step.EXTRACT.value,
        chunks.c.state.in_(kept),
    )
    return [Chunk(*row) for row in conn.execute(query.order_by(chunks.c.first_page))]


def with_page(conn: Connection, job_id: str, run: int, page: int) -> Chunk | None:
    """The finished chunk of a run that holds a page."""
    query = CHUNK.where(
        chunks.c.job_id == job_id,
        chunks.c.run == run,
        chunks.c.step == Step.EXTRACT.value,
        chunks.c.state.in_([ChunkState.DONE.value, ChunkState.FAILED.value]),
        chunks.c.first_page <= page,
        chunks.c.last_page >= page,
    )
    row = conn.execute(query).first()
    return None if row is None else Chunk(*row)


def backlog(conn: Connection) -> list[tuple[str, str, int, float]]:
    """For each lane and state of unfinished chunks: how many, and when the oldest was made."""
    open_states = [ChunkState.READY.value, ChunkState.RUNNING.value]
    query = (
        select(chunks.c.lane, chunks.c.state, func.count(), func.min(chunks.c.created_at))
        .where(chunks.c.state.in_(open_states))
        .group_by(chunks.c.lane, chunks.c.state)
    )
    return [(lane, state, count, oldest) for lane, state, count, oldest in conn.execute(query)]
