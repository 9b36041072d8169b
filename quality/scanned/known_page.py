"""A page whose text is known, before it becomes a picture."""

from dataclasses import dataclass
from pathlib import Path

from quality.corpus import Document


@dataclass(frozen=True, slots=True)
class KnownPage:
    """A page of a PDF with its text in reading order; `origin` is the document of the corpus that it is from."""

    kind: str
    path: Path
    number: int
    text: str
    origin: Document | None = None
