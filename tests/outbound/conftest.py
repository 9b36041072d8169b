"""Ends the connections of each test."""

from collections.abc import Iterator

import pytest

from tests.outbound.opened import OPENED


@pytest.fixture(autouse=True)
def close_connections() -> Iterator[None]:
    """Close every client that the test has opened."""
    yield
    while OPENED:
        OPENED.pop().close()
