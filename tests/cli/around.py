"""Real runs of the command line: `python -m pagemill …` in a folder of its own, with a clean environment."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests import waiting
from tests.processes import PreloadedProcess

DEADLINE_SECONDS = 60.0
# Another name of it in the tests of commands.
eventually = waiting.wait_for
Process = PreloadedProcess
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
    return PreloadedProcess(
        [str(argument) for argument in arguments], folder=folder, env=environment(**own_home(folder) | env)
    )


@dataclass(frozen=True, slots=True)
class Shell:
    """A folder to run commands in, and the settings that they find."""

    folder: Path
    settings: dict[str, str] = field(default_factory=dict)

    def run(self, *arguments: str | Path, **env: str) -> Ran:
        """Run a command to its end; none may ever show a stack trace."""
        own = environment(**own_home(self.folder) | self.settings | env)
        process = PreloadedProcess([str(one) for one in arguments], folder=self.folder, env=own)
        try:
            out, err = process.communicate(DEADLINE_SECONDS)
        finally:
            process.kill()
        assert "Traceback" not in err, err
        return subprocess.CompletedProcess(process.args, process.wait(), out, err)

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
        return self.process.wait(), time.monotonic() - began, said


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
