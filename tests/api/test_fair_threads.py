"""Slow calls of tenants: they take turns, none has all threads, and a thread is free again only when its call has ended."""

import asyncio
import threading

import pytest

from pagemill.entrypoints.fair_threads import FairThreadPool
from pagemill.errors import Overloaded

PATIENCE_SECONDS = 30


def test_one_tenant_never_has_all_threads() -> None:
    pool, gate = FairThreadPool(4, 16, "fair"), threading.Event()

    async def call() -> str:
        greedy = [asyncio.create_task(pool.run("a", gate.wait)) for _ in range(12)]
        await asyncio.sleep(0)
        answer = await asyncio.wait_for(pool.run("b", lambda: "at once"), PATIENCE_SECONDS)
        assert pool.present("a") == 12
        gate.set()
        assert await asyncio.gather(*greedy) == [True] * 12
        # The threads are given back in the turn of the loop after this one.
        await asyncio.wait_for(pool.run("b", lambda: None), PATIENCE_SECONDS)
        assert pool.present("a") == 0
        return answer

    assert asyncio.run(call()) == "at once"
    pool.close()


def test_those_who_wait_are_served_tenant_by_tenant() -> None:
    pool, gate, served = FairThreadPool(1, 16, "fair"), threading.Event(), list[str]()

    async def call() -> None:
        first = asyncio.create_task(pool.run("first", gate.wait))
        await asyncio.sleep(0)
        tenants = ["a", "a", "a", "b", "c"]
        waiting = [asyncio.create_task(pool.run(one, served.append, one)) for one in tenants]
        await asyncio.sleep(0)
        gate.set()
        await asyncio.gather(first, *waiting)

    asyncio.run(call())
    pool.close()
    assert served == ["a", "b", "c", "a", "a"]


def test_a_call_whose_caller_left_keeps_its_thread_until_it_ends() -> None:
    pool, gate, begun = FairThreadPool(1, 4, "fair"), threading.Event(), threading.Event()

    def block() -> None:
        begun.set()
        gate.wait()

    async def call() -> None:
        left = asyncio.create_task(pool.run("a", block))
        await asyncio.to_thread(begun.wait)
        left.cancel()
        tired = asyncio.create_task(pool.run("b", lambda: "never"))
        patient = asyncio.create_task(pool.run("c", lambda: "in turn"))
        await asyncio.sleep(0.02)
        assert not patient.done()
        # One that leaves while it waits is passed over.
        tired.cancel()
        gate.set()
        assert await asyncio.wait_for(patient, PATIENCE_SECONDS) == "in turn"
        assert tired.cancelled()
        assert left.cancelled()

    asyncio.run(call())
    pool.close()


def test_more_than_may_wait_are_refused() -> None:
    pool, gate = FairThreadPool(1, 1, "fair"), threading.Event()

    async def call() -> None:
        present = [asyncio.create_task(pool.run(one, gate.wait)) for one in ("a", "b")]
        await asyncio.sleep(0)
        with pytest.raises(Overloaded):
            await pool.run("c", gate.wait)
        gate.set()
        await asyncio.gather(*present)
        assert await pool.run("c", lambda: "again") == "again"

    asyncio.run(call())
    pool.close()
