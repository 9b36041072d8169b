"""Keys of tenants: found by what is kept of them, worthless once revoked."""

from dataclasses import replace

import pytest

from pagemill.db import api_keys
from pagemill.db.database import Database
from pagemill.desk import tenant_keys
from pagemill.entrypoints.api.keys.shapes import key_view
from pagemill.entrypoints.cli.admin.actions import format_time
from pagemill.errors import Refused


def test_a_key_leads_to_its_tenant_until_it_is_revoked(db: Database) -> None:
    assert not db.read(api_keys.are_any)
    made, other = tenant_keys.add(db, "anna", "laptop"), tenant_keys.add(db, "bert", "server")
    sha256 = tenant_keys.hash_key(made.key.encode())
    found = tenant_keys.holder_of_hash(db, sha256)
    assert found is not None
    assert (found.tenant, found.key_id, found.is_operator) == ("anna", made.row.id, False)
    assert tenant_keys.holder_of_id(db, made.row.id) == found
    assert tenant_keys.revoke(db, "laptop").id == made.row.id
    assert tenant_keys.holder_of_hash(db, sha256) is None
    assert tenant_keys.holder_of_id(db, made.row.id) is None
    assert tenant_keys.holder_of_id(db, other.row.id) is not None
    assert [key.revoked_at is None for key in tenant_keys.list_keys(db)] == [False, True]
    assert db.read(api_keys.are_any)


def test_keys_have_a_shape_and_never_repeat(db: Database) -> None:
    made = [tenant_keys.add(db, "anna", f"key {number}").key for number in range(20)]
    assert len(set(made)) == 20
    assert all(tenant_keys.has_shape(key.encode()) for key in made)
    assert not tenant_keys.has_shape(b"pm_short")


def test_a_name_that_two_keys_have_revokes_neither(db: Database) -> None:
    for tenant in ("anna", "bert"):
        tenant_keys.add(db, tenant, "laptop")
    with pytest.raises(Refused, match="2 valid keys"):
        tenant_keys.revoke(db, "laptop")
    with pytest.raises(Refused, match="No valid keys"):
        tenant_keys.revoke(db, "nobody")


@pytest.mark.parametrize("tenant", ["", "Anna", "an na", "-a", "a/b", "a" * 64, "ä"])
def test_a_tenant_has_a_plain_name(db: Database, tenant: str) -> None:
    with pytest.raises(Refused):
        tenant_keys.add(db, tenant, "laptop")


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "a" * 101])
def test_a_key_has_a_name_that_can_be_shown(db: Database, name: str) -> None:
    with pytest.raises(Refused):
        tenant_keys.add(db, "anna", name)


@pytest.mark.parametrize("days", [1e18, float("inf"), float("nan"), 10 * 365 + 1, -1])
def test_a_key_expires_within_ten_years(db: Database, days: float) -> None:
    with pytest.raises(Refused, match="3,650 days"):
        tenant_keys.add(db, "anna", "laptop", expires_in_seconds=days * 86_400)
    assert not tenant_keys.list_keys(db)


@pytest.mark.parametrize("expires_at", [1e18, float("inf")])
def test_a_key_that_expires_behind_the_end_of_the_calendar_is_shown(db: Database, expires_at: float) -> None:
    key = replace(tenant_keys.add(db, "anna", "laptop").row, expires_at=expires_at)
    view = key_view(key)
    assert view["expires_at"] == "9999-12-31T23:59:59.000Z"
    assert format_time(expires_at) == "9999-12-31 23:59:59Z"
