"""Identifiers: UUIDv7, so that they sort by the time they were made."""

from uuid import UUID

from uuid_utils import uuid7


def new_id() -> str:
    """A fresh identifier that sorts after all earlier ones."""
    return str(uuid7())


def is_id(text: str) -> bool:
    """Whether the text is an identifier in the form that we write."""
    try:
        return str(UUID(text)) == text
    except ValueError:
        return False
