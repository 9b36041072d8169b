"""The files inside of a document of any type: attachments, embedded objects, images, entries of archives."""

import io
from collections.abc import Iterator
from contextlib import suppress
from pathlib import PurePosixPath

import olefile  # type: ignore[import-untyped]
import pypdfium2

from pagemill.errors import DocumentError
from pagemill.model.file_types import ARCHIVE_SUFFIXES, is_office
from pagemill.model.sniffing import OLE_MARK, SNIFF_BYTES, media_type_of
from pagemill.reading.office.archives import archive_entries
from pagemill.reading.office.contained import ContainedFile
from pagemill.reading.office.ole_files import ole_type, opened_with_password
from pagemill.reading.office.package import Package
from pagemill.reading.pdf.inspection import attachment_name, open_pdf

# Folders of packages whose parts are files of their own.
FOLDERS = ("embeddings", "media", "pictures")
OLE_OBJECT_SUFFIXES = (".bin", ".ole")
# Streams of an object that hold a whole file.
WHOLE_FILES = ("Package", "CONTENTS")
NATIVE = "\x01Ole10Native"
MAX_OBJECT_BYTES = 256 << 20
MOST_NAME_BYTES = 1_024


def contained_files(path: str, password: str | None) -> Iterator[ContainedFile]:
    """The files in a document, in order; the bytes of one can be read until the next is asked for."""
    if not is_office(path):
        return pdf_attachments(path, password)
    if path.lower().endswith(ARCHIVE_SUFFIXES):
        return archive_entries(path)
    with open(path, "rb") as file:
        head = file.read(SNIFF_BYTES)
    if head.startswith(b"PK"):
        return package_files(Package(path))
    if head.startswith(OLE_MARK):
        return compound_files(path, password)
    return mail_attachments(path) if media_type_of(head) == "message/rfc822" else iter(())


def pdf_attachments(path: str, password: str | None) -> Iterator[ContainedFile]:
    """The attachments of a PDF: those of a portfolio and the XML of an invoice among them."""
    with open_pdf(path, password) as document:
        for index in range(document.count_attachments()):
            with suppress(pypdfium2.PdfiumError):
                attachment = document.get_attachment(index)
                raw = bytes(attachment.get_data())
                yield ContainedFile(
                    attachment_name(attachment) or f"attachment-{index + 1}", len(raw), (raw,)
                )


def package_files(package: Package) -> Iterator[ContainedFile]:
    """The embedded files and images of an office file."""
    for entry in package.entries():
        parts = PurePosixPath(entry.filename.lower().replace("\\", "/"))
        if entry.is_dir() or not any(folder in parts.parts[:-1] for folder in FOLDERS):
            continue
        name = PurePosixPath(entry.filename).name
        if parts.suffix in OLE_OBJECT_SUFFIXES:
            raw = package.read(entry.filename)
            yield from object_files(raw, name)
        else:
            yield ContainedFile(name, entry.file_size, package.entry_pieces(entry))


def compound_files(path: str, password: str | None) -> Iterator[ContainedFile]:
    """The files in a compound file: those of an encrypted package, of a stored e-mail, or of objects."""
    kind = ole_type(path)
    if kind == "encrypted":
        yield from package_files(Package(opened_with_password(path, password)))
    elif kind == "msg":
        from pagemill.reading.office.mail import read_msg

        yield from (_whole(one.name, one.raw) for one in read_msg(path).attachments)
    else:
        with open(path, "rb") as file:
            yield from object_streams(file.read(MAX_OBJECT_BYTES), "object")


def mail_attachments(path: str) -> Iterator[ContainedFile]:
    """The attachments of an e-mail."""
    from pagemill.reading.office.mail import read_eml

    with open(path, "rb") as file:
        raw = file.read()
    yield from (_whole(one.name, one.raw) for one in read_eml(raw).attachments)


def object_files(raw: bytes, name: str) -> Iterator[ContainedFile]:
    """The files in an embedded object; what is no compound file is the file itself."""
    if raw.startswith(OLE_MARK):
        yield from object_streams(raw, PurePosixPath(name).stem)
    else:
        yield _whole(name, raw)


def object_streams(raw: bytes, stem: str) -> Iterator[ContainedFile]:
    """The files in the streams of a compound file; damaged ones have none."""
    damage = suppress(OSError, ValueError, LookupError, TypeError, AttributeError)
    with damage, olefile.OleFileIO(io.BytesIO(raw)) as opened:
        for number, place in enumerate(opened.listdir(streams=True, storages=False), 1):
            if place[-1] == NATIVE:
                yield from native_file(opened.openstream(place).read(), f"{stem}-{number}")
            elif place[-1] in WHOLE_FILES:
                yield _whole(f"{stem}-{number}", opened.openstream(place).read())


def native_file(raw: bytes, fallback: str) -> Iterator[ContainedFile]:
    """The file that a packager put into an object, with the name that it had."""
    # Size, flags, label and path before the flags and the path of a temporary file; then the size and the bytes.
    label, _, rest = raw[6:].partition(b"\0")
    _, _, rest = rest.partition(b"\0")
    if len(rest) < 8:
        return
    length = int.from_bytes(rest[4:8], "little")
    body = rest[8 + length :]
    size = int.from_bytes(body[:4], "little")
    if 0 < size <= len(body) - 4:
        name = label[:MOST_NAME_BYTES].decode("cp1252", "replace")
        yield _whole(name or fallback, body[4 : 4 + size])


def _whole(name: str, raw: bytes) -> ContainedFile:
    return ContainedFile(name, len(raw), (raw,))


def names_of_files(path: str, password: str | None, most: int) -> list[tuple[str, int]]:
    """The names and sizes of the files in a document; those before the damage of one that is damaged."""
    found: list[tuple[str, int]] = []
    with suppress(DocumentError):
        for one in contained_files(path, password):
            found.append((one.name, one.size_bytes))
            if len(found) == most:
                break
    return found
