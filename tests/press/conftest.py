"""A press with real children."""

import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from pagemill.press import Press, PressConfig, launch
from tests.press.around import MakePress


@pytest.fixture(autouse=True)
def started_children(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have presses start their children as the service does: what comes of that is what these tests are about."""
    monkeypatch.setattr(launch, "start_process", subprocess.Popen)


@pytest.fixture
def make_press(tmp_path: Path) -> Iterator[MakePress]:
    """Start a press that is stopped after the test; its children may leave marks in the test's own folder."""
    with ExitStack() as presses:

        def start(**options: Any) -> Press:
            return presses.enter_context(Press(PressConfig(**{"writable": (str(tmp_path),), **options})))

        yield start


@pytest.fixture
def press(make_press: MakePress) -> Press:
    """A press with one general child."""
    return make_press(slots=1, kept_slots=0)


@pytest.fixture
def callers() -> Iterator[ThreadPoolExecutor]:
    """Threads to call a press from."""
    with ThreadPoolExecutor(16) as pool:
        yield pool
