"""Which links of a document may be followed."""

import re

_SAFE = re.compile(r"(?:https?|mailto|ftp):", re.IGNORECASE)


def safe_link(target: str) -> str | None:
    """The address of a link that may be followed; None for scripts, files and places on the page."""
    return target if _SAFE.match(target) else None
