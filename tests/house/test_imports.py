"""Imports run downhill."""

from importlinter.cli import lint_imports

from tests.house.source import ROOT


def test_imports_run_downhill() -> None:
    assert lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True) == 0
