"""What an engine is, and the simplest one: LiteParse with nothing around it."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from liteparse import LiteParse

from pagemill.model.pages import Page, Route

# No picture has an address here, and links are in no truth.
BARE: dict[str, Any] = {
    "ocr_enabled": False,
    "output_format": "markdown",
    "quiet": True,
    "image_mode": "off",
    "extract_links": False,
}


@dataclass(frozen=True, slots=True)
class Spent:
    """Time by the clock and time of the processor, which other programs on the machine can't stretch as much."""

    seconds: float
    cpu_seconds: float

    def share(self, part: float) -> "Spent":
        """A part of the time."""
        return Spent(self.seconds * part, self.cpu_seconds * part)


def now() -> Spent:
    """The time so far."""
    return Spent(time.perf_counter(), time.process_time())


def since(started: Spent) -> Spent:
    """The time that went by."""
    ended = now()
    return Spent(ended.seconds - started.seconds, ended.cpu_seconds - started.cpu_seconds)


@dataclass(frozen=True, slots=True)
class Reading:
    """What an engine made of a document; `routes` are there if the engine says how it read each page.

    `laid` are the pages as blocks, if the engine has them: running lines are headers, and nothing is moved to another page.
    """

    pages: tuple[str, ...]
    markdown: str
    spent: Spent
    routes: tuple[Route, ...] = ()
    failure: str | None = None
    laid: tuple[Page, ...] = ()


class Engine(Protocol):
    """Something that reads documents."""

    @property
    def name(self) -> str:
        """What it is called on the command line and in the report."""
        ...

    @property
    def tells_routes(self) -> bool:
        """Whether it says how it read each page."""
        ...

    def read(self, path: Path, password: str | None = None) -> Reading:
        """The document as Markdown."""
        ...

    def close(self) -> None:
        """Let go of what it holds."""
        ...


class Handless:
    """An engine that holds nothing that must be let go of."""

    __slots__ = ()

    def close(self) -> None:
        """Nothing is to be done."""


@dataclass(frozen=True, slots=True)
class BareLiteParse(Handless):
    """LiteParse with nothing around it."""

    name: str = "liteparse"
    tells_routes: bool = False

    def read(self, path: Path, password: str | None = None) -> Reading:
        """The Markdown that LiteParse writes."""
        started = now()
        result = LiteParse(**BARE, password=password).parse(str(path))
        pages = tuple(page.markdown or "" for page in result.pages)
        return Reading(pages, result.text, since(started))


def attempted(engine: Engine, path: Path, password: str | None = None) -> Reading:
    """The engine's reading, or an empty one that says why there is none."""
    started = now()
    try:
        return engine.read(path, password)
    except Exception as error:  # whatever an engine dies of is a bad reading, not the end of the measurement
        return Reading(("",), "", since(started), failure=f"{type(error).__name__}: {error}")
