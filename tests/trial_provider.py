"""A provider for fault tests: fast on ordinary pages, and up to no good where a page's text says so.

Put `TRIAL:<verb>` or `TRIAL:<verb>:<argument>` on a page; the environment names the provider with
PAGEMILL_PROVIDER_MODULES; see ENVIRONMENT.
"""

import ctypes
import os
import re
import signal
import time
from collections.abc import Callable, Iterator, Sequence

import pypdfium2

from pagemill.model.pages import Block, Kind, Page, PageError
from pagemill.reading.provider import Refusal

VERSION_VARIABLE = "TRIAL_VERSION"
MARKER = re.compile(r"TRIAL:(\w+)(?::(\S+))?")
MODULES = {
    "trial": "tests.trial_provider:TrialProvider",
    "sure": "tests.trial_recognisers:Sure",
    "unsure": "tests.trial_recognisers:Unsure",
    "failing": "tests.trial_recognisers:Failing",
    "dying": "tests.trial_recognisers:Dying",
    "slow": "tests.trial_recognisers:Slow",
    "elsewhere": "tests.trial_recognisers:elsewhere",
}
ENVIRONMENT = {"PAGEMILL_PROVIDER_MODULES": ",".join(f"{name}={target}" for name, target in MODULES.items())}


class TrialProvider:
    """Reads the text of pages with PDFium and does what their markers say."""

    name = "trial"

    def version(self) -> str:
        """Always the same, unless a test wants workers that differ."""
        return os.environ.get(VERSION_VARIABLE, "1")

    def available(self) -> str | None:
        """Always."""
        return None

    def read(self, path: str, pages: Sequence[int], password: str | None) -> Iterator[Page]:
        """One paragraph per page."""
        with pypdfium2.PdfDocument(path, password=password) as document:
            for number in pages:
                page = document[number - 1]
                width, height = page.get_size()
                text = " ".join(page.get_textpage().get_text_range().split())
                yield act(number, text) or Page(number, width, height, self.name, (paragraph(number, text),))


def paragraph(number: int, text: str) -> Block:
    """All text of a page as one block."""
    return Block(f"p{number}-b1", Kind.PARAGRAPH, None, text)


def act(number: int, text: str) -> Page | None:
    """Do what the marker on a page says; most deeds don't return."""
    match = MARKER.search(text)
    if match is None:
        return None
    if match[1] == "error":
        return Page(number, 0, 0, TrialProvider.name, error=PageError("page_unreadable", "the trial says so"))
    DEEDS[match[1]](match[2] or "")
    return None


def sleep(seconds: str) -> None:
    """Take a while."""
    time.sleep(float(seconds or 3600))


def until(path: str) -> None:
    """Wait for a file, by which a test says to go on."""
    while not os.path.exists(path):
        time.sleep(0.01)


def turn(folder: str) -> None:
    """Wait for a file in a folder and take it away; each lets one page go on, whichever is there first."""
    while not (files := os.listdir(folder)):
        time.sleep(0.01)
    os.unlink(os.path.join(folder, files[0]))


def spin(seconds: str) -> None:
    """Use up the processor."""
    end = time.monotonic() + float(seconds or 3600)
    while time.monotonic() < end:
        pass


def segfault(_: str) -> None:
    """Die as native code does."""
    os.kill(os.getpid(), signal.SIGSEGV)


def die(number: str) -> None:
    """Die of a signal."""
    signal.raise_signal(signal.Signals(int(number)))
    time.sleep(60)


def hold(seconds: str) -> None:
    """Hang in native code that lets no other thread of the interpreter run."""
    ctypes.PyDLL(None).sleep(int(seconds or 3600))


def murder(_: str) -> None:
    """Kill the process that had the page read, and so all others of its press."""
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(60)


def allocate(_: str) -> None:
    """Ask for memory without end."""
    kept = []
    while True:
        kept.append(bytearray(64 << 20))


def stop(code: str) -> None:
    """Leave without a word."""
    os._exit(int(code or 3))


def refuse(message: str) -> None:
    """Refuse the whole document."""
    raise Refusal(message or "the trial refuses")


def fail(message: str) -> None:
    """Raise what nobody expects."""
    raise RuntimeError(message or "the trial fails")


DEEDS: dict[str, Callable[[str], None]] = {
    "sleep": sleep,
    "until": until,
    "turn": turn,
    "spin": spin,
    "segfault": segfault,
    "die": die,
    "hold": hold,
    "murder": murder,
    "allocate": allocate,
    "exit": stop,
    "refuse": refuse,
    "raise": fail,
}
