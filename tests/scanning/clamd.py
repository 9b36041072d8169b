"""A real clamd with a signature file made for the tests."""

import os
import shutil
import signal
import socket
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from pagemill.adapters.scanners.clamd import ClamdScanner
from pagemill.errors import ScannerUnavailable
from tests.bad_inputs.documents import EICAR
from tests.mills import wait_for
from tests.samples import letter

MARKER = "pagemill test of a malware scanner: this line is harmless"
SIGNATURE = "Pagemill.Test.Marker"
# A signature of its own, so that no file with the real one need be kept or made.
SIGNATURES = f"{SIGNATURE}:0:*:{MARKER.encode().hex()}\nEicar-Test-Signature:0:0:{EICAR.hex()}\n"
MOST_BYTES = 1_000_000


def infected(text: str = "Dear reader,") -> bytes:
    """A document that the scanner finds something in; beside the page, so that it can be read without a scanner."""
    return letter(text) + b"\n%" + MARKER.encode() + b"\n"


@dataclass
class Clamd:
    """A clamd that can be killed and started again at the same addresses."""

    folder: Path
    program: str
    port: int
    process: "subprocess.Popen[bytes] | None" = field(default=None)

    @property
    def socket_url(self) -> str:
        """Its address as a Unix socket."""
        return f"unix://{self.folder}/clamd.sock"

    @property
    def tcp_url(self) -> str:
        """Its address over TCP."""
        return f"tcp://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        with (self.folder / "log").open("ab") as log:
            command = [self.program, "--foreground", "--config-file", str(self.folder / "clamd.conf")]
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        wait_for(self.answers)

    def answers(self) -> bool:
        """Whether it answers."""
        assert self.process is not None
        assert self.process.poll() is None, (self.folder / "log").read_text()
        try:
            return bool(ClamdScanner(f"{self.folder}/clamd.sock", 10).version())
        except ScannerUnavailable:
            return False

    def kill(self) -> None:
        """Kill it at once."""
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.process = None


def prepare(folder: Path) -> Clamd:
    """A clamd that is not started yet; skipped where there is none, but not in continuous integration."""
    program = shutil.which("clamd") or shutil.which("clamd", path="/usr/sbin")
    if program is None:
        reason = "no clamd on this machine; make scanner installs one"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    (folder / "signatures").mkdir()
    (folder / "signatures" / "test.ndb").write_text(SIGNATURES)
    port = free_port()
    (folder / "clamd.conf").write_text(
        f"DatabaseDirectory {folder}/signatures\nLocalSocket {folder}/clamd.sock\nFixStaleSocket yes\n"
        f"TCPSocket {port}\nTCPAddr 127.0.0.1\nStreamMaxLength {MOST_BYTES}\nForeground yes\n"
        "ConcurrentDatabaseReload no\n"
    )
    return Clamd(folder, program, port)


def free_port() -> int:
    """A port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
