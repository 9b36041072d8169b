"""Access to LiteParse's native class.

The public wrapper copies every character of every page into Python objects, which costs a quarter to a third
of the whole reading. The native class that it delegates to gives the same things only where they are asked for.
It is not promised to stay as it is, so the version is pinned and nothing else imports it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Protocol, cast

from pagemill.reading.pdf.traits import traits
from pagemill.reading.provider import Refusal

# Nearly all characters want the same one; others come and go.
KEPT_PARSERS = 2


class NativeRect(Protocol):
    """A rectangle in points from the top left."""

    x: float
    y: float
    width: float
    height: float


class NativeWord(NativeRect, Protocol):
    """A printed word of a run."""

    text: str


class NativeText(NativeWord, Protocol):
    """A run of text."""

    font_size: float | None
    font_height: float | None
    font_name: str | None
    font_weight: int | None
    font_ascent: float | None
    font_descent: float | None
    fill_color: str | None
    rotation: float
    words: list[NativeWord] | None


class NativeCell(Protocol):
    """A cell of a table."""

    text: str
    bbox: NativeRect | None


class NativeBlock(Protocol):
    """A classified piece of a page."""

    kind: str
    text: str | None
    level: int | None
    bold: bool
    italic: bool
    ordered: bool | None
    marker: str | None
    lines: list[str] | None
    lang: str | None
    header: list[NativeCell] | None
    rows: list[list[NativeCell]] | None
    bbox: NativeRect | None


class NativeField(Protocol):
    """A widget of an AcroForm."""

    name: str | None
    alternate_name: str | None
    field_type: str
    value: str | None
    checked: bool | None
    options: list[str]
    selected_options: list[str]
    rect: NativeRect | None


class NativeStroke(Protocol):
    """A straight line that is drawn."""

    x1: float
    y1: float
    x2: float
    y2: float


class NativeShape(Protocol):
    """A shape that is drawn, with its colour as hexadecimal alpha, red, green and blue."""

    bbox: NativeRect
    fill: bool
    fill_color: str | None


class NativeGraphics(Protocol):
    """What is drawn on a page."""

    lines: list[NativeStroke]
    shapes: list[NativeShape]


class NativeComplexity(Protocol):
    """What LiteParse reports about how hard a page is to read."""

    full_page_image: bool


class NativePage(Protocol):
    """A page that was parsed."""

    page_num: int
    width: float
    height: float
    page_label: str | None
    blocks: list[NativeBlock] | None
    text_items: list[NativeText]
    form_fields: list[NativeField] | None
    vector_graphics: NativeGraphics | None
    complexity: NativeComplexity | None


class NativePageError(Protocol):
    """A page that could not be parsed."""

    page_num: int
    message: str


class NativeResult(Protocol):
    """What one call gives."""

    pages: list[NativePage]
    page_errors: list[NativePageError]


@dataclass(slots=True)
class NoResult:
    """What no pages give: asked for none, LiteParse would parse all."""

    pages: list[NativePage] = field(default_factory=list)
    page_errors: list[NativePageError] = field(default_factory=list)


def parse(path: str, pages: Sequence[int], password: str | None) -> NativeResult:
    """Parse the given pages of a PDF in one call; Refusal if the document as a whole can't be parsed."""
    if not pages:
        return NoResult()
    seen = traits(path)
    # A fifth of the whole reading: asked for only where it can matter.
    options = (target(pages), seen.large_picture)
    # A kept parser would keep the password.
    parser = kept_parser(*options) if password is None else native_parser(*options, password=password)
    try:
        return cast(NativeResult, parser.parse(path))
    except (MemoryError, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        # A panic in native code arrives as an exception outside the Exception tree; nothing that saw it is kept.
        kept_parser.cache_clear()
        raise Refusal(f"{error}" or type(error).__name__) from error


def native_parser(pages: str, complexity: bool, **password: str) -> Any:
    """A parser of the given pages, in LiteParse's writing; making one starts threads, which takes a while."""
    from liteparse._liteparse import LiteParse  # type: ignore[import-not-found,import-untyped,unused-ignore]

    return LiteParse(
        ocr_enabled=False,
        output_format="markdown",
        quiet=True,
        extract_blocks=True,
        extract_form_fields=True,
        extract_vector_graphics=True,
        # Runs may go across the columns of a table.
        emit_word_boxes=True,
        continue_on_page_error=True,
        # Its own removal of running headers sees only the pages of one call; ours sees the document.
        keep_headers_footers=True,
        include_complexity=complexity,
        extract_text_metadata=True,
        target_pages=pages,
        **password,
    )


kept_parser = lru_cache(maxsize=KEPT_PARSERS)(native_parser)


def target(pages: Sequence[int]) -> str:
    """The pages in LiteParse's writing, `1-3,7`."""
    runs: list[list[int]] = []
    for page in pages:
        if runs and page == runs[-1][1] + 1:
            runs[-1][1] = page
        else:
            runs.append([page, page])
    return ",".join(f"{first}-{last}" if last > first else f"{first}" for first, last in runs)
