"""Commands whose answer nobody reads to its end, or that are given something they can't use."""

import subprocess
from pathlib import Path

import pytest

from pagemill import __version__
from tests import samples
from tests.cli.around import Ran, Shell, command, environment
from tests.mills import small_settings
from tests.servers import served

KEY = "a-key-for-tests"
LONG = "a" * 250


def run_without_reader(shell: Shell, *arguments: str | Path) -> Ran:
    """Run a command whose stdout is a pipe that nobody reads any more."""
    reader = subprocess.Popen(["true"], stdin=subprocess.PIPE)
    reader.wait()
    ran = subprocess.run(
        command(*arguments),
        cwd=shell.folder,
        env=environment(**shell.settings),
        stdout=reader.stdin,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert reader.stdin is not None
    reader.stdin.close()
    return ran


@pytest.mark.parametrize("flags", [(), ("--json",), ("--wait",)])
def test_all_documents_are_handed_in_even_if_nobody_reads_their_ids(
    client_shell: Shell, tmp_path: Path, flags: tuple[str, ...]
) -> None:
    names = [f"{tmp_path.name}-{count}.pdf" for count in range(3)]
    for name in names:
        (client_shell.folder / name).write_bytes(samples.letter())
    ran = run_without_reader(client_shell, "submit", *names, *flags)
    assert (ran.returncode, "Broken pipe" in ran.stderr) == (0, False)
    taken = client_shell.json("jobs", "--filename", tmp_path.name)["jobs"]
    assert sorted(job["document"]["filename"] for job in taken) == names


def test_a_conversion_that_nobody_hears_of_has_gone_well_all_the_same(client_shell: Shell) -> None:
    ran = run_without_reader(client_shell, "convert", "letter.pdf", "-o", "out")
    assert (ran.returncode, (client_shell.folder / "out/letter.md").exists()) == (0, True)


@pytest.mark.parametrize("arguments", [("jobs",), ("events",), ("config",), ("--version",)])
def test_a_question_whose_answer_nobody_reads_ends_without_a_word(
    client_shell: Shell, arguments: tuple[str, ...]
) -> None:
    assert run_without_reader(client_shell, *arguments).stderr == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is always full")
@pytest.mark.parametrize("arguments", [("submit", "letter.pdf"), ("jobs",)])
def test_an_answer_that_can_not_be_written_is_one_line_and_an_exit_code(
    client_shell: Shell, arguments: tuple[str, ...]
) -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        ran = subprocess.run(
            command(*arguments),
            cwd=client_shell.folder,
            env=environment(**client_shell.settings),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (ran.returncode, ran.stderr) == (1, "pagemill: No space left on device\n")


def test_the_end_of_a_job_is_told_once(client_shell: Shell) -> None:
    said = client_shell.run("submit", "letter.pdf", "--wait").stderr
    assert said.count("completed") == 1


def test_the_version_is_told_as_other_programs_do(shell: Shell) -> None:
    assert shell.run("--version").stdout == f"pagemill {__version__}\n"


@pytest.mark.parametrize(
    ("flag", "value"),
    [
        ("--server", "127.0.0.1:8080"),
        ("--server", ""),
        ("--server", "ftp://here"),
        ("--api-key", "schlüssel"),
    ],
)
def test_what_can_be_no_server_or_key_is_wrong_usage(shell: Shell, flag: str, value: str) -> None:
    ran = shell.run("jobs", flag, value)
    assert (ran.returncode, flag in ran.stderr) == (2, True)


def test_a_state_that_no_job_has_is_wrong_usage(shell: Shell) -> None:
    ran = shell.run("jobs", "--status", "weird")
    assert (ran.returncode, "'cancelled'" in ran.stderr) == (2, True)


def test_a_folder_without_documents_is_refused(client_shell: Shell) -> None:
    (client_shell.folder / "archive").mkdir()
    ran = client_shell.run("submit", "archive")
    assert (ran.returncode, "There is no document" in ran.stderr) == (2, True)


def test_a_locked_document_is_told_of_in_words_of_this_command(client_shell: Shell) -> None:
    (client_shell.folder / "secret.pdf").write_bytes(samples.encrypted(user="open"))
    assert "--password" in client_shell.run("submit", "secret.pdf", "--wait").stderr


def test_a_key_that_is_missing_or_wrong_ends_the_command_and_says_where_to_give_it(
    client_shell: Shell,
) -> None:
    with served(small_settings(client_shell.folder / "data", api_key=KEY)) as server:
        for flags in ((), ("--api-key", "wrong")):
            ran = client_shell.run("submit", "letter.pdf", "letter.pdf", "--server", server.url, *flags)
            assert (ran.returncode, ran.stderr.count("\n")) == (1, 1)
            assert "with --api-key or in PAGEMILL_API_KEY" in ran.stderr
        right = client_shell.run("submit", "letter.pdf", "--server", server.url, PAGEMILL_API_KEY=KEY)
        assert right.returncode == 0


def test_a_result_that_can_not_be_written_names_the_file_that_was_asked_for(client_shell: Shell) -> None:
    job_id = client_shell.run("submit", "letter.pdf", "--wait").stdout.strip()
    nowhere = client_shell.run("result", job_id, "-o", "no/such/letter.md")
    assert nowhere.stderr == "pagemill: No such file or directory: no/such/letter.md\n"
    (client_shell.folder / "folder").mkdir()
    assert client_shell.run("result", job_id, "-o", "folder").stderr == "pagemill: Is a directory: folder\n"
    assert client_shell.run("result", job_id, "-o", f"{LONG}.md").returncode == 0


def test_a_very_long_name_leaves_room_for_every_ending(shell: Shell) -> None:
    for name in (f"{LONG}b.pdf", f"{LONG}c.pdf"):
        (shell.folder / name).write_bytes(samples.letter())
    told = shell.json("convert", ".", "-o", "out", "--format", "markdown,searchable")
    outputs = [output for file in told["files"] for output in file["outputs"]]
    assert (told["failed"], len(set(outputs))) == (0, 4)
    assert shell.json("convert", ".", "-o", "out", "--format", "markdown,searchable")["unchanged"] == 2


def test_a_folder_without_documents_is_told(shell: Shell) -> None:
    (shell.folder / "empty").mkdir()
    ran = shell.run("convert", "empty", "-o", "out")
    assert (ran.returncode, ran.stdout) == (0, "There was no document to convert.\n")
    (shell.folder / "empty/notes.txt").write_text("None.")
    ran = shell.run("convert", "empty", "-o", "out")
    named, summary = ran.stdout.splitlines()
    assert "notes.txt: Of texts in a folder" in named
    assert summary == "There was no document to convert; 1 other file skipped."


def test_an_output_folder_that_can_not_be_made_is_named_with_its_option(shell: Shell) -> None:
    (shell.folder / "letter.pdf").write_bytes(samples.letter())
    ran = shell.run("convert", "letter.pdf", "-o", "letter.pdf")
    assert ran.returncode == 4
    assert "--output" in ran.stderr
    assert "PAGEMILL_DATA_DIR" not in ran.stderr


def test_a_provider_that_nobody_knows_is_wrong_usage(shell: Shell) -> None:
    (shell.folder / "letter.pdf").write_bytes(samples.letter())
    ran = shell.run("convert", "letter.pdf", "-o", "out", "--providers", "nosuch")
    assert (ran.returncode, "--providers" in ran.stderr) == (2, True)
