"""Usage by tenant and day, added up on both databases."""

from pagemill.db import usage
from pagemill.db.database import Database
from pagemill.db.usage import UsageRow
from pagemill.desk.usage import forget_usage


def test_days_are_added_up_by_tenant_and_forgotten(db: Database) -> None:
    rows = [
        UsageRow("anna", "2026-11-01", jobs=1, pages=3, cpu_seconds=0.5),
        UsageRow("anna", "2026-11-01", pages=2, remote_calls=4, price=0.25),
        UsageRow("berta", "2026-11-01", pages=9),
        UsageRow("anna", "2025-01-01", jobs=7),
    ]
    db.write(lambda tx: usage.add(tx, rows))
    first = UsageRow("anna", "2026-11-01", jobs=1, pages=5, cpu_seconds=0.5, remote_calls=4, price=0.25)
    assert db.read(lambda conn: usage.of_tenant(conn, "anna", "2026-10-31", "2026-11-02")) == [first]
    of_all = db.read(lambda conn: usage.of_everyone(conn, "2026-11-01", "2026-11-01", 10))
    assert [row.tenant for row in of_all] == ["berta", "anna"]
    db.write(lambda tx: usage.forget(tx, "2026-01-01"))
    assert db.read(lambda conn: usage.of_tenant(conn, "anna", "2020-01-01", "2026-11-02")) == [first]
    db.write(lambda tx: forget_usage(tx, 100_000))
    assert len(db.read(lambda conn: usage.of_everyone(conn, "2020-01-01", "2030-01-01", 10))) == 2
