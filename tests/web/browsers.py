"""A real browser, and what tests ask of its pages."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

WIDE = (1400, 900)
NARROW = (390, 844)
PATIENCE_MS = 20_000
# Nothing but the pages: no updates, no reports, no shared memory that small machines lack.
FLAGS = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--no-first-run",
]
AXE = Path(__file__).with_name("vendor") / "axe.min.js"
SERIOUS = ("serious", "critical")


@contextmanager
def launched() -> Iterator[Browser]:
    """Chromium without a window; tests are skipped where there is none, but not in continuous integration."""
    path = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chromium-browser")
    if path is None:
        reason = "no Chromium on this machine; on Debian: apt install chromium"
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)
    flags = [*FLAGS, "--no-sandbox"] if os.geteuid() == 0 else FLAGS
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=flags)
        yield browser
        browser.close()


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


def serious_issues(page: Page) -> list[str]:
    """What axe-core finds that keeps people out: the rule, and the elements at fault."""
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
