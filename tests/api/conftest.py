"""Servers that tests share: one whose mill is at work, one for each file, and one whose jobs wait for ever."""

from collections.abc import Iterator

import pytest

from tests.mills import shared_settings, small_settings
from tests.servers import Served, served, served_idle

MAX_BYTES = 300_000


@pytest.fixture(scope="session")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server whose mill is at work."""
    with served(shared_settings(tmp_path_factory.mktemp("busy"), kept_slots=1)) as server:
        yield server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with a mill at work for the tests of one file, which tell their documents apart."""
    with served(shared_settings(tmp_path_factory.mktemp("server"))) as server:
        yield server


@pytest.fixture(scope="session")
def idle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server whose jobs are never begun, with a low limit on the size of documents and on patience."""
    limits = {
        "max_file_bytes": MAX_BYTES,
        "upload_window_seconds": 1,
        "min_upload_rate": 1_000,
        "max_waiting_requests": 3,
        "max_wait_seconds": 2,
        "min_free_bytes": 0,
    }
    with served_idle(small_settings(tmp_path_factory.mktemp("idle"), **limits)) as server:
        yield server
