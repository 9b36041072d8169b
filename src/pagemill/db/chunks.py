"""The rows of chunks: made, claimed, finished. A claim raises the fence; every later write checks it."""

from collections.abc import Sequence
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
    or_,
    select,
    update,
)

from pagemill.db.database import Tx
from pagemill.db.fairness import (
    IS_READY,
    IS_RUNNING,
    WINDOW,
    ClaimSnapshot,
    Group,
    TenantShare,
    Turns,
    candidates,
    claim_groups,
    window,
)
from pagemill.db.prepared_statements import PreparedStatement, in_list
from pagemill.db.ready_work import DUE_AT
from pagemill.db.schema import chunks, documents, jobs
from pagemill.model.ids import new_id
from pagemill.model.jobs import Chunk, JobRow
from pagemill.model.messages import Message
from pagemill.model.options import ReadingOptions
from pagemill.model.states import CHUNK_MOVES, READING, ChunkState, Lane, Status, Step
from pagemill.model.work import Claim

LAST_PAGE = 1_000_000_000
INSERT = PreparedStatement(insert(chunks))
CHUNK = select(*(chunks.c[field.name] for field in fields(Chunk)))
IS_READING = chunks.c.step.in_([step.value for step in sorted(READING)])
# In the order of Claim's fields.
CLAIMED = (
    select(
        chunks.c.id,
        chunks.c.fence,
        chunks.c.job_id,
        chunks.c.tenant,
        chunks.c.run,
        chunks.c.step,
        chunks.c.lane,
        jobs.c.options,
        chunks.c.small,
        chunks.c.first_page,
        chunks.c.last_page,
        chunks.c.single,
        chunks.c.crashes,
        chunks.c.errors,
        chunks.c.lost,
        chunks.c.claimed_at,
        documents.c.blob_key,
        documents.c.sha256,
        jobs.c.fingerprint,
        jobs.c.document_pages,
        jobs.c.password,
        chunks.c.providers,
        DUE_AT,
        jobs.c.traceparent,
        chunks.c.created_at,
        chunks.c.needs,
    )
    .join(jobs, jobs.c.id == chunks.c.job_id)
    .join(documents, documents.c.id == jobs.c.document_id)
)
CLAIMED_NOW = PreparedStatement(CLAIMED.where(in_list(chunks.c.id, "ids")))


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
    needs: str | None = None


def create(tx: Tx, job: JobRow, new: Sequence[NewChunk]) -> list[Message]:
    """Write the rows of new chunks of a job's run, ready to be claimed; the messages that wake workers for them."""
    return create_all(tx, [(job, chunk) for chunk in new])


def create_all(tx: Tx, new: Sequence[tuple[JobRow, NewChunk]]) -> list[Message]:
    """As `create`, for chunks of several jobs."""
    names = ("tenant", "run", "priority")
    owners = [{"job_id": job.id, **{name: getattr(job, name) for name in names}} for job, _ in new]
    rows = [owner | ready_columns(tx.now, chunk) for owner, (_, chunk) in zip(owners, new, strict=True)]
    INSERT.run_many(tx.conn, rows)
    return [Message(chunk.step, chunk.lane, job.id) for job, chunk in new]


def ready_columns(now: float, chunk: NewChunk) -> dict[str, object]:
    """The columns of a chunk that can be claimed, but for those of its job."""
    return {
        "id": new_id(),
        "step": chunk.step.value,
        "lane": chunk.lane.value,
        "first_page": chunk.first_page,
        "last_page": chunk.last_page,
        "single": chunk.single,
        "small": chunk.small,
        "state": ChunkState.READY.value,
        "failed_pages": [],
        "handed_pages": [],
        "created_at": now,
        "providers": list(chunk.providers) if chunk.providers else None,
        "needs": chunk.needs,
    }


def add_settled(tx: Tx, job: JobRow, former: Sequence[Chunk]) -> None:
    """Write chunks of a job's run whose pages are settled: read in the visit that opened it, or in a former run."""
    rows: list[dict[str, object]] = [
        {
            "id": new_id(),
            "job_id": job.id,
            "tenant": job.tenant,
            "run": job.run,
            "priority": job.priority,
            "step": chunk.step,
            "lane": chunk.lane,
            "first_page": chunk.first_page,
            "last_page": chunk.last_page,
            "single": chunk.single,
            "state": chunk.state,
            "output": chunk.output,
            "failed_pages": chunk.failed_pages,
            "handed_pages": chunk.handed_pages,
            "providers": chunk.providers,
            "needs": chunk.needs,
            "created_at": tx.now,
            "finished_at": tx.now,
        }
        for chunk in former
    ]
    INSERT.run_many(tx.conn, rows)


RUNNING_OF = PreparedStatement(
    select(chunks.c.id, chunks.c.fence).where(IS_RUNNING, chunks.c.worker_id == bindparam("worker"))
)
# A pending job is started by the process that holds its row; a cancel that holds it already is not waited for.
STARTABLE = PreparedStatement(
    select(jobs.c.id)
    .where(in_list(jobs.c.id, "job_ids"), jobs.c.status == literal_column(f"'{Status.PENDING.value}'"))
    .order_by(jobs.c.id)
    .with_for_update(skip_locked=True, key_share=True)
)
FREE = chunks.alias("free")
PENDING = (
    select(jobs.c.id)
    .where(jobs.c.id == FREE.c.job_id, jobs.c.status == literal_column(f"'{Status.PENDING.value}'"))
    .correlate(FREE)
    .exists()
)
TAKE = PreparedStatement(
    update(chunks)
    .where(
        chunks.c.id.in_(
            select(FREE.c.id)
            .where(in_list(FREE.c.id, "ids"), FREE.c.state == literal_column(f"'{ChunkState.READY.value}'"))
            .where(or_(in_list(FREE.c.job_id, "startable"), ~PENDING))
            .order_by(FREE.c.id)
            .limit(bindparam("most"))
            .with_for_update(skip_locked=True)
        )
    )
    .values(
        state=literal_column(f"'{ChunkState.RUNNING.value}'"),
        fence=chunks.c.fence + literal_column("1"),
        worker_id=bindparam("worker"),
        claimed_at=bindparam("now"),
    )
    .returning(chunks.c.id)
)
# Other workers may take all that was found; the next look goes further.
FURTHER = (1, 4, 16)


def claim(
    tx: Tx, worker_id: str, lanes: Sequence[Lane], batch: int, turns: Turns, refused: Sequence[str] = ()
) -> list[Claim]:
    """Take the fairest chunk that is ready, or up to `batch` small documents if one of them is next.

    Chunks that need what is refused are left to other workers.
    """
    shares: list[TenantShare] = []
    for times in FURTHER:
        shares = window(tx.conn, lanes, turns, WINDOW * times)
        if not shares:
            return []
        ready = candidates(tx.conn, shares, ClaimSnapshot(tx.now, batch * times, list(refused)))
        for group in claim_groups(ready, batch):
            if claims := take(tx, worker_id, group):
                turns.note(claims[-1].lane, claims[-1].tenant)
                return claims
    # Nothing that these tenants have can be claimed now; the next claim looks at those behind them.
    turns.note(shares[-1].lane, shares[-1].tenant)
    return []


def take(tx: Tx, worker_id: str, group: Group) -> list[Claim]:
    """Claim those of the chunks that are still ready and not held by any process, raising their fences."""
    job_ids = sorted({one.job_id for one in group.candidates})
    startable = job_ids if tx.is_alone else startable_of(tx, job_ids)
    order = {one.id: number for number, one in enumerate(group.candidates)}
    asked = {
        "worker": worker_id,
        "now": tx.now,
        "startable": startable,
        "ids": list(order),
        "most": group.most,
    }
    taken = [chunk_id for (chunk_id,) in TAKE.all(tx.conn, asked)]
    if not taken:
        return []
    claims = [claim_of(row) for row in CLAIMED_NOW.all(tx.conn, {"ids": taken})]
    return sorted(claims, key=lambda claim: order[claim.chunk_id])


def startable_of(tx: Tx, job_ids: Sequence[str]) -> list[str]:
    """Those of the jobs that are pending and not held by another process, held until the transaction ends."""
    return [job_id for (job_id,) in STARTABLE.all(tx.conn, {"job_ids": job_ids})]


LET_GO = PreparedStatement(
    update(chunks)
    .where(chunks.c.id == bindparam("chunk_id"), chunks.c.fence == bindparam("of_fence"), IS_RUNNING)
    .where(chunks.c.worker_id == bindparam("of_worker"), chunks.c.claimed_at == bindparam("at"))
    .values(state=literal_column(f"'{ChunkState.READY.value}'"), worker_id=null())
)

GIVE_BACK = PreparedStatement(
    update(chunks)
    .where(chunks.c.id == bindparam("chunk_id"), chunks.c.fence == bindparam("of_fence"), IS_RUNNING)
    .where(chunks.c.worker_id == bindparam("of_worker"))
    .values(
        state=literal_column(f"'{ChunkState.READY.value}'"),
        fence=chunks.c.fence + literal_column("1"),
        worker_id=null(),
    )
)


def release_claims(tx: Tx, worker_id: str, claims: Sequence[Claim]) -> None:
    """Make ready again what a worker may have claimed without knowing it; nothing else, should it not have.

    The fence alone is not enough: without the lost claim, the next one has the same.
    """
    for claim in claims:
        which = {"chunk_id": claim.chunk_id, "of_fence": claim.fence, "at": claim.claimed_at}
        LET_GO.run(tx.conn, which | {"of_worker": worker_id})


def give_back_claims(tx: Tx, worker_id: str, keys: Sequence[str]) -> int:
    """Make chunks ready again that a worker holds by its row alone, counting nothing; how many that were."""
    return sum(
        GIVE_BACK.run(tx.conn, {"chunk_id": chunk_id, "of_fence": int(fence), "of_worker": worker_id})
        for chunk_id, _, fence in (key.rpartition(".") for key in keys)
    )


def claims_where(conn: Connection, condition: ColumnElement[bool]) -> list[Claim]:
    """The claims on the chunks that meet a condition."""
    return [claim_of(row) for row in conn.execute(CLAIMED.where(condition).order_by(chunks.c.id)).all()]


def claim_of(row: Sequence[Any]) -> Claim:
    """A claim from its row."""
    chunk_id, fence, job_id, tenant, run, step, lane, options, *rest = row
    rest[-5] = tuple(rest[-5]) if rest[-5] else None
    return Claim(
        chunk_id, fence, job_id, tenant, run, Step(step), Lane(lane), ReadingOptions.from_dict(options), *rest
    )


def running_claim_keys(conn: Connection, worker_id: str) -> set[str]:
    """The keys of the claims that a worker still holds."""
    return {f"{chunk_id}.{fence}" for chunk_id, fence in RUNNING_OF.all(conn, {"worker": worker_id})}


def finish(tx: Tx, claim: Claim, to: ChunkState, counter: str | None = None, **changes: object) -> bool:
    """Move a claimed chunk if the claim still holds, and raise a counter; say whether it did."""
    if to is not ChunkState.READY:
        changes["finished_at"] = tx.now
    values = {f"new_{column}": value for column, value in changes.items()}
    statement = finish_statement(to, counter, frozenset(changes))
    which = {"chunk_id": claim.chunk_id, "of_tenant": claim.tenant, "of_fence": claim.fence}
    return statement.run(tx.conn, values | which) == 1


def is_finished(conn: Connection, claim: Claim) -> bool:
    """Whether a chunk was finished by this very claim."""
    own = (chunks.c.id == claim.chunk_id, chunks.c.tenant == claim.tenant, chunks.c.fence == claim.fence)
    query = select(chunks.c.id).where(*own, chunks.c.state == ChunkState.DONE.value)
    return conn.execute(query).first() is not None


@cache
def finish_statement(to: ChunkState, counter: str | None, columns: frozenset[str]) -> PreparedStatement:
    """The statement that moves a chunk of a fence, changes these columns and raises a counter."""
    states: list[ColumnElement[str]] = [
        literal_column(f"'{state.value}'") for state in sorted(CHUNK_MOVES[to])
    ]
    fixed: dict[str, object] = {"state": literal_column(f"'{to.value}'"), "worker_id": null()}
    if counter is not None:
        fixed[counter] = chunks.c[counter] + literal_column("1")
    return PreparedStatement(
        update(chunks)
        .where(chunks.c.id == bindparam("chunk_id"), chunks.c.tenant == bindparam("of_tenant"))
        .where(chunks.c.fence == bindparam("of_fence"), chunks.c.state.in_(states))
        .values(
            {column: bindparam(f"new_{column}", type_=chunks.c[column].type) for column in sorted(columns)}
        )
        .values(fixed)
    )


def void(tx: Tx, tenant: str, job_id: str) -> None:
    """Raise the fences of all unfinished chunks of a job, so that no process can finish them."""
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
    # A page that was handed on is in two; the later one has it as it was recognised.
    row = conn.execute(query.order_by(chunks.c.id.desc()).limit(1)).first()
    return None if row is None else Chunk(*row)


def run_of_result(conn: Connection, tenant: str, job_id: str, prefix: str) -> int | None:
    """The run of a job that made a result; None if it was made for another job."""
    chunk_id = prefix.rpartition("/")[2].partition(".")[0]
    own = (chunks.c.id == chunk_id, chunks.c.tenant == tenant, chunks.c.job_id == job_id)
    row = conn.execute(select(chunks.c.run).where(*own)).first()
    return None if row is None else int(row.run)


def backlog(conn: Connection) -> list[tuple[str, str, int, float]]:
    """For each lane and state of unfinished chunks: how many, and when the oldest was made."""
    columns = (chunks.c.lane, chunks.c.state, func.count(), func.min(chunks.c.created_at))
    rows = [
        row
        for condition in (IS_READY, IS_RUNNING)
        for row in conn.execute(select(*columns).where(condition).group_by(chunks.c.lane, chunks.c.state))
    ]
    return [(lane, state, count, oldest) for lane, state, count, oldest in rows]
