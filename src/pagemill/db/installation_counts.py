"""Counts of the installation: what waits and runs, and which workers are alive, over all tenants."""

from collections import Counter
from dataclasses import dataclass, replace

from sqlalchemy import Connection, bindparam, case, func, select

from pagemill.db import usage
from pagemill.db.events import longest_hold_seconds
from pagemill.db.fairness import IS_READY, IS_RUNNING
from pagemill.db.lanes import find_paused
from pagemill.db.ready_work import DUE_AT
from pagemill.db.schema import chunks, documents, workers
from pagemill.db.usage import UsageRow
from pagemill.model.states import Lane

IS_DUE = chunks.c.not_before <= bindparam("now")
WAITING = (
    select(
        chunks.c.lane,
        func.sum(case((IS_DUE, 1), else_=0)),
        func.sum(case((IS_DUE, 0), else_=1)),
        func.min(chunks.c.created_at),
        func.min(case((IS_DUE, DUE_AT))),
    )
    .where(IS_READY)
    .group_by(chunks.c.lane)
)
RUNNING = (
    select(chunks.c.lane, func.count(), func.min(chunks.c.claimed_at))
    .where(IS_RUNNING)
    .group_by(chunks.c.lane)
)
WORKERS = select(workers.c.seen_at, workers.c.draining, workers.c.version, workers.c.engines)


@dataclass(frozen=True, slots=True)
class LaneCount:
    """What waits and runs in a lane, and for how long the oldest of it has been there, has been due, and has run."""

    due: int = 0
    delayed: int = 0
    running: int = 0
    oldest_seconds: float = 0.0
    longest_due_seconds: float = 0.0
    longest_running_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class WorkerCounts:
    """How many workers there are by state, and of those that are not silent by version and by engine."""

    states: Counter[str]
    versions: Counter[str]
    engines: Counter[str]


@dataclass(frozen=True, slots=True)
class InstallationCounts:
    """The counts of the whole installation."""

    lanes: dict[str, LaneCount]
    workers: WorkerCounts
    paused: frozenset[Lane]
    usage_today: list[UsageRow]
    # For how long a transaction has kept readers of the log, and so webhooks, from what was written after it.
    log_held_seconds: float


def count_installation(conn: Connection, now: float, lease_seconds: float) -> InstallationCounts:
    """Count everything; costs as much as there are chunks that wait."""
    lanes = {
        lane: LaneCount(running=found, longest_running_seconds=max(now - since, 0.0))
        for lane, found, since in conn.execute(RUNNING)
    }
    for lane, due, delayed, oldest, longest in conn.execute(WAITING, {"now": now}):
        lanes[lane] = replace(
            lanes.get(lane, LaneCount()),
            due=int(due),
            delayed=int(delayed),
            oldest_seconds=max(now - oldest, 0.0),
            longest_due_seconds=0.0 if longest is None else max(now - longest, 0.0),
        )
    present = count_workers(conn, now - lease_seconds)
    today, held_seconds = usage.of_today(conn, now), longest_hold_seconds(conn)
    return InstallationCounts(lanes, present, find_paused(conn), today, held_seconds)


def has_work(conn: Connection) -> bool:
    """Whether anything waits; the cheapest question that the tables can answer."""
    # In the order of the index of ready chunks, so that finished ones are not looked through.
    query = select(chunks.c.id).where(IS_READY).order_by(chunks.c.lane, chunks.c.tenant)
    return conn.execute(query.limit(1)).first() is not None


def has_documents(conn: Connection) -> bool:
    """Whether any document is kept."""
    return conn.execute(select(documents.c.id).limit(1)).first() is not None


def count_workers(conn: Connection, silent_before: float) -> WorkerCounts:
    """How many workers are alive, are finishing what they have, or have not been heard of for longer than their lease."""
    counted = WorkerCounts(Counter(alive=0, draining=0, silent=0), Counter(), Counter())
    for seen_at, draining, version, engines in conn.execute(WORKERS):
        state = "silent" if seen_at < silent_before else "draining" if draining else "alive"
        counted.states[state] += 1
        if state != "silent":
            counted.versions[version] += 1
            counted.engines.update(engines)
    return counted
