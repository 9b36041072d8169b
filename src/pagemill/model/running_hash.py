"""A hash that grows with the bytes it has seen."""

from typing import Protocol


class RunningHash(Protocol):
    """What hashes of the standard library can do."""

    def update(self, piece: bytes, /) -> None:
        """Add bytes."""

    def digest(self) -> bytes:
        """The hash so far."""
