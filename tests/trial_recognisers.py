"""Readers of pictures for tests of the chain: each has one habit, and none looks at the picture."""

import os
import signal
import time
from collections.abc import Sequence

from pagemill.model.pages import Box, Line
from pagemill.reading.ocr.recogniser import Pixels
from pagemill.reading.remote.vlm import VlmConfig, VlmProvider
from tests.reading.remote_server import KEY

WORDS = Box(100, 100, 600, 30)
MODEL = "some-vision-model"
# Where the provider `elsewhere` is asked; a test sets it before a mill loads it.
ADDRESS = {"url": ""}


class Trial:
    """What all of them share."""

    name = "trial-recogniser"

    def version(self) -> str:
        """Always the same."""
        return "1"

    def available(self) -> str | None:
        """Always."""
        return None


class Sure(Trial):
    """Has read everything well."""

    name = "sure"

    def recognise(self, _: Pixels, languages: Sequence[str]) -> list[Line]:
        """One line with the languages in it."""
        return [Line(" ".join(["Surely read", *languages]), WORDS, 0.97)]


class Unsure(Trial):
    """Has made something out, but would not swear to it."""

    name = "unsure"

    def recognise(self, _: Pixels, __: Sequence[str]) -> list[Line]:
        """One line."""
        return [Line("Perhaps read", WORDS, 0.6)]


class Failing(Trial):
    """Raises an error."""

    name = "failing"

    def recognise(self, _: Pixels, __: Sequence[str]) -> list[Line]:
        """Nothing."""
        raise RuntimeError("no eyes")


class Dying(Trial):
    """Dies as native code does."""

    name = "dying"

    def recognise(self, _: Pixels, __: Sequence[str]) -> list[Line]:
        """Nothing."""
        os.kill(os.getpid(), signal.SIGSEGV)
        return []


class Slow(Trial):
    """Takes its time."""

    name = "slow"

    def recognise(self, _: Pixels, __: Sequence[str]) -> list[Line]:
        """One line, after a while."""
        time.sleep(2)
        return [Line("Slowly read", WORDS, 0.97)]


def elsewhere() -> VlmProvider:
    """A vision model on the server that a test has started."""
    provider = VlmProvider(VlmConfig(ADDRESS["url"], MODEL, KEY, timeout_seconds=5.0))
    provider.name = "elsewhere"
    return provider
