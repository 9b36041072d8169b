"""Scanners by themselves: what they find, what they refuse, and what is said when they don't answer."""

import io
import socket
import sys
import threading
from pathlib import Path

import pytest

from pagemill.adapters.scanners.base import scanner_of
from pagemill.adapters.scanners.clamd import ClamdScanner, clamd_address
from pagemill.adapters.scanners.command import CommandScanner
from pagemill.entrypoints.cli.doctor import shared_services
from pagemill.errors import Refused, ScanFailed, ScannerUnavailable
from tests.mills import small_settings
from tests.samples import letter
from tests.scanning.clamd import MOST_BYTES, SIGNATURE, Clamd, free_port, infected

FIND_MARKER = (
    "import sys; found = b'harmless' in open(sys.argv[1], 'rb').read(); "
    "print(sys.argv[1] + ': Marker'); sys.exit(found)"
)


@pytest.fixture(params=["unix", "tcp"])
def scanner(request: pytest.FixtureRequest, clamd: Clamd) -> ClamdScanner:
    """The same clamd at both of its addresses."""
    url = clamd.socket_url if request.param == "unix" else clamd.tcp_url
    return ClamdScanner(clamd_address(url), 20)


def test_clamd_finds_what_its_signatures_describe(scanner: ClamdScanner) -> None:
    verdict = scanner.scan(io.BytesIO(infected()))
    assert (verdict.found, verdict.scanner.partition(" ")[0]) == (f"{SIGNATURE}.UNOFFICIAL", "ClamAV")
    assert scanner.scan(io.BytesIO(letter())).found is None
    # In the last of many pieces.
    assert scanner.scan(io.BytesIO(b"%" * 500_000 + infected())).found


def test_a_document_that_clamd_does_not_take_is_no_outage(scanner: ClamdScanner) -> None:
    with pytest.raises(ScanFailed, match="StreamMaxLength"):
        scanner.scan(io.BytesIO(b"%" * (2 * MOST_BYTES)))


def test_a_clamd_that_does_not_answer_is_an_outage(tmp_path: Path) -> None:
    for address in (("127.0.0.1", free_port()), str(tmp_path / "none.sock")):
        with pytest.raises(ScannerUnavailable, match="clamd does not answer"):
            ClamdScanner(address, 1).scan(io.BytesIO(letter()))


def hang_up(listener: socket.socket) -> None:
    """Take a connection and close it."""
    listener.accept()[0].close()


def test_a_clamd_that_hangs_up_or_says_nothing_is_an_outage() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = listener.getsockname()[:2]
        hangs_up = threading.Thread(target=hang_up, args=(listener,))
        hangs_up.start()
        with pytest.raises(ScannerUnavailable):
            ClamdScanner(address, 5).version()
        hangs_up.join()
        with pytest.raises(ScannerUnavailable, match="timed out"):
            ClamdScanner(address, 0.1).version()


def test_a_command_says_clean_infected_or_nothing(tmp_path: Path) -> None:
    document = tmp_path / "document.pdf"
    scanner = CommandScanner(
        [sys.executable, "-c", FIND_MARKER], [sys.executable, "-c", "print('Scanner 7/123')"], 20
    )
    document.write_bytes(letter())
    assert scanner.scan(document).found is None
    document.write_bytes(infected())
    verdict = scanner.scan(document)
    assert (verdict.found, verdict.scanner) == ("Marker", "Scanner 7/123")
    broken = CommandScanner([sys.executable, "-c", "raise SystemExit(2)"], [], 20)
    with pytest.raises(ScannerUnavailable, match="ended with 2"):
        broken.scan(document)
    assert broken.version() == Path(sys.executable).name
    with pytest.raises(ScannerUnavailable, match="can't be started"):
        CommandScanner([str(tmp_path / "none")], [], 20).scan(document)
    with pytest.raises(ScannerUnavailable, match="longer than"):
        CommandScanner([sys.executable, "-c", "import time; time.sleep(60)", "{}"], [], 0.2).scan(document)


def test_settings_name_one_scanner_at_most(tmp_path: Path) -> None:
    assert scanner_of(small_settings(tmp_path)) is None
    assert scanner_of(small_settings(tmp_path, scanner_url="tcp://[::1]"))
    assert scanner_of(small_settings(tmp_path, scanner_command="clamscan --no-summary"))
    for wrong in ("http://clamd", "tcp://", "unix://relative/clamd", "tcp://host:port"):
        with pytest.raises(Refused, match="PAGEMILL_SCANNER_URL"):
            scanner_of(small_settings(tmp_path, scanner_url=wrong))
    with pytest.raises(Refused, match="not both"):
        scanner_of(small_settings(tmp_path, scanner_url="tcp://[::1]", scanner_command="clamscan"))


def test_the_doctor_says_whether_the_scanner_answers(tmp_path: Path) -> None:
    version = f"{sys.executable} -c 'print(\"Scanner 7/123\")'"
    there = small_settings(tmp_path, scanner_command="scan", scanner_version_command=version)
    assert shared_services.scanner(there).found == "Scanner 7/123"
    away = small_settings(tmp_path, scanner_url=f"tcp://127.0.0.1:{free_port()}", scanner_down="pass")
    check = shared_services.scanner(away)
    assert (check.name, check.state) == ("scanner", "missing")
    assert "not_scanned" in (check.advice or "")
