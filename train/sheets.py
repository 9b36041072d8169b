"""Sheets of true pages: their text layer, or what a recogniser reads in their picture."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from pagemill.reading.page.sheet import Sheet
from pagemill.reading.sources.liteparse_native import parse
from pagemill.reading.sources.text_layer import sheet_of


def text_sheets(path: Path, numbers: Sequence[int]) -> Iterator[tuple[int, Sheet]]:
    """The numbers and sheets of pages of a PDF, of those that can be parsed."""
    for native in parse(str(path), numbers, None).pages:
        yield native.page_num, sheet_of(native, native.text_items)
