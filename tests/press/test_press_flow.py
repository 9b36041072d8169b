"""How visits wait, move, are cancelled and given back, and how children follow each other."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from pagemill.press import (
    Cancelled,
    Crashed,
    Done,
    Outcome,
    Press,
    PressConfig,
    Returned,
    launch,
    slots,
    supervisor,
)
from tests.press.around import MakePress, all_children, all_idle, begun, has, is_gone, pids, run_one, visit
from tests.timing import can_take_less_than
from tests.waiting import PATIENCE_SECONDS, wait_for

# A start that takes longer than a press has to let go of its children.
LATE_SECONDS = 3.0
STUBBORN = ("tests.press.stubborn",)


class Held:
    """A visit that runs until it is let go."""

    def __init__(self, press: Press, callers: ThreadPoolExecutor, path: Path, *, small: bool = False) -> None:
        self.path = path
        held = visit("wait_for_file", path, key=path.name)
        self.future: Future[list[Outcome]] = callers.submit(press.run, [held], small=small)
        wait_for(begun(path).exists)

    def let_go(self) -> Outcome:
        self.path.touch()
        return self.future.result()[0]


def test_a_running_visit_is_cancelled_within_an_instant(
    press: Press, callers: ThreadPoolExecutor, tmp_path: Path
) -> None:
    tries = count()

    def cancel_seconds() -> float:
        held = Held(press, callers, tmp_path / f"{next(tries)}")
        [pid] = pids(press)
        began = time.monotonic()
        assert press.cancel({held.path.name}) == 1
        assert isinstance(held.future.result()[0], Cancelled)
        took = time.monotonic() - began
        assert is_gone(pid)
        return took

    assert can_take_less_than(0.5, cancel_seconds)
    assert isinstance(run_one(press, "echo"), Done)


def test_waiting_visits_are_cancelled_wherever_they_wait(
    press: Press, callers: ThreadPoolExecutor, tmp_path: Path
) -> None:
    held = Held(press, callers, tmp_path / "a")
    keys = ["b", "c", "d"]
    waiting = {key: callers.submit(press.run, [visit("echo", key, key=key)]) for key in keys}
    wait_for(lambda: press.keys() == {"a", *keys})
    assert press.cancel({"b", "d"}) == 2
    assert isinstance(waiting["b"].result()[0], Cancelled)
    assert isinstance(waiting["d"].result()[0], Cancelled)
    assert press.keys() == {"a", "c"}
    assert isinstance(held.let_go(), Done)
    assert isinstance(waiting["c"].result()[0], Done)
    assert press.keys() == frozenset()


def test_a_visit_later_in_a_running_batch_is_cancelled_and_never_ends(
    press: Press, callers: ThreadPoolExecutor, tmp_path: Path
) -> None:
    marks = tmp_path / "marks"
    batch = [
        visit("wait_for_file", tmp_path / "go", key="a"),
        visit("nap", 3_600, key="b"),
        visit("count", marks, key="c"),
    ]
    running = callers.submit(press.run, batch)
    wait_for(begun(tmp_path / "go").exists)
    assert press.cancel({"b"}) == 1
    (tmp_path / "go").touch()
    first, second, third = running.result(timeout=20)
    assert isinstance(first, Done)
    assert isinstance(second, Cancelled)
    assert isinstance(third, Done)
    assert marks.read_text() == "x"


def test_a_visit_is_cancelled_though_the_one_before_it_ended_silently(
    press: Press, callers: ThreadPoolExecutor, tmp_path: Path
) -> None:
    batch = [visit("echo", key="a"), visit("wait_for_file", tmp_path / "go", key="b"), visit("echo", key="c")]
    running = callers.submit(press.run, batch)
    wait_for(begun(tmp_path / "go").exists)
    began = time.monotonic()
    assert press.cancel({"b"}) == 1
    kinds = [type(outcome) for outcome in running.result()]
    assert kinds == [Done, Cancelled, Done]
    # Half of what the visit may take.
    assert time.monotonic() - began < 15


def test_cancelling_what_is_not_there_does_nothing(press: Press) -> None:
    before = run_one(press, "pid")
    assert press.cancel({"chunk:1", "chunk:2"}) == 0
    after = run_one(press, "pid")
    assert isinstance(before, Done)
    assert isinstance(after, Done)
    assert before.answer == after.answer


def test_stopping_gives_back_everything_and_leaves_nothing(
    make_press: MakePress, callers: ThreadPoolExecutor, tmp_path: Path
) -> None:
    others = all_children()
    press = make_press(slots=2, kept_slots=0)
    running = [Held(press, callers, tmp_path / name) for name in ("a", "b")]
    waiting = [callers.submit(press.run, [visit("echo"), visit("echo")]) for _ in range(5)]
    wait_for(lambda: has(press, "chunk:1"))
    children = list(pids(press))
    press.stop()
    assert all(held.future.result() == [Returned()] for held in running)
    assert all(future.result() == [Returned(), Returned()] for future in waiting)
    assert all(is_gone(pid) for pid in children)
    assert all_children() <= others
    assert [state.phase for state in press.state()] == ["stopped", "stopped"]
    press.stop()
    assert press.run([visit("echo")]) == [Returned()]
    assert press.cancel({"a"}) == 0


@pytest.mark.parametrize("what", ["stops", "crashes"])
def test_no_file_stays_open_after_stops_and_crashes(what: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.press.open_files", what, str(tmp_path)]
    looked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (looked.stdout, looked.returncode) == ("{}\n", 0), looked.stderr


def test_stopping_with_grace_lets_the_running_visit_end_and_begins_no_other(
    make_press: MakePress, callers: ThreadPoolExecutor, tmp_path: Path
) -> None:
    press = make_press(slots=1, kept_slots=0)
    held = Held(press, callers, tmp_path / "a")
    behind = callers.submit(press.run, [visit("count", tmp_path / "marks")])
    wait_for(lambda: has(press, "chunk:1"))
    stopping = callers.submit(press.stop, grace_seconds=20)
    assert behind.result() == [Returned()]
    assert not stopping.done()
    assert isinstance(held.let_go(), Done)
    stopping.result(timeout=10)
    assert not (tmp_path / "marks").exists()


def test_grace_ends(make_press: MakePress, callers: ThreadPoolExecutor, tmp_path: Path) -> None:
    press = make_press(slots=1, kept_slots=0)
    held = Held(press, callers, tmp_path / "a")
    press.stop(grace_seconds=0.2)
    assert held.future.result() == [Returned()]


def test_stopping_right_after_the_start_leaves_nothing() -> None:
    others = all_children()
    for _ in range(5):
        press = Press(PressConfig(slots=2))
        press.start()
        press.stop()
    assert all_children() <= others


def test_many_threads_may_stop_the_same_press(make_press: MakePress, callers: ThreadPoolExecutor) -> None:
    press = make_press(slots=1)
    for stopping in [callers.submit(press.stop) for _ in range(8)]:
        stopping.result(timeout=10)


def test_small_calls_have_a_child_of_their_own(
    make_press: MakePress, callers: ThreadPoolExecutor, tmp_path: Path
) -> None:
    press = make_press(slots=1, kept_slots=1)
    big = Held(press, callers, tmp_path / "big")
    big_behind = callers.submit(press.run, [visit("echo", key="behind")])
    assert isinstance(press.run([visit("echo")], small=True)[0], Done)
    assert not big_behind.done()
    assert isinstance(big.let_go(), Done)
    assert isinstance(big_behind.result()[0], Done)


def test_small_calls_go_before_big_ones(press: Press, callers: ThreadPoolExecutor, tmp_path: Path) -> None:
    held = Held(press, callers, tmp_path / "held")
    calls = []
    for name, small in (("first", False), ("second", False), ("third", False), ("small", True)):
        batch = [visit("sign", f"{tmp_path / 'marks'}|{name}", key=name)]
        calls.append(callers.submit(press.run, batch, small=small))
        wait_for(partial(has, press, name))
    assert isinstance(held.let_go(), Done)
    assert all(isinstance(call.result()[0], Done) for call in calls)
    assert (tmp_path / "marks").read_text().split() == ["first", "small", "second", "third"]


def test_small_calls_use_any_free_child(
    make_press: MakePress, callers: ThreadPoolExecutor, tmp_path: Path
) -> None:
    press = make_press(slots=1, kept_slots=1)
    held = [Held(press, callers, tmp_path / name, small=True) for name in ("a", "b")]
    assert all(isinstance(one.let_go(), Done) for one in held)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A press whose kept child leaves small visits to the others however long these are at one."""
    monkeypatch.setattr(slots, "SOON_SECONDS", 10 * PATIENCE_SECONDS)


@pytest.mark.usefixtures("patient")
def test_quick_small_calls_leave_the_child_that_is_kept_for_them_alone(
    make_press: MakePress, callers: ThreadPoolExecutor
) -> None:
    press = make_press(slots=1, kept_slots=1)
    wait_for(lambda: all_idle(press))
    visits = [visit("echo", "quick") for _ in range(8)]
    for call in [callers.submit(press.run, visits, small=True) for _ in range(10)]:
        assert all(isinstance(outcome, Done) for outcome in call.result())
    assert {state.kept: state.visits for state in press.state()} == {True: 0, False: 80}


@pytest.mark.usefixtures("patient")
def test_small_calls_do_not_keep_a_long_one_waiting_beside_an_idle_child(
    make_press: MakePress, callers: ThreadPoolExecutor, tmp_path: Path
) -> None:
    press = make_press(slots=1, kept_slots=1)
    wait_for(lambda: all_idle(press))
    held = Held(press, callers, tmp_path / "small", small=True)
    behind = callers.submit(press.run, [visit("echo", key="behind")], small=True)
    wait_for(lambda: has(press, "behind"))
    long = callers.submit(press.run, [visit("echo", key="long")])
    assert isinstance(press.run([visit("echo", key="late")], small=True)[0], Done)
    assert not long.done()
    assert not held.future.done()
    held.let_go()
    assert all(isinstance(call.result()[0], Done) for call in (behind, long))


def test_a_call_behind_a_long_one_moves_to_a_child_that_is_free(
    make_press: MakePress, callers: ThreadPoolExecutor, tmp_path: Path
) -> None:
    press = make_press(slots=2, kept_slots=0)
    first, second = (Held(press, callers, tmp_path / name) for name in ("a", "b"))
    behind = [callers.submit(press.run, [visit("echo", key=f"c{n}"), visit("echo")]) for n in range(2)]
    wait_for(lambda: has(press, "c0", "c1"))
    assert isinstance(second.let_go(), Done)
    for call in behind:
        assert [type(outcome) for outcome in call.result(timeout=20)] == [Done, Done]
    assert not first.future.done()
    assert isinstance(first.let_go(), Done)


def test_recycling_neither_loses_nor_stalls(make_press: MakePress) -> None:
    others = all_children()
    press = make_press(
        slots=1, kept_slots=0, recycle_after=5, preload=STUBBORN, environment={"STUBBORN_SECONDS": "3"}
    )
    run_one(press, "echo")

    def slowest_seconds() -> float:
        seen: set[bytes] = set()
        slowest = 0.0
        while len(seen) < 3:
            began = time.monotonic()
            outcome = run_one(press, "nap", 0.01)
            slowest = max(slowest, time.monotonic() - began)
            assert isinstance(outcome, Done)
            seen.add(outcome.answer)
        return slowest

    # No call waits until a child has started.
    assert can_take_less_than(2.5, slowest_seconds)
    wait_for(lambda: len(all_children() - others) <= 2)


def test_a_child_that_grew_too_large_is_replaced(make_press: MakePress) -> None:
    press = make_press(slots=1, kept_slots=0, recycle_rss_bytes=1_000_000)
    first = run_one(press, "pid")
    assert isinstance(first, Done)
    wait_for(lambda: run_one(press, "pid") != first and str(next(pids(press))).encode() != first.answer)
    assert press.state()[0].starts >= 2


def test_failing_starts_are_retried_ever_more_slowly_until_they_work(
    make_press: MakePress, callers: ThreadPoolExecutor, tmp_path: Path
) -> None:
    until = tmp_path / "now"
    press = make_press(slots=1, kept_slots=0, preload=STUBBORN, environment={"STUBBORN_UNTIL": str(until)})
    waiting = callers.submit(press.run, [visit("echo")])
    wait_for(lambda: press.state()[0].failed_starts >= 2)
    wait_for(lambda: press.state()[0].phase == "backing_off")
    assert not waiting.done()
    until.touch()
    assert isinstance(waiting.result()[0], Done)
    assert press.state()[0].failed_starts == 0


def test_visits_are_given_back_when_children_do_not_start_at_all(
    make_press: MakePress, tmp_path: Path
) -> None:
    press = make_press(
        slots=1, kept_slots=1, preload=STUBBORN, environment={"STUBBORN_UNTIL": str(tmp_path / "never")}
    )
    assert press.run([visit("echo"), visit("echo")]) == [Returned(), Returned()]
    assert press.state()[0].starts < 12


def test_no_call_waits_for_nothing_while_many_threads_call(
    make_press: MakePress, callers: ThreadPoolExecutor
) -> None:
    press = make_press(slots=2, kept_slots=1)
    run_one(press, "echo")

    def slowest_seconds(number: int) -> float:
        slowest = 0.0
        for turn in range(150):
            began = time.monotonic()
            batch = [visit("echo", f"{number}-{turn}-{place}") for place in range(1 + (number + turn) % 4)]
            outcomes = press.run(batch, small=turn % 3 == 0)
            slowest = max(slowest, time.monotonic() - began)
            assert [o.answer for o in outcomes if isinstance(o, Done)] == [v.argument for v in batch]
        return slowest

    assert can_take_less_than(3, lambda: max(callers.map(slowest_seconds, range(6))))


def test_nothing_is_lost_under_many_threads_and_random_kills(make_press: MakePress) -> None:
    press = make_press(slots=2, kept_slots=1, recycle_after=20)
    dice, kills = random.Random(7), 0

    def kill_one() -> None:
        nonlocal kills
        ready = [state.pid for state in press.state() if state.phase in ("idle", "busy") and state.pid]
        for pid in ready and [dice.choice(ready)]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, dice.choice([signal.SIGKILL, signal.SIGSEGV]))
                kills += 1

    def call_often(number: int) -> list[tuple[str, Outcome]]:
        outcomes: list[tuple[str, Outcome]] = []
        for turn in range(40):
            names = [f"{number}-{turn}-{place}" for place in range(1 + turn % 4)]
            batch = [visit("echo", name) for name in names]
            outcomes += zip(names, press.run(batch, small=turn % 3 == 0), strict=True)
            if turn % 20 == number:
                kill_one()
        return outcomes

    with ThreadPoolExecutor(8) as pool:
        outcomes = [outcome for one in pool.map(call_often, range(8)) for outcome in one]
    assert len(outcomes) == 8 * 10 * (1 + 2 + 3 + 4)
    assert all(outcome.answer == name.encode() for name, outcome in outcomes if isinstance(outcome, Done))
    others = [outcome for _, outcome in outcomes if not isinstance(outcome, Done)]
    assert all(isinstance(outcome, Crashed) for outcome in others)
    assert len(others) <= kills
    assert kills > 0


def test_a_child_whose_start_outlasts_the_press_is_ended_like_the_others(
    make_press: MakePress, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    starting, go_on = threading.Event(), threading.Event()

    def start_late(*command: Any, **given: Any) -> Any:
        starting.set()
        go_on.wait()
        return subprocess.Popen(*command, **given)

    monkeypatch.setattr(launch, "start_process", start_late)
    monkeypatch.setattr(supervisor, "FAREWELL_SECONDS", LATE_SECONDS * 2 / 3)
    before, press = all_children(), make_press(slots=1, kept_slots=0)
    assert starting.wait(10 * PATIENCE_SECONDS)
    threading.Timer(LATE_SECONDS, go_on.set).start()
    press.stop()
    assert not [pid for pid in all_children() - before if not is_gone(pid)]
    assert not caplog.records
