"""Runs a program of the system in a sandbox: no network, no other processes, one folder to write to, and limits.

The children of the press may not start programs, so this is a process of its own, which ends with the program.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from threading import Event

from pagemill.press.bubblewrap import wrap_command
from pagemill.press.launch import interpreter_places
from pagemill.press.program_child import NOT_CONFINED_CODE, ProgramOrders
from pagemill.press.sandbox import SYSTEM_FILES, SandboxMissing, SandboxMode, plan_sandbox

# The path comes first: it may be what makes the package importable.
SCRIPT = """
import json, sys
orders = json.loads(sys.argv[1])
sys.path[:] = orders["path"]
from pagemill.press.program_child import main
main(orders)
"""
LOOK_SECONDS = 0.05
# Folders of the programs' loader and libraries, which the kernel runs as part of them.
LOADERS = ("/usr/lib", "/usr/lib64", "/lib", "/lib64")


@dataclass(frozen=True, slots=True)
class SystemProgram:
    """A program with its arguments: the files it may read, the folder it may write to, and what it may take."""

    command: tuple[str, ...]
    folder: Path
    readable: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    memory_bytes: int = 3_000_000_000
    disk_bytes: int = 1_000_000_000
    seconds: float = 120.0


def run_program(program: SystemProgram, sandbox: SandboxMode, stop: Event) -> int | None:
    """Run a program to its end; its exit code, or None if it took too long or was stopped.

    Raises SandboxMissing if it can't be confined here as the mode demands.
    """
    process = _start(program, sandbox)
    try:
        code = _wait(process, time.monotonic() + program.seconds, stop)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if code == NOT_CONFINED_CODE:
        raise SandboxMissing("the kernel offers no way to keep a program from files and the network")
    return code


def _wait(process: "subprocess.Popen[bytes]", deadline: float, stop: Event) -> int | None:
    while (code := process.poll()) is None and time.monotonic() < deadline:
        if stop.wait(LOOK_SECONDS):
            return None
    return code


def _start(program: SystemProgram, sandbox: SandboxMode) -> "subprocess.Popen[bytes]":
    plan = plan_sandbox(sandbox)
    executable = (os.path.dirname(program.command[0]), *LOADERS)
    orders = ProgramOrders(
        parent_pid=os.getpid(),
        path=[str(Path(entry or ".").resolve()) for entry in sys.path],
        command=list(program.command),
        environment=program.environment,
        readable=(*SYSTEM_FILES, *program.readable),
        executable=executable,
        folder=str(program.folder),
        memory_bytes=program.memory_bytes,
        disk_bytes=program.disk_bytes,
        seconds=program.seconds,
        sandbox=asdict(plan),
    )
    command = [sys.executable, "-c", SCRIPT, json.dumps(asdict(orders))]
    if plan.is_wrapped:
        places = (*orders.readable, *executable, *orders.path, *interpreter_places())
        command = wrap_command(command, readable=places, writable=(orders.folder,), folder=orders.folder)
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LANG": "C.UTF-8"},
        cwd=program.folder,
        start_new_session=True,
    )
