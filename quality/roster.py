"""The engines that can be measured, by name."""

from collections.abc import Callable, Mapping
from pathlib import Path

from pagemill.errors import Refused
from pagemill.reading.providers.installed import load
from quality.corpus import OFFICE
from quality.engines import BareLiteParse, Engine
from quality.ours import Pagemill
from quality.peers import REQUIREMENTS, Peer
from quality.single import Single

# One recogniser alone has nothing to say of pages with a text layer.
SINGLES = {"ppocr": Single("ppocr"), "tesseract": Single("tesseract", keeps_order=True)}
# They read office files, and the others read none.
OFFICE_ENGINES = ("anydoc", "markitdown", "undoc")
SCANS = frozenset({"scan_truth"})


def _peer(name: str) -> Callable[[Path], Engine]:
    return lambda folder: Peer(name, folder)


def _single(name: str) -> Callable[[Path], Engine]:
    return lambda _: SINGLES[name]


ENGINES: Mapping[str, Callable[[Path], Engine]] = {
    "pagemill-text": lambda _: Pagemill("pagemill-text", ocr="off"),
    "pagemill-fast": lambda _: Pagemill("pagemill-fast"),
    "pagemill-accurate": lambda _: Pagemill("pagemill-accurate", mode="accurate"),
    "liteparse": lambda _: BareLiteParse(),
    **{name: _peer(name) for name in REQUIREMENTS},
    **{name: _single(name) for name in SINGLES},
}


def reads(engine: str, category: str) -> bool:
    """Whether an engine is asked to read documents of a category."""
    if category == OFFICE or engine in OFFICE_ENGINES:
        return category == OFFICE and engine in (*OFFICE_ENGINES, "pagemill-fast")
    return engine not in SINGLES or category in SCANS


def missing(engine: str) -> str | None:
    """Why an engine can't be used here; None if it can, or will be installed when it is asked."""
    if engine not in SINGLES:
        return None
    try:
        load(engine)
    except Refused as refused:
        return refused.message
    return None
