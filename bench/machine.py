"""What processes cost: CPU seconds and memory of a process with all that it started."""

import threading
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import psutil

MEGABYTE = 1_000_000


def tree(pid: int) -> list[psutil.Process]:
    """A process and everything that it started, as far as it lives."""
    try:
        root = psutil.Process(pid)
        return [root, *root.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def cpu_seconds(pid: int) -> float:
    """User and system time of a process and all that it started, the dead included.

    The kernel adds a dead child's time to its parent's when it is reaped, so nothing is counted twice.
    """
    total = 0.0
    for process in tree(pid):
        try:
            times = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        total += times.user + times.system + times.children_user + times.children_system
    return total


def memory_bytes(pid: int) -> int:
    """Proportional set size of a process and all that it started: shared pages are counted once."""
    total = 0
    for process in tree(pid):
        try:
            total += process.memory_full_info().pss
        except (psutil.NoSuchProcess, psutil.ZombieProcess):
            continue
    return total


@dataclass
class Watch:
    """Readings of a process tree, taken again and again while something runs."""

    times: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    peak_bytes: int = 0

    def cpu_between(self, start: float, end: float) -> float:
        """CPU seconds spent between two moments, by the wall clock."""
        return self._cpu_at(end) - self._cpu_at(start)

    def _cpu_at(self, moment: float) -> float:
        place = min(max(bisect_left(self.times, moment), 1), len(self.times) - 1)
        before, after = self.times[place - 1], self.times[place]
        share = min(max((moment - before) / (after - before), 0.0), 1.0)
        return self.cpu[place - 1] + share * (self.cpu[place] - self.cpu[place - 1])


@contextmanager
def watched_cpu(pid: int, every_seconds: float = 0.1) -> Iterator[Watch]:
    """Read the CPU time of a process tree until the block ends."""
    watch = Watch()

    def look() -> None:
        watch.times.append(time.time())
        watch.cpu.append(cpu_seconds(pid))

    with repeated(look, every_seconds):
        yield watch


@contextmanager
def watched_memory(pid: int, every_seconds: float = 0.05) -> Iterator[Watch]:
    """Read the memory of a process tree until the block ends."""
    watch = Watch()

    def look() -> None:
        watch.peak_bytes = max(watch.peak_bytes, memory_bytes(pid))

    with repeated(look, every_seconds):
        yield watch


@contextmanager
def repeated(look: Callable[[], None], every_seconds: float) -> Iterator[None]:
    """Call `look` again and again in a thread, and once more at the end."""
    over = threading.Event()

    def keep_looking() -> None:
        while not over.wait(every_seconds):
            look()

    look()
    thread = threading.Thread(target=keep_looking, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        look()
