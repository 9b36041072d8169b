"""A real server for the client to talk to."""

from collections.abc import Iterator

import pytest

from pagemill.client import Client
from tests.cli.around import Running, serving


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server."""
    with serving(tmp_path_factory.mktemp("server"), "--slots", "1") as server:
        yield server


@pytest.fixture
def client(running: Running) -> Iterator[Client]:
    """A client of the server."""
    with Client(running.url) as client:
        yield client
