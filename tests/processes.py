"""Processes of pagemill that tests start: real ones, with the modules loaded already; see `tests/preloaded.py`."""

import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO

from pagemill.press.launch import DEFAULT_VARIABLES

ROOT = Path(__file__).parents[1]
WARNINGS = "PYTHONWARNINGS"
START_SECONDS = 60.0


class PreloadedProcess:
    """A process, with what tests use of `subprocess.Popen`; where no stream is given, it is a pipe to read from."""

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        folder: Path,
        env: Mapping[str, str],
        stdout: IO[bytes] | None = None,
        stderr: IO[bytes] | None = None,
    ) -> None:
        self.args = arguments
        self.returncode: int | None = None
        self.stdout, out = stream_of(stdout)
        self.stderr, err = stream_of(stderr)
        answers, answer = os.pipe()
        self._answers = os.fdopen(answers)
        # Not closed when the code is there: another thread may wait for it too.
        weakref.finalize(self, self._answers.close)
        self._reading = threading.Lock()
        null = os.open(os.devnull, os.O_RDONLY)
        order = {"arguments": [*arguments], "folder": str(folder), "environment": dict(env)}
        try:
            starter(env.get(WARNINGS, "")).send(order, [null, out, err, answer])
        finally:
            for descriptor in (null, out, err, answer):
                os.close(descriptor)
        ready, _, _ = select.select([self._answers], [], [], START_SECONDS)
        assert ready, f"{arguments} was not started within {START_SECONDS:g} seconds"
        line = self._answers.readline()
        assert line, f"{arguments} was not started"
        self.pid = int(line)

    def poll(self) -> int | None:
        """The exit code; None while it runs."""
        with suppress(subprocess.TimeoutExpired):
            return self.wait(0)
        return None

    def wait(self, timeout: float | None = None) -> int:
        """The exit code, once there is one."""
        if self.returncode is not None:
            return self.returncode
        ready, _, _ = select.select([self._answers], [], [], timeout)
        if not ready:
            raise subprocess.TimeoutExpired(list(self.args), timeout or 0)
        with self._reading:
            if self.returncode is None:
                self.returncode = self._exit_code()
            return self.returncode

    def _exit_code(self) -> int:
        """What its keeper says of its end."""
        line = self._answers.readline()
        assert line, (
            f"the keeper of {self.args}, process {self.pid}, ended without an exit code: was it killed?"
        )
        return int(line)

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended; its keeper says so a moment later."""
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Everything that it writes until its end."""
        written = ["", ""]

        def read(number: int, stream: IO[str] | None) -> None:
            if stream is not None:
                with stream:
                    written[number] = stream.read()

        readers = [
            threading.Thread(target=read, args=(number, stream), daemon=True)
            for number, stream in enumerate((self.stdout, self.stderr))
            if stream is not None and not stream.closed
        ]
        for reader in readers:
            reader.start()
        self.wait(timeout)
        for reader in readers:
            reader.join(timeout)
        return written[0], written[1]


def start_preloaded(command: Sequence[str], env: Mapping[str, str], out: IO[bytes]) -> PreloadedProcess:
    """Start a command line of pagemill that writes to a file."""
    return PreloadedProcess(command[1:], folder=ROOT, env=env, stdout=out, stderr=out)


def stream_of(given: IO[bytes] | None) -> tuple[IO[str] | None, int]:
    """What is read from, if anything, and the descriptor that the process writes to."""
    if given is not None:
        return None, os.dup(given.fileno())
    reader, writer = os.pipe()
    return os.fdopen(reader, encoding="utf-8"), writer


class Starter:
    """The process that the others are forked from."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._orders, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.preloaded", str(theirs.fileno())],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )
        theirs.close()
        atexit.register(self.stop)

    def send(self, order: Mapping[str, object], descriptors: Sequence[int]) -> None:
        """Have a process started."""
        socket.send_fds(self._orders, [json.dumps(order).encode()], list(descriptors))

    def stop(self) -> None:
        """End it; the processes that it started are not touched."""
        self._orders.close()
        self._process.kill()
        self._process.wait()


@cache
def starter(warnings: str) -> Starter:
    """The one that takes warnings of Python like this; they are looked at when Python starts."""
    plain = {
        name: value for name, value in os.environ.items() if not name.startswith(("PAGEMILL_", WARNINGS))
    }
    # What the children of a press are given is looked at when a process starts, not when it forks.
    return Starter(plain | DEFAULT_VARIABLES | ({WARNINGS: warnings} if warnings else {}))
