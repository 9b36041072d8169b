"""A real `pagemill serve` in a process of its own, on a free port, in a folder of its own."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

import psutil

from bench.door import Door
from bench.machine import tree
from bench.ports import free_port

START_SECONDS = 180.0
STOP_SECONDS = 30.0
LOG_TAIL_LETTERS = 4_000


class NotServing(Exception):
    """The process ended, or never answered; the end of its log says why."""


class ServerProcess(Protocol):
    """What is used of a process: a `subprocess.Popen`, or one that was started otherwise."""

    @property
    def pid(self) -> int:
        """Its process id."""

    def poll(self) -> int | None:
        """The exit code; None while it runs."""

    def wait(self, timeout: float | None = None) -> int:
        """The exit code, once there is one."""

    def send_signal(self, number: int, /) -> None:
        """Send it a signal, unless it has ended."""


@dataclass
class Serving:
    """A server process that answers on a port of this machine."""

    process: ServerProcess
    port: int
    log: Path

    @property
    def pid(self) -> int:
        """The process id of the server itself."""
        return self.process.pid

    def door(self, timeout_seconds: float = 120.0) -> Door:
        """A connection to it."""
        return Door("127.0.0.1", self.port, timeout_seconds)

    def wait_until_up(self, path: str) -> None:
        """Return as soon as the path answers 200."""
        deadline = time.monotonic() + START_SECONDS
        while not self.answers(path):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise NotServing(self.log.read_text("utf-8", "replace")[-LOG_TAIL_LETTERS:])
            time.sleep(0.02)

    def answers(self, path: str) -> bool:
        """Whether the path answers 200 now."""
        try:
            with self.door(5.0) as door:
                return door.get(path).status == 200
        except OSError:
            return False

    def stop(self) -> int:
        """Ask it to stop, as Ctrl-C does, and return its exit code."""
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            raise NotServing(f"it did not stop within {STOP_SECONDS:.0f} s") from None

    def kill(self) -> None:
        """Kill it and everything that it started, all at once, without a chance to tidy up."""
        processes = tree(self.pid)
        for process in processes:
            try:
                process.send_signal(signal.SIGKILL)
            except psutil.NoSuchProcess:
                continue
        self.process.wait()
        psutil.wait_procs(processes[1:], timeout=STOP_SECONDS)


StartProcess = Callable[[Sequence[str], Mapping[str, str], BinaryIO], ServerProcess]


def launch_command(command: Sequence[str], env: Mapping[str, str], out: BinaryIO) -> ServerProcess:
    """Start a command in a session of its own."""
    return subprocess.Popen(
        command, stdout=out, stderr=out, stdin=subprocess.DEVNULL, env=env, start_new_session=True
    )


def start(
    data_dir: Path,
    *,
    workers: bool = True,
    start_process: StartProcess = launch_command,
    **settings: str | int | float,
) -> Serving:
    """Start `pagemill serve` on a data folder; what is not set here has its default."""
    port = free_port()
    changed = {"host": "127.0.0.1", "port": port, "data_dir": data_dir, **settings}
    command = [
        str(Path(sys.executable).with_name("pagemill")),
        "serve",
        *([] if workers else ["--no-workers"]),
    ]
    variables = {f"PAGEMILL_{name.upper()}": str(value) for name, value in changed.items()}
    return launch(command, port, data_dir.with_suffix(".log"), variables, start_process)


def launch(
    command: Sequence[str],
    port: int,
    log: Path,
    variables: Mapping[str, str],
    start_process: StartProcess = launch_command,
) -> Serving:
    """Start a command that will serve on a port."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PAGEMILL_")}
    with log.open("ab") as out:
        return Serving(start_process(command, {**kept, **variables}, out), port, log)


@contextmanager
def serving(data_dir: Path, *, workers: bool = True, **settings: str | int | float) -> Iterator[Serving]:
    """A server that is up until the block ends."""
    server = start(data_dir, workers=workers, start_process=launch_command, **settings)
    try:
        server.wait_until_up("/ready")
        yield server
        server.stop()
    finally:
        server.kill()


@contextmanager
def bare_application(folder: Path) -> Iterator[Serving]:
    """The bare web application, up until the block ends."""
    folder.mkdir(parents=True)
    port = free_port()
    command = [sys.executable, "-m", "bench.bare", str(port), str(folder)]
    server = launch(command, port, folder.with_suffix(".log"), {})
    try:
        server.wait_until_up("/constant")
        yield server
    finally:
        server.kill()
