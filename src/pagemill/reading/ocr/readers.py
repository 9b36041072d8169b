"""Which network reads the lines of a picture: a quick one, or one that knows more characters."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from pagemill.reading.ocr import models
from pagemill.reading.ocr.decode import DecodedLine, reading
from pagemill.reading.ocr.recogniser import Pixels

# Their characters are only known to the wide reader.
WIDE_LANGUAGES = frozenset({"ja", "ro"})
# Their characters are known to neither.
UNKNOWN_LANGUAGES = frozenset(
    "am ar be bg bn el fa gu he hi hy ka kk km kn ko lo mk ml mn mr my ne pa ru sr ta te th uk ur vi yi".split()
)
# Below this, with many Chinese characters, the quick reader has met characters that it doesn't know.
DOUBTFUL_CONFIDENCE = 0.86
CHINESE_SHARE = 0.2
# The wide reader takes four times as long, so a few lines must show that they are Japanese.
SAMPLE_LINES = 5
KANA_SHARE = 0.1
KANA = ("HIRAGANA", "KATAKANA")


@dataclass(frozen=True, slots=True)
class Reader:
    """A network that reads the characters of a line, and its alphabet."""

    network: str
    alphabet: str

    def read(self, crop: Pixels) -> DecodedLine:
        """The characters of one line."""
        return reading(crop, self.network, self.alphabet)


QUICK = Reader(models.READER, models.READER_CHARACTERS)
WIDE = Reader(models.WIDE_READER, models.WIDE_READER_CHARACTERS)


def readings(crops: Sequence[Pixels], languages: Sequence[str]) -> list[DecodedLine]:
    """What is in each crop, by the reader that knows the characters."""
    if WIDE_LANGUAGES.intersection(map(plain, languages)):
        return [WIDE.read(crop) for crop in crops]
    quick = [QUICK.read(crop) for crop in crops]
    return _read_again(crops, quick) if _doubtful(quick) else quick


def plain(language: str) -> str:
    """The language without its country or script."""
    return language.replace("_", "-").split("-")[0].lower()


def sureness(found: Sequence[DecodedLine]) -> float:
    """How sure a network is, on average over all characters."""
    characters = sum(len(one.text) for one in found)
    return sum(sum(one.sureness) for one in found) / characters if characters else 0.0


def _doubtful(quick: Sequence[DecodedLine]) -> bool:
    text = "".join([one.text for one in quick])
    chinese = sum(unicodedata.east_asian_width(character) == "W" for character in text)
    return chinese > CHINESE_SHARE * len(text) and sureness(quick) < DOUBTFUL_CONFIDENCE


def _read_again(crops: Sequence[Pixels], quick: list[DecodedLine]) -> list[DecodedLine]:
    sample = [WIDE.read(crop) for crop in crops[:: max(1, len(crops) // SAMPLE_LINES)]]
    text = "".join([one.text for one in sample])
    kana = sum(unicodedata.name(character, "").startswith(KANA) for character in text)
    return [WIDE.read(crop) for crop in crops] if kana > KANA_SHARE * len(text) else quick
