"""What a visit leads to when its child dies, and what that costs others: nothing."""

import contextlib
import errno
import os
import resource
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from pagemill.press import Cancelled, Crashed, Done, Outcome, Press, TimedOut
from pagemill.press.children import LATE_SECONDS
from tests.press.around import MakePress, all_children, all_idle, begun, has, is_gone, pids, run_one, visit
from tests.timing import can_take_less_than, seconds_of
from tests.waiting import wait_for


def crashed(outcome: Outcome) -> Crashed:
    assert isinstance(outcome, Crashed), outcome
    return outcome


def test_a_segfault_is_known_at_once_and_belongs_to_its_visit(press: Press) -> None:
    outcome = crashed(run_one(press, "segfault"))

    def known_seconds() -> float:
        run_one(press, "echo")
        return seconds_of(lambda: crashed(run_one(press, "segfault")))

    assert can_take_less_than(1, known_seconds)
    assert (outcome.signal, outcome.exit_code, outcome.memory) == (signal.SIGSEGV, None, False)
    assert outcome.detail == "SIGSEGV"
    assert isinstance(run_one(press, "echo"), Done)


def test_an_abort_is_told_with_its_last_words_but_without_paths(press: Press) -> None:
    outcome = crashed(run_one(press, "abort"))
    assert outcome.signal == signal.SIGABRT
    assert outcome.detail == "SIGABRT: corrupted size vs. prev_size in …"
    assert not outcome.memory


def test_an_exit_is_a_crash_with_its_code(press: Press) -> None:
    outcome = crashed(run_one(press, "exit_at_once", 3))
    assert (outcome.signal, outcome.exit_code, outcome.detail) == (None, 3, "exit code 3")


@pytest.mark.parametrize("number", [signal.SIGBUS, signal.SIGILL, signal.SIGKILL, signal.SIGFPE])
def test_every_deadly_signal_is_a_crash(press: Press, number: int) -> None:
    assert crashed(run_one(press, "kill_myself", int(number))).signal == number


def test_a_poison_in_a_batch_costs_the_others_nothing(press: Press, tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    batch = [
        visit("count", marks),
        visit("echo", 1),
        visit("segfault"),
        visit("count", marks),
        visit("echo", 2),
    ]
    outcomes = press.run(batch)
    kinds = [type(outcome) for outcome in outcomes]
    assert kinds == [Done, Done, Crashed, Done, Done]
    assert marks.read_text() == "xx"


def test_a_batch_of_nothing_but_poison_ends(make_press: MakePress) -> None:
    press = make_press(slots=2, kept_slots=0)
    outcomes = press.run([visit("segfault") for _ in range(5)])
    assert [crashed(outcome).signal for outcome in outcomes] == [signal.SIGSEGV] * 5


def test_a_hang_in_the_middle_of_a_batch_is_timed_from_its_own_beginning(press: Press) -> None:
    def seconds_of_the_hang() -> float:
        run_one(press, "echo")
        batch = [
            visit("nap", 1.5, seconds=3.0),
            visit("hold_the_gil", seconds=3.0),
            visit("echo", seconds=3.0),
        ]
        first, second, third = press.run(batch)
        assert isinstance(first, Done)
        assert isinstance(second, TimedOut)
        assert second.seconds >= 3.0
        assert isinstance(third, Done)
        return second.seconds

    assert can_take_less_than(4.5, seconds_of_the_hang)


@pytest.mark.parametrize(
    "name", ["raise_memory_error", "allocate_bytes", "allocate_natively", "die_like_rust", "die_like_pdfium"]
)
def test_running_out_of_memory_is_told_from_other_deaths(make_press: MakePress, name: str) -> None:
    # The peak of a child starts at that of the process that starts it, so it has to grow past that.
    own_bytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    press = make_press(slots=1, kept_slots=0, memory_bytes=2 * own_bytes + 400_000_000)
    [pid_before] = [run_one(press, "pid")]
    assert crashed(run_one(press, name, own_bytes + 100_000_000)).memory
    pid_after = run_one(press, "pid")
    assert isinstance(pid_before, Done)
    assert isinstance(pid_after, Done)
    assert pid_before.answer != pid_after.answer


def test_a_visit_that_may_take_more_is_held_against_its_own_limit(make_press: MakePress) -> None:
    own_bytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    press = make_press(slots=1, kept_slots=0, memory_bytes=2 * own_bytes + 400_000_000)
    usual = visit("grow_and_segfault", own_bytes + 200_000_000)
    [died], [died_with_room] = (
        press.run([one]) for one in (usual, replace(usual, memory_bytes=4 * own_bytes + 2_000_000_000))
    )
    assert (crashed(died).memory, crashed(died_with_room).memory) == (True, False)


def test_the_words_of_a_memory_death_are_told(press: Press) -> None:
    detail = crashed(run_one(press, "die_like_rust")).detail
    assert detail == "SIGABRT: memory allocation of 8589934592 bytes failed"


def test_an_abort_without_a_word_and_without_growth_is_no_memory_death(press: Press) -> None:
    assert not crashed(run_one(press, "abort_silently")).memory


def test_a_large_parent_does_not_make_a_crash_look_like_a_memory_death(make_press: MakePress) -> None:
    ballast = bytearray(b"x") * 500_000_000
    press = make_press(slots=1, kept_slots=0, memory_bytes=400_000_000)
    assert not crashed(run_one(press, "segfault")).memory
    assert len(ballast) == 500_000_000


def test_a_child_killed_while_idle_is_replaced(press: Press) -> None:
    wait_for(lambda: all_idle(press))
    [victim] = pids(press)
    os.kill(victim, signal.SIGKILL)
    assert isinstance(run_one(press, "echo"), Done)
    assert victim not in pids(press)


def test_a_child_killed_at_work_is_a_crash_and_what_waited_behind_it_is_not(
    press: Press, callers: ThreadPoolExecutor, tmp_path: Path
) -> None:
    path = tmp_path / "go"
    running = callers.submit(press.run, [visit("wait_for_file", path)])
    wait_for(begun(path).exists)
    behind = callers.submit(press.run, [visit("echo", "behind", key="chunk:2")])
    wait_for(lambda: has(press, "chunk:2"))
    os.kill(next(pids(press)), signal.SIGKILL)
    assert crashed(running.result()[0]).signal == signal.SIGKILL
    assert isinstance(behind.result()[0], Done)


def test_a_child_stopped_at_work_is_killed_at_the_limit(
    press: Press, callers: ThreadPoolExecutor, tmp_path: Path
) -> None:
    running = callers.submit(press.run, [visit("wait_for_file", tmp_path / "go", seconds=3.0)])
    wait_for(begun(tmp_path / "go").exists)
    [stopped] = pids(press)
    os.kill(stopped, signal.SIGSTOP)
    assert isinstance(running.result()[0], TimedOut)
    assert is_gone(stopped)


@pytest.mark.slow
def test_a_visit_given_to_a_stopped_idle_child_moves_to_another_uncounted(press: Press) -> None:
    wait_for(lambda: all_idle(press))
    [stopped] = pids(press)
    os.kill(stopped, signal.SIGSTOP)
    assert isinstance(run_one(press, "echo", seconds=1.0), Done)
    assert is_gone(stopped)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what a process waits for")
def test_a_child_that_the_machine_keeps_from_a_visit_is_waited_for(press: Press) -> None:
    assert isinstance(run_one(press, "keep_busy_afterwards", LATE_SECONDS + 1.0), Done)
    [late] = pids(press)
    os.kill(late, signal.SIGUSR1)
    begun = run_one(press, "pid", seconds=1.0)
    assert isinstance(begun, Done)
    assert int(begun.answer) == late


@pytest.mark.slow
def test_a_child_stopped_while_it_starts_is_replaced(make_press: MakePress) -> None:
    press = make_press(
        slots=1,
        kept_slots=0,
        start_seconds=4.0,
        preload=("tests.press.stubborn",),
        environment={"STUBBORN_SECONDS": "0.3"},
    )
    wait_for(lambda: list(pids(press)))
    [stopped] = pids(press)
    os.kill(stopped, signal.SIGSTOP)
    assert isinstance(run_one(press, "echo"), Done)
    assert is_gone(stopped)


@pytest.mark.slow
def test_a_child_that_is_slow_to_start_is_waited_for_as_long_as_it_goes_on(make_press: MakePress) -> None:
    press = make_press(
        slots=1,
        kept_slots=0,
        start_seconds=2.0,
        preload=("tests.press.stubborn",),
        environment={"STUBBORN_SECONDS": "5", "STUBBORN_UNTIL": "/"},
    )
    assert isinstance(run_one(press, "echo"), Done)
    assert [slot.starts for slot in press.state()] == [1]


@pytest.mark.parametrize(("end", "seconds"), [("die", 30.0), ("hang", 1.0)])
def test_half_an_answer_stalls_nobody(
    make_press: MakePress, callers: ThreadPoolExecutor, end: str, seconds: float
) -> None:
    press = make_press(slots=2, kept_slots=0)
    half = callers.submit(press.run, [visit("half_an_answer", end, seconds=seconds)])
    while not half.done():
        assert isinstance(run_one(press, "echo"), Done)
    assert isinstance(half.result()[0], Crashed if end == "die" else TimedOut)


@pytest.mark.parametrize(
    "name", ["answer_nonsense", "answer_twice", "refuse_nonsensically", "say_hello_again"]
)
def test_a_child_that_answers_nonsense_is_killed(press: Press, name: str) -> None:
    outcome = crashed(run_one(press, name))
    assert outcome.detail == "it answered nonsense"
    assert isinstance(run_one(press, "echo"), Done)


def test_a_child_that_nibbles_at_its_grants_harms_nobody_else(
    make_press: MakePress, callers: ThreadPoolExecutor
) -> None:
    press = make_press(slots=2, kept_slots=0)
    nibbling = callers.submit(press.run, [visit("nibble", key="a")])
    wait_for(lambda: has(press, "a"))
    others = [callers.submit(press.run, [visit("nap", 0.2), visit("echo")]) for _ in range(4)]
    assert isinstance(nibbling.result()[0], Crashed)
    for call in others:
        assert [type(outcome) for outcome in call.result()] == [Done, Done]


def test_a_child_that_closes_its_end_is_killed_at_once(press: Press) -> None:
    began = time.monotonic()
    assert crashed(run_one(press, "close_everything")).signal == signal.SIGKILL
    # Half of what the visit may take.
    assert time.monotonic() - began < 15
    assert isinstance(run_one(press, "echo"), Done)


def test_what_a_child_started_dies_with_it_where_no_sandbox_keeps_it_from_that(
    make_press: MakePress, tmp_path: Path
) -> None:
    press = make_press(slots=1, kept_slots=0, sandbox="off")
    crashed(run_one(press, "leave_a_process_behind", tmp_path / "pid"))
    left_behind = int((tmp_path / "pid").read_text())
    wait_for(lambda: is_gone(left_behind))


def test_a_status_that_somebody_else_collected_is_a_crash_without_a_cause(
    press: Press, callers: ThreadPoolExecutor, tmp_path: Path
) -> None:
    running = callers.submit(press.run, [visit("wait_for_file", tmp_path / "go")])
    wait_for(begun(tmp_path / "go").exists)
    [victim] = pids(press)
    thief = callers.submit(os.waitpid, victim, 0)
    os.kill(victim, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        thief.result()
    assert crashed(running.result()[0]).signal in (None, signal.SIGKILL)
    assert isinstance(run_one(press, "echo"), Done)


def test_fifty_crashes_leave_no_process(make_press: MakePress) -> None:
    others = all_children()
    press = make_press(slots=2)
    wait_for(lambda: all_idle(press))
    for _ in range(10):
        press.run([visit(name) for name in ("segfault", "abort", "exit_at_once", "segfault", "echo")])
        press.cancel({"chunk:1"})
    wait_for(lambda: all_idle(press))
    wait_for(lambda: len(all_children() - others) == 3)


def test_the_same_visit_may_crash_in_every_child_while_others_go_on(
    make_press: MakePress, callers: ThreadPoolExecutor
) -> None:
    press = make_press(slots=2, kept_slots=1)
    poison = [callers.submit(press.run, [visit("segfault", key="bad:1")]) for _ in range(6)]
    good = [callers.submit(press.run, [visit("echo", number)]) for number in range(60)]
    assert all(isinstance(future.result()[0], Crashed) for future in poison)
    assert all(isinstance(future.result()[0], Done) for future in good)


def test_cancelling_what_is_already_dying_changes_nothing(press: Press, callers: ThreadPoolExecutor) -> None:
    for _ in range(5):
        running = callers.submit(press.run, [visit("segfault")])
        while not running.done():
            press.cancel({"chunk:1"})
        assert isinstance(running.result()[0], Crashed | Cancelled)


def test_a_system_without_memory_files_tells_deaths_just_as_well(
    make_press: MakePress, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "memfd_create")
    press = make_press(slots=1, kept_slots=0)
    assert crashed(run_one(press, "abort")).detail == "SIGABRT: corrupted size vs. prev_size in …"
    assert crashed(run_one(press, "die_like_rust")).memory
    assert isinstance(run_one(press, "echo"), Done)


def test_deaths_are_noticed_on_kernels_that_do_not_tell_of_them(
    make_press: MakePress, callers: ThreadPoolExecutor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(pid: int) -> int:
        raise OSError(errno.ENOSYS, f"no pidfd for {pid}")

    monkeypatch.setattr(os, "pidfd_open", refuse)
    press = make_press(slots=1, kept_slots=0)
    assert crashed(run_one(press, "exit_at_once", 3)).exit_code == 3
    assert crashed(run_one(press, "segfault")).signal == signal.SIGSEGV
    assert isinstance(run_one(press, "hold_the_gil", seconds=0.3), TimedOut)
    running = callers.submit(press.run, [visit("wait_for_file", tmp_path / "go")])
    wait_for(begun(tmp_path / "go").exists)
    press.cancel({"chunk:1"})
    assert isinstance(running.result()[0], Cancelled)
    assert isinstance(run_one(press, "echo"), Done)


def test_a_press_without_file_descriptors_for_children_recovers(press: Press) -> None:
    wait_for(lambda: all_idle(press))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    highest = max(int(fd) for fd in os.listdir("/proc/self/fd"))
    blockers = [os.open(os.devnull, os.O_RDONLY)]
    while blockers[-1] <= highest:
        blockers.append(os.open(os.devnull, os.O_RDONLY))
    resource.setrlimit(resource.RLIMIT_NOFILE, (blockers[-1] + 1, hard))
    try:
        os.kill(next(pids(press)), signal.SIGKILL)
        wait_for(lambda: press.state()[0].failed_starts > 1)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for fd in blockers:
            os.close(fd)
    assert isinstance(run_one(press, "echo"), Done)
