"""Many pages at once, and the breaker that leaves a failing server alone."""

import threading
import time
from contextlib import closing
from dataclasses import dataclass, field

from pagemill.reading.provider import Refusal
from pagemill.reading.remote.base import Answer, Picture, TryLater
from pagemill.reading.remote.breaker import Breaker, Habits
from pagemill.reading.remote.pool import read_all
from tests.reading.remote_made import PICTURE, mistral, vlm
from tests.reading.remote_server import Behaviour, hang_up, status
from tests.waiting import wait_for

HABITS = Habits(failures=3, pause_seconds=10, longest_pause_seconds=35, probe_seconds=60)


def pictures(count: int) -> dict[int, Picture]:
    """As many pages, all alike."""
    return dict.fromkeys(range(1, count + 1), PICTURE)


def kinds(outcomes: dict[int, Answer | Refusal | TryLater]) -> list[str]:
    """What came of each page."""
    return [type(outcome).__name__ for outcome in outcomes.values()]


def test_pages_are_asked_for_at_once_but_not_too_many(url: str, behaviour: Behaviour) -> None:
    behaviour.seconds = 0.1
    for provider in (vlm(url), mistral(url)):
        with closing(provider):
            outcomes = read_all(provider, pictures(9), 3)
        assert kinds(outcomes) == ["Answer"] * 9
        assert list(outcomes) == list(range(1, 10))
        assert behaviour.most_at_once == 3


def test_one_page_that_fails_does_not_harm_the_others(url: str, behaviour: Behaviour) -> None:
    behaviour.deeds = [status(500), status(413), hang_up]
    with closing(vlm(url)) as provider:
        outcomes = read_all(provider, pictures(6), 1)
    assert kinds(outcomes) == ["TryLater", "Refusal", "TryLater", "Answer", "Answer", "Answer"]


def test_a_server_that_asks_for_a_pause_gets_it(url: str, behaviour: Behaviour) -> None:
    behaviour.deeds = [status(429, Retry_After="3")]
    with closing(vlm(url)) as provider:
        outcomes = read_all(provider, pictures(5), 1)
    assert [outcome.wait_seconds for outcome in outcomes.values() if isinstance(outcome, TryLater)] == [3] * 5
    assert len(behaviour.requests) == 1


def test_a_stop_is_heard_at_once(url: str, behaviour: Behaviour) -> None:
    behaviour.seconds = 8
    stop, stopped = threading.Event(), list[float]()

    def stop_once_asked() -> None:
        wait_for(lambda: len(behaviour.requests) == 2)
        stopped.append(time.monotonic())
        stop.set()

    threading.Thread(target=stop_once_asked).start()
    with closing(vlm(url)) as provider:
        outcomes = read_all(provider, pictures(4), 2, stop)
    assert time.monotonic() - stopped[0] < 4
    assert kinds(outcomes) == ["TryLater"] * 4
    assert len(behaviour.requests) == 2


def test_nothing_is_sent_after_a_stop(url: str, behaviour: Behaviour) -> None:
    stop = threading.Event()
    stop.set()
    with closing(vlm(url)) as provider:
        assert kinds(read_all(provider, pictures(2), 2, stop)) == ["TryLater"] * 2
    assert behaviour.requests == []


def test_no_pages_need_no_server() -> None:
    assert read_all(vlm("http://127.0.0.1:1/v1"), {}, 4) == {}


class Clumsy:
    """A provider with a mistake in it."""

    name = "clumsy"
    longest_side_pixels = 1000

    def version(self) -> str:
        """Always the same."""
        return "1"

    def available(self) -> str | None:
        """Always."""
        return None

    def read(self, picture: Picture) -> Answer:
        """Fail as nobody expects."""
        raise ZeroDivisionError("oops")


def test_what_a_provider_did_not_foresee_counts_as_a_refusal() -> None:
    [outcome] = read_all(Clumsy(), pictures(1), 1).values()
    assert isinstance(outcome, Refusal)
    assert str(outcome) == "ZeroDivisionError: oops"


@dataclass(slots=True)
class Clock:
    """A clock that goes on when it is told to."""

    now: float = 1000.0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self) -> float:
        return self.now


def broken(clock: Clock, habits: Habits = HABITS) -> Breaker:
    """A breaker that has just opened for the provider `vlm`."""
    breaker = Breaker(clock, habits)
    for _ in range(habits.failures):
        breaker.record_failure("vlm")
    return breaker


def test_a_breaker_opens_after_failures_in_a_row_and_for_that_provider_alone() -> None:
    breaker = Breaker(Clock(), HABITS)
    for report in (
        breaker.record_failure,
        breaker.record_failure,
        breaker.record_success,
        breaker.record_failure,
        breaker.record_failure,
    ):
        report("vlm")
        assert breaker.wait_seconds("vlm") == 0
    breaker.record_failure("vlm")
    assert breaker.wait_seconds("vlm") == 10
    assert breaker.wait_seconds("mistral") == 0


def test_after_the_pause_one_may_try_and_the_others_wait_for_news() -> None:
    clock = Clock()
    breaker = broken(clock)
    clock.now += 10
    assert breaker.wait_seconds("vlm") == 0
    assert breaker.wait_seconds("vlm") == 60
    breaker.record_success("vlm")
    assert breaker.wait_seconds("vlm") == breaker.wait_seconds("vlm") == 0


def test_each_pause_is_longer_than_the_last_up_to_a_limit() -> None:
    clock, pauses = Clock(), []
    breaker = broken(clock)
    for _ in range(4):
        pauses.append(breaker.wait_seconds("vlm"))
        clock.now += pauses[-1]
        assert breaker.wait_seconds("vlm") == 0
        breaker.record_failure("vlm")
    assert pauses == [10, 20, 35, 35]


def test_failures_from_before_the_pause_do_not_lengthen_it() -> None:
    breaker = broken(Clock())
    breaker.record_failure("vlm")
    breaker.record_failure("vlm")
    assert breaker.wait_seconds("vlm") == 10


def test_an_answer_from_before_the_pause_does_not_end_it() -> None:
    breaker = broken(Clock())
    breaker.record_success("vlm")
    assert breaker.wait_seconds("vlm") == 10


def test_a_server_that_names_a_time_is_left_alone_for_so_long() -> None:
    clock = Clock()
    breaker = Breaker(clock, HABITS)
    breaker.record_failure("vlm", wait_seconds=2.5)
    assert breaker.wait_seconds("vlm") == 2.5
    clock.now += 2.5
    assert breaker.wait_seconds("vlm") == 0


def test_a_probe_that_nobody_reports_on_is_not_waited_for_for_ever() -> None:
    clock = Clock()
    breaker = broken(clock)
    clock.now += 10
    assert breaker.wait_seconds("vlm") == 0
    clock.now += 60
    assert breaker.wait_seconds("vlm") == 0


def test_a_probe_that_is_given_back_is_free_for_the_next() -> None:
    clock = Clock()
    breaker = broken(clock)
    clock.now += 10
    assert breaker.wait_seconds("vlm") == 0
    breaker.release("vlm")
    assert breaker.wait_seconds("vlm") == 0


def test_of_many_threads_one_gets_to_probe() -> None:
    clock = Clock()
    breaker = broken(clock)
    clock.now += 10
    waits: list[float] = []
    threads = [threading.Thread(target=lambda: waits.append(breaker.wait_seconds("vlm"))) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(waits) == [0.0] + [60.0] * 15
