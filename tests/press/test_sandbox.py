"""The sandbox of the press, attacked from inside."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pagemill.press import Done, Failed, Press, PressConfig, SandboxMissing, Visit
from pagemill.press.bubblewrap import bubblewrap_works
from pagemill.press.landlock import landlock_version
from pagemill.press.sandbox import grants, plan_sandbox
from pagemill.press.seccomp import system_calls
from tests.hostile import ATTEMPTS
from tests.press.around import MakePress, run_one
from tests.waiting import wait_for
from tests.walking import bytes_below

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has these protections")
needs_landlock = pytest.mark.skipif(landlock_version() == 0, reason="the kernel has no Landlock")
needs_bubblewrap = pytest.mark.skipif(not bubblewrap_works(), reason="bubblewrap can't be used here")


class Parcel:
    """An errand with one file to read and a folder that gets what is written."""

    def __init__(self, folder: Path, argument: str) -> None:
        self.file = folder / "document.pdf"
        self.file.write_bytes(b"%PDF")
        self.target = folder / "job" / "results"
        self.target.mkdir(parents=True)
        self.argument = argument
        self.is_new = False

    def reads(self) -> tuple[str, ...]:
        """The file."""
        return (str(self.file), str(self.file) + ".missing")

    def writes(self) -> str:
        """The folder."""
        return str(self.target)

    def makes_folder(self) -> bool:
        """Whether the folder may be missing."""
        return self.is_new

    def with_paths(self, reads: tuple[str, ...], folder: str) -> bytes:
        """The argument with the child's own paths."""
        return json.dumps([*reads, folder, self.argument]).encode()


def victim_of(folder: Path) -> dict[str, object]:
    """A data folder with a database and somebody's document, as a service has it."""
    (folder / "blobs").mkdir(parents=True)
    (folder / "blobs" / "secret.pdf").write_bytes(b"another tenant's")
    (folder / "pagemill.db").write_bytes(b"rows")
    return {
        "victim": os.getpid(),
        "secret_file": str(folder / "blobs" / "secret.pdf"),
        "database": str(folder / "pagemill.db"),
    }


def attacked(press: Press, prey: dict[str, object]) -> dict[str, str]:
    [outcome] = press.run([Visit("a", "tests.hostile:attack", json.dumps(prey).encode(), 60)])
    assert isinstance(outcome, Done), outcome
    found: dict[str, str] = json.loads(outcome.answer)
    return found


@pytest.fixture
def secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Secrets in the environment of the parent."""
    for name in (
        "PAGEMILL_SECRET_KEY",
        "PAGEMILL_VLM_KEY",
        "AWS_SECRET_ACCESS_KEY",
        "HTTPS_PROXY",
        "XDG_TOKEN",
    ):
        monkeypatch.setenv(name, "open sesame")


@needs_landlock
@pytest.mark.usefixtures("secrets")
def test_nothing_that_hostile_code_tries_succeeds(make_press: MakePress, tmp_path: Path) -> None:
    press = make_press(slots=1, kept_slots=0, writable=(), hidden=(str(tmp_path),), sandbox="required")
    found = attacked(press, victim_of(tmp_path / "data"))
    assert {name: said for name, said in found.items() if "BROKEN" in said} == {}
    assert found.keys() == ATTEMPTS.keys()
    assert press.sandbox == "landlock+seccomp"
    assert (tmp_path / "data" / "pagemill.db").read_bytes() == b"rows"


@needs_bubblewrap
@pytest.mark.usefixtures("secrets")
def test_nothing_succeeds_in_bubblewrap_either(make_press: MakePress, tmp_path: Path) -> None:
    press = make_press(slots=1, kept_slots=0, writable=(), hidden=(str(tmp_path),), sandbox="bubblewrap")
    found = attacked(press, victim_of(tmp_path / "data"))
    assert {name: said for name, said in found.items() if "BROKEN" in said} == {}
    assert press.sandbox.startswith("bubblewrap+")
    assert isinstance(run_one(press, "echo"), Done)


def test_the_attempts_succeed_without_a_sandbox(make_press: MakePress, tmp_path: Path) -> None:
    press = make_press(slots=1, kept_slots=0, sandbox="off")
    ways = ["files_of_other_tenants", "the_database", "sockets_of_every_family", "environment_of_the_parent"]
    argument = json.dumps({"prey": victim_of(tmp_path / "data"), "ways": ways}).encode()
    [outcome] = press.run([Visit("a", "tests.press.visits:attack_in_some_ways", argument, 60)])
    assert isinstance(outcome, Done)
    assert all("BROKEN" in said for said in json.loads(outcome.answer).values())
    assert press.sandbox == "none"


def test_every_attempt_is_documented() -> None:
    told = (Path(__file__).parents[2] / "docs" / "security.md").read_text()
    assert [name for name in ATTEMPTS if f"`{name}`" not in told] == []


@needs_landlock
def test_a_visit_reads_what_it_was_given_and_its_files_are_delivered(
    make_press: MakePress, tmp_path: Path
) -> None:
    press = make_press(slots=1, kept_slots=0, writable=())
    parcel = Parcel(tmp_path, "fine")
    [outcome] = press.run([Visit("a", "tests.press.visits:copy", parcel, 30)])
    assert isinstance(outcome, Done), outcome
    assert (parcel.target / "copy.pdf").read_bytes() == b"%PDF"
    assert (parcel.target / "pages" / "1.txt").read_text() == "fine"
    assert parcel.file.stat().st_nlink == 1


@needs_landlock
def test_what_it_was_given_can_only_be_read_and_only_while_it_lasts(
    make_press: MakePress, tmp_path: Path
) -> None:
    press = make_press(slots=1, kept_slots=0, writable=())
    [outcome] = press.run([Visit("a", "tests.press.visits:spoil_input", Parcel(tmp_path, ""), 30)])
    assert isinstance(outcome, Done)
    first = json.loads(outcome.answer)
    assert first["spoilt"] == []
    assert (tmp_path / "document.pdf").read_bytes() == b"%PDF"
    after = run_one(press, "read_file", first["path"])
    assert isinstance(after, Done)
    assert after.answer == b"gone"


def test_files_are_added_to_a_folder_that_has_some(make_press: MakePress, tmp_path: Path) -> None:
    press = make_press(slots=1, kept_slots=0)
    parcel = Parcel(tmp_path, "new")
    (parcel.target / "pages").mkdir()
    (parcel.target / "kept.txt").write_text("kept")
    assert isinstance(press.run([Visit("a", "tests.press.visits:copy", parcel, 30)])[0], Done)
    assert sorted(path.name for path in parcel.target.rglob("*")) == [
        "1.txt",
        "copy.pdf",
        "kept.txt",
        "pages",
    ]


def test_what_is_written_for_a_folder_that_was_removed_is_dropped(
    make_press: MakePress, tmp_path: Path
) -> None:
    press = make_press(slots=1, kept_slots=0)
    parcel = Parcel(tmp_path, "late")
    parcel.target.rmdir()
    [outcome] = press.run([Visit("a", "tests.press.visits:copy", parcel, 30)])
    assert isinstance(outcome, Failed)
    assert outcome.code == "stored_file_missing"
    assert not parcel.target.exists()


@pytest.mark.parametrize("removed", ["", "results", "job"])
def test_a_new_folder_is_made_of_what_is_written_unless_the_one_above_was_removed(
    make_press: MakePress, tmp_path: Path, removed: str
) -> None:
    press = make_press(slots=1, kept_slots=0)
    parcel = Parcel(tmp_path, "new")
    parcel.is_new = True
    if removed:
        parcel.target.rmdir()
    if removed == "job":
        parcel.target.parent.rmdir()
    [outcome] = press.run([Visit("a", "tests.press.visits:copy", parcel, 30)])
    if removed == "job":
        assert isinstance(outcome, Failed)
        assert outcome.code == "stored_file_missing"
        assert not parcel.target.parent.exists()
    else:
        assert isinstance(outcome, Done)
        assert (parcel.target / "copy.pdf").read_bytes() == b"%PDF"


def test_a_visit_that_fails_delivers_nothing(make_press: MakePress, tmp_path: Path) -> None:
    press = make_press(slots=1, kept_slots=0)
    parcel = Parcel(tmp_path, "")
    [outcome] = press.run([Visit("a", "tests.press.visits:copy_and_fail", parcel, 30)])
    assert isinstance(outcome, Failed)
    assert not list(parcel.target.iterdir())


def test_a_link_is_not_delivered(make_press: MakePress, tmp_path: Path) -> None:
    press = make_press(slots=1, kept_slots=0, sandbox="off")
    parcel = Parcel(tmp_path, "")
    [outcome] = press.run([Visit("a", "tests.press.visits:leave_a_link", parcel, 30)])
    assert isinstance(outcome, Failed)
    assert not list(parcel.target.iterdir())


def test_a_child_that_fills_the_disk_is_ended(make_press: MakePress, tmp_path: Path) -> None:
    press = make_press(slots=1, kept_slots=0, disk_bytes=20_000_000, workspace=tmp_path)
    outcome = run_one(press, "fill_disk", b"", seconds=60)
    assert isinstance(outcome, Failed)
    assert outcome.code == "resource_limit"
    assert isinstance(run_one(press, "echo"), Done)
    wait_for(lambda: bytes_below(tmp_path) < 1_000)


def test_folders_of_children_are_removed_with_them(make_press: MakePress, tmp_path: Path) -> None:
    press = make_press(slots=1, kept_slots=0, workspace=tmp_path)
    run_one(press, "segfault")
    assert isinstance(run_one(press, "echo"), Done)
    wait_for(lambda: len(list(tmp_path.iterdir())) == 1)
    press.stop()
    wait_for(lambda: not list(tmp_path.iterdir()))


def test_the_parent_can_not_be_looked_into(make_press: MakePress) -> None:
    make_press(slots=1, kept_slots=0)
    assert (
        "0"
        in subprocess.run([sys.executable, "-c", DUMPABLE], capture_output=True, text=True, check=True).stdout
    )


DUMPABLE = """
import ctypes
from pagemill.press import Press, PressConfig
with Press(PressConfig(slots=1, kept_slots=0)):
    print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))
"""


def test_hidden_folders_are_not_granted_through_those_above(tmp_path: Path) -> None:
    for name in ("code/package", "code/data/blobs", "code/.secrets", "code/my-letters"):
        (tmp_path / name).mkdir(parents=True)
    hidden = [str(tmp_path / "code" / "data")]
    code = str(tmp_path / "code")
    assert grants([], [code], hidden).readable == (f"{code}/package",)
    assert grants([code], [], hidden).readable == (
        f"{code}/.secrets",
        f"{code}/my-letters",
        f"{code}/package",
    )
    assert grants([code], [], hidden).listable == (code,)
    assert grants([hidden[0] + "/blobs"], [], hidden).readable == ()


def test_a_sandbox_that_is_asked_for_and_missing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    bubblewrap_works.cache_clear()
    try:
        with pytest.raises(SandboxMissing):
            Press(PressConfig(slots=1, sandbox="bubblewrap"))
    finally:
        bubblewrap_works.cache_clear()


def test_the_strongest_sandbox_is_planned() -> None:
    plan = plan_sandbox("auto")
    assert plan.is_wanted
    assert plan.is_wrapped == (landlock_version() == 0 and bubblewrap_works())
    assert not plan_sandbox("off").is_wanted


def test_both_architectures_have_the_same_calls_but_for_old_ones() -> None:
    calls = system_calls()
    assert calls is None or 100 < len(calls.allowed) < 200


@pytest.mark.parametrize("name", ["d", "longer-than-a-path-can-be", "n" * 250])
def test_folders_in_folders_without_end_fail_their_visit_and_no_other(
    make_press: MakePress, tmp_path: Path, name: str
) -> None:
    press = make_press(slots=1, kept_slots=0)
    [dug] = press.run([Visit("a", "tests.press.visits:dig", Parcel(tmp_path, name), 30)])
    assert isinstance(dug, Failed), dug
    assert (dug.code, dug.retryable) == ("resource_limit", False)
    assert isinstance(run_one(press, "echo"), Done)
