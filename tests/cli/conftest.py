"""Folders to run commands in, and a server that the tests of one file share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import samples
from tests.cli.around import Running, Shell, serving


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """An empty folder to run commands in."""
    return Shell(tmp_path)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server."""
    with serving(tmp_path_factory.mktemp("server"), "--slots", "1") as server:
        yield server
        code, _, said = server.stop()
        assert code == 0, said


@pytest.fixture
def client_shell(tmp_path: Path, running: Running) -> Shell:
    """A folder with a letter in it, whose commands find the server."""
    (tmp_path / "letter.pdf").write_bytes(samples.letter())
    return Shell(tmp_path, {"PAGEMILL_SERVER": running.url})
