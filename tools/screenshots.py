"""Writes docs/images: every page of the web application, light and dark, wide and narrow: `python -m tools.screenshots`."""

import io
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page
from pydantic import SecretStr

from pagemill.settings import Settings
from tests import pictures, samples
from tests.servers import Served, served
from tests.web.browsers import NARROW, WIDE, launched, window
from tests.web.papers import choose, paper

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
SAMPLE = ROOT / "docs" / "sample.pdf"
SIZES = {"wide": WIDE, "narrow": NARROW}
SCHEMES = ("light", "dark")
# Enough for flat surfaces and smooth letters, at a fraction of the bytes.
COLOURS = 256
SETTLING_MS = 1_200
KEY = "a key for pictures only"


@dataclass(frozen=True, slots=True)
class Shot:
    """A page to be shown, and what is done on it before."""

    name: str
    address: str
    prepare: Callable[[Page], None] = lambda _: None


def main() -> None:
    """Write all images."""
    IMAGES.mkdir(exist_ok=True)
    with launched() as browser:
        with mill() as server:
            take(browser, server.url, shots(server))
        with mill(api_key=SecretStr(KEY)) as server:
            take(browser, server.url, [Shot("log-in", "/")])


@contextmanager
def mill(**changes: object) -> Iterator[Served]:
    """A server on a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings.model_validate({"data_dir": folder, "slots": 2, "port": 0, **changes})
        with served(settings) as server:
            yield server


def shots(server: Served) -> list[Shot]:
    """Every page, with documents that make it worth looking at."""
    sample = server.finished(SAMPLE.read_bytes(), filename="A short history of the mill.pdf")
    server.finished(samples.report(40), filename="Annual report.pdf")
    server.finished(pictures.illustrated(3), filename="Catalogue.pdf")
    server.finished(samples.corrupt(), filename="Broken download.pdf")
    scan = server.finished(samples.photographed(samples.letter(), dpi=150), filename="Scanned letter.pdf")
    result = f"/jobs/{sample['id']}"
    return [
        Shot("jobs", "/jobs"),
        Shot("result", result, select_paragraph),
        Shot("tables", f"{result}?tab=tables"),
        Shot("scan", f"/jobs/{scan['id']}"),
        Shot("operations", "/operations"),
        Shot("api", "/api"),
        # Last, because it adds to the jobs.
        Shot("home", "/", upload_sample),
    ]


def upload_sample(page: Page) -> None:
    """Upload the sample and wait for its end."""
    choose(page, paper("sample.pdf", SAMPLE.read_bytes()))
    page.get_by_text("completed").first.wait_for()


def select_paragraph(page: Page) -> None:
    """Select a paragraph, so that its box is highlighted too."""
    page.locator(".reading-page [data-kind=paragraph]").nth(1).click()
    page.mouse.move(2, 2)


def take(browser: Browser, url: str, wanted: list[Shot]) -> None:
    """Take each shot in each size and colour scheme."""
    for shot in wanted:
        for size_name, size in SIZES.items():
            for scheme in SCHEMES:
                path = IMAGES / f"{shot.name}-{scheme}-{size_name}.png"
                context = window(browser, size, scheme=scheme)
                write(path, picture(context.new_page(), url, shot))
                context.close()
                print(f"{path.relative_to(ROOT)}  {path.stat().st_size // 1_000} kB")


def picture(page: Page, url: str, shot: Shot) -> bytes:
    """One page as it looks when nothing moves any more."""
    page.goto(url + shot.address, wait_until="networkidle" if shot.name != "jobs" else "load")
    shot.prepare(page)
    page.wait_for_timeout(SETTLING_MS)
    return page.screenshot()


def write(path: Path, taken: bytes) -> None:
    """Write an image with few colours."""
    image = Image.open(io.BytesIO(taken)).convert("RGB")
    image.quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)


if __name__ == "__main__":
    started = time.monotonic()
    main()
    print(f"done in {time.monotonic() - started:.0f} s")
