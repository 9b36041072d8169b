"""Tesseract: reads many scripts, with whatever languages are installed."""

import importlib.metadata
import importlib.util
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from pagemill.model.pages import Box, Line, box_around
from pagemill.reading.ocr import tessdata
from pagemill.reading.ocr.recogniser import Pixels, overall
from pagemill.reading.ocr.script import script_of, show_picture
from pagemill.reading.page.close_words import close_words
from pagemill.reading.provider import MissingLanguage, Refusal

PACKAGE = "tesserocr"
# Scripts that set no space between words.
UNSPACED = frozenset({"chi_sim", "chi_tra", "jpn", "tha", "lao", "khm", "mya"})
# Korean sets spaces, but the engine takes every syllable for a word: a space is so many line heights wide.
SYLLABIC = frozenset({"kor"})
LEAST_SPACE = 0.25
# Scripts that are read without Tesseract.
READ_BY_OTHERS = frozenset({"Latin", "Han", "Japanese", "Katakana", "Hiragana"})


class Tesseract:
    """Reads text with Tesseract's networks."""

    name = "tesseract"

    def version(self) -> str:
        """The version of the wheel that brings the engine, which is loaded in the press alone."""
        return f"{PACKAGE} {importlib.metadata.version(PACKAGE)}"

    def available(self) -> str | None:
        """None if the engine and one language at least are installed."""
        if importlib.util.find_spec(PACKAGE) is None:
            return f"the package {PACKAGE} is not installed; pip install 'pagemill[tesseract]' brings it"
        return (
            None
            if any(map(tessdata.installed_languages, tessdata.folders()))
            else "no language is installed for it"
        )

    def models(self) -> list[str]:
        """The languages that are here, each a file of its own."""
        codes = {code for folder in tessdata.folders() for code in tessdata.installed_languages(folder)}
        return [f"{code}{tessdata.SUFFIX}" for code in sorted(codes)]

    def recognise(self, pixels: Pixels, languages: Sequence[str]) -> list[Line]:
        """The lines of an upright picture, split at wide gaps between words."""
        folder, codes = _languages(pixels, languages)
        engine = _engine(folder, "+".join(codes))
        show_picture(engine, pixels)
        engine.Recognize()
        lines = [join_words(part, set(codes)) for words in _lines(engine) for part in close_words(words)]
        engine.Clear()
        return [line for line in lines if line.text]


def join_words(words: Sequence[Line], codes: set[str]) -> Line:
    """One line of words that are side by side."""
    text = words[0].text + "".join(
        [_space(before, after, codes) + after.text for before, after in pairwise(words)]
    )
    box = box_around([word.box for word in words])
    width = max(box.width, 1.0)
    edges = [((word.box.x - box.x) / width, (word.box.right - box.x) / width) for word in words]
    return Line(text, box, overall(words), tuple(edges))


def _space(before: Line, after: Line, codes: set[str]) -> str:
    """What is between two words of a line."""
    if before.text[-1:].isascii() and after.text[:1].isascii():
        return " "
    if codes & SYLLABIC:
        height = max(before.box.height, after.box.height)
        return " " if after.box.x - before.box.right > LEAST_SPACE * height else ""
    return "" if codes & UNSPACED else " "


def _languages(pixels: Pixels, languages: Sequence[str]) -> tuple[Path, list[str]]:
    """The folder and the codes to read with: those asked for, or those of the script of the picture."""
    held = tessdata.holding(tessdata.tesseract_codes(languages))
    if held is None and languages:
        raise Refusal(f"no language file for {', '.join(languages)} is installed for Tesseract")
    if held is None:
        script = script_of(pixels) or "Latin"
        codes = tessdata.SCRIPT_CODES.get(script, ())
        held = tessdata.holding(codes)
        if held is None and codes and script not in READ_BY_OTHERS:
            raise MissingLanguage(script, f"tesseract-ocr-{codes[0].replace('_', '-')}")
        held = held or tessdata.holding(_any())
    if held is None:
        raise FileNotFoundError("no language is installed for Tesseract")
    return held[0], held[1][: max(tessdata.MOST_AT_ONCE, len(languages))]


def _any() -> list[str]:
    codes = sorted(frozenset().union(*map(tessdata.installed_languages, tessdata.folders())))
    return sorted(codes, key=lambda code: code != tessdata.USUAL_LANGUAGE)


@cache
def _engine(folder: Path, codes: str) -> Any:
    import tesserocr

    return tesserocr.PyTessBaseAPI(
        path=str(folder), lang=codes, psm=tesserocr.PSM.AUTO, oem=tesserocr.OEM.LSTM_ONLY
    )


def _lines(engine: Any) -> Iterator[list[Line]]:
    """The words of each line."""
    import tesserocr

    words: list[Line] = []
    level = tesserocr.RIL.WORD
    for place in tesserocr.iterate_level(engine.GetIterator(), level):
        if place.IsAtBeginningOf(tesserocr.RIL.TEXTLINE) and words:
            yield words
            words = []
        if not place.Empty(level):
            words.append(_word(place, level))
    if words:
        yield words


def _word(place: Any, level: int) -> Line:
    left, top, right, bottom = place.BoundingBox(level)
    return Line(
        place.GetUTF8Text(level).strip(),
        Box(left, top, right - left, bottom - top),
        place.Confidence(level) / 100,
    )
