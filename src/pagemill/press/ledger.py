"""A small anonymous file that a child shares with the press: what it has begun, and what it printed.

The child notes each visit before it begins it. That costs the press nothing while all goes well, and when the
child dies or hangs the note says which visit it was at. Standard output and error go to the same file, behind the
notes, and start over with every visit.
"""

import fcntl
import os
import struct
import tempfile
import time
from dataclasses import dataclass

NOTE = struct.Struct("=Qd?")
NOTES_BYTES = 64
PRINTED_BYTES = 256 * 1024
TAIL_BYTES = 2_048


@dataclass(frozen=True, slots=True)
class Note:
    """The visit that was begun last, when that was (monotonic clock), and whether memory ran out over it."""

    number: int
    began_at: float
    out_of_memory: bool


class Ledger:
    """The file, held by its descriptor, from either side."""

    def __init__(self, fd: int) -> None:
        self.fd = fd

    @classmethod
    def create(cls) -> "Ledger":
        """A new one, of a fixed size where the system can do that, so that endless printing fills nothing."""
        size_bytes = NOTES_BYTES + PRINTED_BYTES
        has_memory_files = hasattr(os, "memfd_create")
        ledger = cls(_memory_file(size_bytes) if has_memory_files else _temporary_file(size_bytes))
        ledger.rewind()
        return ledger

    def begin(self, number: int) -> None:
        """Note that a visit begins now."""
        self.rewind()
        os.pwrite(self.fd, NOTE.pack(number, time.monotonic(), False), 0)

    def run_out_of_memory(self) -> None:
        """Note that memory ran out; must itself need next to none."""
        os.pwrite(self.fd, b"\x01", NOTE.size - 1)

    def note(self) -> Note:
        """What was noted last."""
        return Note(*NOTE.unpack(os.pread(self.fd, NOTE.size, 0)))

    def rewind(self) -> None:
        """Let what is printed from now on replace what was printed before."""
        os.lseek(self.fd, NOTES_BYTES, os.SEEK_SET)

    def last_output(self) -> str:
        """The end of what was printed since the last visit began."""
        end = os.lseek(self.fd, 0, os.SEEK_CUR)
        start = max(NOTES_BYTES, end - TAIL_BYTES)
        return os.pread(self.fd, max(0, end - start), start).decode(errors="replace")

    def close(self) -> None:
        """Let go of the file."""
        os.close(self.fd)


def _memory_file(size_bytes: int) -> int:
    fd = os.memfd_create("pagemill-press", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(fd, size_bytes)
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK)
    return fd


def _temporary_file(size_bytes: int) -> int:
    with tempfile.TemporaryFile() as file:
        file.truncate(size_bytes)
        return os.dup(file.fileno())
