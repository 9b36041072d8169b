"""The queue wakes workers. Losing, repeating or delaying a message only delays work."""

from collections.abc import Collection, Iterable
from typing import Protocol

from pagemill.model.messages import Message
from pagemill.model.states import Lane


class Queue(Protocol):
    """Wakes the workers of a lane."""

    def send(self, messages: Iterable[Message]) -> None:
        """Wake the lanes of these messages; never blocks for long and never raises."""

    def wake(self, messages: Iterable[Message]) -> None:
        """Wake only threads of this process for these messages."""

    def wait(self, lanes: Collection[Lane], timeout_seconds: float) -> bool:
        """Wait until one of the lanes is woken; False after the time-out."""

    def close(self) -> None:
        """Wake everybody for good."""
