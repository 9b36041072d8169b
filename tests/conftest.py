"""What many tests need: settings for a folder of their own, a mill at work there, and a server in front of one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pagemill.mill import Mill
from pagemill.settings import Settings
from pagemill.wiring import opened
from tests.mills import small_settings
from tests.servers import Served, served


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings with short times, for a data folder of the test's own."""
    return small_settings(tmp_path / "mill")


@pytest.fixture
def mill(settings: Settings) -> Iterator[Mill]:
    """A mill at work."""
    with opened(settings) as opened_mill:
        yield opened_mill


@pytest.fixture
def server(settings: Settings) -> Iterator[Served]:
    """A server with a mill at work behind it."""
    with served(settings) as opened_server:
        yield opened_server
