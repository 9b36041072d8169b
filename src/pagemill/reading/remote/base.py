"""The shape of a remote provider: one that sends the picture of a page over the network."""

from dataclasses import dataclass
from typing import Protocol

from pagemill.model.pages import Block


@dataclass(frozen=True, slots=True)
class Picture:
    """A page as an encoded image, and the size in points that it stands for."""

    encoded: bytes
    media_type: str
    pixels_wide: int
    pixels_high: int
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Answer:
    """What a remote provider read: blocks in reading order, with boxes in points where it knows them.

    `turned` is how many degrees clockwise the picture has to be turned, if the provider says that it is on its side.
    """

    blocks: tuple[Block, ...]
    confidence: float = 1.0
    warnings: tuple[str, ...] = ()
    turned: int = 0


class TryLater(Exception):
    """The provider can't answer now, but may do so after a while: busy, limited, slow or away."""

    def __init__(self, message: str, wait_seconds: float | None = None) -> None:
        super().__init__(message)
        self.wait_seconds = wait_seconds


class Remote(Protocol):
    """Reads a picture of a page on another machine; Refusal and TryLater say why it did not."""

    name: str

    @property
    def longest_side_pixels(self) -> int:
        """The size of picture that the model was made for; a larger one is a waste."""
        ...

    def version(self) -> str:
        """The model that answers; another one may read the same page differently."""
        ...

    def available(self) -> str | None:
        """None if it is set up, otherwise what is missing."""
        ...

    def read(self, picture: Picture) -> Answer:
        """What is on the page; called from many threads at once."""
        ...
