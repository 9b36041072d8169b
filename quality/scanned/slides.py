"""Slides as LibreOffice draws them, with their words in the order in which they are drawn."""

import shutil
import subprocess
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

import pypdfium2

from quality.corpus import Document
from quality.scanned.known_page import KnownPage

NAMES = ("soffice", "libreoffice")
MOST_SECONDS = 180
FEWEST_LETTERS, EACH_DECK, LATIN_SHARE = 120, 2, 0.9


def drawing_program() -> str | None:
    """The path of LibreOffice; None if it is not installed."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def slides_of(program: str, decks: Iterable[Document], folder: Path) -> Iterator[KnownPage]:
    """Two slides of each deck; those with few words and those in other scripts are left out."""
    for deck in decks:
        path = draw_deck(program, deck.path, folder / "decks")
        if path:
            with pypdfium2.PdfDocument(path) as drawn:
                texts = [page.get_textpage().get_text_range() for page in drawn]
            full = [at for at, text in enumerate(texts, 1) if len(text) >= FEWEST_LETTERS and is_latin(text)]
            for number in full[:: max(len(full) // EACH_DECK, 1)][:EACH_DECK]:
                yield KnownPage("slides", path, number, texts[number - 1])


def is_latin(text: str) -> bool:
    """Whether nearly all letters are Latin: every recogniser reads these."""
    letters = [letter for letter in text if letter.isalpha()]
    latin = sum("LATIN" in unicodedata.name(letter, "") for letter in letters)
    return latin >= LATIN_SHARE * len(letters)


def draw_deck(program: str, deck: Path, folder: Path) -> Path | None:
    """The deck as a PDF; None if LibreOffice makes none of it."""
    profile = f"-env:UserInstallation={(folder / 'profile').absolute().as_uri()}"
    command = [program, profile, "--headless", "--convert-to", "pdf", "--outdir", str(folder), str(deck)]
    try:
        subprocess.run(command, check=False, capture_output=True, timeout=MOST_SECONDS)
    except subprocess.TimeoutExpired:
        return None
    path = folder / f"{deck.stem}.pdf"
    return path if path.exists() else None
