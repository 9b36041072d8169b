"""The shape of a recogniser: an engine that reads the text in a picture, inside the press."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

from pagemill.model.pages import Line

if TYPE_CHECKING:
    # Asking whether an engine can be used must not cost what using it does.
    import numpy
    from numpy.typing import NDArray

# Height x width x 3, red green blue, upright.
Pixels: TypeAlias = "NDArray[numpy.uint8]"
Floats: TypeAlias = "NDArray[numpy.float32]"


class Recogniser(Protocol):
    """Reads the text in a picture."""

    name: str

    def version(self) -> str:
        """The version of the engine and its models; another version may read the same picture differently."""
        ...

    def available(self) -> str | None:
        """None if it can be used here, otherwise why not."""
        ...

    def recognise(self, pixels: Pixels, languages: Sequence[str]) -> list[Line]:
        """The lines of an upright picture, in any order, with boxes in pixels from the top left.

        `languages` are ISO 639-1 codes that the caller expects; none means that nothing is known.
        """
        ...


def overall(lines: Iterable[Line]) -> float:
    """How sure the recogniser is of all lines; longer ones count for more."""
    weights = [(line.confidence, len(line.text)) for line in lines]
    return sum(sure * length for sure, length in weights) / max(1, sum(length for _, length in weights))
