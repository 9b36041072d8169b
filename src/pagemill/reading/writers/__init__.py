"""The writers: one streaming writer per format."""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from pagemill.reading.writers.base import Ending, Facts, Writer
from pagemill.reading.writers.document_json import JsonWriter
from pagemill.reading.writers.html_writer import HtmlWriter
from pagemill.reading.writers.markdown import MarkdownWriter
from pagemill.reading.writers.text import BodyText, TextWriter

__all__ = ["Ending", "Facts", "Writer", "opened_writers"]


def chunks_writer(folder: Path, body: BodyText) -> Writer:
    """The writer of chunks as they are searched."""
    # Only now, because chunks are made of the plain text, whose writer is above.
    from pagemill.model.passages import PassageOptions
    from pagemill.reading.writers.chunks import ChunksWriter

    return ChunksWriter(folder, PassageOptions(), body=body)


# Each makes its writer from the folder, the formats that are written, and the plain text, which several of them write.
WRITERS: dict[str, Callable[[Path, Collection[str], BodyText], Writer]] = {
    "markdown": lambda folder, formats, _: MarkdownWriter(folder, with_images="images" in formats),
    "json": lambda folder, *_: JsonWriter(folder),
    "text": lambda folder, _, body: TextWriter(folder, body),
    "html": lambda folder, formats, _: HtmlWriter(folder, with_images="images" in formats),
    "chunks": lambda folder, _, body: chunks_writer(folder, body),
}


def opened_writers(formats: Sequence[str], folder: Path, facts: Facts) -> list[Writer]:
    """The writers of the formats, ready for the first page; what is made on demand later needs the JSON."""
    later = any(name not in WRITERS for name in formats)
    names = (name for name in WRITERS if name in formats or (later and name == "json"))
    body = BodyText()
    writers = [WRITERS[name](folder, formats, body) for name in names]
    for writer in writers:
        writer.open(facts)
    return writers
