"""Examples as a recogniser would give them: without fonts, weights, colours and the engine's opinion."""

import numpy as np
from numpy.typing import NDArray

from pagemill.reading.layout.features import HINT_NAMES

Floats = NDArray[np.float32]
UNSEEN = (
    "bold",
    "italic",
    "mono",
    "bold_beside_page",
    "other_font",
    "other_colour",
    "page_bold",
    "page_tables",
    *HINT_NAMES,
)
CHANGES = ("bold_change", "italic_change")
# Types of a recogniser are estimated from the height of its boxes.
SIZES = (
    "size",
    "size_above",
    "size_below",
    "above_size",
    "below_size",
    "above2_size",
    "below2_size",
    "size_change",
    "first_size",
    "second_size",
)
SIZE_NOISE = 0.05


def blinded(features: Floats, names: tuple[str, ...], random: np.random.Generator) -> Floats:
    """The same features without what a picture can't say, and with less exact sizes."""
    blind = features.copy()
    unseen = [at for at, name in enumerate(names) if _is_unseen(name)]
    blind[:, unseen] = np.nan
    sizes = [at for at, name in enumerate(names) if name in SIZES]
    blind[:, sizes] += random.normal(0, SIZE_NOISE, (len(blind), len(sizes))).astype(np.float32)
    blind[:, names.index("recognised")] = 1
    return blind


def _is_unseen(name: str) -> bool:
    """Whether a feature, of the line itself or of another one, is among those that a picture can't say."""
    return name in UNSEEN or name.partition("_")[2] in UNSEEN or name in CHANGES
