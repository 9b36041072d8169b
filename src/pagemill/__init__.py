"""pagemill turns documents into clean, structured text."""

from importlib.metadata import version

__version__ = version("pagemill")
