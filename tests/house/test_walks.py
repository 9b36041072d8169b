"""The walks through the code in docs/design.md: the functions are there, and documents pass them in this order."""

import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from inspect import unwrap
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

from pagemill.mill import Mill
from pagemill.model.states import Lane
from pagemill.reading import visits
from pagemill.runner import take_turn
from pagemill.steps.accept import IncomingDocument
from tests import samples
from tests.house.source import ROOT
from tests.mills import small_settings
from tests.pictures import encoded, written
from tests.servers import Served, served_idle
from tests.trial_provider import ENVIRONMENT
from tests.waiting import wait_for

PAGE = (ROOT / "docs/design.md").read_text(encoding="utf-8")
WALKS = PAGE.partition("### Four walks through the code")[2].partition("\n### ")[0]
NAME = re.compile(r"`([a-z_]+(?:\.[A-Za-z_]+)+)`")
NAMES = sorted(set(NAME.findall(WALKS)))
VISIT = Mill.visit.__code__
LANES = tuple(Lane)
# What is called of a class that is named.
METHODS = {IncomingDocument: IncomingDocument.write}
# In the processes of the press nothing is traced: that the whole document was read there is seen by the finding of it.
UNSEEN = {"reading.short_document.read_short_document"}
# Named as another way to the same end.
OTHER_WAYS = {"remote_pages.ask_provider"}


@dataclass
class Passed:
    """The functions that were called since the beginning, in order."""

    code: list[CodeType] = field(default_factory=list)

    def trace(self, frame: FrameType, event: str, _: object) -> None:
        """Note a call; a visit to the press counts as a call of its function."""
        if event != "call":
            return
        self.code.append(frame.f_code)
        if frame.f_code is VISIT:
            self.code.append(unwrap(getattr(visits, frame.f_locals["function"])).__code__)


def function_of(name: str) -> Any:
    """What a name of a walk stands for."""
    module, _, function = f"pagemill.{name}".rpartition(".")
    return getattr(import_module(module), function)


def walk(title: str) -> list[str]:
    """The names of a walk, in order."""
    steps = WALKS.partition(f"**{title}")[2].partition("\n**")[0]
    return [name for name in NAME.findall(steps) if name not in UNSEEN | OTHER_WAYS]


def code_of(name: str) -> CodeType:
    """The code that runs when a function of a walk is passed."""
    function = function_of(name)
    code: CodeType = unwrap(METHODS.get(function, function)).__code__
    return code


def check_order(title: str, passed: Passed) -> None:
    """Every function of the walk was called, each after the one before."""
    names, place = walk(title), 0
    assert names
    for name in names:
        code = code_of(name)
        assert code in passed.code, f"{name} was not called"
        assert code in passed.code[place:], f"{name} is not called after the one before"
        place = passed.code.index(code, place) + 1


@pytest.fixture
def passed() -> Iterator[Passed]:
    """What all threads call that begin from now on, and this one."""
    noted = Passed()
    threading.setprofile(noted.trace)
    sys.setprofile(noted.trace)
    yield noted
    sys.setprofile(None)
    threading.setprofile(None)


@contextmanager
def at_work(folder: Path, passed: Passed, **changes: object) -> Iterator[Served]:
    """A server whose jobs wait until the test takes turns; what its start calls is not counted."""
    with served_idle(small_settings(folder, **changes)) as server:
        passed.code.clear()
        yield server


def take_turns(server: Served) -> None:
    """Do all work that is there."""
    while take_turn(server.mill, LANES, threading.Event()):
        pass


def test_there_are_walks() -> None:
    assert len(NAMES) > 20


@pytest.mark.parametrize("name", NAMES)
def test_a_function_of_a_walk_is_there(name: str) -> None:
    assert callable(function_of(name))


@pytest.mark.mill
def test_a_digital_pdf_takes_its_walk(tmp_path: Path, passed: Passed) -> None:
    with at_work(tmp_path, passed) as server:
        server.submit(samples.report(3))
        take_turns(server)
    check_order("A digital PDF", passed)


@pytest.mark.mill
def test_a_scan_takes_its_walk(tmp_path: Path, passed: Passed, monkeypatch: pytest.MonkeyPatch) -> None:
    add_trial_providers(monkeypatch)
    with at_work(tmp_path, passed, providers="liteparse,sure", sandbox="off") as server:
        server.http.post("/v1/jobs", content=encoded(written(["A scan"]), "PNG"))
        take_turns(server)
    check_order("A scan", passed)


@pytest.mark.mill
def test_a_cancel_takes_its_walk(tmp_path: Path, passed: Passed, monkeypatch: pytest.MonkeyPatch) -> None:
    add_trial_providers(monkeypatch)
    with at_work(tmp_path, passed, providers="trial", sandbox="off") as server:
        job = server.submit(samples.trial_pages(["TRIAL:sleep"]))
        worker = threading.Thread(target=take_turn, args=(server.mill, LANES, threading.Event()))
        worker.start()
        wait_for(lambda: server.http.get(f"/v1/jobs/{job['id']}").json()["status"] == "processing")
        wait_for(server.mill.press.keys)
        server.http.post(f"/v1/jobs/{job['id']}/cancel")
        worker.join()
    check_order("A cancel", passed)


@pytest.mark.mill
def test_a_retry_takes_its_walk(tmp_path: Path, passed: Passed, monkeypatch: pytest.MonkeyPatch) -> None:
    add_trial_providers(monkeypatch)
    with at_work(tmp_path, passed, providers="trial", sandbox="off") as server:
        job = server.submit(samples.trial_pages(["", "TRIAL:error"]))
        take_turns(server)
        passed.code.clear()
        server.http.post(f"/v1/jobs/{job['id']}/retry", json={"only": "failed"})
        take_turns(server)
    check_order("A retry", passed)


def add_trial_providers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the providers for tests be known."""
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
