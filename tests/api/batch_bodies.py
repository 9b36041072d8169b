"""Bodies of requests for a batch: forms and archives, good and hostile ones."""

import io
import struct
import tarfile
import zipfile
import zlib

from tests.samples import letter


def letters(count: int, word: str) -> list[tuple[str, bytes]]:
    """Documents of one page."""
    return [(f"{word}{number}.pdf", letter(f"Dear {word} {number},")) for number in range(1, count + 1)]


def files_of(documents: list[tuple[str, bytes]]) -> list[tuple[str, tuple[str, bytes, str]]]:
    """Documents as parts of a form."""
    return [("files", (name, body, "application/pdf")) for name, body in documents]


def archive_of(documents: list[tuple[str, bytes]]) -> bytes:
    """Documents in a ZIP archive."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in documents:
            archive.writestr(name, body)
    return packed.getvalue()


def unmarked_archive(documents: list[tuple[str, bytes]], in_field: str, of_dos: str) -> bytes:
    """Documents in a ZIP archive whose names are UTF-8 without a mark that says so, as Info-ZIP writes it.

    One has its name in the code page of DOS, and one has that and the name in UTF-8 in an extra field.
    """
    packed, names = io.BytesIO(), {}
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for place, (name, body) in enumerate(documents, 1):
            raw = name.encode("cp437" if name in (in_field, of_dos) else "utf-8")
            entry = zipfile.ZipInfo(f"{place:_>{len(raw)}}")
            names[entry.filename.encode()] = raw
            if name == in_field:
                content = struct.pack("<BI", 1, zlib.crc32(raw)) + name.encode()
                entry.extra = struct.pack("<HH", 0x7075, len(content)) + content
            archive.writestr(entry, body)
    made = packed.getvalue()
    for stand_in, raw in names.items():
        made = made.replace(stand_in, raw)
    return made


def tar_of(documents: list[tuple[str, bytes]], *more: tarfile.TarInfo) -> bytes:
    """Documents in a TAR archive that gzip has compressed, before further entries without bytes."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, body in documents:
            member = tarfile.TarInfo(name)
            member.size = len(body)
            archive.addfile(member, io.BytesIO(body))
        for member in more:
            archive.addfile(member)
    return packed.getvalue()


def long_list(entries: int) -> bytes:
    """An archive whose list of entries is too long to be read."""
    body = bytearray(archive_of([(f"{number:0>200}.pdf", b"") for number in range(20)]))
    at = body.rfind(b"PK\x05\x06")
    struct.pack_into("<I", body, at + 12, entries)
    return bytes(body)


def of_unknown_version() -> bytes:
    """An archive that asks for a version of the format that there never was."""
    body = bytearray(archive_of(letters(1, "new")))
    body[body.index(b"PK\x01\x02") + 6] = 148
    return bytes(body)
