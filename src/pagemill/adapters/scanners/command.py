"""A command that scans a file: 0 says clean, 1 says infected, as clamscan and others do."""

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from pagemill.adapters.scanners.base import ScanVerdict, short_text
from pagemill.errors import ScannerUnavailable

CLEAN, INFECTED = 0, 1
# The placeholder for the path of the document in a command; without it, the path comes last.
PLACE = "{}"


class CommandScanner:
    """Runs a command for each document."""

    needs_file = True

    def __init__(
        self, command: Sequence[str], version_command: Sequence[str], timeout_seconds: float
    ) -> None:
        self._command = list(command)
        self._version_command = list(version_command)
        self._timeout_seconds = timeout_seconds

    def scan(self, document: BinaryIO | Path) -> ScanVerdict:
        """Run the command over a file."""
        assert isinstance(document, Path)
        version = self.version()
        ran = self._run(with_path(self._command, str(document)))
        if ran.returncode == CLEAN:
            return ScanVerdict(None, version)
        if ran.returncode == INFECTED:
            output = ran.stdout.replace(str(document).encode(), b"")
            return ScanVerdict(short_text(output).strip(" :") or "unnamed", version)
        raise ScannerUnavailable(f"The scanner ended with {ran.returncode}.")

    def version(self) -> str:
        """What the version command prints, or the name of the scanner if there is no such command."""
        if not self._version_command:
            return Path(self._command[0]).name
        ran = self._run(self._version_command)
        if ran.returncode != 0:
            raise ScannerUnavailable(f"The scanner's version command ended with {ran.returncode}.")
        return short_text(ran.stdout)

    def _run(self, command: list[str]) -> "subprocess.CompletedProcess[bytes]":
        try:
            return subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                timeout=self._timeout_seconds,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise ScannerUnavailable(f"The scanner took longer than {self._timeout_seconds:g} s.") from error
        except OSError as error:
            raise ScannerUnavailable(f"The scanner can't be started: {error.strerror}.") from error


def with_path(command: Sequence[str], path: str) -> list[str]:
    """The command with a path in its place."""
    if PLACE in command:
        return [path if word == PLACE else word for word in command]
    return [*command, path]
