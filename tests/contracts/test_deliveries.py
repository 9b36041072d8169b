"""Deliveries are claimed once, recorded under their fence and freed when their sender vanishes, on either database."""

from concurrent.futures import ThreadPoolExecutor

from pagemill.db import deliveries, events, log_positions, webhooks
from pagemill.db.database import Database, Tx
from pagemill.db.deliveries import Limits
from pagemill.db.events import LogPosition
from pagemill.model.events import EventType
from pagemill.model.ids import new_id
from pagemill.model.webhooks import (
    Attempt,
    Delivery,
    DeliveryState,
    Endpoint,
    WantedEndpoint,
    new_delivery,
    new_endpoint,
)

TENANT = "default"
LIMITS = Limits(at_once=2, run_length=3)


def endpoint_in(tx: Tx) -> Endpoint:
    """An endpoint in the database."""
    endpoint = new_endpoint(TENANT, WantedEndpoint("https://receiver.example"), b"encrypted", tx.now)
    webhooks.add(tx, endpoint)
    return endpoint


def with_deliveries(db: Database, count: int, endpoints: int = 1) -> list[Endpoint]:
    """Endpoints that each have so many deliveries due."""

    def write(tx: Tx) -> list[Endpoint]:
        made = [endpoint_in(tx) for _ in range(endpoints)]
        for endpoint in made:
            deliveries.add_new(
                tx, [new_delivery(endpoint, None, "webhook.test", f"{n}", "{}", tx.now) for n in range(count)]
            )
        return made

    return db.write(write)


def claim(db: Database, most: int = 100, worker: str = "") -> list[Delivery]:
    """What a sender takes."""
    return db.write(lambda tx: deliveries.claim(tx, worker or new_id(), tx.now + 1, most, LIMITS))


def attempt_of(delivery: Delivery, at: float) -> Attempt:
    """An attempt that went well."""
    return Attempt(delivery.id, TENANT, 1, at, 0.1, "https://receiver.example", 200, None, "")


def record(db: Database, delivery: Delivery) -> bool:
    """Record that a delivery went well."""
    return db.write(
        lambda tx: deliveries.record(
            tx, delivery, attempt_of(delivery, tx.now), DeliveryState.DELIVERED, tx.now
        )
    )


def test_a_target_gets_a_run_for_each_place_and_no_more_until_it_is_recorded(db: Database) -> None:
    with_deliveries(db, 10, endpoints=2)
    first = claim(db)
    assert len(first) == 2 * LIMITS.at_once * LIMITS.run_length
    assert claim(db) == []
    assert all(record(db, one) for one in first)
    assert len(claim(db)) == 2 * (10 - LIMITS.at_once * LIMITS.run_length)


def test_many_senders_at_once_take_each_delivery_once(db: Database) -> None:
    with_deliveries(db, LIMITS.at_once, endpoints=30)
    with ThreadPoolExecutor(8) as threads:
        taken = [one.id for found in threads.map(lambda _: claim(db, 10), range(20)) for one in found]
    assert len(taken) == len(set(taken)) == 60


def test_a_sender_that_was_given_up_on_records_nothing(db: Database) -> None:
    with_deliveries(db, 1)
    [late] = claim(db)
    assert db.write(deliveries.free_lost) == 1
    [again] = claim(db)
    assert again.id == late.id
    assert not record(db, late)
    assert record(db, again)
    assert [one.number for one in db.read(lambda conn: deliveries.attempts(conn, TENANT, late.id))] == [1]


def test_the_same_event_makes_one_delivery_for_an_endpoint(db: Database) -> None:
    [endpoint] = with_deliveries(db, 2)
    db.write(
        lambda tx: deliveries.add_new(tx, [new_delivery(endpoint, None, "webhook.test", "1", "{}", tx.now)])
    )
    assert len(claim(db)) == 2


def append_line(db: Database, code: str) -> None:
    """Write a line to the log."""
    db.write(lambda tx: events.append_loose(tx, TENANT, EventType.REFUSED, {"code": code}))


def test_the_whole_log_is_read_in_order_from_where_a_reader_was(db: Database) -> None:
    for number in range(3):
        append_line(db, str(number))
    lines = db.read(lambda conn: events.of_everyone(conn, LogPosition(), 10))
    assert [line.facts["code"] for line in lines] == ["0", "1", "2"]
    place = LogPosition(lines[1].xid, lines[1].id)
    db.write(lambda tx: log_positions.advance(tx, TENANT, "test", place))
    db.write(lambda tx: log_positions.advance(tx, TENANT, "test", place))
    assert db.read(lambda conn: log_positions.position(conn, "test")) == place
    later = db.read(lambda conn: events.of_everyone(conn, place, 10))
    assert [line.facts["code"] for line in later] == ["2"]
    start = db.read(lambda conn: events.position_before(conn, lines[0].at))
    assert len(db.read(lambda conn: events.of_everyone(conn, start, 10))) == 3
    end = db.read(lambda conn: events.position_before(conn, lines[2].at + 60))
    assert db.read(lambda conn: events.of_everyone(conn, end, 10)) == []
