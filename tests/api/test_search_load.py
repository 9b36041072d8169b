"""Searches that take long, over HTTP: they end, are refused beyond a limit, and keep no other route waiting."""

import asyncio
import time
from collections.abc import Iterator

import httpx
import pytest
from starlette.requests import Request
from starlette.types import Message

from pagemill.entrypoints.api.search.routes import answer_unless_gone
from tests.api.test_http import problem
from tests.api.test_keys import OPERATOR, bearer, made
from tests.mills import shared_settings, small_settings
from tests.servers import Served, served, served_idle
from tests.waiting import wait_for

WIDE_ROW = ",".join(["a"] * 200_000).encode()
SEARCHES = 60


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that has read a row of 200,000 equal words."""
    with served(shared_settings(tmp_path_factory.mktemp("wide"), slots=1)) as opened:
        answer = opened.http.post("/v1/jobs", content=WIDE_ROW, params={"filename": "wide.csv"})
        job = opened.http.get(f"/v1/jobs/{answer.json()['id']}", params={"wait": 60}).json()
        assert job["status"] == "completed"
        yield opened


async def statuses_of(url: str, query: str, searches: int) -> tuple[list[int], float]:
    """The statuses of so many searches at once, and how long a page of jobs took meanwhile."""
    limits = httpx.Limits(max_connections=searches + 1)
    async with httpx.AsyncClient(base_url=url, limits=limits, timeout=60) as client:
        asking = [asyncio.create_task(client.get("/v1/search", params={"q": query})) for _ in range(searches)]
        await asyncio.sleep(0.05)
        started = time.monotonic()
        assert (await client.get("/v1/labels")).status_code == 200
        seconds = time.monotonic() - started
        return [answer.status_code for answer in await asyncio.gather(*asking)], seconds


def test_a_row_of_equal_words_keeps_no_other_route_waiting(server: Served) -> None:
    statuses, seconds = asyncio.run(statuses_of(server.url, "a", SEARCHES))
    assert statuses == [200] * SEARCHES
    assert seconds < 10


def test_more_searches_than_can_wait_are_told_when_to_come_again(server: Served) -> None:
    statuses, _ = asyncio.run(statuses_of(server.url, "a", 200))
    assert set(statuses) <= {200, 503}
    assert statuses.count(200) >= 8


def test_a_search_whose_caller_left_is_given_up() -> None:
    ended: list[str] = []

    async def search() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    async def ask(leaves: bool) -> object:
        async def receive() -> Message:
            if not leaves:
                await asyncio.sleep(60)
            return {"type": "http.disconnect"}

        request = Request({"type": "http"}, receive)
        answer = await answer_unless_gone(request, search() if leaves else asyncio.sleep(0, "found"))
        await asyncio.sleep(0)
        return answer

    assert asyncio.run(ask(leaves=True)) is None
    assert ended == ["cancelled"]
    assert asyncio.run(ask(leaves=False)) == "found"


def test_a_search_that_takes_too_long_says_so(tmp_path_factory: pytest.TempPathFactory) -> None:
    settings = small_settings(tmp_path_factory.mktemp("hasty"), search_seconds=1e-9)
    with served_idle(settings) as hasty:
        answer = hasty.http.get("/v1/search?q=a")
        problem(answer, 503, "search_timeout")
        assert int(answer.headers["retry-after"]) > 0


def test_a_tenant_searches_so_often_at_once(tmp_path_factory: pytest.TempPathFactory) -> None:
    settings = small_settings(
        tmp_path_factory.mktemp("tenants"), api_key=OPERATOR, max_tenant_searches=1, slots=1, kept_slots=0
    )
    with served_idle(settings) as keyed:
        key = made(keyed, "anna")

        async def ask() -> list[httpx.Response]:
            async with httpx.AsyncClient(base_url=keyed.url, headers=bearer(key["key"])) as client:
                return await asyncio.gather(*[client.get("/v1/search?q=a") for _ in range(20)])

        def refused() -> bool:
            answers = asyncio.run(ask())
            bad = [one for one in answers if one.status_code != 200]
            for one in bad:
                told = problem(one, 429, "quota_exceeded")
                assert told["violated-policies"] == ["max_tenant_searches"]
            return bool(bad) and len(bad) < len(answers)

        wait_for(refused)
