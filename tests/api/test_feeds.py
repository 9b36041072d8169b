"""Feeds, without a server: what they keep, and what they do when reading fails."""

import asyncio
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from pagemill.entrypoints.api.jobs import feeds
from pagemill.entrypoints.api.jobs.feed_sources import FeedLine, JobLog
from pagemill.entrypoints.api.jobs.feeds import Feed, Feeds
from pagemill.errors import NotFound
from pagemill.mill import Mill
from pagemill.notifier import Listener, Notifier


class NumberLog:
    """A log of numbered lines; reading it raises what it is told to, once."""

    reads_files = False
    ring = "job"

    def __init__(self, length: int, first_kept: int = 0) -> None:
        self.length = length
        self.error: Exception | None = None
        self._first_kept = first_kept

    def end(self, _: Mill) -> tuple[int, bool]:
        """The number of the last line."""
        return self.length, False

    def read(self, _: Mill, after: int, limit: int) -> list[FeedLine[int]]:
        """The lines after a number."""
        if self.error is not None:
            error, self.error = self.error, None
            raise error
        last = min(self.length, after + limit)
        return [FeedLine(number, (), b"%d" % number, False) for number in range(after + 1, last + 1)]

    def place_before_all(self) -> int:
        """Lines are numbered from 1."""
        return 0

    def first_kept(self, _: int) -> int:
        """As the test wants it."""
        return self._first_kept

    def rest_seconds(self) -> float:
        """No rest."""
        return 0.0


def with_feed(log: NumberLog, use: Callable[[Feed[int]], Awaitable[None]]) -> None:
    """Use an open feed of a log."""
    near = SimpleNamespace(
        notifier=Notifier(), db=SimpleNamespace(threads=None), blobs=SimpleNamespace(is_near=True)
    )
    mill = cast(Mill, cast(Any, near))

    async def run() -> None:
        feed = Feed(mill, log, Feeds(mill))
        try:
            await feed.wait_until_open()
            await use(feed)
        finally:
            feed.close()

    asyncio.run(run())


def test_a_feed_goes_on_after_an_unexpected_error(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(feeds, "LOOK_SECONDS", 0.01)
    log = NumberLog(1)

    async def use(feed: Feed[int]) -> None:
        listener = Listener()
        feed.followers.add(listener)
        log.error, log.length = ValueError("a bug"), 2
        assert await listener.wait(10)
        assert [line.position for line in (await feed.lines_after(1)).lines] == [2]

    with_feed(log, use)
    assert "a feed failed" in caplog.text


def test_few_tails_are_kept_wherever_watchers_ask_to_go_on() -> None:
    async def use(feed: Feed[int]) -> None:
        for place in range(50):
            tail = await feed.lines_after(place)
            assert [line.position for line in tail.lines] == list(range(place + 1, 31))
        assert await feed.lines_after(99) is await feed.lines_after(30)
        assert len(feed._tails) == feeds.MOST_TAILS

    with_feed(NumberLog(30), use)


def test_what_was_deleted_is_over_for_those_who_are_behind() -> None:
    log = NumberLog(30, first_kept=30)

    async def use(feed: Feed[int]) -> None:
        log.error = NotFound("job")
        assert not feed.is_over_at(0)
        assert (await feed.lines_after(0)).lines == []
        assert feed.is_over_at(0)

    with_feed(log, use)


def test_a_log_with_pages_is_not_read_before_the_first_line_is_sent() -> None:
    assert JobLog("default", "job").first_kept(7) == 0
    assert JobLog("default", "job", with_pages=True).first_kept(7) == 7
