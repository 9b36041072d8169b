"""Paused lanes and draining workers: what is not claimed, from whom, until someone lifts it."""

from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, delete, insert, literal_column, select, union_all

from pagemill.db.database import Tx
from pagemill.db.prepared_statements import PreparedStatement
from pagemill.db.schema import paused_lanes, workers
from pagemill.model.states import Lane

PAUSED = PreparedStatement(select(paused_lanes.c.lane))
EVERY_LANE = "*"
# A later version may have paused a lane that this one does not have.
KNOWN_LANES = frozenset(lane.value for lane in Lane)
# One statement for both, because every claim asks it.
SHUT = PreparedStatement(
    select(
        union_all(
            select(paused_lanes.c.lane),
            select(literal_column(f"'{EVERY_LANE}'", paused_lanes.c.lane.type).label("lane"))
            .select_from(workers)
            .where(workers.c.id == bindparam("worker"), workers.c.draining),
        )
        .subquery()
        .c.lane
    )
)


def find_paused(conn: Connection) -> frozenset[Lane]:
    """The lanes that nothing is claimed from."""
    return frozenset(Lane(lane) for (lane,) in PAUSED.all(conn, {}) if lane in KNOWN_LANES)


def claimable_lanes(conn: Connection, worker_id: str, lanes: Sequence[Lane]) -> tuple[Lane, ...]:
    """Those of the lanes that a worker may claim from now: none while it drains, and no paused one."""
    shut = {lane for (lane,) in SHUT.all(conn, {"worker": worker_id})}
    return () if EVERY_LANE in shut else tuple(lane for lane in lanes if lane.value not in shut)


def pause(tx: Tx, lane: Lane, tenant: str) -> bool:
    """Have nothing claimed from a lane; False if that was so before."""
    tx.lock("paused lanes")
    if lane in find_paused(tx.conn):
        return False
    tx.conn.execute(insert(paused_lanes), {"lane": lane.value, "tenant": tenant, "paused_at": tx.now})
    return True


def resume(tx: Tx, lane: Lane) -> bool:
    """Have a lane claimed from again; False if it was not paused."""
    return tx.conn.execute(delete(paused_lanes).where(paused_lanes.c.lane == lane.value)).rowcount == 1
