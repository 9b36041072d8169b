"""A server in a process of its own that a test starts, stops, kills and pauses as it likes."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import psutil

from bench.machine import tree
from tests.processes import PreloadedProcess

START_SECONDS = 60.0
STOP_SECONDS = 20.0
LOG_TAIL_LETTERS = 4_000


class NotRunning(Exception):
    """The process ended, or never answered; the end of its log says why."""


@dataclass
class Program:
    """A server that can be started again on the same port and folder, whatever befell it."""

    command: Sequence[str]
    url: str
    log: Path
    answers: Callable[[], bool]
    environment: dict[str, str] = field(default_factory=dict)
    stop_signal: signal.Signals = signal.SIGTERM
    process: "subprocess.Popen[bytes] | PreloadedProcess | None" = None

    @property
    def pid(self) -> int:
        """The process id of the server itself."""
        assert self.process is not None, "it was never started"
        return self.process.pid

    @property
    def is_alive(self) -> bool:
        """Whether the process is there."""
        return self.process is not None and self.process.poll() is None

    def start(self) -> None:
        """Start it and return once it answers."""
        self.launch()
        self.wait_until_up()

    def launch(self) -> None:
        """Start it without waiting for it."""
        assert not self.is_alive, "it runs already"
        with self.log.open("ab") as out:
            self.process = self.start_process(out)

    def start_process(self, out: BinaryIO) -> "subprocess.Popen[bytes] | PreloadedProcess":
        """The process, which writes to this file."""
        return subprocess.Popen(
            self.command,
            stdout=out,
            stderr=out,
            stdin=subprocess.DEVNULL,
            env=plain_environment() | self.environment,
            start_new_session=True,
        )

    def wait_until_up(self, seconds: float = START_SECONDS) -> None:
        """Return as soon as it answers."""
        deadline = time.monotonic() + seconds
        while not self.answers():
            if not self.is_alive or time.monotonic() > deadline:
                raise NotRunning(self.log.read_text("utf-8", "replace")[-LOG_TAIL_LETTERS:])
            time.sleep(0.02)

    def stop(self, seconds: float = STOP_SECONDS) -> int:
        """Ask it to stop and return its exit code."""
        assert self.process is not None
        self.process.send_signal(self.stop_signal)
        return self.process.wait(seconds)

    def kill(self) -> None:
        """Kill it and everything that it started, all at once, without a chance to tidy up."""
        # Somebody may start it again before the end of this is reached.
        process = self.process
        if process is None:
            return
        processes = tree(process.pid)
        for one in processes:
            with suppress(psutil.NoSuchProcess):
                one.send_signal(signal.SIGKILL)
        process.wait()
        psutil.wait_procs(processes[1:], timeout=STOP_SECONDS)

    def pause(self) -> None:
        """Have it and everything that it started stand still."""
        self.signal_all(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on."""
        self.signal_all(signal.SIGCONT)

    def signal_all(self, number: signal.Signals) -> None:
        """Send a signal to it and to everything that it started."""
        for process in tree(self.pid):
            with suppress(psutil.NoSuchProcess):
                process.send_signal(number)


def plain_environment() -> dict[str, str]:
    """The environment without the settings of whoever runs the tests."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PAGEMILL_")}
