"""`pagemill admin` beside a running service, and where there is none."""

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from pagemill.client import ApiError, Client
from pagemill.entrypoints.cli.app import app
from pagemill.errors import Refused
from pagemill.model.states import Lane
from tests.cli.around import Shell
from tests.cluster.postgres import Postgres
from tests.mills import small_settings
from tests.samples import letter
from tests.servers import Served, served
from tests.waiting import wait_for

pytestmark = pytest.mark.mill

OPERATOR = "operator-key"


@dataclass(frozen=True)
class Desk:
    """Runs commands on a data folder, within this process, because each of them takes a second to start."""

    folder: Path
    database_url: str | None = None

    def run(self, *arguments: str) -> Result:
        """What came of a command that was not refused."""
        ran = self.tried(*arguments)
        assert ran.exception is None or isinstance(ran.exception, SystemExit), ran.exception
        return ran

    def refused(self, *arguments: str) -> str:
        """Why a command was refused."""
        ran = self.tried(*arguments)
        assert isinstance(ran.exception, Refused), ran.output
        assert ran.stdout == ""
        return ran.exception.message

    def json(self, *arguments: str) -> Any:
        """What a command answers to programs."""
        return json.loads(self.run(*arguments, "--json").stdout)

    def tried(self, *arguments: str) -> Result:
        """What came of a command."""
        settings = {"PAGEMILL_DATA_DIR": str(self.folder), "PAGEMILL_DATABASE_URL": self.database_url}
        return CliRunner().invoke(app, ["admin", *arguments], env=settings)


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A service with an operator's key."""
    settings = small_settings(tmp_path_factory.mktemp("guarded"), api_key=OPERATOR)
    with served(settings) as server:
        yield server


@pytest.fixture
def desk(guarded: Served) -> Desk:
    """Commands that find the files of the service."""
    return Desk(guarded.mill.settings.data_dir)


def test_a_paused_lane_is_not_read_until_it_is_resumed(desk: Desk, guarded: Served) -> None:
    assert desk.run("pause", "fast").stdout == "fast is paused\n"
    assert desk.run("pause", "fast").stdout == "fast was paused before\n"
    with Client(guarded.url, OPERATOR) as client:
        job = client.submit(letter("Dear lane,"))
        assert client.job(job.id).status == "pending"
        lanes = {lane["lane"]: lane for lane in desk.json("lanes")["lanes"]}
        assert list(lanes) == [lane.value for lane in Lane]
        assert (lanes["fast"]["ready"], lanes["fast"]["paused"]) == (1, True)
        assert re.search(r"fast +1 +0 .* +paused", desk.run("lanes").stdout)
        assert desk.run("resume", "fast").stdout == "fast goes on\n"
        assert client.wait(job.id).status == "completed"


def test_a_drained_worker_takes_nothing_until_it_may(desk: Desk, guarded: Served) -> None:
    [worker] = desk.json("workers")["workers"]
    assert (worker["state"], worker["holds"]) == ("alive", [])
    assert worker["id"] in desk.run("workers").stdout
    assert desk.run("drain", worker["id"]).exit_code == 0
    with Client(guarded.url, OPERATOR) as client:
        job = client.submit(letter("Dear worker,"))
        assert desk.json("workers")["workers"][0]["state"] == "draining"
        assert client.job(job.id).status == "pending"
        stuck = desk.run("stuck", "--waiting-seconds", "0")
        assert (stuck.exit_code, job.id in stuck.stdout) == (1, True)
        assert desk.run("requeue", job.id).stdout == f"{job.id}: the job waits for a free worker already\n"
        assert desk.run("undrain", worker["host"]).exit_code == 0
        assert client.wait(job.id).status == "completed"
    nothing = desk.run("stuck")
    assert (nothing.exit_code, nothing.stdout, nothing.stderr) == (0, "", "Nothing is stuck.\n")


def test_a_key_opens_the_door_to_its_tenant_until_it_is_revoked(desk: Desk, guarded: Served) -> None:
    made = desk.run("keys", "add", "anna", "laptop of Anna")
    key = made.stdout.strip()
    assert "only time" in made.stderr
    with Client(guarded.url, key) as client:
        job = client.submit(letter("Dear Anna,"))
        assert client.wait(job.id).status == "completed"
        [listed] = desk.json("keys", "list")["keys"]
        assert (listed["tenant"], listed["name"], listed["revoked_at"]) == ("anna", "laptop of Anna", None)
        assert key not in desk.run("keys", "list").stdout
        with Client(guarded.url, OPERATOR) as operator, pytest.raises(ApiError, match="not_found"):
            operator.job(job.id)
        assert desk.run("keys", "revoke", "laptop of Anna").stdout == "laptop of Anna of anna is revoked\n"
        wait_for(lambda: is_shut(client), 20)
    assert "No valid keys" in desk.refused("keys", "revoke", "laptop of Anna")


def test_a_tenant_is_limited_exported_and_deleted(desk: Desk, guarded: Served, tmp_path: Path) -> None:
    key = desk.run("keys", "add", "carla", "laptop of Carla").stdout.strip()
    assert (
        desk.run("tenants", "set", "carla", "--max-pending-jobs", "9").stdout == "carla: max_pending_jobs=9\n"
    )
    assert desk.run("tenants", "set", "carla", "--retention-seconds", "60").exit_code == 0
    assert "max_pending_jobs=9" in desk.run("tenants", "list").stdout
    reset = desk.run("tenants", "set", "carla", "--max-pending-jobs", "-1", "--retention-seconds", "-1")
    assert reset.stdout == "carla: as the settings say\n"
    with Client(guarded.url, key) as client:
        job = client.submit(letter("Dear Carla,"))
        client.wait(job.id)
        assert desk.run("tenants", "export", "carla", str(tmp_path / "carla.zip")).exit_code == 0
        assert "Add --yes" in desk.refused("tenants", "delete", "carla")
        assert "1 job" in desk.run("tenants", "delete", "carla", "--yes").stdout
        wait_for(lambda: is_shut(client), 20)
    names = [one["tenant"] for one in desk.json("tenants", "list")["tenants"]]
    assert "carla" not in names
    assert not list(guarded.mill.settings.data_dir.glob(f"blobs/*/{job.id[-2:]}/{job.id}"))


def test_an_installation_is_saved_verified_and_restored(desk: Desk, guarded: Served, tmp_path: Path) -> None:
    with Client(guarded.url, OPERATOR) as client:
        job = client.wait(client.submit(letter("Dear backup,")).id)
    assert desk.run("backup", str(tmp_path / "saved")).exit_code == 0
    elsewhere = Desk(tmp_path / "restored")
    assert "restored" in elsewhere.run("restore", str(tmp_path / "saved")).stdout
    assert elsewhere.run("verify").stderr == "Every file is there and as it was stored.\n"
    for path in (tmp_path / "restored" / "blobs" / "results").rglob(f"{job.id}/*/document.md"):
        path.unlink()
    broken = elsewhere.run("verify", "--repair", "--json")
    [fault] = json.loads(broken.stdout)["faults"]
    assert (broken.exit_code, fault["kind"], job.id in fault["repair"]) == (1, "missing", True)


def test_the_first_key_of_an_open_service_is_told_to_shut_the_door(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "data")
    assert desk.run("migrate").exit_code == 0
    first, second = (desk.run("keys", "add", "anna", name) for name in ("one", "two"))
    assert "every request needs a key" in first.stderr
    assert "every request" not in second.stderr


def is_shut(client: Client) -> bool:
    """Whether a key is worth nothing any more."""
    try:
        list(client.jobs(page_size=1))
    except ApiError as error:
        return error.status == 401
    return False


def test_the_tables_of_a_running_service_are_not_changed_under_it(desk: Desk) -> None:
    assert "Another pagemill uses the data folder" in desk.refused("migrate")
    assert desk.run("migrate", "--check").exit_code == 0


def test_a_database_is_made_by_the_first_migration(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "new")
    assert "There is no database" in desk.refused("lanes")
    assert desk.run("migrate", "--check").exit_code == 1
    assert desk.run("migrate").exit_code == 0
    assert desk.run("migrate", "--check").exit_code == 0
    assert desk.json("workers") == {"workers": []}


def test_a_shared_database_is_worked_on_directly(postgres_server: Postgres, tmp_path: Path) -> None:
    desk = Desk(tmp_path, postgres_server.new_database())
    assert "pagemill admin migrate" in desk.refused("lanes")
    assert desk.run("migrate").exit_code == 0
    assert desk.run("migrate", "--check").stdout == "nothing is to be migrated\n"
    assert desk.run("pause", "ocr").stdout == "ocr is paused\n"
    assert [lane["lane"] for lane in desk.json("lanes")["lanes"] if lane["paused"]] == ["ocr"]
    assert desk.run("keys", "add", "anna", "laptop").stdout.startswith("pm_")


def test_old_tables_are_told_and_not_touched(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.run("migrate")
    with closing(sqlite3.connect(tmp_path / "pagemill.db")) as db, db:
        db.execute("UPDATE alembic_version SET version_num = '0001'")
    assert "pagemill admin migrate" in desk.refused("lanes")


@pytest.mark.parametrize(
    "arguments",
    [
        ("drain", "nobody"),
        ("requeue", "no-id"),
        ("keys", "add", "Not A Tenant", "x"),
        ("keys", "revoke", "x"),
    ],
)
def test_what_can_not_be_done_is_told(desk: Desk, arguments: tuple[str, ...]) -> None:
    assert desk.refused(*arguments)


def test_an_unknown_lane_is_wrong_usage(desk: Desk) -> None:
    assert desk.run("pause", "slow").exit_code == 2


def test_a_refusal_is_one_line_and_an_exit_code(shell: Shell) -> None:
    refused = shell.run("admin", "lanes")
    assert (refused.returncode, refused.stdout, refused.stderr.count("\n")) == (4, "", 1)


def test_keys_have_scopes_and_an_end_and_what_was_done_is_in_the_audit_log(desk: Desk) -> None:
    arguments = ("keys", "add", "carl", "reader of Carl", "--scope", "read", "--expires-days", "1")
    made = desk.json(*arguments)
    assert made["scopes"] == ["read"]
    assert made["expires_at"] == made["created_at"] + 86_400
    assert made["hint"] in desk.run("keys", "list").stdout
    desk.run("keys", "revoke", made["id"])
    desk.run("pause", "bulk")
    desk.run("resume", "bulk")
    lines = desk.json("audit")["lines"][:4]
    assert [(line["action"], line["subject"]) for line in lines] == [
        ("lane.resumed", "bulk"),
        ("lane.paused", "bulk"),
        ("key.revoked", made["id"]),
        ("key.added", made["id"]),
    ]
    assert {line["actor"] for line in lines} == {"command line"}
    assert "lane.paused" in desk.run("audit").stdout
    assert made["key"] not in desk.run("audit", "--json").stdout
