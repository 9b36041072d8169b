"""Types of documents: their media types, the endings of their stored files, and how they are read."""

from dataclasses import dataclass
from enum import StrEnum

PDF = "application/pdf"
_OOXML = "application/vnd.openxmlformats-officedocument"
_ODF = "application/vnd.oasis.opendocument"


class ReadAs(StrEnum):
    """How a document is read."""

    PDF = "pdf"
    IMAGE = "image"
    OFFICE = "office"


@dataclass(frozen=True, slots=True)
class FileType:
    """A type of documents."""

    media_type: str
    suffix: str
    read_as: ReadAs


def _office(media_type: str, suffix: str) -> FileType:
    return FileType(media_type, suffix, ReadAs.OFFICE)


def _image(name: str) -> FileType:
    return FileType(f"image/{name}", f".{name}", ReadAs.IMAGE)


FILE_TYPES = (
    FileType(PDF, ".pdf", ReadAs.PDF),
    *map(_image, ("png", "jpeg", "webp", "tiff", "gif", "bmp", "avif", "heic", "jp2")),
    _office(f"{_OOXML}.wordprocessingml.document", ".docx"),
    _office(f"{_OOXML}.presentationml.presentation", ".pptx"),
    _office(f"{_OOXML}.spreadsheetml.sheet", ".xlsx"),
    _office(f"{_ODF}.text", ".odt"),
    _office(f"{_ODF}.presentation", ".odp"),
    _office(f"{_ODF}.spreadsheet", ".ods"),
    _office("application/epub+zip", ".epub"),
    # Packages and compound files whose first bytes don't say what is inside; that is known after opening them.
    _office("application/x-ooxml", ".ooxml"),
    _office("application/x-ole-storage", ".ole"),
    _office("application/msword", ".doc"),
    _office("application/vnd.ms-powerpoint", ".ppt"),
    _office("application/vnd.ms-excel", ".xls"),
    _office("application/vnd.ms-outlook", ".msg"),
    _office("application/rtf", ".rtf"),
    _office("text/html", ".html"),
    _office("multipart/related", ".mhtml"),
    _office("message/rfc822", ".eml"),
    _office("text/csv", ".csv"),
    _office("text/tab-separated-values", ".tsv"),
    _office("text/markdown", ".md"),
    _office("text/x-rst", ".rst"),
    _office("text/asciidoc", ".adoc"),
    _office("text/vtt", ".vtt"),
    _office("application/x-subrip", ".srt"),
    _office("application/json", ".json"),
    _office("application/xml", ".xml"),
    # A drawing has its words as text.
    _office("image/svg+xml", ".svg"),
    _office("text/plain", ".txt"),
    # Archives of documents, taken where each file in them can become a document.
    _office("application/zip", ".zip"),
    _office("application/x-tar", ".tar"),
)
ARCHIVE_SUFFIXES = (".zip", ".tar")
ARCHIVE_TYPES = ("application/zip", "application/x-tar")
# What clients declare a body to be that is an archive.
ARCHIVE_CONTENT_TYPES = (
    "application/zip",
    "application/x-zip-compressed",
    "application/x-tar",
    "application/gzip",
    "application/x-gzip",
)
BY_MEDIA_TYPE = {one.media_type: one for one in FILE_TYPES}
BY_SUFFIX = {one.suffix: one for one in FILE_TYPES}
SUFFIXES = {one.media_type: one.suffix for one in FILE_TYPES}


# Other endings that people give to files of the same types.
_OTHER_ENDINGS = {
    ".docm": ".docx",
    ".dotx": ".docx",
    ".dotm": ".docx",
    ".pptm": ".pptx",
    ".ppsx": ".pptx",
    ".ppsm": ".pptx",
    ".potx": ".pptx",
    ".xlsm": ".xlsx",
    ".xltx": ".xlsx",
    ".xlsb": ".xlsx",
    ".jpg": ".jpeg",
    ".tif": ".tiff",
    ".htm": ".html",
    ".tgz": ".tar",
    ".gz": ".tar",
    ".mht": ".mhtml",
}


def type_of_file(name: str) -> FileType | None:
    """The type of a stored document by the ending of its name, which was chosen when its bytes were looked at."""
    ending = f".{name.rpartition('.')[2].lower()}"
    return BY_SUFFIX.get(_OTHER_ENDINGS.get(ending, ending))


# Types of which a short or ragged text may show no sign.
_PLAIN, _IN_DOUBT = (
    "text/plain",
    ("text/csv", "text/tab-separated-values", "text/markdown", "text/x-rst", "text/asciidoc"),
)


def settle_type(media_type: str, name: str) -> str:
    """The type of a document by its bytes; the name of a text that shows no sign of its type decides in doubt."""
    named = type_of_file(name)
    return (
        named.media_type if media_type == _PLAIN and named and named.media_type in _IN_DOUBT else media_type
    )


def is_text(media_type: str) -> bool:
    """Whether files of a type are texts that people or programs write as they are."""
    return media_type.startswith("text/") or media_type in (
        "application/json",
        "application/xml",
        "application/x-subrip",
    )


def is_office(name: str) -> bool:
    """Whether a stored document is read from its own structure and not from printed pages."""
    found = type_of_file(name)
    return found is not None and found.read_as is ReadAs.OFFICE
