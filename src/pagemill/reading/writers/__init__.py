"""The writers: one streaming writer per format."""

from collections.abc import Callable, Sequence
from pathlib import Path

from pagemill.reading.writers.base import Ending, Facts, Writer
from pagemill.reading.writers.document_json import JsonWriter
from pagemill.reading.writers.html import HtmlWriter
from pagemill.reading.writers.markdown import MarkdownWriter
from pagemill.reading.writers.text import TextWriter

__all__ = ["Ending", "Facts", "Writer", "opened_writers"]

WRITERS: dict[str, Callable[[Path], Writer]] = {
    "markdown": MarkdownWriter,
    "json": JsonWriter,
    "text": TextWriter,
    "html": HtmlWriter,
}


def opened_writers(formats: Sequence[str], folder: Path, facts: Facts) -> list[Writer]:
    """The writers of the formats, ready for the first page."""
    writers = [WRITERS[name](folder) for name in formats]
    for writer in writers:
        writer.open(facts)
    return writers
