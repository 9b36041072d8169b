"""Examples: the features and labels of the lines of all true pages, kept in files so that they are computed once."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, product
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray

from pagemill.reading.layout import features, joins, line_hints, line_text, lines
from pagemill.reading.layout.features import frame_of, line_features
from pagemill.reading.layout.joins import join_features
from pagemill.reading.layout.lines import lines_of
from pagemill.reading.page.sheet import Sheet
from train import parts, recognised
from train.align import UNKNOWN, Labels, labels_of
from train.markdown_truth import markdown_labels
from train.parts import part_of
from train.recognised import as_recognised
from train.sheets import text_sheets
from train.truth import TruePage

# What the names of arrays have after the number of the page: nothing, or what was made of the page.
PART, RECOGNISED = "p", "r"
VARIANTS = ("", PART, RECOGNISED, PART + RECOGNISED)
# So many pages and parts are learnt from once more as a recogniser would give them.
RECOGNISED_SHARE = 0.35
ARRAYS = ("features", "role", "block", "order", "joins", "joined")


@dataclass(frozen=True, slots=True)
class Example:
    """The lines of a page: features, labels, and pairs of lines that follow each other in true reading order.

    `variant` is one of VARIANTS; that of a page as it is, is empty.
    """

    collection: str
    group: str
    features: NDArray[np.float32]
    role: NDArray[np.int16]
    block: NDArray[np.int32]
    order: NDArray[np.float32]
    joins: NDArray[np.float32]
    joined: NDArray[np.int8]
    variant: str = ""


def examples_of(pages: Iterable[TruePage], cache: Path) -> Iterator[Example]:
    """The examples of pages and of what was made of them, document by document."""
    cache.mkdir(parents=True, exist_ok=True)
    for path, of_path in groupby(pages, key=lambda page: page.path):
        wanted = list(of_path)
        kept = cache / f"{path.stem}-{_version()}.npz"
        if not kept.exists():
            _write(kept, wanted)
        yield from _read(kept, wanted)


def _version() -> str:
    """Changes when the code that computes features does."""
    sources = (features, joins, line_hints, line_text, lines, parts, recognised)
    return hashlib.sha256(b"".join(Path(str(one.__file__)).read_bytes() for one in sources)).hexdigest()[:8]


def _write(kept: Path, pages: Sequence[TruePage]) -> None:
    arrays: dict[str, NDArray[np.generic]] = {}
    wanted = {page.number: page for page in pages}
    for number, sheet in text_sheets(pages[0].path, sorted(wanted)):
        for variant, shown, page in _variants(sheet, wanted[number]):
            arrays |= {f"{number}{variant}-{name}": found for name, found in _arrays(shown, page).items()}
    np.savez(kept, **arrays)  # type: ignore[arg-type]


def _variants(sheet: Sheet, page: TruePage) -> Iterator[tuple[str, Sheet, TruePage]]:
    """A page, a part of it, and either as a recogniser would give it."""
    random = Random(f"{page.path.stem} {page.number}")
    variants = [("", sheet, page)]
    if part := part_of(sheet, page, random):
        variants.append((PART, part[0], replace(page, pieces=part[1])))
    for variant, shown, truth in variants:
        yield variant, shown, truth
        if random.random() < RECOGNISED_SHARE:
            yield variant + RECOGNISED, as_recognised(shown, random), truth


def _arrays(sheet: Sheet, page: TruePage) -> dict[str, NDArray[np.generic]]:
    found = lines_of(sheet)
    if not found:
        return {}
    if page.markdown is None:
        labels = labels_of(found, page.pieces)
    else:
        labels = markdown_labels(found, page.markdown, sheet.height)
    frame = frame_of(sheet, found)
    sequence = _sequence(labels)
    return {
        "features": line_features(sheet, found, frame),
        "role": labels.role,
        "block": labels.block,
        "order": labels.order,
        "joins": join_features(frame, sequence),
        "joined": (labels.block[sequence[:-1]] == labels.block[sequence[1:]]).astype(np.int8),
    }


def _sequence(labels: Labels) -> NDArray[np.intp]:
    """The lines in true reading order."""
    known = np.flatnonzero((labels.role != UNKNOWN) & (labels.block != UNKNOWN))
    return known[np.argsort(labels.order[known], kind="stable")]


def _read(kept: Path, pages: Sequence[TruePage]) -> Iterator[Example]:
    with np.load(kept) as arrays:
        for page, variant in product(pages, VARIANTS):
            if f"{page.number}{variant}-role" in arrays:
                found = {name: arrays[f"{page.number}{variant}-{name}"] for name in ARRAYS}
                yield Example(page.collection, page.group, variant=variant, **found)
