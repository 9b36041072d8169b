"""Several tenants at one door: each has keys of its own and sees nothing of the others."""

import asyncio
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from pagemill.desk import tenant_keys
from pagemill.entrypoints.access import key_cache
from tests.api.test_http import problem
from tests.mills import small_settings
from tests.samples import letter
from tests.servers import Served, served, served_idle
from tests.waiting import wait_for

OPERATOR = "o" * 43
OPERATORS_ONLY = {"/metrics", "/v1/operations"}


@dataclass(frozen=True)
class House:
    """A server with an operator and two tenants, one of whom has a job."""

    server: Served
    anna: dict[str, str]
    bert: dict[str, str]
    job_id: str

    def get(self, path: str, who: dict[str, str]) -> httpx.Response:
        """Ask as somebody."""
        return self.server.http.get(path, headers=who)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A server whose tenant Anna has a job that is done."""
    settings = small_settings(tmp_path_factory.mktemp("tenants"), api_key=OPERATOR)
    with served(settings) as server:
        anna, bert = (bearer(tenant_keys.add(server.mill.db, name, "test").key) for name in ("anna", "bert"))
        answer = server.http.post(
            "/v1/jobs", content=letter("Dear Anna,"), headers={**anna, "prefer": "wait=60"}
        )
        assert answer.status_code == 200, answer.text
        yield House(server, anna, bert, answer.json()["id"])


def bearer(key: str) -> dict[str, str]:
    """The header that carries a key."""
    return {"authorization": f"Bearer {key}"}


def test_the_owner_of_a_job_sees_it(house: House) -> None:
    assert house.get(f"/v1/jobs/{house.job_id}", house.anna).json()["status"] == "completed"
    assert "Dear Anna" in house.get(f"/v1/jobs/{house.job_id}/markdown", house.anna).text
    assert [job["id"] for job in house.get("/v1/jobs", house.anna).json()["jobs"]] == [house.job_id]


def test_the_operator_is_a_tenant_like_others_where_jobs_are_concerned(house: House) -> None:
    assert house.get("/v1/jobs", bearer(OPERATOR)).json()["jobs"] == []
    problem(house.get(f"/v1/jobs/{house.job_id}", bearer(OPERATOR)), 404, "not_found")


@pytest.mark.parametrize("path", sorted(OPERATORS_ONLY))
def test_what_concerns_all_tenants_is_for_the_operator_alone(house: House, path: str) -> None:
    problem(house.get(path, house.anna), 403, "forbidden")
    assert house.get(path, bearer(OPERATOR)).status_code == 200


def test_an_idempotency_key_of_another_tenant_is_another_key(house: House) -> None:
    jobs = [
        house.server.http.post(
            "/v1/jobs", content=letter(name), headers={**who, "idempotency-key": "the same"}
        ).json()["id"]
        for name, who in (("Anna", house.anna), ("Bert", house.bert))
    ]
    assert jobs[0] != jobs[1]


def test_the_result_of_another_tenant_is_not_used_again(house: House) -> None:
    answer = house.server.http.post(
        "/v1/jobs", content=letter("Dear Anna,"), headers={**house.bert, "prefer": "wait=60"}
    )
    assert not answer.json()["reused"]


def test_a_refusal_is_told_to_the_tenant_whose_document_was_refused(house: House) -> None:
    def refused(who: dict[str, str]) -> list[str]:
        events = house.get("/v1/events?type=request.refused", who).json()["events"]
        return [event["facts"]["filename"] for event in events]

    refusal = house.server.http.post("/v1/jobs?filename=no.pdf", content=b"\0none", headers=house.anna)
    problem(refusal, 415, "unsupported_file_type")
    wait_for(lambda: refused(house.anna) == ["no.pdf"])
    assert refused(house.bert) == refused(bearer(OPERATOR)) == []


def test_a_session_belongs_to_the_tenant_of_its_key(house: House) -> None:
    begun = house.server.http.post("/session", headers=house.anna)
    cookie = {"cookie": begun.headers["set-cookie"].partition(";")[0]}
    house.server.http.cookies.clear()
    assert begun.json() == {"key_needed": True, "open": True, "operator": False}
    assert house.get(f"/v1/jobs/{house.job_id}", cookie).status_code == 200
    problem(house.get("/v1/operations", cookie), 403, "forbidden")


@pytest.fixture
def laptop(tmp_path: Path) -> Iterator[Served]:
    """A server without any key."""
    with served_idle(small_settings(tmp_path)) as server:
        yield server


def test_without_any_key_everything_is_open(laptop: Served) -> None:
    for path in ("/v1/jobs", "/v1/operations", "/metrics"):
        assert laptop.http.get(path).status_code == 200


def test_the_first_key_closes_the_door_and_its_revocation_opens_it_to_nobody(
    laptop: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_cache, "REMEMBERED_SECONDS", 0.1)
    laptop.submit(letter())
    made = tenant_keys.add(laptop.mill.db, "anna", "laptop")
    wait_for(lambda: laptop.http.get("/v1/jobs").status_code == 401, key_cache.PATIENCE_SECONDS * 2)
    assert laptop.http.get("/v1/jobs", headers=bearer(made.key)).json()["jobs"] == []
    cookie = laptop.http.post("/session", headers=bearer(made.key)).headers["set-cookie"]
    laptop.http.cookies.clear()
    tenant_keys.revoke(laptop.mill.db, "laptop")
    time.sleep(0.3)
    problem(laptop.http.get("/v1/jobs", headers=bearer(made.key)), 401, "unauthorized")
    problem(laptop.http.get("/v1/jobs", headers={"cookie": cookie.partition(";")[0]}), 401, "unauthorized")
    problem(laptop.http.get("/v1/jobs"), 401, "unauthorized")


def test_a_key_is_kept_as_a_hash_alone(house: House) -> None:
    made = tenant_keys.add(house.server.mill.db, "carl", "secret")
    stored = b"".join(path.read_bytes() for path in house.server.mill.settings.data_dir.glob("pagemill.db*"))
    assert made.key.startswith("pm_")
    assert made.key.encode() not in stored
    assert tenant_keys.hash_key(made.key.encode()).encode() in stored


def test_what_is_remembered_of_keys_is_bounded(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_cache, "MOST_REMEMBERED", 5)
    known = key_cache.KeyCache(house.server.mill.db)

    async def guess() -> None:
        for number in range(12):
            assert await known.of_hash(f"{number:064x}") is None

    asyncio.run(guess())
    known.close()
    assert len(known._strange) <= 5


def test_the_database_is_asked_about_a_key_once_in_a_while(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_cache, "REMEMBERED_SECONDS", 60)
    made = tenant_keys.add(house.server.mill.db, "dora", "soon gone")
    assert house.get("/v1/jobs", bearer(made.key)).status_code == 200
    tenant_keys.revoke(house.server.mill.db, made.row.id)
    assert house.get("/v1/jobs", bearer(made.key)).status_code == 200
