"""Typesetters that make PDFs of drafts: WeasyPrint and Chromium."""

import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from train.coded import coded_pages
from train.made.draft import Draft
from train.made.kinds import KINDS, Kind
from train.made.texts import Texts
from train.truth import write_pieces

Typeset = Callable[[str, Path], None]
MOST_PAGES, WEASYPRINT_EVERY = 3, 7
TIMEOUT_MILLISECONDS = 600_000
WEASYPRINT, CHROMIUM = "weasyprint", "chromium"
WEASYPRINT_CSS = ".fn { float: footnote; } "
# Chromium has no footnotes; and only there may a first letter float.
CHROMIUM_CSS = ".fn { display: block; font-size: .8em; } .drop::first-letter { float: left; } "


def by_weasyprint(html: str, path: Path) -> None:
    """Set a page by WeasyPrint, which knows footnotes."""
    from weasyprint import HTML

    HTML(string=html.replace("<style>", f"<style>{WEASYPRINT_CSS}")).write_pdf(path)


@contextmanager
def chromium() -> Iterator[Typeset]:
    """A Chromium that sets pages; notes stay at the end of their paragraph there."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page()
        # A busy machine must not decide which pages there are.
        page.set_default_timeout(TIMEOUT_MILLISECONDS)

        def by_chromium(html: str, path: Path) -> None:
            page.set_content(html.replace("<style>", f"<style>{CHROMIUM_CSS}"))
            page.pdf(path=str(path), prefer_css_page_size=True)

        yield by_chromium
        browser.close()


def make_pages(
    folder: Path,
    setters: Mapping[str, Typeset],
    count: int,
    seed: int,
    kinds: Mapping[str, Kind] = KINDS,
) -> Iterator[Path]:
    """So many documents of some kinds, each with its pieces beside it; those that are there already stay."""
    folder.mkdir(parents=True, exist_ok=True)
    names = list(kinds)
    for number in range(count):
        kind = names[number % len(names)]
        # Chromium is several times as quick.
        setter = WEASYPRINT if number // len(names) % WEASYPRINT_EVERY == 1 else CHROMIUM
        path = folder / f"{setter}-{kind}-{seed}-{number}.pdf"
        if path.with_suffix(".json").exists() or _make(
            path, kinds[kind], setters[setter], seed * 100_000 + number
        ):
            yield path


def _make(path: Path, kind: Kind, setter: Typeset, seed: int) -> bool:
    """Whether the typesetter could set it: each of them fails on some drafts, and there are enough others."""
    draft = Draft(Texts(seed))
    kind(draft)
    coloured = path.with_suffix(".coded.pdf")
    try:
        setter(draft.plain(), path)
        setter(draft.coded(), coloured)
    except Exception as error:
        print(f"{path.name} can't be set: {type(error).__name__}", file=sys.stderr)
        return False
    write_pieces(path.with_suffix(".json"), list(coded_pages(coloured, draft.roles))[:MOST_PAGES])
    coloured.unlink()
    return True
