"""A scanner of documents, and the one that the settings name."""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

from pagemill.errors import Refused
from pagemill.settings import Settings

PIECE_BYTES = 65_536
# What a scanner says may be long, and is stored.
MOST_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class ScanVerdict:
    """What a scanner found in a document: the name of what matched, or None; and the scanner with its signatures."""

    found: str | None
    scanner: str


class Scanner(Protocol):
    """Looks for malware."""

    @property
    def needs_file(self) -> bool:
        """Whether it reads a file on this machine itself; otherwise it is sent the bytes."""

    def scan(self, document: BinaryIO | Path) -> ScanVerdict:
        """Scan one document.

        Raises ScannerUnavailable if the scanner does not answer, ScanFailed if it can't scan this document.
        """

    def version(self) -> str:
        """The scanner with the version of its signatures; ScannerUnavailable if it does not answer."""


def scanner_of(settings: Settings) -> Scanner | None:
    """The scanner of the settings, or None; Refused if they name two, or an address that is none."""
    from pagemill.adapters.scanners.clamd import ClamdScanner, clamd_address
    from pagemill.adapters.scanners.command import CommandScanner

    if settings.scanner_url and settings.scanner_command:
        raise Refused("Set PAGEMILL_SCANNER_URL or PAGEMILL_SCANNER_COMMAND, not both.")
    if settings.scanner_url:
        return ClamdScanner(clamd_address(settings.scanner_url), settings.scanner_timeout_seconds)
    if settings.scanner_command:
        return CommandScanner(
            shlex.split(settings.scanner_command),
            shlex.split(settings.scanner_version_command),
            settings.scanner_timeout_seconds,
        )
    return None


def pieces_of(document: BinaryIO) -> Iterator[bytes]:
    """The bytes of a document, some at a time."""
    while piece := document.read(PIECE_BYTES):
        yield piece


def short_text(output: bytes) -> str:
    """What a scanner said, on one line and not too long."""
    return " ".join(output.decode("utf-8", "replace").split())[:MOST_CHARACTERS]
