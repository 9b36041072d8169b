"""What a child may not do."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import psutil
import pytest

from pagemill.press import Done, Outcome, Press, TimedOut
from tests.press.around import MakePress, all_idle, is_gone, pids, run_one, visit
from tests.timing import can_take_less_than
from tests.waiting import wait_for

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="the kernel has no such protection")

PARENT = """
import os, signal, sys, threading, time
from pagemill.press import Press, PressConfig, Visit

def wait_until(predicate):
    while not predicate([state.phase for state in press.state()]):
        time.sleep(0.002)

press = Press(PressConfig(slots=2))
press.start()
wait_until(lambda phases: phases == ["idle"] * 3)
print(*[state.pid for state in press.state()], flush=True)
visit = Visit("a", "tests.press.visits:" + sys.argv[1], b"", float(sys.argv[2]))
threading.Thread(target=lambda: print(press.run([visit])[0], flush=True), daemon=True).start()
wait_until(lambda phases: "busy" in phases)
if sys.argv[3] == "stop":
    os.kill(os.getpid(), signal.SIGSTOP)
print("busy", flush=True)
sys.stdin.read()
"""


Parent = subprocess.Popen[str]
StartParent = Callable[[str, str, str], tuple[Parent, list[int]]]


@pytest.fixture
def start_parent() -> Iterator[StartParent]:
    """Start a process with a press in it, and tell the ids of its children."""
    parents: list[Parent] = []

    def start(function: str, seconds: str, then: str) -> tuple[Parent, list[int]]:
        command = [sys.executable, "-c", PARENT, function, seconds, then]
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
        pipe = subprocess.PIPE
        parents.append(subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment))
        children = [int(pid) for pid in _line(parents[-1]).split()]
        assert len(children) == 3
        return parents[-1], children

    yield start
    for parent in parents:
        parent.kill()
        parent.communicate()


def answer(outcome: Outcome) -> bytes:
    assert isinstance(outcome, Done), outcome
    return outcome.answer


def test_a_time_out_comes_when_it_should(press: Press) -> None:
    def seconds_to_the_end() -> float:
        run_one(press, "echo")
        began = time.monotonic()
        outcome = run_one(press, "nap", 60, seconds=0.5)
        taken = time.monotonic() - began
        assert isinstance(outcome, TimedOut)
        assert 0.5 <= outcome.seconds <= taken
        return taken

    assert can_take_less_than(1.5, seconds_to_the_end)


def test_native_code_that_holds_the_interpreter_is_ended_too(press: Press) -> None:
    def seconds_to_the_end() -> float:
        run_one(press, "echo")
        began = time.monotonic()
        assert isinstance(run_one(press, "hold_the_gil", seconds=0.5), TimedOut)
        return time.monotonic() - began

    assert can_take_less_than(1.5, seconds_to_the_end)


def test_the_child_is_gone_when_the_time_out_is_told(press: Press) -> None:
    wait_for(lambda: all_idle(press))
    [pid] = pids(press)
    run_one(press, "spin", seconds=0.2)
    assert is_gone(pid)


@linux_only
def test_a_child_reaches_nobody_over_the_network(press: Press) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.2)
        port = listener.getsockname()[1]
        said = json.loads(answer(run_one(press, "connect", port)))
        with pytest.raises(TimeoutError):
            listener.accept()
    assert said == ["PermissionError", "PermissionError"]
    assert "seccomp" in press.sandbox


@linux_only
def test_a_child_reaches_nobody_over_a_unix_socket(press: Press, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
        listener.listen()
        assert answer(run_one(press, "connect_unix", tmp_path / "socket")) == b"PermissionError"


def test_the_network_is_left_to_those_who_ask_for_it(make_press: MakePress) -> None:
    press = make_press(slots=1, kept_slots=0, sandbox="off")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        said = json.loads(answer(run_one(press, "connect", listener.getsockname()[1])))
    assert "connected" in said
    assert press.sandbox == "none"


@linux_only
def test_a_child_is_bound_before_it_works(make_press: MakePress, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGEMILL_SECRET_KEY", "sesame")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "sesame")
    press = make_press(slots=1, kept_slots=0, memory_bytes=700_000_000, environment={"EXTRA": "1"})
    found = json.loads(answer(run_one(press, "circumstances")))
    assert found["core"] == 0
    assert 600_000_000 < found["address_space"] < 750_000_000
    assert found["no_new_privileges"] == 1
    assert found["oom_score_adj"] == 1000
    assert found["own_session"]
    for number in (signal.SIGINT, signal.SIGTERM):
        assert found["ignored_signals"] & (1 << (number - 1))
    assert "sesame" not in found["environment"].values()
    assert found["environment"]["EXTRA"] == "1"


@linux_only
def test_a_child_inherits_nothing_but_its_channels(press: Press, tmp_path: Path) -> None:
    with (tmp_path / "open in the parent").open("w") as file:
        os.set_inheritable(file.fileno(), True)
        run_one(press, "segfault")
        files = json.loads(answer(run_one(press, "circumstances")))["files"]
    kinds = sorted(name.split(":")[0] for name in files)
    ledger = "/memfd"
    assert kinds == sorted(
        ["/dev/null", "/dev/null", ledger, ledger, "socket", "socket", "/proc/" + _statm(files)]
    )


def _statm(files: list[str]) -> str:
    [name] = [name for name in files if name.endswith("/statm")]
    return name.removeprefix("/proc/")


@linux_only
def test_a_terminal_or_a_group_wide_signal_does_not_end_children(press: Press) -> None:
    before = answer(run_one(press, "pid"))
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        os.kill(int(before), number)
    assert answer(run_one(press, "pid")) == before


@linux_only
def test_printing_without_end_fills_nothing_and_hurts_nobody(press: Press) -> None:
    assert int(answer(run_one(press, "print_without_end"))) < 1_000_000
    assert answer(run_one(press, "echo", b"fine")) == b"fine"


@linux_only
def test_children_die_with_their_parent(start_parent: StartParent) -> None:
    parent, children = start_parent("hold_the_gil", "3600", "go on")
    assert _line(parent) == "busy"
    parent.kill()
    parent.communicate()
    for pid in children:
        wait_for(partial(is_gone, pid))


@linux_only
def test_a_process_that_never_stops_its_press_still_ends(start_parent: StartParent) -> None:
    parent, children = start_parent("hold_the_gil", "3600", "go on")
    assert _line(parent) == "busy"
    parent.communicate("", timeout=30)
    assert parent.returncode == 0
    for pid in children:
        wait_for(partial(is_gone, pid))


@linux_only
@pytest.mark.slow
def test_a_spinning_visit_ends_though_its_parent_is_stopped(start_parent: StartParent) -> None:
    parent, children = start_parent("spin", "0.5", "stop")
    try:
        wait_for(lambda: psutil.Process(parent.pid).status() == psutil.STATUS_STOPPED)
        assert not any(is_gone(pid) for pid in children)
        wait_for(lambda: any(is_gone(pid) for pid in children), seconds=60)
    finally:
        parent.send_signal(signal.SIGCONT)
    assert {_line(parent)[:8], _line(parent)[:8]} == {"busy", "TimedOut"}
    parent.communicate("")


def _line(parent: Parent) -> str:
    assert parent.stdout is not None
    return parent.stdout.readline().strip()


@linux_only
def test_a_visit_may_be_given_more_memory_than_others(make_press: MakePress) -> None:
    press = make_press(slots=1, kept_slots=0, memory_bytes=700_000_000)
    usual, larger = (
        replace(visit("circumstances", key=name), memory_bytes=room)
        for name, room in (("usual", None), ("larger", 2_000_000_000))
    )
    limits = [json.loads(answer(press.run([one])[0]))["address_space"] for one in (usual, larger, usual)]
    assert limits[1] > 2_000_000_000
    assert limits[0] < 750_000_000
    assert limits[2] < 1_000_000_000
