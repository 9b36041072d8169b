"""Fair scheduling: which chunk is claimed next, of the tenant with the least running, then of its job with the least running.

A claim looks at a window of tenants that have work, from the one after the last served on, so that it costs the same
whether one tenant waits or ten thousand. Every tenant is in the window once in a round; where all that wait fit into
it, the choice is the same as with a look at all of them.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice
from math import ceil
from operator import itemgetter
from typing import Any

from sqlalchemy import (
    Connection,
    Integer,
    bindparam,
    func,
    literal_column,
    select,
    true,
)

from pagemill.db.prepared_statements import ListParameter, PreparedStatement, Row, is_not_in_list
from pagemill.db.schema import chunks
from pagemill.model.states import ChunkState, Lane, Step

# The database uses a partial index only if its condition is in the statement as a literal.
IS_READY = chunks.c.state == literal_column(f"'{ChunkState.READY.value}'")
IS_RUNNING = chunks.c.state == literal_column(f"'{ChunkState.RUNNING.value}'")
# A chunk of a step that this version does not know is left to workers that do.
IS_KNOWN = chunks.c.step.in_([literal_column(f"'{step.value}'") for step in Step])
# Tenants of one lane that a claim looks at.
WINDOW = 16
# Chunks of one tenant that are counted as running; a tenant with more has as many as one with this many.
MOST_COUNTED = 256
# Jobs of one tenant that are looked at one by one when all that wait are busy; past them the oldest chunk will do.
BUSY_JOBS = 16
# Other workers may take the first ones in the meantime; so many are tried together.
SPARE = 8

TENANT_WAITING = PreparedStatement(
    select(chunks.c.tenant)
    .where(IS_READY, chunks.c.lane == bindparam("lane"), chunks.c.tenant > bindparam("after"))
    .order_by(chunks.c.tenant)
    .limit(1)
)
RUNNING_OF_TENANT = PreparedStatement(
    select(chunks.c.job_id)
    .where(IS_RUNNING, chunks.c.tenant == bindparam("tenant"))
    .limit(bindparam("most", type_=Integer))
)
WAITING = (
    select(chunks.c.priority, chunks.c.job_id, chunks.c.id, chunks.c.small)
    .where(IS_READY, IS_KNOWN, chunks.c.not_before <= bindparam("now"))
    .where(is_not_in_list(chunks.c.needs, "refused"))
    .order_by(chunks.c.priority.desc(), chunks.c.job_id, chunks.c.id)
    .limit(bindparam("most", type_=Integer))
)
OF_TENANT = WAITING.where(chunks.c.lane == bindparam("lane"), chunks.c.tenant == bindparam("tenant"))
OF_ALL_JOBS = PreparedStatement(OF_TENANT)
OF_IDLE_JOBS = PreparedStatement(OF_TENANT.where(is_not_in_list(chunks.c.job_id, "busy")))
OF_JOB = PreparedStatement(OF_TENANT.where(chunks.c.job_id == bindparam("job_id")))


def list_table(name: str, *columns: str) -> Any:
    """Lists that are given as one parameter each, as the columns of a table."""
    lists = [bindparam(f"{name}_{column}", type_=ListParameter()) for column in columns]
    return func.unnest(*lists).table_valued(*columns, name=name).render_derived()


# What SQLite is asked step by step is one statement for PostgreSQL, because each round trip costs.
START = list_table("start", "lane", "tenant", "origin")
SEEN = select(START.c.lane, START.c.tenant, START.c.origin, literal_column("0", Integer).label("place")).cte(
    "seen", recursive=True
)
NEXT = (
    select(chunks.c.tenant)
    .where(IS_READY, chunks.c.lane == SEEN.c.lane, chunks.c.tenant > SEEN.c.tenant)
    .order_by(chunks.c.tenant)
    .limit(1)
    .lateral("next_tenant")
)
STEPPED = SEEN.union_all(
    select(SEEN.c.lane, NEXT.c.tenant, SEEN.c.origin, SEEN.c.place + literal_column("1"))
    .select_from(SEEN.join(NEXT, true()))
    .where(SEEN.c.place < bindparam("window", type_=Integer))
)
TENANTS_WAITING = PreparedStatement(
    select(STEPPED.c.lane, STEPPED.c.origin, STEPPED.c.tenant)
    .where(STEPPED.c.place > literal_column("0"))
    .order_by(STEPPED.c.lane, STEPPED.c.origin.desc(), STEPPED.c.place)
)
BUSY = list_table("busy", "tenant")
COUNTED = (
    select(chunks.c.job_id)
    .where(IS_RUNNING, chunks.c.tenant == BUSY.c.tenant)
    .limit(literal_column(str(MOST_COUNTED)))
    .lateral("counted")
)
RUNNING_OF_TENANTS = PreparedStatement(
    select(BUSY.c.tenant, COUNTED.c.job_id, func.count())
    .select_from(BUSY.join(COUNTED, true()))
    .group_by(BUSY.c.tenant, COUNTED.c.job_id)
)
PAIR = list_table("pair", "lane", "tenant")
IDLE = (
    WAITING.where(chunks.c.lane == PAIR.c.lane, chunks.c.tenant == PAIR.c.tenant)
    .where(is_not_in_list(chunks.c.job_id, "busy"))
    .lateral("idle")
)
OF_IDLE_JOBS_OF_TENANTS = PreparedStatement(
    select(PAIR.c.lane, PAIR.c.tenant, *IDLE.c).select_from(PAIR.join(IDLE, true()))
)
WANTED = list_table("wanted", "job")
OWN = OF_TENANT.where(chunks.c.job_id == WANTED.c.job).lateral("own")
OF_JOBS = PreparedStatement(select(*OWN.c).select_from(WANTED.join(OWN, true())))


@dataclass(slots=True)
class Turns:
    """Which tenant of each lane a process has served last: the next claim looks at those after it."""

    last: dict[Lane, str] = field(default_factory=dict)

    def note(self, lane: Lane, tenant: str) -> None:
        """Have the next window begin behind this tenant."""
        self.last[lane] = tenant


@dataclass(frozen=True, slots=True)
class TenantShare:
    """A tenant that has work in a lane, and its place in the window."""

    lane: Lane
    tenant: str
    place: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """A ready chunk that a claim may take."""

    share: TenantShare
    # As if those of its tenant that come before it were running already.
    running_tenant: int
    running_job: int
    priority: int
    job_id: str
    id: str
    small: bool

    @property
    def turn(self) -> tuple[int, int, int, int, str, str]:
        """What candidates are sorted by; between tenants with as much running the window decides, and no priority."""
        return (
            self.running_tenant,
            self.share.place,
            self.running_job,
            -self.priority,
            self.job_id,
            self.id,
        )

    def is_like(self, other: "Candidate") -> bool:
        """Whether it is as fair to take it instead: of the same tenant, and as urgent."""
        mine, others = ((one.share.tenant, one.running_job, one.priority, one.small) for one in (self, other))
        return mine == others


@dataclass(frozen=True, slots=True)
class ClaimSnapshot:
    """A look at what waits: the time, how many chunks of each tenant are wanted, and what none of them may need."""

    now: float
    most: int
    refused: list[str] = field(default_factory=list)


def candidates(conn: Connection, shares: Sequence[TenantShare], look: ClaimSnapshot) -> list[Candidate]:
    """The oldest ready chunks of the tenants whose turn it may be, those that are next first."""
    running = running_jobs(conn, {share.tenant for share in shares})
    idle = of_idle_jobs(conn, shares, running, look)
    found = (
        one
        for share in shares
        for one in rank_candidates(
            share,
            running[share.tenant],
            idle.get((share.lane, share.tenant)) or of_busy(conn, share, running, look),
        )
    )
    return sorted(found, key=lambda candidate: candidate.turn)


def rank_candidates(share: TenantShare, busy: Mapping[str, int], rows: Iterable[Row]) -> Iterator[Candidate]:
    """The chunks of one tenant in one lane as candidates."""
    total = sum(busy.values())
    for place, row in enumerate(rows):
        yield Candidate(share, total + place, busy.get(row[1], 0), *row)


def window(conn: Connection, lanes: Sequence[Lane], turns: Turns, tenants: int) -> list[TenantShare]:
    """The tenants of each lane that have ready work, up to so many, from the one after the last served on."""
    stepped = _stepped_remotely if is_remote(conn) else _stepped_locally
    names = stepped(conn, lanes, turns, tenants)
    return [TenantShare(lane, tenant, place) for lane in lanes for place, tenant in enumerate(names[lane])]


def _stepped_remotely(
    conn: Connection, lanes: Sequence[Lane], turns: Turns, tenants: int
) -> dict[Lane, list[str]]:
    # Each lane is walked from two places at once: behind the last served tenant, and from the beginning.
    starts = [(lane.value, turns.last.get(lane, ""), "later") for lane in lanes]
    starts += [(lane, "", "earlier") for lane, after, _ in starts if after]
    lists = zip(*starts, strict=True) if starts else ((), (), ())
    given = dict(zip(("start_lane", "start_tenant", "start_origin"), map(list, lists), strict=True))
    rows = TENANTS_WAITING.all(conn, {**given, "window": tenants})
    names = {Lane(lane): [row[2] for row in own] for lane, own in groupby(rows, key=itemgetter(0))}
    return {lane: list(islice(dict.fromkeys(names.get(lane, ())), tenants)) for lane in lanes}


def _stepped_locally(
    conn: Connection, lanes: Sequence[Lane], turns: Turns, tenants: int
) -> dict[Lane, list[str]]:
    return {lane: list(islice(_round(conn, lane, turns.last.get(lane, "")), tenants)) for lane in lanes}


def _round(conn: Connection, lane: Lane, after: str) -> Iterator[str]:
    """The tenants with ready work in a lane: those after one of them, then the others up to it."""
    yield from _tenants(conn, lane, after)
    if after:
        for tenant in _tenants(conn, lane, ""):
            if tenant > after:
                return
            yield tenant


def _tenants(conn: Connection, lane: Lane, after: str) -> Iterator[str]:
    while found := TENANT_WAITING.one(conn, {"lane": lane.value, "after": after}):
        after = found[0]
        yield after


def is_remote(conn: Connection) -> bool:
    """Whether statements go to another process, and perhaps another machine."""
    return conn.dialect.name == "postgresql"


def running_jobs(conn: Connection, tenants: Collection[str]) -> dict[str, dict[str, int]]:
    """How many chunks of each job of these tenants run."""
    running: dict[str, dict[str, int]] = defaultdict(dict)
    if is_remote(conn):
        for tenant, job, count in RUNNING_OF_TENANTS.all(conn, {"busy_tenant": list(tenants)}):
            running[tenant][job] = count
        return running
    for tenant in tenants:
        for (job,) in RUNNING_OF_TENANT.all(conn, {"tenant": tenant, "most": MOST_COUNTED}):
            running[tenant][job] = running[tenant].get(job, 0) + 1
    return running


def of_idle_jobs(
    conn: Connection,
    shares: Sequence[TenantShare],
    running: Mapping[str, Mapping[str, int]],
    look: ClaimSnapshot,
) -> dict[tuple[Lane, str], list[Row]]:
    """The oldest ready chunks of jobs of which nothing runs, by lane and tenant."""
    found: dict[tuple[Lane, str], list[Row]] = defaultdict(list)
    if is_remote(conn):
        given = {
            "pair_lane": [share.lane.value for share in shares],
            "pair_tenant": [share.tenant for share in shares],
            "busy": [job for jobs in running.values() for job in jobs],
            "now": look.now,
            "most": look.most,
            "refused": look.refused,
        }
        for lane, tenant, *row in OF_IDLE_JOBS_OF_TENANTS.all(conn, given):
            found[Lane(lane), tenant].append(tuple(row))
        return found
    for share in shares:
        given = {**query_values(share, look), "busy": list(running[share.tenant])}
        found[share.lane, share.tenant] = OF_IDLE_JOBS.all(conn, given)
    return found


def of_busy(
    conn: Connection, share: TenantShare, running: Mapping[str, Mapping[str, int]], look: ClaimSnapshot
) -> list[Row]:
    """The oldest ready chunks of a tenant of whose idle jobs nothing is ready: of jobs with the fewest running first."""
    busy = running[share.tenant]
    # The last of them finds what other workers have started since the count.
    return (busy and of_busy_jobs(conn, share, busy, look)) or OF_ALL_JOBS.all(
        conn, query_values(share, look)
    )


def of_busy_jobs(
    conn: Connection, share: TenantShare, busy: Mapping[str, int], look: ClaimSnapshot
) -> list[Row]:
    """The oldest ready chunks of those jobs that have the fewest running."""
    jobs = sorted(busy, key=lambda job: busy[job])[:BUSY_JOBS]
    few = {**query_values(share, look), "most": ceil(look.most / len(jobs))}
    if is_remote(conn):
        return OF_JOBS.all(conn, few | {"wanted_job": jobs})
    return [row for job in jobs for row in OF_JOB.all(conn, few | {"job_id": job})]


def query_values(share: TenantShare, look: ClaimSnapshot) -> dict[str, Any]:
    """The parameters of a statement about one tenant in one lane."""
    return {
        "lane": share.lane.value,
        "tenant": share.tenant,
        "now": look.now,
        "most": look.most,
        "refused": look.refused,
    }


@dataclass(frozen=True, slots=True)
class Group:
    """Candidates that are next, and how many of them to take."""

    candidates: list[Candidate]
    most: int


def claim_groups(ready: list[Candidate], batch: int) -> Iterator[Group]:
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
