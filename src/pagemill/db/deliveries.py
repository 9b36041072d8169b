"""The rows of webhook deliveries: written from the log, claimed with a fence, recorded attempt by attempt."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, insert, literal_column, select, update
from sqlalchemy.dialects import postgresql, sqlite

from pagemill.db.database import Tx
from pagemill.db.prepared_statements import PreparedStatement, in_list
from pagemill.db.schema import webhook_attempts as attempt_rows
from pagemill.db.schema import webhook_deliveries as rows
from pagemill.db.schema import webhook_endpoints as endpoint_rows
from pagemill.db.schema import workers
from pagemill.db.webhook_tables import PENDING, SENDING
from pagemill.model.webhooks import Attempt, Delivery, DeliveryState

DELIVERY_FIELDS = tuple(field.name for field in fields(Delivery))
DELIVERY = select(*(rows.c[name] for name in DELIVERY_FIELDS))
ADD_NEW = {
    "postgresql": PreparedStatement(postgresql.insert(rows).on_conflict_do_nothing()),
    "sqlite": PreparedStatement(sqlite.insert(rows).on_conflict_do_nothing()),
}
ATTEMPT_FIELDS = tuple(field.name for field in fields(Attempt))
ATTEMPT = select(*(attempt_rows.c[name] for name in ATTEMPT_FIELDS))
CLAIM_LOCK = "webhook deliveries"
# Enough due deliveries to find work for all senders among them; those of targets that are at their limit are left out.
LOOKED_AT = 400
OVER = (DeliveryState.DELIVERED.value, DeliveryState.FAILED.value, DeliveryState.CANCELLED.value)


def add_new(tx: Tx, new: Sequence[Delivery]) -> None:
    """Write deliveries; those that are there already, because a line of the log was read twice, stay as they are."""
    if new:
        ADD_NEW[tx.conn.dialect.name].run_many(tx.conn, [columns_of(one) for one in new])


def columns_of(delivery: Delivery) -> dict[str, Any]:
    """The columns of a delivery."""
    return {name: getattr(delivery, name) for name in DELIVERY_FIELDS}


@dataclass(frozen=True, slots=True)
class DueDelivery:
    """A delivery that may be taken, and for whom it is."""

    id: str
    target: str
    endpoint_id: str


def claim(tx: Tx, worker_id: str, now: float, most: int, limits: "Limits") -> list[Delivery]:
    """Take due deliveries, oldest first, no more for a target than it may have at once."""
    tx.lock(CLAIM_LOCK)
    running = in_flight(tx.conn)
    full = [target for target, count in running.items() if count >= limits.at_once]
    found = [DueDelivery(*row) for row in DUE.all(tx.conn, {"now": now, "full": full})]
    failing = failing_targets(tx.conn, {one.endpoint_id for one in found})
    chosen = [one.id for one in chosen_from(found, running, failing, limits, most)]
    taken = {row[0]: Delivery(*row) for row in TAKE.all(tx.conn, {"ids": chosen, "worker": worker_id})}
    return [taken[one] for one in chosen if one in taken]


DUE = PreparedStatement(
    select(rows.c.id, rows.c.target, rows.c.endpoint_id)
    .where(PENDING, rows.c.next_at <= bindparam("now"), ~in_list(rows.c.target, "full"))
    .order_by(rows.c.next_at)
    .limit(literal_column(str(LOOKED_AT)))
)
TAKE = PreparedStatement(
    update(rows)
    .where(in_list(rows.c.id, "ids"), PENDING)
    .values(
        state=literal_column(f"'{DeliveryState.SENDING.value}'"),
        worker_id=bindparam("worker"),
        fence=rows.c.fence + literal_column("1"),
    )
    .returning(*DELIVERY.selected_columns)
)


@dataclass(frozen=True, slots=True)
class Limits:
    """How many deliveries a target gets at once, and how many one sender may take to send one after the other."""

    at_once: int
    run_length: int

    def room(self, running: int, *, failing: bool) -> int:
        """How many may be taken for a target that has so many under way: one at a time for one that fails."""
        if failing:
            return 1 - running
        return self.at_once - running if running else self.at_once * self.run_length


def in_flight(conn: Connection) -> dict[str, int]:
    """How many deliveries are being sent, by target."""
    query = select(rows.c.target, func.count()).where(SENDING).group_by(rows.c.target)
    return dict(conn.execute(query).all())


def failing_targets(conn: Connection, endpoint_ids: Collection[str]) -> set[str]:
    """Those of the endpoints that did not take their last delivery."""
    query = select(endpoint_rows.c.id).where(
        endpoint_rows.c.id.in_(endpoint_ids), endpoint_rows.c.failing_since.is_not(None)
    )
    return set(conn.scalars(query))


def chosen_from(
    found: Iterable[DueDelivery],
    running: Mapping[str, int],
    failing: Collection[str],
    limits: Limits,
    most: int,
) -> list[DueDelivery]:
    """The deliveries that may be sent now."""
    counts, chosen = Counter[str](), list[DueDelivery]()
    for one in found:
        room = limits.room(running.get(one.target, 0), failing=one.endpoint_id in failing)
        if len(chosen) < most and counts[one.target] < room:
            counts[one.target] += 1
            chosen.append(one)
    return chosen


OWN = (
    rows.c.id == bindparam("own_id"),
    rows.c.tenant == bindparam("own_tenant"),
    rows.c.fence == bindparam("own_fence"),
    SENDING,
)
RECORDED = ("state", "attempts", "next_at", "last_status", "last_error", "finished_at")
RECORD = PreparedStatement(
    update(rows)
    .where(*OWN)
    .values({name: bindparam(f"new_{name}", type_=rows.c[name].type) for name in RECORDED})
    .values(worker_id=literal_column("NULL"))
)
INSERT_ATTEMPT = PreparedStatement(insert(attempt_rows))
GIVE_BACK = PreparedStatement(
    update(rows)
    .where(*OWN, rows.c.worker_id == bindparam("own_worker"))
    .values(
        state=literal_column(f"'{DeliveryState.PENDING.value}'"),
        worker_id=literal_column("NULL"),
    )
)


def own_row(delivery: Delivery) -> dict[str, Any]:
    """What finds the row of a delivery, as long as no other process has taken it."""
    return {"own_id": delivery.id, "own_tenant": delivery.tenant, "own_fence": delivery.fence}


def record(tx: Tx, delivery: Delivery, attempt: Attempt, state: DeliveryState, next_at: float) -> bool:
    """Write down an attempt; False if the delivery was taken from this sender meanwhile, or its endpoint removed."""
    changes = {
        "new_state": state.value,
        "new_attempts": delivery.attempts + 1,
        "new_next_at": next_at,
        "new_last_status": attempt.status,
        "new_last_error": attempt.error,
        "new_finished_at": attempt.at if state.value in OVER else None,
    }
    won = RECORD.run(tx.conn, own_row(delivery) | changes) == 1
    if won:
        INSERT_ATTEMPT.run(tx.conn, {name: getattr(attempt, name) for name in ATTEMPT_FIELDS})
    return won


def give_back(tx: Tx, worker_id: str, held: Sequence[Delivery]) -> None:
    """Make deliveries that were taken and not sent ready for others; they count as no attempt."""
    GIVE_BACK.run_many(tx.conn, [own_row(one) | {"own_worker": worker_id} for one in held])


def free_lost(tx: Tx) -> int:
    """Make the deliveries of senders that vanished ready again; a receiver sees the same id once more."""
    lost = rows.c.worker_id.not_in(select(workers.c.id))
    freed = update(rows).where(SENDING, lost).values(state=DeliveryState.PENDING.value, worker_id=None)
    return tx.conn.execute(freed).rowcount


def next_due(conn: Connection) -> float | None:
    """When the next delivery is due."""
    return conn.scalar(select(rows.c.next_at).where(PENDING).order_by(rows.c.next_at).limit(1))


def end_pending(tx: Tx, tenant: str, endpoint_id: str, state: DeliveryState, error: str) -> int:
    """End what waits for an endpoint that is disabled or removed."""
    own = (rows.c.tenant == tenant, rows.c.endpoint_id == endpoint_id)
    unfinished = rows.c.state.in_([DeliveryState.PENDING.value, DeliveryState.SENDING.value])
    ended = {"state": state.value, "finished_at": tx.now, "last_error": error, "worker_id": None}
    return tx.conn.execute(update(rows).where(*own, unfinished).values(**ended)).rowcount


def one(conn: Connection, tenant: str, delivery_id: str) -> Delivery | None:
    """A delivery of a tenant."""
    row = conn.execute(DELIVERY.where(rows.c.id == delivery_id, rows.c.tenant == tenant)).one_or_none()
    return None if row is None else Delivery(*row)


def attempts(conn: Connection, tenant: str, delivery_id: str) -> list[Attempt]:
    """What was sent for a delivery, in order."""
    own = (attempt_rows.c.delivery_id == delivery_id, attempt_rows.c.tenant == tenant)
    return [Attempt(*row) for row in conn.execute(ATTEMPT.where(*own).order_by(attempt_rows.c.id))]


def list_deliveries(
    conn: Connection,
    tenant: str,
    *,
    endpoint_id: str | None,
    job_id: str | None,
    state: str | None,
    before: str | None,
    limit: int,
) -> list[Delivery]:
    """The deliveries of a tenant, newest first."""
    wanted = {"endpoint_id": endpoint_id, "job_id": job_id, "state": state}
    query = DELIVERY.where(rows.c.tenant == tenant)
    query = query.where(*(rows.c[name] == value for name, value in wanted.items() if value))
    if before:
        query = query.where(rows.c.id < before)
    return [Delivery(*row) for row in conn.execute(query.order_by(rows.c.id.desc()).limit(limit))]


AGAIN = {
    "state": DeliveryState.PENDING.value,
    "attempts": 0,
    "finished_at": None,
    "worker_id": None,
}


def replay(tx: Tx, tenant: str, delivery_id: str) -> bool:
    """Send a delivery that has ended once more, or one that waits now, under the same id; False if it is being sent."""
    own = (rows.c.id == delivery_id, rows.c.tenant == tenant)
    again = update(rows).where(*own, rows.c.state.in_(OVER))
    again = again.values(**AGAIN, next_at=tx.now, fence=rows.c.fence + 1)
    sooner = update(rows).where(*own, PENDING).values(next_at=tx.now)
    return tx.conn.execute(again).rowcount == 1 or tx.conn.execute(sooner).rowcount == 1


def replay_failed(tx: Tx, tenant: str, endpoint_id: str, since: float) -> int:
    """Send everything that failed for an endpoint since a time once more; how much that is."""
    own = (rows.c.tenant == tenant, rows.c.endpoint_id == endpoint_id)
    failed = (rows.c.state == DeliveryState.FAILED.value, rows.c.created_at >= since)
    query = update(rows).where(*own, *failed).values(**AGAIN, next_at=tx.now, fence=rows.c.fence + 1)
    return tx.conn.execute(query).rowcount


def counts(conn: Connection, tenant: str, endpoint_id: str) -> dict[str, int]:
    """How many deliveries of an endpoint are in which state."""
    own = (rows.c.tenant == tenant, rows.c.endpoint_id == endpoint_id)
    query = select(rows.c.state, func.count()).where(*own).group_by(rows.c.state)
    return dict(conn.execute(query).all())


def forget(tx: Tx, before: float, limit: int) -> int:
    """Remove deliveries that ended and were made before the given time, with their attempts."""
    old = select(rows.c.id).where(rows.c.created_at < before, rows.c.state.in_(OVER))
    ids = list(tx.conn.scalars(old.order_by(rows.c.created_at).limit(limit)))
    tx.conn.execute(delete(attempt_rows).where(attempt_rows.c.delivery_id.in_(ids)))
    tx.conn.execute(delete(rows).where(rows.c.id.in_(ids)))
    return len(ids)
