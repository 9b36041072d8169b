"""ClamAV's clamd, over TCP or a Unix socket: the bytes are streamed to it, so it needs no access to our files."""

import socket
from collections.abc import Iterable
from pathlib import Path
from struct import pack
from typing import BinaryIO
from urllib.parse import urlsplit

from pagemill.adapters.scanners.base import ScanVerdict, pieces_of, short_text
from pagemill.errors import Refused, ScanFailed, ScannerUnavailable

Address = tuple[str, int] | str
PORT = 3310
ADDRESS_ADVICE = (
    "PAGEMILL_SCANNER_URL takes an address such as tcp://127.0.0.1:3310 or unix:///run/clamav/clamd.ctl."
)
FOUND, CLEAN, SIZE_LIMIT = b" FOUND", b"stream: OK", b"size limit exceeded"
MOST_ANSWER_BYTES = 4_096


def clamd_address(url: str) -> Address:
    """The address in PAGEMILL_SCANNER_URL; Refused if it is none."""
    try:
        parts = urlsplit(url)
        if parts.scheme == "tcp" and parts.hostname:
            return parts.hostname, parts.port or PORT
    except ValueError as error:
        raise Refused(ADDRESS_ADVICE) from error
    if parts.scheme == "unix" and parts.path and not parts.netloc:
        return parts.path
    raise Refused(ADDRESS_ADVICE)


class ClamdScanner:
    """Asks clamd; a connection for each question, because it drops those that are idle."""

    needs_file = False

    def __init__(self, address: Address, timeout_seconds: float) -> None:
        self._address = address
        self._timeout_seconds = timeout_seconds

    def scan(self, document: BinaryIO | Path) -> ScanVerdict:
        """Stream a document to clamd."""
        assert not isinstance(document, Path)
        version = self.version()
        answer = self._ask(b"INSTREAM", with_lengths(pieces_of(document)))
        if answer == CLEAN:
            return ScanVerdict(None, version)
        if answer.endswith(FOUND):
            return ScanVerdict(short_text(answer.removeprefix(b"stream: ").removesuffix(FOUND)), version)
        if SIZE_LIMIT in answer:
            raise ScanFailed("The document is larger than clamd takes. Raise StreamMaxLength in clamd.conf.")
        raise ScannerUnavailable(f"clamd answered: {short_text(answer) or 'nothing'}.")

    def version(self) -> str:
        """The version of ClamAV, the number of its signatures and their date."""
        answer = short_text(self._ask(b"VERSION", ()))
        if not answer:
            raise ScannerUnavailable("clamd answered nothing.")
        return answer

    def _ask(self, command: bytes, pieces: Iterable[bytes]) -> bytes:
        try:
            with connect(self._address, self._timeout_seconds) as connection:
                send_all(connection, b"z" + command + b"\0", pieces)
                return read_answer(connection)
        except OSError as error:
            raise ScannerUnavailable(f"clamd does not answer: {error.strerror or error}.") from error


def connect(address: Address, timeout_seconds: float) -> socket.socket:
    """A connection to clamd; each send and receive on it may take the time-out."""
    if not isinstance(address, str):
        return socket.create_connection(address, timeout_seconds)
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.settimeout(timeout_seconds)
        connection.connect(address)
    except OSError:
        connection.close()
        raise
    return connection


def send_all(connection: socket.socket, command: bytes, pieces: Iterable[bytes]) -> None:
    """Send bytes; clamd may answer and hang up before it has seen all of them, and then its answer counts."""
    connection.sendall(command)
    try:
        for piece in pieces:
            connection.sendall(piece)
    except (BrokenPipeError, ConnectionResetError):
        return


def with_lengths(pieces: Iterable[bytes]) -> Iterable[bytes]:
    """Pieces as INSTREAM takes them: each behind its length, and a length of 0 at the end."""
    for piece in pieces:
        yield pack("!I", len(piece)) + piece
    yield pack("!I", 0)


def read_answer(connection: socket.socket) -> bytes:
    """What clamd says, up to the byte that ends it."""
    answer = b""
    while b"\0" not in answer and len(answer) < MOST_ANSWER_BYTES:
        piece = connection.recv(MOST_ANSWER_BYTES)
        if not piece:
            break
        answer += piece
    return answer.partition(b"\0")[0].strip()
