"""Imports run downhill."""

import subprocess
import sys
from pathlib import Path

from tests.house.source import ROOT


def test_imports_run_downhill() -> None:
    # In a process of its own, because it takes the log of the process it runs in for itself.
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-logo", "--no-cache"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=200, check=False)
    assert ran.returncode == 0, ran.stdout
