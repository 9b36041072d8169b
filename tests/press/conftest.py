"""A press with real children."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from pagemill.press import Press, PressConfig
from tests.press.around import MakePress


@pytest.fixture
def make_press() -> Iterator[MakePress]:
    """Start a press that is stopped after the test."""
    with ExitStack() as presses:
        yield lambda **options: presses.enter_context(Press(PressConfig(**options)))


@pytest.fixture
def press(make_press: MakePress) -> Press:
    """A press with one general child."""
    return make_press(slots=1, kept_slots=0)


@pytest.fixture
def callers() -> Iterator[ThreadPoolExecutor]:
    """Threads to call a press from."""
    with ThreadPoolExecutor(16) as pool:
        yield pool
