"""Packages: ZIP files with parts that refer to each other (OOXML, OpenDocument, EPUB)."""

import posixpath
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import IO
from urllib.parse import unquote

from pagemill.errors import ArchiveBomb, DocumentCorrupt, PasswordRequired
from pagemill.reading.office.reading_limits import (
    MAX_ENTRIES,
    MAX_PACKAGE_BYTES,
    MAX_PART_BYTES,
    check_bytes,
)
from pagemill.reading.office.xml_parts import Element, attribute, children, local, parse_xml

PIECE_BYTES = 1 << 16
EXTERNAL, MACROS = "external_resource_blocked", "macros_not_run"
# Links are for readers to follow; all other outside targets would be fetched by the program that made the file.
_LINKS = ("hyperlink",)
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, KeyError, ValueError, struct.error)


@dataclass(frozen=True, slots=True)
class Relation:
    """What a part refers to: another part, or something outside."""

    kind: str
    target: str
    external: bool = False


@dataclass
class Package:
    """A ZIP file that is read part by part, never unpacked to disk; counts what was unpacked."""

    file: str | IO[bytes]
    max_part_bytes: int = MAX_PART_BYTES
    max_package_bytes: int = MAX_PACKAGE_BYTES
    warnings: dict[str, None] = field(default_factory=dict)
    unpacked: int = 0
    _relations: dict[str, dict[str, Relation]] = field(default_factory=dict)

    @cached_property
    def _zip(self) -> zipfile.ZipFile:
        try:
            opened = zipfile.ZipFile(self.file)
        except FileNotFoundError:
            raise
        except (*_BROKEN, RuntimeError) as error:
            # An entry may ask for a version of the format that there never was.
            raise DocumentCorrupt("The file is a damaged ZIP archive.") from error
        if len(opened.filelist) > MAX_ENTRIES:
            raise ArchiveBomb.because(f"The file has more than {MAX_ENTRIES:,} parts.", limit=MAX_ENTRIES)
        return opened

    @cached_property
    def names(self) -> dict[str, str]:
        """The names of all parts, by their names in lower case without a leading slash."""
        return {_plain(name).lower(): name for name in reversed(self._zip.namelist())}

    def has(self, part: str) -> bool:
        """Whether the package has a part."""
        return _plain(part).lower() in self.names

    def stream(self, part: str, most: int | None = None) -> Iterator[bytes]:
        """The bytes of a part in pieces, up to a limit; DocumentCorrupt if it is missing or damaged."""
        return self._pieces(self._entry(part), most or self.max_part_bytes)

    def _pieces(self, entry: str | zipfile.ZipInfo, most: int) -> Iterator[bytes]:
        count = 0
        try:
            with self._zip.open(entry) as opened:
                while piece := opened.read(PIECE_BYTES):
                    count += len(piece)
                    self.unpacked += len(piece)
                    check_bytes(count, most, "A part of the file")
                    check_bytes(self.unpacked, self.max_package_bytes, "The file")
                    yield piece
        except RuntimeError as error:
            # The library says so of encryption and of compressions that it does not know alike.
            if "encrypted" in str(error):
                raise PasswordRequired("Parts of the file are encrypted.") from error
            raise DocumentCorrupt("A part of the file is packed in a way that is not known.") from error
        except _BROKEN as error:
            raise DocumentCorrupt("A part of the file is damaged.") from error

    def entries(self) -> list[zipfile.ZipInfo]:
        """All entries of the archive, in its own order."""
        return self._zip.filelist

    def entry_pieces(self, entry: zipfile.ZipInfo) -> Iterator[bytes]:
        """The bytes of an entry, by the entry itself: several may have the same name."""
        return self._pieces(entry, self.max_package_bytes)

    def read(self, part: str) -> bytes:
        """The bytes of a part."""
        return b"".join(self.stream(part))

    def xml(self, part: str) -> Element:
        """The root of an XML part."""
        return parse_xml(self.read(part))

    def xml_if_any(self, part: str | None) -> Element | None:
        """The root of an XML part that may be missing or damaged."""
        if part is None or not self.has(part):
            return None
        try:
            return self.xml(part)
        except DocumentCorrupt:
            return None

    def relations(self, part: str) -> dict[str, Relation]:
        """What a part refers to, by id."""
        if part not in self._relations:
            self._relations[part] = dict(self._read_relations(part))
        return self._relations[part]

    def related_parts(self, part: str, kind: str) -> list[str]:
        """The parts of one kind that a part refers to."""
        every = self.relations(part).values()
        return [one.target for one in every if one.kind == kind and not one.external]

    def target(self, part: str, relation_id: str | None) -> str | None:
        """The part behind the id of a relation; None if there is none or it is outside."""
        one = self.relations(part).get(relation_id or "")
        return one.target if one and not one.external else None

    def warn(self, code: str) -> None:
        """Note something that the reader of the result should know."""
        self.warnings[code] = None

    def _entry(self, part: str) -> str:
        name = self.names.get(_plain(part).lower())
        if name is None:
            raise DocumentCorrupt(f"The file has no part {_plain(part)[:100]}.")
        return name

    def _read_relations(self, part: str) -> Iterator[tuple[str, Relation]]:
        folder, name = posixpath.split(_plain(part))
        root = self.xml_if_any(posixpath.join(folder, "_rels", f"{name}.rels"))
        for row in children(root, "Relationship") if root is not None else ():
            kind = (attribute(row, "Type") or "").rpartition("/")[2]
            external = attribute(row, "TargetMode") == "External"
            if external and kind not in _LINKS:
                self.warn(EXTERNAL)
            if kind == "vbaProject":
                self.warn(MACROS)
            target = attribute(row, "Target") or ""
            yield (
                attribute(row, "Id") or "",
                Relation(kind, target if external else _join_path(folder, target), external),
            )


def main_part(package: Package, default: str) -> str:
    """The part that a package begins with."""
    found = package.related_parts("", "officeDocument")
    main = next((part for part in found if package.has(part)), default)
    # Word names the template of a document here, which may be on another machine.
    package.relations(posixpath.join(posixpath.dirname(main), "settings.xml"))
    return main


def content_types(package: Package) -> dict[str, str]:
    """The media types that a package declares for its parts, by name."""
    root = package.xml_if_any("[Content_Types].xml")
    if root is None:
        return {}
    declared = {}
    with suppress(TypeError):
        for row in children(root, "Override"):
            name = _plain(attribute(row, "PartName") or "")
            declared[name] = attribute(row, "ContentType") or ""
    return declared


def _plain(name: str) -> str:
    return name.replace("\\", "/").lstrip("/")


def _join_path(folder: str, target: str) -> str:
    """The name of a part from where it is referred to; it never leaves the package."""
    plain = unquote(target).partition("#")[0]
    return posixpath.normpath(posixpath.join("/", folder, plain)).lstrip("/")


__all__ = ["EXTERNAL", "MACROS", "Package", "Relation", "content_types", "local", "main_part"]
