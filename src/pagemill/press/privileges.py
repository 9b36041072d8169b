"""Privileges that a process gives up: capabilities, new programs' privileges, more threads, and being looked into."""

import contextlib
import ctypes
import os
import resource
import sys
from pathlib import Path

from pagemill.press.seccomp import system_calls

PR_SET_DUMPABLE = 4
PR_CAPBSET_DROP = 24
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 47, 4
CAPABILITIES = 64
CAPABILITY_VERSION = 0x20080522

# Far more than any engine starts, and far fewer than would be felt elsewhere.
MOST_THREADS = 256
# An unused id: the kernel counts threads by the real user id, and exempts root from the count.
FIRST_COUNTED_UID = 0x7000_0000


class CapabilityHeader(ctypes.Structure):
    """`struct __user_cap_header_struct`."""

    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


def hide_memory() -> None:
    """Keep other processes of the same user from reading this one's memory, environment and open files (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def give_up_new_privileges(libc: ctypes.CDLL) -> None:
    """Let no program that is started from here have more rights than this process."""
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def drop_capabilities(libc: ctypes.CDLL) -> None:
    """Give up every capability; what a root process keeps is the ownership of its files."""
    calls = system_calls()
    if calls is None:
        return
    for number in range(CAPABILITIES):
        libc.prctl(PR_CAPBSET_DROP, number, 0, 0, 0)
    libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    header, nothing = CapabilityHeader(CAPABILITY_VERSION, 0), (ctypes.c_uint32 * 6)()
    libc.syscall(ctypes.c_long(calls.capset), ctypes.byref(header), ctypes.byref(nothing))


def limit_threads() -> None:
    """Bound the number of threads and processes; call it before the capabilities are dropped."""
    limit = MOST_THREADS
    try:
        # Only the real id changes: files are still opened with the effective one.
        os.setresuid(FIRST_COUNTED_UID + os.getpid(), -1, -1)
    except OSError:
        # The count is that of all processes of this user, which is no more than all that there are.
        limit += _threads_of_machine()
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NPROC, (limit, limit))


def _threads_of_machine() -> int:
    try:
        return int(Path("/proc/loadavg").read_text().split()[3].partition("/")[2])
    except (OSError, ValueError, IndexError):
        return 32_768
