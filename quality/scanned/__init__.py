"""Scans that are made of documents whose text is known: pictures of pages, and pictures over a layer of somebody's OCR."""

from collections.abc import Sequence
from pathlib import Path

from quality.corpus import Document
from quality.scanned.ocr_layers import CATEGORY as OCR_LAYERS
from quality.scanned.ocr_layers import make_layers
from quality.scanned.page_images import CATEGORY as PAGE_IMAGES
from quality.scanned.page_images import make_page_images

MAKERS = {PAGE_IMAGES: make_page_images, OCR_LAYERS: make_layers}


def made_scans(
    corpus: Path, folder: Path, categories: Sequence[str], limit: int | None, seed: int
) -> list[Document]:
    """The scans of those categories, at most so many of each kind; another seed takes other pages."""
    return [
        scan
        for category, make in MAKERS.items()
        if category in categories
        for scan in make(corpus, folder / category, limit, seed)
    ]
