"""Real runs of the command line: `python -m pagemill …` in a folder of its own, with a clean environment."""

import atexit
import json
import os
import select
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests import waiting

ROOT = Path(__file__).parents[2]
DEADLINE_SECONDS = 60.0
# Another name of it in the tests of commands.
eventually = waiting.wait_for
Process = subprocess.Popen[str]
Ran = subprocess.CompletedProcess[str]


def environment(**more: str) -> dict[str, str]:
    """The environment without any setting of pagemill but those given."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PAGEMILL_")}
    return inherited | {"PYTHONWARNINGS": "error"} | more


def own_home(folder: Path) -> dict[str, str]:
    """The setting that keeps the default data folder below this folder."""
    return {"XDG_DATA_HOME": str(folder / "share")}


def command(*arguments: str | Path) -> list[str]:
    """The command line for these arguments."""
    return [sys.executable, "-m", "pagemill", *(str(argument) for argument in arguments)]


def start(folder: Path, *arguments: str | Path, **env: str) -> Process:
    """Start a command in a process group of its own."""
    return subprocess.Popen(
        command(*arguments),
        cwd=folder,
        env=environment(**own_home(folder) | env),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


class Commands:
    """Runs commands in processes that have the modules loaded from their start; see `tests/cli/preloaded.py`."""

    def __init__(self) -> None:
        self._server = subprocess.Popen(
            [sys.executable, "-m", "tests.cli.preloaded"],
            cwd=ROOT,
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        atexit.register(self.stop)

    def run(self, folder: Path, env: Mapping[str, str], arguments: Sequence[str]) -> Ran:
        """Run a command to its end; fails if it has none in time."""
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        with TemporaryDirectory() as streams:
            out, err = Path(streams, "out"), Path(streams, "err")
            out.touch()
            err.touch()
            order = {
                "arguments": arguments,
                "folder": str(folder),
                "environment": dict(env),
                "stdout": str(out),
                "stderr": str(err),
            }
            print(json.dumps(order), file=self._server.stdin, flush=True)
            ready, _, _ = select.select([self._server.stdout], [], [], DEADLINE_SECONDS)
            assert ready, f"{arguments} does not end: {err.read_text()}"
            code = int(self._server.stdout.readline())
            return subprocess.CompletedProcess(arguments, code, out.read_text(), err.read_text())

    def stop(self) -> None:
        """End the process that the others are forked from."""
        self._server.kill()
        self._server.communicate()


@cache
def commands() -> Commands:
    """The process that runs the commands of this session's tests."""
    return Commands()


@dataclass(frozen=True, slots=True)
class Shell:
    """A folder to run commands in, and the settings that they find."""

    folder: Path
    settings: dict[str, str] = field(default_factory=dict)

    def run(self, *arguments: str | Path, **env: str) -> Ran:
        """Run a command to its end; none may ever show a stack trace."""
        own = environment(**own_home(self.folder) | self.settings | env)
        ran = commands().run(self.folder, own, [str(one) for one in arguments])
        assert "Traceback" not in ran.stderr, ran.stderr
        return ran

    def json(self, *arguments: str | Path, **env: str) -> Any:
        """What a command answers to programs, whatever its exit code is."""
        return json.loads(self.run(*arguments, "--json", **env).stdout)


@dataclass(frozen=True, slots=True)
class Running:
    """A server that was started, and what it printed until it listened."""

    url: str
    greeting: str
    process: Process
    data_dir: Path

    def stop(self, number: signal.Signals = signal.SIGINT) -> tuple[int, float, str]:
        """Send a signal and wait for the end: exit code, seconds that it took, stderr."""
        began = time.monotonic()
        self.process.send_signal(number)
        _, said = self.process.communicate(timeout=DEADLINE_SECONDS)
        return self.process.returncode, time.monotonic() - began, said


@contextmanager
def serving(folder: Path, *arguments: str, **env: str) -> Iterator[Running]:
    """A real server on a free port, without processes for small documents; killed at the end if the test left it running."""
    data_dir = folder / "data"
    few = {"PAGEMILL_KEPT_SLOTS": "0"} | env
    process = start(folder, "serve", "--port", "0", "--data-dir", data_dir, *arguments, **few)
    try:
        greeting = read_greeting(process)
        yield Running(greeting.split()[2], greeting, process, data_dir)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def read_greeting(process: Process) -> str:
    """What a server prints when it listens; fails with its complaint if it ends instead."""
    assert process.stdout is not None
    assert process.stderr is not None
    lines: list[str] = []
    while not lines or "Ctrl-C" not in lines[-1]:
        line = process.stdout.readline()
        assert line, process.stderr.read()
        lines.append(line)
    return "".join(lines)


def rows(data_dir: Path, query: str) -> list[tuple[Any, ...]]:
    """Rows of a mill's database, read from outside; none before it is made."""
    try:
        with closing(sqlite3.connect(f"file:{data_dir / 'pagemill.db'}?mode=ro", uri=True)) as database:
            return database.execute(query).fetchall()
    except sqlite3.OperationalError:
        return []
