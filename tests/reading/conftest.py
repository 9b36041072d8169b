"""A server that reads pages, for the tests of remote providers."""

from collections.abc import Iterator

import pytest

from tests.reading.remote_server import Behaviour, serving


@pytest.fixture
def behaviour() -> Behaviour:
    """What the server does."""
    return Behaviour()


@pytest.fixture
def url(behaviour: Behaviour) -> Iterator[str]:
    """Where the server is."""
    with serving(behaviour) as address:
        yield address
