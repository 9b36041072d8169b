"""Scanned documents: the sample pages as slightly crooked grey pictures, without a text layer."""

import random
from pathlib import Path

import pypdfium2
from PIL import Image

from bench.pages import write_document

DPI = 200
POINTS_PER_INCH = 72
MOST_SKEW_DEGREES = 1.0
WHITE = 255
JPEG_QUALITY = 80


def write_scan(path: Path, pages: int, seed: int) -> Path:
    """Write a scanned document of that many pages and return its path; the seed decides every pixel."""
    chance = random.Random(seed)
    source = write_document(path.with_suffix(".source.pdf"), pages, seed)
    with pypdfium2.PdfDocument(source) as document:
        pictures = [photographed(page, chance) for page in document]
    first, *others = pictures
    first.save(path, "PDF", resolution=DPI, save_all=True, append_images=others, quality=JPEG_QUALITY)
    source.unlink()
    return path


def photographed(page: pypdfium2.PdfPage, chance: random.Random) -> Image.Image:
    """A page as a scanner would see it."""
    picture: Image.Image = page.render(scale=DPI / POINTS_PER_INCH).to_pil().convert("L")
    angle = chance.uniform(-MOST_SKEW_DEGREES, MOST_SKEW_DEGREES)
    return picture.rotate(angle, Image.Resampling.BICUBIC, fillcolor=WHITE)
