"""File names that callers send: made harmless for display, and written safely into headers."""

import re
import unicodedata
from email.message import EmailMessage
from pathlib import PurePosixPath
from urllib.parse import quote

FALLBACK = "document.pdf"
MAX_CHARACTERS = 255
MAX_SUFFIX_CHARACTERS = 16
MAX_HEADER_CHARACTERS = 2_048
# The two joiners are part of words and emoji; all other format characters can only mislead.
JOINERS = frozenset("\u200c\u200d")
HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
# HTML among them: it is escaped, and answered with a policy that takes its scripts and its origin away.
SHOWN = frozenset(
    "application/json image/jpeg image/png image/webp text/html text/markdown text/plain".split()
)
DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)

# Files that systems put into archives beside the documents.
SYSTEM_FOLDER, SYSTEM_FILES = "__MACOSX", frozenset({"Thumbs.db", "desktop.ini"})


def is_document(name: str) -> bool:
    """Whether an entry of an archive is a file that a person put there, by its name."""
    path = PurePosixPath(name)
    return not (path.name.startswith(".") or path.name in SYSTEM_FILES or SYSTEM_FOLDER in path.parts)


def sanitise_filename(name: str | None) -> str:
    """The base name of what a caller sent, without characters that mislead or break out; never empty."""
    base = re.split(r"[/\\]", unicodedata.normalize("NFC", name or ""))[-1]
    shown = "".join(char for char in base if char in JOINERS or unicodedata.category(char) not in HIDDEN)
    shown = shown.strip(" .\u00a0\u3000") if not shown.strip(". ") else shown.strip()
    if not shown or DEVICE.fullmatch(shown):
        return FALLBACK
    return shorten_filename(shown)


def shorten_filename(name: str) -> str:
    """The name cut to the longest that is kept, with its suffix."""
    if len(name) <= MAX_CHARACTERS:
        return name
    stem, dot, suffix = name.rpartition(".")
    if not dot or len(suffix) > MAX_SUFFIX_CHARACTERS:
        return name[:MAX_CHARACTERS]
    return stem[: MAX_CHARACTERS - len(suffix) - 1] + dot + suffix


def disposition_filename(header: str) -> str | None:
    """The name in a Content-Disposition header, made harmless; None if there is none."""
    parsed = EmailMessage()
    try:
        parsed["content-disposition"] = header[:MAX_HEADER_CHARACTERS]
    except ValueError:
        return None
    name = parsed.get_filename()
    return sanitise_filename(name) if name else None


def content_disposition(name: str, media_type: str) -> str:
    """A Content-Disposition header for a file of that name, whatever characters it has (RFC 6266).

    What browsers show without running anything may be shown; all else is saved.
    """
    shown = "inline" if media_type.partition(";")[0] in SHOWN else "attachment"
    plain = re.sub(r"[^ !#$&+.0-9A-Z^_`a-z|~()\[\]{}@,=-]", "_", name)
    return f"{shown}; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
