"""A real browser, and what tests ask of its pages."""

import asyncio
import os
import shutil
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

WIDE = (1400, 900)
NARROW = (390, 844)
PATIENCE_MS = 20_000
# The shell is the same engine without the rest of a browser, which has processes of its own for every window: of three
# windows with a page each it takes a fifth of the CPU time.
PROGRAMS = ("chromium-headless-shell", "chromium", "google-chrome", "chromium-browser")
# Nothing but the pages: no updates, no reports, no shared memory that small machines lack.
FLAGS = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-software-rasterizer",
    "--no-first-run",
    # Every test opens pages of one server; a process for each of them would be started and loaded for nothing.
    "--renderer-process-limit=1",
    "--disable-site-isolation-trials",
]
SCHEMES: tuple[Literal["light"], Literal["dark"]] = ("light", "dark")
TRANSITIONS_ENDED = """() => Promise.all(
  document.getAnimations().filter((one) => one instanceof CSSTransition).map((one) => one.finished))"""
AXE = Path(__file__).with_name("vendor") / "axe.min.js"
SERIOUS = ("serious", "critical")
# Pages of a window that a test has opened one page in.
EMPTY_AND_ITS_OWN = 2


@contextmanager
def launched() -> Iterator[Browser]:
    """Chromium without a window; tests are skipped where there is none, but not in continuous integration."""
    path = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if path is None:
        reason = "no Chromium on this machine; on Debian: apt install chromium-headless-shell"
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)
    flags = [*FLAGS, "--no-sandbox"] if os.geteuid() == 0 else FLAGS
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=flags)
        yield browser
        browser.close()


@dataclass(frozen=True)
class KeptBrowser:
    """A browser that stays open while other tests run, and the event loop that it is driven by."""

    browser: Browser
    loop: asyncio.AbstractEventLoop

    @contextmanager
    def in_use(self) -> Iterator[Browser]:
        """The browser; its event loop counts as running until the context ends, and others can run after that."""
        asyncio._set_running_loop(self.loop)
        try:
            yield self.browser
        finally:
            asyncio._set_running_loop(None)


@contextmanager
def kept() -> Iterator[KeptBrowser]:
    """A browser for many tests, some of which run event loops of their own."""
    with launched() as browser:
        opened = KeptBrowser(browser, asyncio.get_running_loop())
        asyncio._set_running_loop(None)
        yield opened
        asyncio._set_running_loop(opened.loop)


def window(
    browser: Browser, size: tuple[int, int] = WIDE, *, scheme: str = "light", locale: str = "en-GB"
) -> BrowserContext:
    """A window with nothing remembered, in a size, a colour scheme and a language."""
    width, height = size
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if scheme == "dark" else "light",
        locale=locale,
        reduced_motion="reduce",
    )
    context.set_default_timeout(PATIENCE_MS)
    return context


class Windows:
    """Windows of a browser that later tests use again: nothing is remembered but the files in the browser's cache.

    A page loads up to a hundred static files, which takes a quarter of the CPU time of a short test. Each window has an
    empty page that is never closed: with it the renderer lives on, whose start takes half of that time.
    """

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._idle: dict[str, list[BrowserContext]] = defaultdict(list)
        self._taken: list[tuple[str, BrowserContext]] = []

    def take(self, **choices: Any) -> BrowserContext:
        """A window for a test; the choices are those of `window`."""
        kind = repr(sorted(choices.items()))
        idle = self._idle[kind]
        context = idle.pop() if idle else self._open(**choices)
        self._taken.append((kind, context))
        return context

    def _open(self, **choices: Any) -> BrowserContext:
        """A new window with its empty page."""
        context = window(self._browser, **choices)
        context.new_page()
        return context

    def give_back(self) -> None:
        """Close the pages of all windows that are taken, and forget what they stored."""
        for kind, context in self._taken:
            if is_forgotten(context):
                self._idle[kind].append(context)
            else:
                context.close()
        self._taken.clear()

    def close(self) -> None:
        """Close the windows that were given back."""
        for contexts in self._idle.values():
            for context in contexts:
                context.close()
        self._idle.clear()


def is_forgotten(context: BrowserContext) -> bool:
    """Forget everything but cached files; False if a page was closed already, so that its storage is not known."""
    if len(context.pages) != EMPTY_AND_ITS_OWN:
        return False
    empty, page = context.pages
    address = urlsplit(page.url)
    if address.scheme not in ("http", "https"):
        return False
    # First of all: a page that still loads would store things after it was told to forget them.
    page.close()
    wire = context.new_cdp_session(empty)
    origin = f"{address.scheme}://{address.netloc}"
    wire.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
    wire.detach()
    context.clear_cookies()
    context.clear_permissions()
    return True


def in_each_scheme(page: Page) -> Iterator[str]:
    """Show a page in light and then in dark colours, as when the system changes over."""
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        page.evaluate(TRANSITIONS_ENDED)
        yield scheme


def serious_issues(page: Page) -> list[str]:
    """What axe-core finds that keeps people out: the rule, and the elements at fault."""
    if not page.evaluate("() => 'axe' in window"):
        # Evaluated, not added as a script, which the policy of the pages would not allow.
        page.evaluate(AXE.read_text(encoding="utf-8"))
    found: dict[str, Any] = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{violation['id']}: {node['html'][:200]}: {node['failureSummary']}"
        for violation in found["violations"]
        if violation["impact"] in SERIOUS
        for node in violation["nodes"]
    ]


def overflow(page: Page) -> int:
    """How many pixels a page is wider than its window."""
    wider: int = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return wider
