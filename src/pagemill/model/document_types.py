"""Types of documents as people name them, and the documents in a stack of pages."""

from dataclasses import dataclass

UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class DocumentType:
    """What a document is, how sure that is from 0 to 1, and why; `unknown` if nothing or too much speaks for it."""

    name: str
    score: float
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StackPart:
    """Pages of a stack that are one document, and why it begins there."""

    first_page: int
    last_page: int
    type: DocumentType
    reasons: tuple[str, ...] = ()
