"""What people see on a terminal: lines that are drawn over, on stderr and nowhere else."""

import json
import os
import pty
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests import samples
from tests.cli.around import command, environment

pytestmark = pytest.mark.process
CLEAR = "\x1b[2K"


@contextmanager
def on_terminal(folder: Path, *arguments: str) -> Iterator[tuple["subprocess.Popen[str]", int]]:
    """A command whose stderr is a terminal, and our end of that terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command(*arguments),
        cwd=folder,
        env=environment(COLUMNS="100", TERM="xterm"),
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
    )
    os.close(theirs)
    try:
        yield process, ours
    finally:
        process.kill()
        process.communicate()
        os.close(ours)


def drained(terminal: int) -> str:
    """Everything that a terminal shows until the last writer is gone."""
    shown = b""
    while True:
        try:
            piece = os.read(terminal, 65_536)
        except OSError:
            return shown.decode()
        if not piece:
            return shown.decode()
        shown += piece


def test_a_conversion_shows_a_bar_and_keeps_it_out_of_the_answer(tmp_path: Path) -> None:
    (tmp_path / "report.pdf").write_bytes(samples.report(30))
    (tmp_path / "broken.pdf").write_bytes(samples.corrupt())
    files = ("report.pdf", "broken.pdf")
    with on_terminal(tmp_path, "convert", *files, "-o", "out", "--json") as (process, terminal):
        seen = drained(terminal)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 1
    assert json.loads(out)["completed"] == 1
    assert CLEAR in seen
    assert "2 of 2 files, 1 failed, 30 pages" in seen
    assert "broken.pdf (pdf_corrupt)" in seen


def test_a_server_shows_a_live_line(tmp_path: Path) -> None:
    with on_terminal(tmp_path, "serve", "--port", "0", "--slots", "1") as (process, terminal):
        shown = ""
        while "0 waiting, 0 running, 0 done, 0 failed" not in shown:
            shown += os.read(terminal, 65_536).decode()
        process.send_signal(signal.SIGINT)
        shown += drained(terminal)
        process.communicate(timeout=60)
    assert process.returncode == 0
    assert CLEAR in shown
    assert "Stopped" in shown
