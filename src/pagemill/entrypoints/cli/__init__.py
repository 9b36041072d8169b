"""The command line."""

from pagemill.entrypoints.cli.app import main

__all__ = ["main"]
