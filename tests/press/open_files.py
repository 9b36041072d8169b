"""`python -m tests.press.open_files stops|crashes FOLDER`: which files a press leaves open, printed as JSON.

A process of its own opens nothing but what its press does; the one that runs the tests has servers and connections beside it.
"""

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pagemill.press import Press, PressConfig
from tests.press.around import all_idle, begun, has, visit
from tests.waiting import Late, wait_for


def open_files() -> dict[str, str]:
    """What is open, by descriptor; the listing's own is gone when its target is read."""
    listed = Path("/proc/self/fd")
    return {name: str(target) for name in os.listdir(listed) if (target := _target(listed / name))}


def _target(link: Path) -> Path | None:
    try:
        return link.readlink()
    except FileNotFoundError:
        return None


def stop_while_busy(folder: Path) -> None:
    """Start a press, keep it busy with more than it has children for, and stop it."""
    with ThreadPoolExecutor(16) as callers, Press(PressConfig(slots=2, writable=(str(folder),))) as press:
        held = [visit("wait_for_file", folder / name, key=name) for name in ("a", "b")]
        for one in held:
            callers.submit(press.run, [one])
        for name in ("a", "b"):
            wait_for(begun(folder / name).exists)
        for _ in range(5):
            callers.submit(press.run, [visit("echo"), visit("echo")])
        wait_for(lambda: has(press, "chunk:1"))
        press.stop()


def left_by_stops(folder: Path) -> dict[str, str]:
    """What three presses leave open after their end."""
    before = open_files()
    for number in range(3):
        (folder / str(number)).mkdir()
        stop_while_busy(folder / str(number))
    return _left(before)


def left_by_crashes(_: Path) -> dict[str, str]:
    """What is open more than before after fifty visits to a press of which forty killed their child."""
    with Press(PressConfig(slots=2)) as press:
        wait_for(lambda: all_idle(press))
        count = len(open_files())
        for _round in range(10):
            press.run([visit(name) for name in ("segfault", "abort", "exit_at_once", "segfault", "echo")])
        # Each child has other descriptors than the one before it.
        try:
            wait_for(lambda: all_idle(press) and len(open_files()) == count)
        except Late:
            return open_files()
    return {}


def _left(before: dict[str, str]) -> dict[str, str]:
    try:
        wait_for(lambda: open_files() == before)
    except Late:
        return dict(open_files().items() - before.items())
    return {}


if __name__ == "__main__":
    look = {"stops": left_by_stops, "crashes": left_by_crashes}[sys.argv[1]]
    print(json.dumps(look(Path(sys.argv[2]))))
