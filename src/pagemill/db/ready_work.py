"""What is ready and due: the work that someone should be woken for."""

from collections.abc import Collection

from sqlalchemy import Connection, Subquery, case, func, select, union_all

from pagemill.db.fairness import IS_KNOWN, IS_READY
from pagemill.db.prepared_statements import is_not_in_list
from pagemill.db.schema import chunks, workers
from pagemill.model.messages import Message
from pagemill.model.states import Lane, Step

# Since when a chunk could have been claimed.
DUE_AT = case((chunks.c.not_before > chunks.c.created_at, chunks.c.not_before), else_=chunks.c.created_at)


def messages(
    conn: Connection, lanes: Collection[Lane], now: float, most: int, refused: Collection[str] = ()
) -> list[Message]:
    """A message for each chunk of these lanes that waits to be claimed, up to so many per lane.

    Chunks that need what is refused wait for other workers.
    """
    if not lanes:
        return []
    by_lane = [of_lane(lane, now, most) for lane in lanes]
    rows = conn.execute(union_all(*(select(part) for part in by_lane)), {"refused": list(refused)})
    return [Message(Step(step), Lane(lane), job_id) for step, lane, job_id in rows]


def of_lane(lane: Lane, now: float, most: int) -> Subquery:
    """The chunks of one lane that wait."""
    return (
        select(chunks.c.step, chunks.c.lane, chunks.c.job_id)
        .where(IS_READY, IS_KNOWN, chunks.c.lane == lane.value, chunks.c.not_before <= now)
        .where(is_not_in_list(chunks.c.needs, "refused"))
        # The order of the index of ready chunks: in any other, thousands of finished ones are looked at first.
        .order_by(chunks.c.tenant, chunks.c.priority.desc(), chunks.c.job_id, chunks.c.id)
        .limit(most)
        .subquery()
    )


def slots(conn: Connection) -> int:
    """How many slots there are over all workers."""
    return conn.scalar(select(func.coalesce(func.sum(workers.c.slots), 0))) or 0
