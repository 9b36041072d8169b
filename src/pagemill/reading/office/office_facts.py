"""What an office file says of itself: title, authors, dates, and the files inside of it."""

from contextlib import suppress

from pagemill.errors import DocumentError
from pagemill.model.document_facts import Attachment, DocumentFacts
from pagemill.model.sniffing import OLE_MARK
from pagemill.reading.clean import clean
from pagemill.reading.office.contained_files import names_of_files
from pagemill.reading.office.ole_files import ole_type, opened_with_password
from pagemill.reading.office.package import Package
from pagemill.reading.office.xml_parts import Element, descendants

MOST_FILES, MOST_CHARACTERS, MOST_AUTHORS = 1_000, 1_000, 100
# Where packages keep what they say of themselves: OOXML and OpenDocument.
PARTS = ("docProps/core.xml", "meta.xml")
MAX_CORE_BYTES = 1 << 20


def office_facts(path: str, password: str | None) -> DocumentFacts:
    """What an office file says of itself; what can't be found out is left out."""
    files = tuple(Attachment(_line(name), size) for name, size in names_of_files(path, password, MOST_FILES))
    root = _properties(path, password)
    if root is None:
        return DocumentFacts(attachments=files)
    return DocumentFacts(
        title=_value(root, "title") or None,
        authors=_authors(root),
        subject=_value(root, "subject") or None,
        keywords=_value(root, "keywords", "keyword") or None,
        creator=_value(root, "generator") or None,
        created_at=_value(root, "created", "creation-date") or None,
        modified_at=_value(root, "modified", "date") or None,
        language=_value(root, "language") or None,
        attachments=files,
    )


def _properties(path: str, password: str | None) -> Element | None:
    """The part of a package that describes it."""
    with suppress(DocumentError):
        package = _package(path, password)
        for part in PARTS if package else ():
            if package is not None and package.has(part):
                return package.xml_if_any(part)
    return None


def _package(path: str, password: str | None) -> Package | None:
    with open(path, "rb") as file:
        head = file.read(len(OLE_MARK))
    if head.startswith(b"PK"):
        return Package(path, max_part_bytes=MAX_CORE_BYTES)
    if head == OLE_MARK and ole_type(path) == "encrypted":
        return Package(opened_with_password(path, password), max_part_bytes=MAX_CORE_BYTES)
    return None


def _authors(root: Element) -> tuple[str, ...]:
    """Who wrote the file; in OpenDocument the one who began it comes first."""
    named = _value(root, "initial-creator") or _value(root, "creator")
    return tuple(_line(name) for name in named.split(";")[:MOST_AUTHORS] if name.strip())


def _value(root: Element, *names: str) -> str:
    """The text of the first element with one of these names."""
    found = next(descendants(root, *names), None)
    return _line("".join(found.itertext())) if found is not None else ""


def _line(text: str) -> str:
    return " ".join(clean(text).split())[:MOST_CHARACTERS]
