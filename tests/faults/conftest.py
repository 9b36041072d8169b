"""A real `pagemill serve` for fault tests, killed at the end whatever happened."""

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pytest

from bench.serving import Serving, start
from tests.trial_provider import ENVIRONMENT

ROOT = Path(__file__).parents[2]
QUICK: dict[str, str | int | float] = {
    "slots": 2,
    "kept_slots": 1,
    "lease_seconds": 3,
    "heartbeat_seconds": 0.5,
    "sweep_seconds": 0.5,
    "log_level": "INFO",
}


class Serve(Protocol):
    """Starts a server on a data folder."""

    def __call__(self, data_dir: Path, *, up: bool = True, **settings: str | int | float) -> Serving:
        """A server, by default once it takes work; every setting may be given."""
        ...


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """Start servers that know the trial provider; all are killed at the end of the test."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    trial = {name.removeprefix("PAGEMILL_").lower(): value for name, value in ENVIRONMENT.items()}
    started: list[Serving] = []

    def run(data_dir: Path, *, up: bool = True, **settings: str | int | float) -> Serving:
        server = start(data_dir, workers=True, **{**QUICK, **trial, **settings})
        started.append(server)
        if up:
            server.wait_until_up("/ready")
        return server

    yield run
    for server in started:
        server.kill()
