"""Who is next: the tenant with the least running, then its job with the least running, then by priority and age."""

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from math import ceil
from typing import Any

from sqlalchemy import Connection, bindparam, func, literal_column, select, true, tuple_

from pagemill.db.prepared_statements import Listed, Quick, Row
from pagemill.db.schema import chunks
from pagemill.model.states import ChunkState, Lane

# The database uses an index on some rows only if it reads in the sentence that it is about them.
IS_READY = chunks.c.state == literal_column(f"'{ChunkState.READY.value}'")
IS_RUNNING = chunks.c.state == literal_column(f"'{ChunkState.RUNNING.value}'")
# Jobs of one tenant that are looked at one by one when all that wait are busy; past them the oldest chunk will do.
BUSY_JOBS = 16
# Others may be quicker with the first; so many are tried together.
SPARE = 8

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
OF_ALL_JOBS = Quick(WAITING)
OF_IDLE_JOBS = Quick(WAITING.where(chunks.c.job_id.not_in(select(chunks.c.job_id).where(IS_RUNNING))))
OF_JOB = Quick(WAITING.where(chunks.c.job_id == bindparam("job_id")))
# What SQLite is asked step by step is one sentence for PostgreSQL, because each way there and back costs.
FIRST = select(chunks.c.lane, chunks.c.tenant).where(IS_READY).order_by(chunks.c.lane, chunks.c.tenant)
PAIR = FIRST.limit(1).cte("pair", recursive=True)
NEXT_PAIR = (
    FIRST.where(tuple_(chunks.c.lane, chunks.c.tenant) > tuple_(PAIR.c.lane, PAIR.c.tenant))
    .limit(1)
    .lateral("next_pair")
)
PAIRS = PAIR.union_all(select(NEXT_PAIR.c.lane, NEXT_PAIR.c.tenant).select_from(PAIR.join(NEXT_PAIR, true())))
TENANTS_WAITING = Quick(select(PAIRS.c.lane, PAIRS.c.tenant))
WANTED = func.unnest(bindparam("jobs", type_=Listed())).table_valued("job", name="wanted").render_derived()
OWN = WAITING.where(chunks.c.job_id == WANTED.c.job).lateral("own")
OF_JOBS = Quick(select(*OWN.c).select_from(WANTED.join(OWN, true())))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A ready chunk that a claim may take."""

    # As if those of its tenant that stand before it were running already.
    running_tenant: int
    coin: float
    running_job: int
    priority: int
    job_id: str
    id: str
    small: bool

    @property
    def turn(self) -> tuple[int, float, int, int, str, str]:
        """What candidates are sorted by; between tenants with as much running a coin decides, and no priority."""
        return (self.running_tenant, self.coin, self.running_job, -self.priority, self.job_id, self.id)

    def is_like(self, other: "Candidate") -> bool:
        """Whether it is as fair to take it instead: of the same tenant, whom a coin of its own stands for, and as urgent."""
        mine, others = ((one.coin, one.running_job, one.priority, one.small) for one in (self, other))
        return mine == others


@dataclass(frozen=True, slots=True)
class Look:
    """A look around: what runs, at which time, and how many chunks of each lane and tenant to find."""

    running: dict[tuple[str, str], int]
    now: float
    most: int
    coins: dict[str, float] = field(default_factory=lambda: defaultdict(random.random))

    def busy(self, tenant: str) -> dict[str, int]:
        """How many chunks of each job of a tenant run, the fewest first."""
        own = ((job, count) for (owner, job), count in self.running.items() if owner == tenant)
        return dict(sorted(own, key=lambda job_and_count: job_and_count[1]))


def running_jobs(conn: Connection) -> dict[tuple[str, str], int]:
    """How many chunks run, by tenant and job."""
    return {(tenant, job): count for tenant, job, count in RUNNING_JOBS.all(conn, {})}


def candidates(conn: Connection, lanes: Iterable[Lane], look: Look) -> list[Candidate]:
    """The oldest ready chunks of every lane and tenant, those that are next first."""
    found = (one for pair in waiting(conn, lanes) for one in of_lane(conn, *pair, look))
    return sorted(found, key=lambda candidate: candidate.turn)


def waiting(conn: Connection, lanes: Iterable[Lane]) -> Iterator[tuple[Lane, str]]:
    """The lanes in which something is ready, with the tenants who have it."""
    if is_far(conn):
        wanted = set(lanes)
        pairs = ((Lane(lane), tenant) for lane, tenant in TENANTS_WAITING.all(conn, {}))
        yield from (pair for pair in pairs if pair[0] in wanted)
        return
    for lane in lanes:
        tenant = ""
        while found := TENANT_WAITING.one(conn, {"lane": lane.value, "after": tenant}):
            tenant = found[0]
            yield lane, tenant


def is_far(conn: Connection) -> bool:
    """Whether sentences go to another process, and perhaps another machine."""
    return conn.dialect.name == "postgresql"


def of_lane(conn: Connection, lane: Lane, tenant: str, look: Look) -> list[Candidate]:
    """The oldest ready chunks of one lane and tenant; those of busy jobs only when no other has any."""
    asked = {"lane": lane.value, "tenant": tenant, "now": look.now, "most": look.most}
    busy = look.busy(tenant)
    # The last of them finds what others have set going since it was asked what runs.
    found = OF_IDLE_JOBS.all(conn, asked) or of_busy_jobs(conn, asked, busy) or OF_ALL_JOBS.all(conn, asked)
    total, coin = sum(busy.values()), look.coins[tenant]
    return [Candidate(total + place, coin, busy.get(row[1], 0), *row) for place, row in enumerate(found)]


def of_busy_jobs(conn: Connection, asked: Mapping[str, Any], busy: dict[str, int]) -> list[Row]:
    """The oldest ready chunks of those jobs that have the fewest running."""
    jobs = list(islice(busy, BUSY_JOBS))
    if not jobs:
        return []
    few = {**asked, "most": ceil(asked["most"] / len(jobs))}
    if is_far(conn):
        return OF_JOBS.all(conn, few | {"jobs": jobs})
    return [row for job in jobs for row in OF_JOB.all(conn, few | {"job_id": job})]


@dataclass(frozen=True, slots=True)
class Group:
    """Candidates that are next, and how many of them to take."""

    candidates: list[Candidate]
    most: int


def in_groups(ready: list[Candidate], batch: int) -> Iterator[Group]:
    """What to take together: up to `batch` small documents if one of them is next, else one chunk; then what follows."""
    while ready:
        first = ready[0]
        if first.small:
            alike = [one for one in ready if one.small and one.running_tenant < first.running_tenant + batch]
            group = Group(alike[:batch], batch)
        else:
            group = Group([one for one in ready if one.is_like(first)][:SPARE], 1)
        yield group
        seen = {one.id for one in group.candidates}
        ready = [one for one in ready if one.id not in seen]
