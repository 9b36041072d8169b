"""The commands against a server."""

import json
from pathlib import Path

import pytest

from tests import samples
from tests.cli.around import Shell
from tests.waiting import wait_for

NOBODY = "http://127.0.0.1:9"
UNKNOWN = "0199a3c4-7d52-7c31-9a42-6f0f5b1c2d3e"


def submitted(shell: Shell, name: str = "letter.pdf", *flags: str) -> str:
    """The id of a document that was handed in."""
    ran = shell.run("submit", name, *flags)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip()


def test_a_document_is_handed_in_waited_for_and_fetched(client_shell: Shell) -> None:
    job_id = submitted(client_shell, "letter.pdf", "--wait")
    markdown = client_shell.run("result", job_id)
    assert markdown.returncode == 0
    assert "Dear reader," in markdown.stdout
    client_shell.run("result", job_id, "--format", "json", "-o", "letter.json")
    assert json.loads((client_shell.folder / "letter.json").read_text())["pages"]
    assert [path.name for path in client_shell.folder.iterdir() if path.name.startswith(".")] == []


def test_the_answer_for_programs_has_the_whole_job(client_shell: Shell) -> None:
    told = client_shell.json(
        "submit", "letter.pdf", "--wait", "--no-reuse", "--pages", "1", "--format", "markdown"
    )
    [job] = told["jobs"]
    assert (job["status"], job["total_pages"], job["reused"]) == ("completed", 1, False)
    assert (job["options"]["pages"], job["options"]["formats"]) == ("1", ["markdown"])
    assert client_shell.json("status", job["id"])["id"] == job["id"]
    assert job["id"] in [
        listed["id"] for listed in client_shell.json("jobs", "--status", "completed")["jobs"]
    ]


def test_what_is_refused_is_named_and_the_rest_is_handed_in(client_shell: Shell) -> None:
    (client_shell.folder / "page.pdf").write_bytes(b"\x7fELF\x02\x01\x01" + bytes(64))
    ran = client_shell.run("submit", "page.pdf", "missing.pdf", "letter.pdf", "--json")
    assert ran.returncode == 1
    told = json.loads(ran.stdout)
    assert [refused["code"] for refused in told["refused"]] == ["unsupported_file_type", "file_unreadable"]
    assert len(told["jobs"]) == 1


def test_a_failed_document_gives_exit_code_1_and_its_reason(client_shell: Shell) -> None:
    (client_shell.folder / "secret.pdf").write_bytes(samples.encrypted(user="open"))
    ran = client_shell.run("submit", "secret.pdf", "--wait")
    assert ran.returncode == 1
    assert "password_required" in ran.stderr
    job_id = ran.stdout.strip()
    status = client_shell.run("status", job_id)
    assert (status.returncode, "password_required" in status.stdout) == (1, True)
    assert client_shell.run("result", job_id).returncode == 1
    assert client_shell.run("retry", job_id, "--password", "open").returncode == 0
    assert client_shell.run("status", job_id, "--watch").returncode == 0


def test_a_running_job_is_cancelled_and_a_finished_one_is_not(client_shell: Shell) -> None:
    (client_shell.folder / "long.pdf").write_bytes(samples.big(15_000))
    running, finished = submitted(client_shell, "long.pdf"), submitted(client_shell, "letter.pdf", "--wait")
    ran = client_shell.run("cancel", finished, running, "--json")
    assert ran.returncode == 1
    told = json.loads(ran.stdout)
    assert [(job["id"], job["status"]) for job in told["jobs"]] == [(running, "cancelled")]
    assert [(job["id"], job["code"]) for job in told["refused"]] == [(finished, "job_terminal")]


def test_an_unfinished_result_is_told_apart_from_none(client_shell: Shell) -> None:
    (client_shell.folder / "long.pdf").write_bytes(samples.big(15_000, seed=1))
    job_id = submitted(client_shell, "long.pdf")
    ran = client_shell.run("result", job_id)
    assert (ran.returncode, "job_not_finished" in ran.stderr, ran.stdout) == (1, True, "")
    client_shell.run("cancel", job_id)


def test_only_failed_pages_are_retried_if_there_are_any(client_shell: Shell) -> None:
    ran = client_shell.run("retry", submitted(client_shell, "letter.pdf", "--wait"), "--failed")
    assert (ran.returncode, "nothing_to_retry" in ran.stderr) == (1, True)


def test_a_deleted_job_is_gone(client_shell: Shell) -> None:
    job_id = submitted(client_shell)
    assert client_shell.run("delete", job_id).returncode == 0
    ran = client_shell.run("status", job_id)
    assert (ran.returncode, "gone" in ran.stderr) == (1, True)


def test_the_log_of_a_job_is_shown_and_followed(client_shell: Shell) -> None:
    job_id = submitted(client_shell, "letter.pdf", "--no-reuse")
    followed = client_shell.run("events", job_id, "--follow", "--json")
    types = [json.loads(line)["type"] for line in followed.stdout.splitlines()]
    assert (types[0], types[-1]) == ("job.accepted", "job.completed")
    assert client_shell.run("events", job_id, "--json").stdout == followed.stdout
    assert job_id in client_shell.run("events").stdout


def test_an_id_that_nobody_has_is_not_found(client_shell: Shell) -> None:
    for command in (("status",), ("batches", "status"), ("rules", "remove"), ("webhooks", "rotate")):
        ran = client_shell.run(*command, UNKNOWN)
        assert (ran.returncode, "not_found" in ran.stderr) == (1, True)
        assert command[0] == "status" or f"{command[0]} list" in ran.stderr


def test_a_file_that_is_no_json_is_named(client_shell: Shell, tmp_path: Path) -> None:
    schema = tmp_path / "schema.json"
    schema.write_bytes(b"%PDF-1.7 \xc4\xe5")
    ran = client_shell.run("submit", "letter.pdf", "--extract", str(schema))
    assert (ran.returncode, "schema.json is not JSON: it is no text in UTF-8." in ran.stderr) == (4, True)


@pytest.mark.parametrize("arguments", [("jobs",), ("status", UNKNOWN), ("submit", "letter.pdf"), ("events",)])
def test_a_server_that_is_not_there_has_an_exit_code_of_its_own(
    shell: Shell, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    (tmp_path / "letter.pdf").write_bytes(samples.letter())
    ran = shell.run(*arguments, "--server", NOBODY)
    assert ran.returncode == 3
    assert "pagemill serve" in ran.stderr
    assert ran.stdout == ""


def test_a_watched_job_is_followed_to_its_end(client_shell: Shell) -> None:
    (client_shell.folder / "report.pdf").write_bytes(samples.report(300))
    job_id = submitted(client_shell, "report.pdf")
    ran = client_shell.run("status", job_id, "--watch", "--json")
    assert json.loads(ran.stdout)["processed_pages"] == 300
    assert wait_for(lambda: client_shell.json("status", job_id)["status"]) == "completed"


def test_folders_and_patterns_are_handed_in_file_by_file(client_shell: Shell) -> None:
    for name in ("in/one.pdf", "in/deep/two.PDF", "in/notes.txt", "more/three.pdf"):
        (client_shell.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (client_shell.folder / name).write_bytes(samples.letter())
    told = client_shell.json("submit", "in", "more/*.pdf", "more/three.pdf")
    names = sorted(job["document"]["filename"] for job in told["jobs"])
    assert (names, told["refused"]) == (["one.pdf", "three.pdf", "two.PDF"], [])
    (client_shell.folder / "empty").mkdir()
    nothing = client_shell.run("submit", "empty")
    assert (nothing.returncode, "no document" in nothing.stderr) == (2, True)


def test_jobs_can_be_retried_and_deleted_by_a_filter(client_shell: Shell) -> None:
    for name in ("filtered-1.pdf", "filtered-2.pdf"):
        (client_shell.folder / name).write_bytes(samples.encrypted(user="open"))
    client_shell.run("submit", "filtered-1.pdf", "filtered-2.pdf", "--wait")
    wanted = ("--status", "failed", "--filename", "filtered-")
    locked = client_shell.json("retry", *wanted)
    assert [refused["code"] for refused in locked["refused"]] == ["password_required"] * 2
    assert len(client_shell.json("jobs", *wanted)["jobs"]) == 2
    again = client_shell.json("retry", *wanted, "--password", "open")
    assert len(again["jobs"]) == 2
    ids = [job["id"] for job in again["jobs"]]
    wait_for(lambda: all(client_shell.json("status", one)["status"] == "completed" for one in ids))
    assert client_shell.run("delete", "--filename", "filtered-", "--yes").returncode == 0
    assert client_shell.json("jobs", "--filename", "filtered-")["jobs"] == []


def test_a_batch_counts_what_failed_and_says_where_it_is_named(client_shell: Shell) -> None:
    (client_shell.folder / "mixed").mkdir()
    (client_shell.folder / "mixed" / "good.pdf").write_bytes(samples.letter())
    (client_shell.folder / "mixed" / "broken.pdf").write_bytes(samples.corrupt())
    ran = client_shell.run("batches", "submit", "mixed", "--name", "mixed", "--wait")
    batch_id = ran.stdout.strip()
    assert ran.returncode == 1
    assert f"`pagemill batches items {batch_id}` names what failed." in ran.stderr
    [line] = [one for one in client_shell.run("batches", "list").stdout.splitlines() if batch_id in one]
    assert line.split()[1:4] == ["completed", "1/2", "1"]
    assert "broken.pdf" in client_shell.run("batches", "items", batch_id).stdout


@pytest.mark.parametrize("command", ["cancel", "retry", "delete"])
def test_a_filter_that_finds_nothing_says_so(client_shell: Shell, command: str) -> None:
    ran = client_shell.run(command, "--filename", "no-such-document")
    assert (ran.returncode, ran.stderr.strip()) == (0, "No job matches.")


def test_a_filter_never_deletes_without_a_word(client_shell: Shell) -> None:
    job_id = submitted(client_shell, "letter.pdf", "--wait")
    ran = client_shell.run("delete", "--status", "completed")
    assert ran.returncode == 1
    assert "with documents and results?" in ran.stderr
    assert client_shell.json("status", job_id)["id"] == job_id


@pytest.mark.parametrize("command", ["cancel", "retry", "delete"])
def test_a_command_for_jobs_wants_ids_or_a_filter(client_shell: Shell, command: str) -> None:
    assert client_shell.run(command).returncode == 2
    assert client_shell.run(command, UNKNOWN, "--status", "failed").returncode == 2


def test_a_url_is_handed_in_and_a_malformed_header_is_refused(client_shell: Shell) -> None:
    ran = client_shell.run("submit", "http://127.0.0.1:9/report.pdf", "-H", "Authorization: Bearer KEY")
    assert ran.returncode == 1
    assert "url_forbidden_address" in ran.stderr
    told = client_shell.json("submit", "https://nowhere.invalid/report.pdf?key=1", "--pages", "1")
    [job] = told["jobs"]
    assert job["document"]["filename"] == "report.pdf"
    assert job["document"]["source_url"] == "https://nowhere.invalid/report.pdf"
    assert job["options"]["pages"] == "1"
    wrong = client_shell.run("submit", "https://nowhere.invalid/report.pdf", "-H", "Authorization")
    assert wrong.returncode == 2
    assert "NAME: VALUE" in wrong.stderr


def test_pages_are_printed_one_per_line(client_shell: Shell) -> None:
    job_id = submitted(client_shell, "letter.pdf", "--wait")
    ran = client_shell.run("pages", job_id, "--follow")
    assert ran.returncode == 0
    [page] = [json.loads(line) for line in ran.stdout.splitlines()]
    assert (page["number"], page["state"]) == (1, "final")


def test_documents_are_handed_in_with_metadata_and_an_address_to_notify(client_shell: Shell) -> None:
    (client_shell.folder / "noted.pdf").write_bytes(samples.letter("Dear noted,"))
    asked = (
        "--metadata",
        "customer=4711",
        "--metadata",
        "note=a=b",
        "--webhook-url",
        "https://receiver.invalid/",
    )
    told = client_shell.json("submit", "noted.pdf", *asked, "--webhook-event", "job.failed", "--wait")
    assert told["jobs"][0]["metadata"] == {"customer": "4711", "note": "a=b"}
    ran = client_shell.run("submit", "noted.pdf", "--metadata", "customer")
    assert (ran.returncode, "KEY=VALUE" in ran.stderr) == (2, True)
    ran = client_shell.run("submit", "noted.pdf", "--webhook-url", "https://10.0.0.1/")
    assert "url_forbidden_address" in ran.stderr


def test_a_batch_has_options_for_all_and_for_each(client_shell: Shell) -> None:
    for name in ("one.pdf", "two.pdf"):
        (client_shell.folder / name).write_bytes(samples.letter(f"Dear {name},"))
    each = client_shell.folder / "each.json"
    each.write_bytes(b'{"two.pdf": {"formats": ["text"], "metadata": {"own": "yes"}}}')
    common = (
        "--lang",
        "en,de",
        "--no-reuse",
        "--enrich",
        "entities",
        "--collection",
        "mail",
        "--tag",
        "new",
        "--webhook-url",
        "https://receiver.invalid/",
        "--webhook-event",
        "batch.*",
        "--items",
        "each.json",
        "--wait",
    )
    batch = client_shell.json("batches", "submit", "one.pdf", "two.pdf", *common)
    items = client_shell.json("batches", "items", batch["id"])["items"]
    first, second = (client_shell.json("status", one["job_id"]) for one in items)
    assert (first["metadata"]["collection"], first["metadata"]["tags"]) == ("mail", "new")
    assert [one["options"]["enrich"] for one in (first, second)] == [["entities"]] * 2
    assert [one["options"]["languages"] for one in (first, second)] == [["en", "de"]] * 2
    again = client_shell.json("batches", "submit", "one.pdf", "two.pdf", *common)
    fresh = client_shell.json("batches", "items", again["id"])["items"]
    assert [client_shell.json("status", one["job_id"])["reused"] for one in fresh] == [False, False]
    assert (second["options"]["formats"], second["metadata"]["own"]) == (["text"], "yes")
    each.write_bytes(b'{"two.pdf": {"webhook_url": "https://10.0.0.1/"}}')
    for more in (("--items", "each.json"), ("--webhook-url", "https://10.0.0.1/")):
        assert (
            "url_forbidden_address"
            in client_shell.run("batches", "submit", "one.pdf", "two.pdf", *more).stderr
        )
    each.write_bytes(b'{"two.pdf": {"nonsense": 1}}')
    ran = client_shell.run("batches", "submit", "one.pdf", "two.pdf", "--items", "each.json")
    assert (ran.returncode, "nonsense" in ran.stderr) == (2, True)
