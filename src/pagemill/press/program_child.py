"""What a process does before it becomes a program of the system: it confines itself, then runs the program."""

import ctypes
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from pagemill.press.landlock import files_are_restricted, restrict_files
from pagemill.press.limits import bind_to_parent, limit_cpu, limit_files, limit_memory
from pagemill.press.privileges import drop_capabilities, give_up_new_privileges
from pagemill.press.sandbox import SandboxPlan, is_confined
from pagemill.press.seccomp import withhold_system_calls

# Programs use small numbers themselves, and 128 and more for signals.
NOT_CONFINED_CODE = 120


@dataclass(frozen=True, slots=True)
class ProgramOrders:
    """The orders of a process that becomes a program."""

    parent_pid: int
    path: list[str]
    command: list[str]
    environment: Mapping[str, str]
    readable: Sequence[str]
    executable: Sequence[str]
    folder: str
    memory_bytes: int
    disk_bytes: int
    seconds: float
    sandbox: Mapping[str, bool]


def main(arguments: Mapping[str, Any]) -> NoReturn:
    """Confine this process, and run the program in its place; it is not run where it would not be confined."""
    orders = ProgramOrders(**arguments)
    plan = SandboxPlan(**orders.sandbox)
    bind_to_parent(None if plan.is_wrapped else orders.parent_pid)
    limit_memory(orders.memory_bytes, orders.memory_bytes)
    limit_files(orders.disk_bytes)
    limit_cpu(orders.seconds)
    if plan.is_wanted and not is_confined(confine(orders, plan)):
        sys.exit(NOT_CONFINED_CODE)
    os.execve(orders.command[0], orders.command, dict(orders.environment))


def confine(orders: ProgramOrders, plan: SandboxPlan) -> tuple[str, ...]:
    """Take files, network and other processes away, for good; returns what holds."""
    libc = ctypes.CDLL(None, use_errno=True)
    give_up_new_privileges(libc)
    drop_capabilities(libc)
    restrict_files(
        libc,
        readable=(*orders.readable, f"/proc/{os.getpid()}"),
        listable=(),
        writable=(orders.folder, "/dev/null"),
        executable=orders.executable,
    )
    filtered = withhold_system_calls(libc)
    held = (("bubblewrap", plan.is_wrapped), ("landlock", files_are_restricted()), ("seccomp", filtered))
    return tuple(name for name, holds in held if holds)
