"""One clamd for all tests; those that kill it start it again."""

from collections.abc import Iterator

import pytest

from tests.scanning.clamd import Clamd, prepare


@pytest.fixture(scope="session")
def clamd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clamd]:
    """A clamd that answers."""
    one = prepare(tmp_path_factory.mktemp("clamd"))
    one.start()
    yield one
    one.kill()
