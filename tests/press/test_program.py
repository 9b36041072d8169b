"""Programs of the system, run in the sandbox: what they reach, and what they take."""

import sys
import sysconfig
from pathlib import Path
from threading import Event

import pytest

from pagemill.press.landlock import landlock_version
from pagemill.press.program import SystemProgram, run_program
from pagemill.press.seccomp import system_calls

pytestmark = pytest.mark.skipif(
    not landlock_version() or system_calls() is None, reason="this kernel has no Landlock"
)

PYTHON = Path(sys.executable).resolve()
LOOK = """
import os, socket, sys
def fails(do):
    try: do()
    except OSError: return True
    return False
secret, outside = sys.argv[1:]
held = [
    fails(lambda: socket.socket(socket.AF_INET)),
    fails(lambda: socket.socket(socket.AF_UNIX).connect(secret)),
    fails(lambda: open(secret)),
    fails(lambda: open(outside, "w")),
    fails(os.fork),
    fails(os.setsid),
    not fails(lambda: open("inside", "w")),
]
sys.exit(0 if all(held) else 10 + held.index(False))
"""


def python(folder: Path, script: str, *words: str, seconds: float = 60.0) -> SystemProgram:
    """A program that may write to a folder: Python with a script."""
    return SystemProgram(
        command=(str(PYTHON), "-I", "-S", "-c", script, *words),
        folder=folder,
        readable=(sys.base_prefix, sysconfig.get_paths(vars={"base": sys.base_prefix})["stdlib"]),
        environment={},
        memory_bytes=500_000_000,
        seconds=seconds,
    )


def test_a_program_reaches_its_folder_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    secret, outside = tmp_path / "secret", tmp_path / "outside"
    secret.write_text("secret")
    code = run_program(python(folder, LOOK, str(secret), str(outside)), "auto", Event())
    assert code == 0, "10 and up: which of the attempts was not refused"
    assert (folder / "inside").exists()
    assert not outside.exists()


def test_memory_is_limited(tmp_path: Path) -> None:
    assert run_program(python(tmp_path, "b' ' * 2_000_000_000"), "auto", Event()) == 1


def test_a_program_that_takes_too_long_is_killed(tmp_path: Path) -> None:
    assert run_program(python(tmp_path, "while True: pass", seconds=1.0), "auto", Event()) is None


def test_a_program_is_stopped_when_asked(tmp_path: Path) -> None:
    stop = Event()
    stop.set()
    assert run_program(python(tmp_path, "while True: pass"), "auto", stop) is None
