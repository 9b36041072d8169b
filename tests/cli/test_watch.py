"""A watched folder: what comes in is read once, complete, and put out of the way."""

import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pagemill.entrypoints.convert.done_files import DoneFiles
from pagemill.entrypoints.convert.sources import FoundFile
from pagemill.entrypoints.convert.watched_folder import FreshNames, WatchedFolder
from tests import samples
from tests.cli.around import Process, Shell, eventually, start


@contextmanager
def watching(shell: Shell, *more: str) -> Iterator[Process]:
    """A command that watches the folder `in`, until it is stopped."""
    (shell.folder / "in").mkdir(exist_ok=True)
    process = start(
        shell.folder, "watch", "in", "-o", "out", "--slots", "1", "--json", *more, **shell.settings
    )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=60)
        assert process.returncode == 0, said
        assert "Traceback" not in said


def heard(process: Process) -> dict[str, object]:
    """The next line that the command prints."""
    assert process.stdout
    told: dict[str, object] = json.loads(process.stdout.readline())
    return told


def test_what_comes_in_is_read_and_moved_and_nothing_is_overwritten(shell: Shell) -> None:
    inbox, out = shell.folder / "in", shell.folder / "out"
    with watching(shell, "--settle", "0.2") as process:
        (inbox / "letter.pdf").write_bytes(samples.letter("Dear first,"))
        assert heard(process)["status"] == "completed"
        eventually((inbox / "done/letter.pdf").exists)
        (inbox / "letter.pdf").write_bytes(samples.letter("Dear second,"))
        assert heard(process)["status"] == "completed"
        (inbox / "broken.pdf").write_bytes(samples.corrupt())
        (inbox / "download.pdf.part").write_bytes(samples.letter("half of it"))
        assert heard(process)["status"] == "failed"
        eventually((inbox / "failed/broken.pdf").exists)
    assert "Dear first" in (out / "letter.md").read_text()
    assert "Dear second" in (out / "letter-2.md").read_text()
    assert {path.name for path in (inbox / "done").iterdir()} == {"letter.pdf", "letter-2.pdf"}
    assert json.loads((inbox / "failed/broken.pdf.error.json").read_bytes())["code"] == "pdf_corrupt"
    assert (inbox / "download.pdf.part").exists()


def test_files_can_be_marked_where_they_are_and_are_not_read_twice(shell: Shell) -> None:
    inbox = shell.folder / "in"
    inbox.mkdir()
    (inbox / "letter.pdf").write_bytes(samples.letter("Dear marked,"))
    with watching(shell, "--settle", "0", "--after", "mark") as process:
        heard(process)
        mark = inbox / "letter.pdf.pagemill.json"
        eventually(mark.exists)
    told = json.loads(mark.read_bytes())
    assert (told["status"], told["outputs"], told["error"]) == ("done", ["letter.md"], None)
    with watching(shell, "--settle", "0", "--after", "mark") as process:
        (inbox / "next.pdf").write_bytes(samples.letter("Dear next,"))
        # The marked one is older and would be told of first.
        assert str(heard(process)["file"]).endswith("next.pdf")


def test_a_file_that_is_still_written_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("pagemill.entrypoints.convert.watched_folder.time.monotonic", lambda: now[0])
    folder = WatchedFolder(tmp_path, tmp_path / "out", recursive=True, settle_seconds=5)
    file = tmp_path / "growing.pdf"
    file.write_bytes(b"%PDF-")
    assert folder.ready() == []
    now[0] += 4
    file.write_bytes(b"%PDF-1.7 more")
    assert folder.ready() == []
    now[0] += 4
    assert folder.ready() == []
    now[0] += 1
    assert [one.path for one in folder.ready()] == [file]
    assert folder.ready() == []


def test_hidden_and_unfinished_files_and_those_that_were_put_away_are_left_alone(tmp_path: Path) -> None:
    for name in (
        ".hidden.pdf",
        "~lock.pdf",
        "a.pdf.crdownload",
        "b.tmp",
        "done/c.pdf",
        "failed/d.pdf",
        "out/e.pdf",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"%PDF-")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "f.pdf").write_bytes(b"%PDF-")
    folder = WatchedFolder(tmp_path, tmp_path / "out", recursive=True, settle_seconds=0)
    assert [str(one.place) for one in folder.ready()] == ["sub/f.pdf"]
    flat = WatchedFolder(tmp_path, tmp_path / "out", recursive=False, settle_seconds=0)
    assert flat.ready() == []


def test_a_name_is_given_once(tmp_path: Path) -> None:
    (tmp_path / "letter.md").write_text("from before")
    names = FreshNames(tmp_path, DoneFiles(tmp_path / "journal"))
    file = FoundFile(tmp_path / "in" / "Letter.pdf", Path("Letter.pdf"), False)
    given = [names.source(file).stem for _ in range(3)]
    assert given == ["Letter-2", "Letter-3", "Letter-4"]


def test_a_folder_that_is_not_there_is_refused(shell: Shell) -> None:
    ran = shell.run("watch", "nowhere", "-o", "out")
    assert ran.returncode == 4
    assert "is not a folder" in ran.stderr


def test_a_folder_for_what_is_made_is_not_inside_of_the_watched_one(shell: Shell) -> None:
    (shell.folder / "in").mkdir()
    ran = shell.run("watch", "in", "-o", "in/out")
    assert ran.returncode == 4
    assert "is in the folder that is watched" in ran.stderr
    assert not (shell.folder / "in" / "out").exists()
