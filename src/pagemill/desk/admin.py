"""Administration: the state of lanes and workers, what is stuck, and what operators do about it.

All of it works on the database alone, beside the processes that do the work; they see a change within a second or two.
"""

from collections import defaultdict
from dataclasses import asdict, dataclass

from sqlalchemy import Connection

from pagemill.db import audit, jobs, lanes, stuck_work, workers
from pagemill.db.database import Database, Tx
from pagemill.db.stuck_work import JobLocation, StuckWork
from pagemill.desk.operations import every_lane
from pagemill.desk.queries import backlog_of
from pagemill.desk.runs import retry_in
from pagemill.desk.worker_status import WorkerStatus, worker_status
from pagemill.errors import InternalError, PasswordRequired, Refused
from pagemill.mill import DEFAULT_TENANT
from pagemill.model.audit import COMMAND_LINE, Action, AuditFacts
from pagemill.model.events import EventType, Facts
from pagemill.model.ids import is_id
from pagemill.model.jobs import StoredError
from pagemill.model.states import ACTIVE, Lane, Status


@dataclass(frozen=True, slots=True)
class LaneStatus:
    """What waits and runs in a lane, and whether anything is claimed from it."""

    lane: str
    ready: int
    running: int
    oldest_seconds: float
    paused: bool


@dataclass(frozen=True, slots=True)
class HeldChunk:
    """A chunk that a worker reads, and for how long."""

    chunk_id: str
    job_id: str
    tenant: str
    step: str
    seconds: float


@dataclass(frozen=True, slots=True)
class BusyWorker(WorkerStatus):
    """A worker and what it holds."""

    holds: list[HeldChunk]


@dataclass(frozen=True, slots=True)
class StuckLimits:
    """How long work may be read, wait, and be held by a worker that is not heard of, before it counts as stuck."""

    running_seconds: float
    waiting_seconds: float
    silent_seconds: float


@dataclass(frozen=True, slots=True)
class Stuck:
    """Work that does not move, why it is thought so, and for how long."""

    why: str
    job_id: str
    chunk_id: str | None
    tenant: str
    step: str
    lane: str
    seconds: float
    worker_id: str | None


def lane_states(db: Database) -> list[LaneStatus]:
    """All lanes in their usual order."""
    shut = db.read(lanes.find_paused)
    return [
        LaneStatus(one.lane, one.ready, one.running, round(one.oldest_seconds, 1), one.lane in shut)
        for one in every_lane(backlog_of(db))
    ]


def pause(db: Database, lane: Lane) -> bool:
    """Have nothing more claimed from a lane; what is under way is finished. False if it was paused before."""
    return db.write(lambda tx: record_if(tx, lanes.pause(tx, lane, DEFAULT_TENANT), Action.LANE_PAUSED, lane))


def resume(db: Database, lane: Lane) -> bool:
    """Have a lane claimed from again; False if it was not paused."""
    return db.write(lambda tx: record_if(tx, lanes.resume(tx, lane), Action.LANE_RESUMED, lane))


def record_if(tx: Tx, done: bool, action: Action, subject: str) -> bool:
    """Write an act down, if it was one; says whether it was."""
    if done:
        record(tx, DEFAULT_TENANT, action, subject)
    return done


def record(tx: Tx, tenant: str, action: Action, subject: str, facts: AuditFacts | None = None) -> None:
    """Write down what was done from the command line."""
    audit.append(tx, tenant, actor=COMMAND_LINE, action=action, subject=subject, facts=facts)


def record_adoption(db: Database, former: str | None) -> None:
    """Write down that stored files were made those of this database."""
    facts: AuditFacts = {"former": former}
    db.write(lambda tx: record(tx, DEFAULT_TENANT, Action.FILES_ADOPTED, "files", facts))


def worker_states(db: Database, lease_seconds: float) -> list[BusyWorker]:
    """All workers, with what they hold."""

    def look(conn: Connection) -> list[BusyWorker]:
        now, holds = db.now(conn), defaultdict(list)
        for one in stuck_work.running_chunks(conn):
            seconds = round(max(now - one.since, 0.0), 1)
            holds[one.worker_id].append(
                HeldChunk(one.chunk_id or "", one.job_id, one.tenant, one.step, seconds)
            )
        return [
            BusyWorker(**asdict(worker_status(one, now, lease_seconds)), holds=holds[one.id])
            for one in workers.everyone(conn)
        ]

    return db.read(look)


def drain(db: Database, named: str) -> list[str]:
    """Have a worker, or all of a host, claim nothing more and finish what it holds; the ids of those workers."""
    return set_draining(db, named, to=True)


def undrain(db: Database, named: str) -> list[str]:
    """Have a worker, or all of a host, claim again; the ids of those workers."""
    return set_draining(db, named, to=False)


def set_draining(db: Database, named: str, *, to: bool) -> list[str]:
    """Set whether the workers of an id or host drain; Refused if there is none."""

    def write(tx: Tx) -> list[str]:
        found = [one.id for one in workers.everyone(tx.conn) if named in (one.id, one.host)]
        for worker_id in found:
            workers.set_draining(tx, worker_id, draining=to)
            record(tx, DEFAULT_TENANT, Action.WORKER_DRAINED if to else Action.WORKER_UNDRAINED, worker_id)
        return found

    found = db.write(write)
    if not found:
        raise Refused(f"There is no worker {named}. `pagemill admin workers` lists their ids and hosts.")
    return found


def find_stuck_work(db: Database, limits: StuckLimits) -> list[Stuck]:
    """Everything that does not move, by why it is thought so."""

    def look(conn: Connection) -> list[Stuck]:
        now = db.now(conn)
        found = {
            "silent_worker": stuck_work.held_by_silent(conn, now - limits.silent_seconds),
            "running_long": stuck_work.running_since(conn, now - limits.running_seconds),
            "waiting_long": stuck_work.waiting_since(conn, now - limits.waiting_seconds),
            "unknown_kind": stuck_work.of_unknown_kind(conn),
            "no_chunk": stuck_work.without_chunk(conn, now - limits.silent_seconds),
        }
        return [stuck_entry(why, one, now) for why, works in found.items() for one in works]

    return db.read(look)


def stuck_entry(why: str, work: StuckWork, now: float) -> Stuck:
    """Stuck work as it is shown."""
    seconds = round(max(now - work.since, 0.0), 1)
    return Stuck(
        why=why,
        job_id=work.job_id,
        chunk_id=work.chunk_id,
        tenant=work.tenant,
        step=work.step,
        lane=work.lane,
        seconds=seconds,
        worker_id=work.worker_id,
    )


def requeue(db: Database, named: str) -> str:
    """Have a chunk, or all of a job, taken up again at once; what was done, in words. Refused if nothing can be."""

    def write(tx: Tx) -> str:
        job = stuck_work.job_location(tx.conn, named) if is_id(named) else None
        done = requeue_in(tx, named)
        tenant = DEFAULT_TENANT if job is None else job.tenant
        record(tx, tenant, Action.WORK_REQUEUED, named, {"done": done})
        return done

    return db.write(write)


def requeue_in(tx: Tx, named: str) -> str:
    """Give back the claims of a chunk or a job without counting that, or start a new run of a job that failed."""
    if not is_id(named):
        raise Refused(f"{named} is no id of a job or a chunk.")
    jobs.lock_jobs(tx, [named])
    job = stuck_work.job_location(tx.conn, named)
    if job is None:
        if not stuck_work.give_back_chunk(tx, named):
            raise Refused(f"No job has the id {named}, and no chunk with it is being read or put off.")
        return "1 chunk was given back"
    if Status(job.status) in ACTIVE:
        return advance_job(tx, named, job)
    if job.status != Status.FAILED:
        raise Refused(
            f"The job is {job.status}. Only jobs that failed or have not ended can be taken up again."
        )
    retry_in(tx, job.tenant, named, "all", None)
    return "the job failed before and has a new run"


def advance_job(tx: Tx, job_id: str, job: JobLocation) -> str:
    """Have a job that has not ended go on."""
    given_back = stuck_work.give_back_job(tx, job_id)
    if given_back:
        return f"{given_back} chunk{'' if given_back == 1 else 's'} given back"
    if stuck_work.is_waiting(tx.conn, job_id):
        return "the job waits for a free worker already"
    error: StoredError = {
        "code": InternalError.code,
        "message": "No work was left that could move the job.",
        "stage": "plan",
        "retryable": True,
        "page": None,
    }
    facts: Facts = {"code": InternalError.code, "run": job.run}
    jobs.move(
        tx,
        tenant=job.tenant,
        job_id=job_id,
        to=Status.FAILED,
        kind=EventType.FAILED,
        facts=facts,
        of_run=job.run,
        error=error,
    )
    try:
        retry_in(tx, job.tenant, job_id, "all", None)
    except PasswordRequired:
        return "the job had no chunk left and has failed; its owner can retry it with its password"
    return "the job had no chunk left and has a new run"
