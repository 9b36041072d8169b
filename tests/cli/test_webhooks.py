"""`pagemill webhooks` against a server."""

from tests.cli.around import Shell
from tests.waiting import wait_for

URL = "https://receiver.invalid/hook"


def test_a_webhook_is_added_listed_rotated_tried_out_and_removed(client_shell: Shell) -> None:
    made = client_shell.json("webhooks", "add", URL, "--event", "job.failed", "--progress-percent", "25")
    assert made["secret"].startswith("whsec_")
    assert made["progress_percent"] == 25
    listed = client_shell.run("webhooks", "list")
    assert made["id"] in listed.stdout
    assert URL in listed.stdout
    assert made["secret"] not in listed.stdout
    rotated = client_shell.json("webhooks", "rotate", made["id"], "--overlap", "60")
    assert rotated["secret"] != made["secret"]
    tried = client_shell.run("webhooks", "test", made["id"])
    assert tried.returncode == 1
    assert "fetch_failed" in tried.stdout
    [delivery] = client_shell.json("webhooks", "deliveries", "--webhook", made["id"])["deliveries"]
    # It waits for its next attempt and is sent now, unless it is being sent.
    wait_for(lambda: delivery["id"] in client_shell.run("webhooks", "replay", delivery["id"]).stdout)
    since = client_shell.json("webhooks", "replay-failed", made["id"], "--since", "2026-01-01T00:00:00Z")
    assert since == {"replayed": 0}
    assert delivery["id"] in client_shell.run("webhooks", "delivery", delivery["id"]).stdout
    [first, *_] = client_shell.json("webhooks", "delivery", delivery["id"])["log"]
    assert (first["number"], first["error"]) == (1, "fetch_failed")
    assert client_shell.run("webhooks", "disable", made["id"]).returncode == 0
    assert "disabled" in client_shell.run("webhooks", "list").stdout
    assert client_shell.run("webhooks", "enable", made["id"]).returncode == 0
    assert client_shell.run("webhooks", "remove", made["id"]).returncode == 0
    assert made["id"] not in client_shell.run("webhooks", "list").stdout


def test_an_address_that_is_refused_says_why(client_shell: Shell) -> None:
    ran = client_shell.run("webhooks", "add", "https://10.0.0.1/hook")
    assert ran.returncode == 1
    assert "url_forbidden_address" in ran.stderr


def test_an_event_that_does_not_exist_is_refused_with_those_that_do(client_shell: Shell) -> None:
    ran = client_shell.run("webhooks", "add", URL, "--event", "job.nonsense")
    assert ran.returncode == 1
    assert ran.stderr.startswith("pagemill: events/0: Unknown event type. Known types: job.accepted, ")
