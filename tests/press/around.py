"""What the tests of the press share: visits in short, and waiting for what happens."""

from collections.abc import Callable, Iterator
from pathlib import Path

import psutil

from pagemill.press import Outcome, Press, Visit

MakePress = Callable[..., Press]


def visit(name: str, argument: object = b"", *, key: str = "chunk:1", seconds: float = 30.0) -> Visit:
    """A visit to one of the functions in `visits`."""
    raw = argument if isinstance(argument, bytes) else str(argument).encode()
    return Visit(key, f"tests.press.visits:{name}", raw, seconds)


def run_one(press: Press, name: str, argument: object = b"", *, seconds: float = 30.0) -> Outcome:
    """What becomes of one visit."""
    [outcome] = press.run([visit(name, argument, seconds=seconds)])
    return outcome


def begun(path: Path) -> Path:
    """The file by which `wait_for_file` tells that it waits for `path`."""
    return path.with_name(path.name + ".begun")


def pids(press: Press) -> Iterator[int]:
    """The processes that serve in the press now."""
    return (state.pid for state in press.state() if state.pid is not None)


def has(press: Press, *keys: str) -> bool:
    """Whether visits for all of these keys wait or run."""
    return press.keys() >= set(keys)


def all_idle(press: Press) -> bool:
    """Whether every slot has a child that is ready."""
    return all(state.phase == "idle" for state in press.state())


def all_children() -> set[int]:
    """The processes that this one has started, also those of other tests' fixtures."""
    return {child.pid for child in psutil.Process().children()}


def is_gone(pid: int) -> bool:
    """Whether a process has ended."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
