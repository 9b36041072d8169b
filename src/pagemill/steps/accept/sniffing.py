"""What the first bytes of a document show, and where its bytes are kept."""

import puremagic

from pagemill.errors import UnsupportedFileType
from pagemill.model.file_types import PDF, SUFFIXES, ReadAs, is_text, type_of_file
from pagemill.model.sniffing import SNIFF_BYTES, archive_type, media_type_of

# What tells the archive of an office document from any other.
OFFICE_MARK = b"[Content_Types].xml"
# What people call files that can't be read, by media type or by the part of it in front of the slash.
NAMES = {
    "application/zip": "a ZIP archive (send the files in it one by one)",
    "application/gzip": "a gzip archive (unpack it first)",
    "application/x-gzip": "a gzip archive (unpack it first)",
    "application/x-7z-compressed": "a 7z archive (unpack it first)",
    "application/vnd.rar": "a RAR archive (unpack it first)",
    "application/x-rar-compressed": "a RAR archive (unpack it first)",
    "application/x-tar": "a tar archive (unpack it first)",
    "application/octet-stream": "a file of an unknown type",
    "audio": "an audio recording",
    "video": "a video",
    "font": "a font",
}
# The first bytes of a document, which its type is detected from.
HEAD_BYTES = SNIFF_BYTES


def document_key(document_id: str, media_type: str = PDF) -> str:
    """Where the bytes of a document are kept."""
    return f"documents/{document_id[-2:]}/{document_id}{SUFFIXES[media_type]}"


def sniff(head: bytes, *, name: str = "", archives: bool = False) -> str:
    """The media type that the first bytes show, of archives only if these are taken; UnsupportedFileType otherwise.

    The name decides nothing, but for texts, which have no mark to know them by: one that is named like a PDF or a
    picture is most often a page that says what went wrong with a download, and is refused.
    """
    found = media_type_of(head[:SNIFF_BYTES])
    if archives and found in (None, PDF):
        # The mark of a PDF may be that of the first document in an archive.
        found = archive_type(head) or found
    if found is None:
        detected = guess_media_type(head)
        raise UnsupportedFileType(
            f"The file looks like {describe(detected)}; a PDF, an image, an office file or a text is needed.",
            detected=detected,
        )
    if is_text(found) and is_named_like_pages(name):
        raise UnsupportedFileType(
            f"The file is named like a PDF or a picture, but it is a text ({found}). "
            f"If the text is meant, give it a name that ends in {SUFFIXES[found]}.",
            detected=found,
        )
    return found


def is_named_like_pages(name: str) -> bool:
    """Whether a name is that of a PDF or a picture."""
    named = type_of_file(name)
    return named is not None and named.read_as is not ReadAs.OFFICE


def describe(media_type: str) -> str:
    """What people call files of a type that can't be read."""
    kind = media_type.partition("/")[0]
    return NAMES.get(media_type) or NAMES.get(kind) or media_type


def guess_media_type(head: bytes) -> str:
    """The media type of bytes that can't be read."""
    if head.startswith(b"PK") and OFFICE_MARK not in head:
        return "application/zip"
    try:
        return puremagic.from_string(head, mime=True) or "application/octet-stream"
    except (puremagic.PureError, ValueError):
        return "application/octet-stream"
