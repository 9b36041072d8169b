"""What the name of a font says about its style; PDFs often leave the weight and the flags unset."""

import re
from dataclasses import dataclass
from functools import lru_cache

# Weights are computed from stems: thick ones are those of regular fonts, too, and more than the most is damage.
LEAST_BOLD, MOST_BOLD = 600, 900
_BOLD = re.compile(r"bold|black|heavy|demi|-medi(?:$|ital)|cmbx|sfbx|ecbx|\.bi?$", re.IGNORECASE)
_ITALIC = re.compile(r"ital|obli|slant|cmti|cmsl|-it$|\.b?i$", re.IGNORECASE)
_UPRIGHT = re.compile(r"regular|roman|book|light|thin|normal|mt$", re.IGNORECASE)
_MONO = re.compile(r"mono|courier|consol|menlo|typewriter|cmtt|sftt|ectt|inconsolata|code", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Typeface:
    """The family of a font and its style."""

    family: str
    bold: bool
    italic: bool
    mono: bool
    # Whether the name says which of its family the font is.
    styled: bool

    def is_bold(self, weight: int) -> bool:
        """Whether a font of a weight is bold, which counts if the name says nothing of the style."""
        return self.bold or (not self.styled and LEAST_BOLD <= weight <= MOST_BOLD)


@lru_cache(maxsize=1024)
def typeface(font: str) -> Typeface:
    """What the name of a font says."""
    family = font.rpartition("+")[2].partition("-")[0].partition(",")[0]
    bold, italic = bool(_BOLD.search(font)), bool(_ITALIC.search(font))
    styled = bold or italic or bool(_UPRIGHT.search(font))
    return Typeface(family, bold, italic, bool(_MONO.search(font)), styled)
