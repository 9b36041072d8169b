"""One open server at work, and one behind a key whose jobs wait, for all tables."""

from collections.abc import Iterator

import pytest

from tests.mills import small_settings
from tests.servers import Served, served, served_idle

MAX_BYTES = 2_000_000
OPERATOR = "o" * 43


@pytest.fixture(scope="session")
def open_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server without a key that reads documents."""
    limits = {
        "max_file_bytes": MAX_BYTES,
        "upload_window_seconds": 1,
        "max_pages": 500,
        "max_image_pages": 50,
        "max_wait_seconds": 60,
        "page_timeout_seconds": 5,
        "slots": 2,
        "kept_slots": 0,
    }
    with served(small_settings(tmp_path_factory.mktemp("bad_inputs"), **limits)) as server:
        yield server


@pytest.fixture(scope="session")
def locked_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with a key, whose jobs are never begun."""
    changes = {"api_key": OPERATOR, "max_pending_jobs": 5, "slots": 1, "kept_slots": 0}
    with served_idle(small_settings(tmp_path_factory.mktemp("locked"), **changes)) as server:
        yield server
