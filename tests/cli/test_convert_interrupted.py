"""A conversion that was killed or stopped goes on where it was, and the outcome is that of a quiet run."""

import json
import os
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests import samples
from tests.cli.around import Process, Shell, rows, start
from tests.trial_provider import ENVIRONMENT
from tests.waiting import wait_for

LETTERS = 12
# Three chunks of pages, of which the last one waits for a file, so that there is a middle to interrupt.
LONG_PAGES = 150
SLOW = {**ENVIRONMENT, "PAGEMILL_PROVIDERS": "trial", "PYTHONPATH": str(Path(__file__).parents[2])}


@pytest.fixture
def shell(shell: Shell) -> Shell:
    """A shell whose pages are read slowly."""
    return replace(shell, settings=shell.settings | SLOW)


@pytest.fixture
def archive(shell: Shell) -> Path:
    """Some letters, and a document whose last page waits for the file `go`."""
    folder = shell.folder / "archive"
    folder.mkdir()
    for number in range(LETTERS):
        (folder / f"letter-{number}.pdf").write_bytes(samples.letter(f"Dear number {number},"))
    (folder / "long.pdf").write_bytes(
        samples.trial_pages([*[""] * (LONG_PAGES - 1), f"TRIAL:until:{shell.folder / 'go'}"])
    )
    return folder


def made(folder: Path) -> dict[str, bytes]:
    """The bytes of everything in an output folder, without the state in it."""
    files = (path for path in folder.rglob("*") if path.is_file() and ".pagemill" not in path.parts)
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def halfway(out: Path) -> bool:
    """Whether some letters are delivered and noted down, and a part of the long document is read."""
    read = rows(out / ".pagemill", "SELECT count(*) FROM chunks WHERE state = 'done' AND step = 'extract'")
    noted = (out / ".pagemill" / "converted.jsonl").exists()
    return noted and bool(read and read[0][0]) and len(list(out.glob("letter-*.md"))) >= 3


def interrupted(shell: Shell, archive: Path, interrupt: Callable[[Process], None]) -> tuple[int, Path]:
    """A conversion that was interrupted halfway: its exit code and its output folder."""
    out = shell.folder / "out"
    process = start(
        shell.folder, "convert", archive, "-o", out, "--format", "markdown,json", "--slots", "2", **SLOW
    )
    wait_for(lambda: halfway(out) or process.poll() is not None)
    assert process.poll() is None, "it was over before it could be interrupted"
    interrupt(process)
    _, said = process.communicate(timeout=60)
    assert "Traceback" not in said
    (shell.folder / "go").touch()
    return process.wait(), out


def kill_all(process: Process) -> None:
    """Kill the process and all of its children at once."""
    os.killpg(process.pid, signal.SIGKILL)


def test_a_killed_conversion_is_finished_by_the_next_run_and_nothing_is_read_twice(
    shell: Shell, archive: Path
) -> None:
    quiet, go = shell.folder / "quiet", shell.folder / "go"
    go.touch()
    shell.run("convert", archive, "-o", quiet, "--format", "markdown,json")
    go.unlink()
    code, out = interrupted(shell, archive, kill_all)
    assert code == -signal.SIGKILL
    state = out / ".pagemill"
    journal = [json.loads(line) for line in (state / "converted.jsonl").read_bytes().splitlines() if line]
    written = {name: (out / name).stat().st_mtime_ns for entry in journal for name in entry["outputs"]}
    fences = dict(rows(state, "SELECT id, fence FROM chunks WHERE state = 'done' AND step = 'extract'"))
    assert written
    assert fences

    process = start(
        shell.folder, "convert", archive, "-o", out, "--format", "markdown,json", "--json", **SLOW
    )
    seen: dict[str, int] = {}
    while process.poll() is None:
        seen |= dict(rows(state, "SELECT id, fence FROM chunks WHERE state = 'done' AND step = 'extract'"))
        time.sleep(0.02)
    told = json.loads(process.communicate()[0])

    assert process.wait() == 0
    assert told["unchanged"] >= len(journal)
    assert told["completed"] + told["unchanged"] == LETTERS + 1
    assert all(seen[chunk] == fence for chunk, fence in fences.items())
    assert {name: (out / name).stat().st_mtime_ns for name in written} == written
    assert made(out) == made(quiet)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_conversion_says_so_and_goes_on_later(
    shell: Shell, archive: Path, number: signal.Signals
) -> None:
    code, out = interrupted(shell, archive, lambda process: process.send_signal(number))
    assert code == 130
    state = out / ".pagemill"
    assert rows(state, "SELECT count(*) FROM chunks WHERE state = 'running'") == [(0,)]
    assert rows(state, "SELECT sum(crashes), sum(errors), sum(lost) FROM chunks") == [(0, 0, 0)]
    ran = shell.run("convert", archive, "-o", out, "--format", "markdown,json")
    assert ran.returncode == 0
    assert len(made(out)) == 2 * (LETTERS + 1)


def test_a_stopped_conversion_does_not_wait_for_what_is_being_made(shell: Shell) -> None:
    out, document = shell.folder / "out", shell.folder / "report.pdf"
    document.write_bytes(samples.report(100))
    process = start(shell.folder, "convert", document, "-o", out, "--format", "facts")
    over = "SELECT count(*) FROM jobs WHERE status = 'completed'"
    wait_for(
        lambda: (
            any(Path(folder).match("made/facts") for folder, *_ in os.walk(out)) or process.poll() is not None
        )
    )
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=60)
    assert (process.returncode, "Traceback" in said) == (130, False)
    assert not made(out)
    # The job is still there, and the next run has only the facts to make.
    assert rows(out / ".pagemill", f"{over} AND removed_at IS NULL") == [(1,)]


def test_work_of_files_that_nobody_asks_for_any_more_is_dropped(shell: Shell, archive: Path) -> None:
    _, out = interrupted(shell, archive, kill_all)
    (archive / "long.pdf").unlink()
    told = shell.json("convert", archive, "-o", out, "--format", "markdown,json")
    assert told["completed"] + told["unchanged"] == LETTERS
    assert rows(out / ".pagemill", "SELECT count(*) FROM jobs WHERE removed_at IS NULL") == [(0,)]


def test_a_file_that_changed_after_the_interruption_is_read_as_it_is_now(shell: Shell, archive: Path) -> None:
    _, out = interrupted(shell, archive, kill_all)
    (archive / "long.pdf").write_bytes(samples.letter("Dear short one,"))
    shell.run("convert", archive, "-o", out, "--format", "markdown,json")
    assert b"Dear short one," in made(out)["long.md"]
