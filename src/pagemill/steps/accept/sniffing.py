"""What the first bytes of a document show, and where its bytes are kept."""

import puremagic

from pagemill.errors import UnsupportedFileType
from pagemill.model.file_types import PDF, SUFFIXES
from pagemill.model.sniffing import SNIFF_BYTES, media_type_of

# What tells the archive of an office document from any other.
OFFICE_MARK = b"[Content_Types].xml"
# The first bytes of a document, which its type is told from.
HEAD_BYTES = SNIFF_BYTES


def document_key(document_id: str, media_type: str = PDF) -> str:
    """Where the bytes of a document are kept."""
    return f"documents/{document_id[-2:]}/{document_id}{SUFFIXES[media_type]}"


def sniff(head: bytes) -> str:
    """The media type that the first bytes show; UnsupportedFileType names what they look like."""
    found = media_type_of(head[:SNIFF_BYTES])
    if found is None:
        raise UnsupportedFileType(
            f"The file looks like {describe_bytes(head)}; a PDF, an image, an office file or a text is needed.",
            detected=describe_bytes(head),
        )
    return found


def describe_bytes(head: bytes) -> str:
    """What bytes that can't be read look like."""
    if head.startswith(b"PK") and OFFICE_MARK not in head:
        return "application/zip"
    try:
        return puremagic.from_string(head, mime=True) or "application/octet-stream"
    except (puremagic.PureError, ValueError):
        return "application/octet-stream"
