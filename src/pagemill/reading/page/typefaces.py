"""What the name of a font says about its style; PDFs often leave the weight and the flags unset."""

import re
from dataclasses import dataclass
from functools import lru_cache

BOLD_WEIGHT = 600
_BOLD = re.compile(r"bold|black|heavy|demi|-medi$|cmbx|sfbx|ecbx", re.IGNORECASE)
_ITALIC = re.compile(r"ital|obli|slant|cmti|cmsl|-it$", re.IGNORECASE)
_MONO = re.compile(r"mono|courier|consol|menlo|typewriter|cmtt|sftt|ectt|inconsolata|code", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Typeface:
    """The family of a font and its style."""

    family: str
    bold: bool
    italic: bool
    mono: bool


@lru_cache(maxsize=1024)
def typeface(font: str) -> Typeface:
    """What the name of a font says."""
    family = font.rpartition("+")[2].partition("-")[0].partition(",")[0]
    return Typeface(family, bool(_BOLD.search(font)), bool(_ITALIC.search(font)), bool(_MONO.search(font)))
