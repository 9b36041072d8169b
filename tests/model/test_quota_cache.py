"""Limits that are kept by counting now and then."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from pagemill.model.quota_cache import NARROW_SECONDS, REST, WIDE_SECONDS, QuotaCache, QuotaCount


@dataclass
class World:
    """A clock, and what a count would find and how often it was asked to."""

    now: float = 100.0
    present: int = 0
    counts: int = 0
    count_seconds: float = 0.0

    def clock(self) -> float:
        """The time."""
        return self.now

    def count(self) -> QuotaCount:
        """How much there is."""
        self.counts += 1
        self.now += self.count_seconds
        return QuotaCount(self.present, 7)

    def taker(self, most: int) -> Callable[[], int | None]:
        """Something that takes a place; what was taken is present from then on."""
        rooms = QuotaCache(self.clock)

        def take() -> int | None:
            refused = rooms.take("here", most, self.count)
            self.present += refused is None
            return refused

        return take


def test_a_limit_is_kept_with_one_count() -> None:
    world = World()
    take = world.taker(1_000)
    assert [take() for _ in range(1_000)] == [None] * 1_000
    assert world.counts == 1
    assert take() == 7


def test_a_full_house_is_not_counted_again_at_once() -> None:
    world = World(present=10)
    take = world.taker(10)
    assert [take() for _ in range(50)] == [7] * 50
    assert world.counts == 1
    world.present = 5
    world.now += NARROW_SECONDS
    assert take() is None


def test_places_that_were_taken_and_left_again_are_found_at_once() -> None:
    world = World()
    take = world.taker(3)
    for _ in range(20):
        assert [take() for _ in range(3)] == [None] * 3
        world.present = 0


def test_what_others_took_is_seen_the_sooner_the_less_is_left() -> None:
    world = World()
    take = world.taker(100)
    take()
    world.present = 80
    world.now += NARROW_SECONDS
    take()
    assert world.counts == 1
    world.now += WIDE_SECONDS
    take()
    assert world.counts == 2
    world.present = 100
    world.now += NARROW_SECONDS
    assert take() == 7


def test_a_count_that_takes_long_is_made_seldom() -> None:
    world = World(present=10, count_seconds=2.0)
    take = world.taker(10)
    take()
    world.now += REST * 2.0 - 1
    take()
    assert world.counts == 1
    world.now += 1
    take()
    assert world.counts == 2


def test_threads_take_no_more_than_there_is() -> None:
    rooms = QuotaCache(lambda: 0.0)
    with ThreadPoolExecutor(8) as pool:
        taken = list(pool.map(lambda _: rooms.take("here", 500, lambda: QuotaCount(0, 1)), range(500)))
    assert taken == [None] * 500


def test_a_closed_room_is_known_without_counting() -> None:
    world = World(present=10)
    rooms = QuotaCache(world.clock)
    assert rooms.closed_seconds("here") is None
    assert rooms.take("here", 10, world.count) == 7
    assert rooms.closed_seconds("here") == 7
    world.now += NARROW_SECONDS
    assert rooms.closed_seconds("here") is None
