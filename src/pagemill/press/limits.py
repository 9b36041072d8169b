"""What a child binds itself to before it touches anything that strangers sent."""

import contextlib
import ctypes
import math
import os
import resource
import signal
import sys
import time
from pathlib import Path

PR_SET_PDEATHSIG = 1
PR_SET_NAME = 15

OPEN_FILES = 1_024
CORES = os.cpu_count() or 1
LONGEST_SECONDS = 1_000_000.0
CHILD_NAME = b"pagemill-press"


def bind_to_parent(parent_pid: int | None) -> None:
    """End with the parent, and only by its hand: not by a Ctrl-C or a SIGTERM that is meant for it.

    A child in namespaces of its own can't see the parent; what wraps it sees to it that both end together.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    if sys.platform == "linux":
        libc = ctypes.CDLL(None)
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        libc.prctl(PR_SET_NAME, CHILD_NAME, 0, 0, 0)
    # The parent may have died before the line above.
    if parent_pid is not None and os.getppid() != parent_pid:
        os._exit(0)


def limit_memory(memory_bytes: int, most_memory_bytes: int) -> None:
    """Bound the address space, leave no core file, and be the first that the kernel ends when memory is short."""
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_NOFILE, OPEN_FILES)
    if sys.platform == "linux":
        _lower(resource.RLIMIT_AS, max(memory_bytes, most_memory_bytes))
        _soften(memory_bytes)
        # Some containers mount /proc read-only; the limit above holds without it.
        with contextlib.suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text("1000")


def limit_files(disk_bytes: int) -> None:
    """Bound the size of a file; how much a child writes in all is watched by the press."""
    _lower(resource.RLIMIT_FSIZE, disk_bytes)


def limit_growth(size_bytes: int, room_bytes: int) -> None:
    """Let the address space grow by so much from its present size, and no further."""
    if sys.platform == "linux":
        _soften(size_bytes + room_bytes)


def limit_cpu(seconds: float) -> None:
    """Let the kernel end a visit that the parent can't end in time because it is itself stopped.

    The allowance is what every core together gives in `seconds`, so it never strikes before the wall clock does.
    """
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    allowance = math.ceil(time.process_time() + min(seconds, LONGEST_SECONDS) * CORES) + 1
    if hard == resource.RLIM_INFINITY or allowance < hard:
        resource.setrlimit(resource.RLIMIT_CPU, (allowance, hard))


def _soften(memory_bytes: int) -> None:
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    soft = memory_bytes if hard == resource.RLIM_INFINITY else min(memory_bytes, hard)
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _lower(limit: int, value: int) -> None:
    hard = resource.getrlimit(limit)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(limit, (value, value))
