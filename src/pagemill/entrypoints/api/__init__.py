"""The HTTP door: parse, call one function, render."""

from pagemill.entrypoints.api.app import create_app

__all__ = ["create_app"]
