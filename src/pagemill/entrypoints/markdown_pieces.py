"""Pieces of a long Markdown text, as tools of the Model Context Protocol answer with them."""

from typing import Any

MOST_CHARACTERS = 100_000


def markdown_piece(text: str, offset: int, limit: int) -> dict[str, Any]:
    """The Markdown from a character on; next_offset is None at its end."""
    start = max(offset, 0)
    end = start + min(max(limit, 1), MOST_CHARACTERS)
    following = end if end < len(text) else None
    return {"markdown": text[start:end], "characters": len(text), "next_offset": following}
