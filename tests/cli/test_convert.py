"""`pagemill convert`: files and folders in, the same files and folders out."""

import fcntl
import json
import os
from pathlib import Path

import pytest

from tests import office_files, samples
from tests.cli.around import Shell
from tests.office_files import LETTER


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """An empty folder to run commands in, with one process for reading."""
    return Shell(tmp_path, {"PAGEMILL_SLOTS": "1"})


@pytest.fixture
def archive(shell: Shell) -> Path:
    """A folder with documents in two folders, and some files that are none."""
    folder = shell.folder / "archive"
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / "a.pdf").write_bytes(samples.letter("Dear first,"))
    (folder / "deep" / "a.pdf").write_bytes(samples.letter("Dear second,"))
    (folder / "deep" / "er" / "no-suffix").write_bytes(samples.letter("Dear third,"))
    (folder / "notes.txt").write_text("not a document")
    (folder / "sound.mp3").write_bytes(b"ID3\x04" + bytes(64))
    return folder


def made(folder: Path) -> dict[str, str]:
    """What lies in an output folder, without the state in it."""
    files = (path for path in folder.rglob("*") if path.is_file() and ".pagemill" not in path.parts)
    return {str(path.relative_to(folder)): path.read_text() for path in files}


def test_a_folder_comes_out_in_its_own_shape(shell: Shell, archive: Path) -> None:
    ran = shell.run("convert", archive, "-o", "out")
    assert ran.returncode == 0, ran.stderr
    out = made(shell.folder / "out")
    assert set(out) == {"a.md", "deep/a.md", "deep/er/no-suffix.md"}
    assert "Dear first," in out["a.md"]
    assert "Dear second," in out["deep/a.md"]
    assert "3 documents converted, 3 pages" in ran.stdout
    assert "2 other files skipped" in ran.stdout


def test_a_shared_installation_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(samples.letter())
    elsewhere = {
        "PAGEMILL_DATABASE_URL": "postgresql://127.0.0.1:1/pages",
        "PAGEMILL_BLOBS_URL": "s3://nowhere",
        "PAGEMILL_BROKER_URL": "redis://127.0.0.1:1/0",
    }
    ran = Shell(tmp_path, elsewhere).run("convert", "a.pdf", "-o", "out")
    assert (ran.returncode, set(made(tmp_path / "out"))) == (0, {"a.md"}), ran.stderr


def test_every_format_can_be_made_at_once(shell: Shell, archive: Path) -> None:
    told = shell.json("convert", archive / "a.pdf", "-o", "out", "--format", "markdown,json,text,html")
    out = made(shell.folder / "out")
    assert set(out) == {"a.md", "a.json", "a.txt", "a.html"}
    assert json.loads(out["a.json"])["pages"][0]["number"] == 1
    assert [file["outputs"] for file in told["files"]] == [
        ["out/a.md", "out/a.json", "out/a.txt", "out/a.html"]
    ]


def test_folders_below_can_be_left_out(shell: Shell, archive: Path) -> None:
    shell.run("convert", archive, "-o", "out", "--no-recursive")
    assert set(made(shell.folder / "out")) == {"a.md"}


def test_a_bad_file_never_stops_the_rest_and_is_named_with_what_to_do(shell: Shell, archive: Path) -> None:
    (archive / "broken.pdf").write_bytes(samples.corrupt())
    (archive / "empty.pdf").touch()
    (archive / "page.pdf").write_bytes(b"\x7fELF\x02\x01\x01" + bytes(64))
    (archive / "secret.pdf").write_bytes(samples.encrypted(user="open"))
    told = shell.run("convert", archive, "missing.pdf", "-o", "out", "--json")
    assert told.returncode == 1
    answer = json.loads(told.stdout)
    codes = {Path(file["file"]).name: file["error"]["code"] for file in answer["files"] if file["error"]}
    assert codes == {
        "broken.pdf": "pdf_corrupt",
        "empty.pdf": "file_empty",
        "page.pdf": "unsupported_file_type",
        "secret.pdf": "password_required",
        "missing.pdf": "file_unreadable",
    }
    assert {name: answer[name] for name in ("completed", "skipped", "failed")} == {
        "completed": 3,
        "skipped": 2,
        "failed": 5,
    }
    assert set(made(shell.folder / "out")) == {"a.md", "deep/a.md", "deep/er/no-suffix.md"}


def test_what_failed_is_tried_again_by_the_next_run(shell: Shell) -> None:
    (shell.folder / "secret.pdf").write_bytes(samples.encrypted(user="open"))
    first = shell.run("convert", "secret.pdf", "-o", "out")
    assert first.returncode == 1
    assert "--password" in first.stdout
    second = shell.run("convert", "secret.pdf", "-o", "out", "--password", "open")
    assert second.returncode == 0, second.stdout
    assert set(made(shell.folder / "out")) == {"secret.md"}


def test_a_file_that_is_no_document_is_an_error_if_it_was_named(shell: Shell, archive: Path) -> None:
    ran = shell.run("convert", archive / "sound.mp3", "-o", "out")
    assert ran.returncode == 1
    assert "sound.mp3" in ran.stdout
    assert "unsupported_file_type" in ran.stdout


def test_a_text_is_read_where_it_is_named_and_an_office_file_wherever_it_is(
    shell: Shell, archive: Path
) -> None:
    (archive / "letter.docx").write_bytes(LETTER)
    assert shell.run("convert", archive / "notes.txt", archive, "-o", "out").returncode == 0
    out = made(shell.folder / "out")
    assert out["letter.md"].startswith("# A letter")
    assert out["notes.txt.md"] == "not a document\n"


def test_names_that_would_collide_are_kept_apart_in_every_run(shell: Shell, archive: Path) -> None:
    (archive / "a.PDF").write_bytes(samples.letter("Dear capital,"))
    other = shell.folder / "other"
    other.mkdir()
    (other / "a.pdf").write_bytes(samples.letter("Dear other,"))
    shell.run("convert", archive, other, "-o", "out", "--no-recursive")
    first = made(shell.folder / "out")
    assert sorted(text.split(",")[0].split()[-1] for text in first.values()) == ["capital", "first", "other"]
    assert "Dear other," in first["other/a.md"]
    told = shell.json("convert", other, archive, "-o", "out", "--no-recursive", "--again")
    assert told["completed"] == 3
    assert made(shell.folder / "out") == first


def test_the_same_file_given_twice_is_read_once(shell: Shell, archive: Path) -> None:
    told = shell.json(
        "convert", archive / "a.pdf", archive, archive / ".." / "archive" / "a.pdf", "-o", "out"
    )
    assert (told["completed"], told["skipped"]) == (3, 2)


def test_an_output_folder_inside_the_input_is_not_read(shell: Shell, archive: Path) -> None:
    first = shell.json("convert", archive, "-o", archive / "out")
    second = shell.json("convert", archive, "-o", archive / "out")
    assert (first["completed"], first["skipped"]) == (3, 2)
    assert (second["unchanged"], second["skipped"], second["completed"]) == (3, 2, 0)


def test_a_file_is_read_again_only_if_its_bytes_or_the_options_changed(shell: Shell, archive: Path) -> None:
    shell.run("convert", archive, "-o", "out")
    (archive / "deep" / "a.pdf").write_bytes(samples.letter("Dear changed,"))
    (archive / "a.pdf").touch()
    told = shell.json("convert", archive, "-o", "out")
    files = {file["file"].removeprefix(f"{archive}/"): file["status"] for file in told["files"]}
    assert files["a.pdf"] == "unchanged"
    assert files["deep/a.pdf"] == "completed"
    assert files["deep/er/no-suffix"] == "unchanged"
    assert "Dear changed," in made(shell.folder / "out")["deep/a.md"]
    assert shell.json("convert", archive, "-o", "out", "--pages", "1")["completed"] == 3


def test_an_output_that_was_deleted_is_made_again(shell: Shell, archive: Path) -> None:
    shell.run("convert", archive, "-o", "out")
    (shell.folder / "out" / "a.md").unlink()
    told = shell.json("convert", archive, "-o", "out")
    assert (told["completed"], told["unchanged"]) == (1, 2)
    assert "Dear first," in made(shell.folder / "out")["a.md"]


def test_the_state_keeps_no_copies_of_what_is_delivered(shell: Shell, archive: Path) -> None:
    shell.run("convert", archive, "-o", "out")
    assert not list((shell.folder / "out" / ".pagemill").rglob("*.pdf"))
    assert not list((shell.folder / "out" / ".pagemill").rglob("document.md"))


def test_two_conversions_into_one_folder_are_refused(shell: Shell, archive: Path) -> None:
    state = shell.folder / "out" / ".pagemill"
    state.mkdir(parents=True)
    with (state / "lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        ran = shell.run("convert", archive, "-o", "out")
    assert ran.returncode == 4
    assert "Another pagemill uses" in ran.stderr


@pytest.mark.parametrize(
    ("option", "value"),
    [("--format", "pptx"), ("--format", ""), ("--pages", "3-1"), ("--pages", "x"), ("--slots", "0")],
)
def test_wrong_options_are_wrong_usage(shell: Shell, archive: Path, option: str, value: str) -> None:
    ran = shell.run("convert", archive, "-o", "out", option, value)
    assert ran.returncode == 2
    assert option in ran.stderr
    assert not (shell.folder / "out").exists()


def test_a_name_of_any_bytes_is_converted(shell: Shell) -> None:
    folder = shell.folder / "odd"
    folder.mkdir()
    with open(os.fsencode(folder) + b"/\xff\xfe \x1b[31m.pdf", "wb") as file:
        file.write(samples.letter())
    told = shell.json("convert", "odd", "-o", "out")
    assert told["completed"] == 1
    assert "\x1b" not in json.dumps(told, ensure_ascii=False)
    assert shell.json("convert", "odd", "-o", "out")["unchanged"] == 1


def test_only_the_asked_pages_are_read(shell: Shell) -> None:
    (shell.folder / "report.pdf").write_bytes(samples.report(4))
    told = shell.json("convert", "report.pdf", "-o", "out", "--pages", "2-3")
    assert (told["completed"], told["pages"]) == (1, 2)


def test_without_a_folder_the_text_goes_to_stdout(shell: Shell, archive: Path) -> None:
    ran = shell.run("convert", archive / "a.pdf")
    assert (ran.returncode, "Dear first," in ran.stdout, "converted" in ran.stdout) == (0, True, False)
    both = shell.run("convert", archive / "deep" / "a.pdf", archive / "a.pdf", "-o", "-", "-f", "text")
    assert both.stdout.index("Dear second,") < both.stdout.index("Dear first,")
    assert not list(shell.folder.glob(".pagemill"))


def test_what_is_no_text_does_not_go_to_stdout(shell: Shell, archive: Path) -> None:
    for arguments in (("-f", "tables"), ("-f", "markdown,json"), ("--json",)):
        ran = shell.run("convert", archive / "a.pdf", *arguments)
        assert (ran.returncode, "--output" in ran.stderr, ran.stdout) == (2, True, "")
    assert "a folder for what is made of a folder" in shell.run("convert", archive).stderr


def test_a_file_that_fails_is_named_on_stderr_when_the_text_goes_to_stdout(
    shell: Shell, archive: Path
) -> None:
    (archive / "broken.pdf").write_bytes(b"%PDF-1.7 and nothing more")
    ran = shell.run("convert", archive / "broken.pdf", archive / "a.pdf")
    assert ran.returncode == 1
    assert "Dear first," in ran.stdout
    assert "broken.pdf" in ran.stderr


def test_files_that_are_skipped_are_named_with_the_reason(shell: Shell, archive: Path) -> None:
    skipped = [
        line for line in shell.run("convert", archive, "-o", "out").stdout.splitlines() if "skipped: " in line
    ]
    assert [("notes.txt" in line, "sound.mp3" in line) for line in sorted(skipped)] == [
        (True, False),
        (False, True),
    ]
    assert "only those are read that `pagemill convert` names." in skipped[0] + skipped[1]
    assert "looks like" in skipped[0] + skipped[1]


def test_an_unknown_language_is_refused_with_the_list_of_known_ones(shell: Shell, archive: Path) -> None:
    ran = shell.run("convert", archive / "a.pdf", "--lang", "en,xx")
    assert ran.returncode == 2
    assert "'xx' is not a known language; known are af, am, ar," in " ".join(ran.stderr.split())


def test_an_office_file_has_no_pages_to_draw_on_and_stops_no_other(shell: Shell) -> None:
    (shell.folder / "both").mkdir()
    (shell.folder / "both" / "memo.docx").write_bytes(office_files.docx(office_files.para("Its words.")))
    (shell.folder / "both" / "letter.pdf").write_bytes(samples.letter("Dear layout,"))
    ran = shell.run("convert", "both", "-o", "out", "--format", "markdown,layout")
    assert ran.returncode == 0, ran.stderr
    made = {path.name for path in (shell.folder / "out").iterdir() if not path.name.startswith(".")}
    assert made == {"memo.md", "letter.md", "letter.layout.pdf"}


def test_an_unknown_format_is_named_with_the_known_ones(shell: Shell) -> None:
    ran = shell.run("convert", "letter.pdf", "--format", "banana")
    assert ran.returncode == 2
    assert "'banana' is not one of markdown, json," in " ".join(ran.stderr.split())
