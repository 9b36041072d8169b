"""Help, version, settings and the doctor."""

from pathlib import Path

import pytest

from bench.ports import free_port
from pagemill import __version__
from pagemill.settings import Settings
from tests.cli.around import Running, Shell
from tests.cluster import redis
from tests.cluster.postgres import Postgres

SECRET = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
COMMANDS = (
    "serve",
    "convert",
    "doctor",
    "config",
    "version",
    "submit",
    "jobs",
    "status",
    "result",
    "cancel",
    "retry",
    "delete",
    "events",
)


def test_help_names_every_command_and_what_exit_codes_mean(shell: Shell) -> None:
    ran = shell.run("--help")
    assert ran.returncode == 0
    for name in COMMANDS:
        assert f"\n  {name} " in ran.stdout
    assert "3 the server can't be reached" in ran.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(shell: Shell, name: str) -> None:
    ran = shell.run(name, "--help")
    assert ran.returncode == 0
    assert f"Usage: pagemill {name}" in ran.stdout


def test_a_wrong_option_is_wrong_usage(shell: Shell) -> None:
    ran = shell.run("convert", "--no-such-option")
    assert ran.returncode == 2
    assert "--no-such-option" in ran.stderr


def test_the_version_is_told(shell: Shell) -> None:
    assert shell.run("version").stdout == f"pagemill {__version__}\n"
    assert shell.json("version") == {"version": __version__}


def test_config_tells_every_setting_with_its_origin(shell: Shell) -> None:
    (shell.folder / ".env").write_text("PAGEMILL_SLOTS=7\n")
    told = shell.json("config", PAGEMILL_PORT="9123", PAGEMILL_API_KEY="very-secret")["settings"]
    lines = {line["name"]: line for line in told}
    assert list(lines) == list(Settings.model_fields)
    assert (lines["port"]["value"], lines["port"]["origin"]) == (9123, "environment")
    assert (lines["slots"]["value"], lines["slots"]["origin"]) == (7, "file")
    assert (lines["host"]["value"], lines["host"]["origin"]) == ("127.0.0.1", "default")
    assert all(line["help"] for line in told)


def test_config_never_shows_a_secret(shell: Shell) -> None:
    for flags in ((), ("--json",)):
        ran = shell.run("config", *flags, PAGEMILL_API_KEY="very-secret", PAGEMILL_SECRET_KEY="sealed")
        assert "very-secret" not in ran.stdout
        assert "sealed" not in ran.stdout
        assert "********" in ran.stdout


def test_a_setting_that_makes_no_sense_is_named_but_its_value_is_not(shell: Shell) -> None:
    ran = shell.run("config", PAGEMILL_PORT="no-number")
    assert ran.returncode == 4
    assert "PAGEMILL_PORT" in ran.stderr
    assert "no-number" not in ran.stderr


def test_the_doctor_finds_everything_that_is_needed(shell: Shell) -> None:
    ran = shell.run("doctor", PAGEMILL_PORT=str(free_port()))
    assert ran.returncode == 0, ran.stdout
    for name in ("python", "data folder", "sqlite", "press", "provider liteparse", "provider pdfium", "port"):
        assert f"ok      {name}: " in ran.stdout


def test_the_doctor_tells_what_is_missing_and_what_to_do(shell: Shell) -> None:
    (shell.folder / "file").touch()
    told = shell.json(
        "doctor",
        "--data-dir",
        shell.folder / "file" / "data",
        PAGEMILL_HOST="0.0.0.0",
        PAGEMILL_PORT=str(free_port()),
        PAGEMILL_PROVIDERS="liteparse,nosuch",
        PAGEMILL_RENDER_OFFICE="off",
        PAGEMILL_TOKENIZER=str(shell.folder / "tokenizer.json"),
    )
    missing = {check["name"]: check for check in told["checks"] if check["state"] == "missing"}
    assert set(missing) == {"api key", "data folder", "provider nosuch", "tokenizer"}
    assert all(check["advice"] for check in missing.values())
    assert not told["healthy"]


def test_the_doctor_looks_at_settings_that_make_no_sense_too(shell: Shell) -> None:
    ran = shell.run("doctor", PAGEMILL_SLOTS="none")
    assert ran.returncode == 1
    assert "MISSING settings: PAGEMILL_SLOTS" in ran.stdout


def test_the_doctor_notes_a_variable_that_is_no_setting(shell: Shell) -> None:
    told = shell.json(
        "doctor",
        PAGEMILL_PORT=str(free_port()),
        PAGEMILL_RENDER_OFFICE="off",
        PAGEMILL_BROKERURL="redis://127.0.0.1",
    )
    [check] = [check for check in told["checks"] if check["name"] == "variables"]
    assert (check["state"], check["found"]) == ("note", "PAGEMILL_BROKERURL")
    assert told["healthy"]


def test_the_doctor_asks_the_parts_that_machines_share(
    shell: Shell, postgres_server: Postgres, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with redis.running(tmp_path_factory.mktemp("redis")) as broker:
        before, after = looks_at_shared_parts(shell, postgres_server.new_database(), broker.url)
    assert (before["database"], before["files"], before["broker"]) == ("note", "ok", "ok")
    assert "sqlite" not in before
    assert after["database"] == "ok"


def looks_at_shared_parts(shell: Shell, database_url: str, broker_url: str) -> list[dict[str, str]]:
    """What the doctor says of each part, before and after a migration."""
    parts = {
        "PAGEMILL_PORT": str(free_port()),
        "PAGEMILL_DATABASE_URL": database_url,
        "PAGEMILL_BROKER_URL": broker_url,
        "PAGEMILL_BLOBS_URL": (shell.folder / "files").as_uri(),
        "PAGEMILL_SECRET_KEY": SECRET,
    }
    before = shell.json("doctor", **parts)
    shell.run("admin", "migrate", **parts)
    after = shell.json("doctor", **parts)
    return [{check["name"]: check["state"] for check in told["checks"]} for told in (before, after)]


def test_the_doctor_tells_which_of_the_shared_parts_is_away_and_no_password(shell: Shell) -> None:
    (shell.folder / "file").touch()
    ran = shell.run(
        "doctor",
        PAGEMILL_PORT=str(free_port()),
        PAGEMILL_DATABASE_URL="postgresql://mill:hidden-word@127.0.0.1:1/mill",
        PAGEMILL_BROKER_URL="redis://:hidden-word@127.0.0.1:1/0",
        PAGEMILL_BLOBS_URL=(shell.folder / "file" / "files").as_uri(),
    )
    assert ran.returncode == 1
    for name in ("machines", "database", "files", "broker"):
        assert f"MISSING {name}: " in ran.stdout
    assert "PAGEMILL_SECRET_KEY" in ran.stdout
    assert "hidden-word" not in ran.stdout + ran.stderr


def test_the_doctor_finds_a_server_that_is_running(shell: Shell, running: Running) -> None:
    port = running.url.rpartition(":")[2]
    told = shell.json("doctor", PAGEMILL_PORT=port)
    [check] = [check for check in told["checks"] if check["name"] == "port"]
    assert check["found"] == f"a pagemill {__version__} serves on port {port}"


def test_the_doctor_leaves_nothing_behind(shell: Shell) -> None:
    shell.run("doctor", PAGEMILL_PORT=str(free_port()))
    assert list(Path(shell.folder).iterdir()) == []
